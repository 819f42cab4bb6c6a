"""The ingress from a topic of Kafka."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.engine.errors import IngressGapError
from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL, Ingress
from reactivestreams.engine.kafka_connection import KAFKA_LOGGER, checked_options, checked_text, kafka
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = ["MAX_FETCHED_KIBIBYTES", "MAX_FETCHED_RECORDS", "KafkaRecord", "KafkaRecords"]

MAX_FETCHED_RECORDS = 1000
"""How many records of a partition the library may fetch ahead of the engine; it goes on until it has more than this."""

MAX_FETCHED_KIBIBYTES = 16_384
"""How much the library may fetch ahead of the engine, in KiB."""

PARTITIONS_SECONDS = 30.0
"""How often it looks whether the topic has got more partitions."""

REMEMBERED_READS = 1024
"""For how many reads it remembers the offsets that are to be committed to the group."""

OWN_OPTIONS = (
    "bootstrap.servers",
    "group.id",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "enable.partition.eof",
)

SKIPPED = PartGuarantee(
    "ingress",
    Guarantee.AT_MOST_ONCE,
    "records that Kafka deletes before they are read are passed over",
    "keep them longer than the engine may be away, and leave on_deleted at 'fail'",
)


@dataclass(frozen=True, slots=True)
class KafkaRecord:
    """A record of a topic, as `decode` gets it.

    Attributes:
        key: Its key, or None.
        value: Its value; None: a tombstone.
        partition: The number of its partition.
        offset: Its offset there.
        timestamp: Milliseconds since 1970; -1: it has none.
        headers: Its headers, in their order.
    """

    key: bytes | None
    value: bytes | None
    partition: int
    offset: int
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...]


def key_and_value(record: KafkaRecord) -> Any:
    """Return the key and the value of a record, the default of `decode`."""
    return record.key, record.value


class KafkaRecords(Ingress):
    """Send the records of a topic of Kafka; those of one partition in their order.

    The offset of each partition is part of the engine's checkpoint, and after a crash reading goes on there: exactly
    once. The offsets of a consumer group have no part in that, and partitions are not shared with other consumers; with
    `group` the offsets of each stored checkpoint are committed to that group, for programs that watch its lag.

    It reads only what was committed, unless `options` have another `isolation.level`. What the library may fetch ahead
    is bounded: `queued.min.messages` is 1,000 records a partition and `queued.max.messages.kbytes` 16 MiB, unless
    `options` say otherwise. Beyond that it fetches no more until the engine has read, so partitions need not be paused.

    New partitions of the topic are noticed within half a minute and read from their beginning. A topic that is not
    there, or a broker that is away, is looked for again, as `Ingress` says. A topic that was deleted and made anew, or
    whose records at the offset are deleted, ends the ingress with IngressGapError, since nobody knows what is lost.
    Where `decode` raises, nothing is passed over: the record is read again later.

    Needs the extra `kafka`.

    Args:
        servers: Where the brokers are, as `bootstrap.servers` has it.
        topic: The topic.
        decode: Returns the element for a `KafkaRecord`, a value that state can hold; by default the pair of its key and
            its value, both bytes or None.
        since: From which timestamp on the records are read that were there before the first checkpoint, with a time
            zone; None: from the first record that there is.
        follow: Whether to wait for more records; False: the ingress ends behind the last ones of all partitions.
        on_deleted: What to do where Kafka has deleted records before they were read: `"fail"`, or `"skip"` to go on at
            the first one that is there, with a warning in the log, which makes it at-most-once.
        group: The consumer group to which offsets are committed for others to see; None: none.
        options: Settings of librdkafka, such as those for TLS.
        poll_interval: After how long it is read again when there was nothing.

    Raises:
        ArgumentTypeError: An argument is of another type.
        ArgumentError: A text is empty, the interval is not positive, `since` has no time zone, `on_deleted` is none of
            its words, or an option is one that the ingress sets.

    State: the identity of the topic, and the next offset of each partition.

    Example:
        >>> KafkaRecords("localhost:9092", "orders", decode=lambda record: record.value.decode())
        KafkaRecords('orders')
    """

    def __init__(
        self,
        servers: str,
        topic: str,
        *,
        decode: Callable[[KafkaRecord], Any] = key_and_value,
        since: datetime | None = None,
        follow: bool = True,
        on_deleted: str = "fail",
        group: str | None = None,
        options: Mapping[str, Any] = MappingProxyType({}),
        poll_interval: timedelta = DEFAULT_POLL_INTERVAL,
    ) -> None:
        self.servers: str = checked_text(servers, operator="KafkaRecords", name="servers", example="localhost:9092")
        self.topic: str = checked_text(topic, operator="KafkaRecords", name="topic", example="orders")
        if group is not None:
            checked_text(group, operator="KafkaRecords", name="group", example="orders-engine")
        if since is not None and not isinstance(since, datetime):
            raise ArgumentTypeError(
                f"KafkaRecords(since) needs a datetime, got {since!r} ({type(since).__name__}); pass e.g. "
                f"datetime(2026, 1, 1, tzinfo=UTC)"
            )
        if since is not None and since.tzinfo is None:
            raise ArgumentError(f"KafkaRecords(since) needs a time zone, got {since!r}; pass tzinfo=UTC")
        if on_deleted not in ("fail", "skip"):
            raise ArgumentError(
                f"KafkaRecords(on_deleted) needs 'fail' or 'skip', got {on_deleted!r}; pass one of these"
            )
        if not isinstance(poll_interval, timedelta):
            raise ArgumentTypeError(
                f"KafkaRecords(poll_interval) needs a timedelta, got {poll_interval!r} "
                f"({type(poll_interval).__name__}); pass e.g. timedelta(seconds=1)"
            )
        if poll_interval <= timedelta():
            raise ArgumentError(f"KafkaRecords(poll_interval) needs a time above 0, got {poll_interval}; pass one")
        self.poll_interval: timedelta = poll_interval
        if on_deleted == "skip":
            self.guarantee = SKIPPED
        self._decode = checked_callable(decode, operator="KafkaRecords", name="decode")
        self._since = since
        self._follow = follow
        self._group = group
        self._options = checked_options(options, operator="KafkaRecords", own=OWN_OPTIONS)
        self._lock = threading.Lock()  # acknowledge() comes from another thread than the rest
        self._remembered: deque[tuple[int, dict[int, int]]] = deque(maxlen=REMEMBERED_READS)
        self._consumer: Any = None
        self._admin: Any = None
        self._position = 0
        self._topic_id = ""
        self._offsets: dict[int, int] = {}  # the next one of each partition
        self._ends: dict[int, int] = {}  # where the end of a partition was seen
        self._assigned: set[int] = set()
        self._searches: deque[Iterator[None]] = deque()  # one for each partition at most, and that for partitions
        self._next_search = 0.0
        self._errors: deque[Any] = deque(maxlen=16)
        self._failure: Any = None

    def open(self, position: int, bookmark: Any) -> None:
        """Continue at the offsets of a bookmark; connects later, since brokers may be away."""
        library = kafka("KafkaRecords")
        self._position = position
        self._topic_id, self._offsets = ("", {}) if bookmark is None else (bookmark[0], dict(bookmark[1]))
        self._ends = {}
        self._assigned.clear()
        self._searches.clear()
        self._next_search = 0.0
        self._errors.clear()
        self._failure = None
        with self._lock:
            self._remembered.clear()
        common = {"bootstrap.servers": self.servers, **self._options}
        self._admin = library.admin.AdminClient(common, logger=KAFKA_LOGGER)
        own = {
            "group.id": self._group or "reactivestreams",  # the library needs a name, and uses it for commits only
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "queued.min.messages": MAX_FETCHED_RECORDS,
            "queued.max.messages.kbytes": MAX_FETCHED_KIBIBYTES,
        }
        calls = {"error_cb": self._errors.append, "on_commit": _log_commit}
        self._consumer = library.Consumer({**own, **common, **calls}, logger=KAFKA_LOGGER)

    # --- partitions, and where they are read --------------------------------------------------------------------------

    def _look_further(self) -> None:
        """Go on with what is asked of the broker, without waiting for it."""
        if not self._searches and time.monotonic() >= self._next_search:
            self._searches.append(self._find_partitions())
        if self._searches and next(self._searches[0], self) is self:  # it is through
            self._searches.popleft()

    def _find_partitions(self) -> Iterator[None]:
        library = kafka("KafkaRecords")
        asked = self._admin.describe_topics(library.TopicCollection([self.topic]))[self.topic]
        yield from _until(asked)
        found = asked.result()
        topic_id = str(found.topic_id)
        if self._topic_id not in ("", topic_id):
            raise IngressGapError(
                f"{self!r} read up to {self._offsets} of the topic with the id {self._topic_id}, and the one that has "
                f"the name now is another one ({topic_id}); delete this artifact and define it again to read that"
            )
        new = [each.id for each in found.partitions if each.id not in self._offsets]
        started: dict[int, int] = {}
        if new and self._assigned:  # a client that knew the topic does not ask again who leads the new ones
            common = {"bootstrap.servers": self.servers, **self._options}
            self._admin = library.admin.AdminClient(common, logger=KAFKA_LOGGER)
        if new and self._since is not None:
            # The ends first: what comes in between is behind them, and so is read.
            yield from self._ask(new, library.admin.OffsetSpec.latest(), started)
            milliseconds = int(self._since.timestamp() * 1000)
            yield from self._ask(new, library.admin.OffsetSpec.for_timestamp(milliseconds), started)
        elif new:
            yield from self._ask(new, library.admin.OffsetSpec.earliest(), started)
        self._topic_id = topic_id
        self._offsets.update(started)
        places = [
            library.TopicPartition(self.topic, partition, offset)
            for partition, offset in self._offsets.items()
            if partition not in self._assigned
        ]
        if places:
            self._consumer.incremental_assign(places)
            self._assigned.update(self._offsets)
        self._next_search = time.monotonic() + PARTITIONS_SECONDS

    def _ask(self, partitions: list[int], spec: Any, offsets: dict[int, int]) -> Iterator[None]:
        """Ask for an offset of each partition; one that there is not leaves what was known."""
        library = kafka("KafkaRecords")
        asked = self._admin.list_offsets({library.TopicPartition(self.topic, each): spec for each in partitions})
        for place, answer in asked.items():
            yield from _until(answer)
            offset = answer.result().offset
            if offset >= 0:
                offsets[place.partition] = offset

    def _deleted(self, partition: int) -> Iterator[None]:
        """Decide about a partition whose next record is not there."""
        library = kafka("KafkaRecords")
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        yield from self._ask([partition], library.admin.OffsetSpec.earliest(), first)
        yield from self._ask([partition], library.admin.OffsetSpec.latest(), last)
        offset = self._offsets[partition]
        if self.guarantee is not SKIPPED or offset > last[partition]:
            raise IngressGapError(
                f"{self!r}: the next record of partition {partition} has offset {offset}, and Kafka has those from "
                f"{first[partition]} on, up to {last[partition]}, so some are lost; keep records longer than the "
                f"engine may be away, then delete this artifact and define it again; or pass on_deleted='skip'"
            )
        if offset < first[partition]:
            KAFKA_LOGGER.warning(
                "%r: partition %d goes on at offset %d in place of %d; Kafka has deleted what lies between",
                *(self, partition, first[partition], offset),
            )
            self._offsets[partition] = first[partition]
        place = library.TopicPartition(self.topic, partition, self._offsets[partition])
        self._consumer.incremental_unassign([place])  # it fetches no more where it has failed
        self._consumer.incremental_assign([place])

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next records, as far as they have come."""
        if self._failure is not None:
            raise self._failure
        self._admin.poll(0)
        self._look_further()
        elements: list[tuple[int, Any]] = []
        for message in self._consumer.consume(max_elements, 0):
            if message.error() is not None:
                self._event(message)
            else:
                elements.append((self._position + len(elements) + 1, self._decode(_record_of(message))))
                self._offsets[message.partition()] = message.offset() + 1
        self._position += len(elements)
        if elements:
            if self._group is not None:
                with self._lock:
                    self._remembered.append((self._position, dict(self._offsets)))
            return elements
        while self._errors:
            self._raise_if_away(self._errors.popleft())
        return None if not self._follow and self._is_at_end() else []

    def _event(self, message: Any) -> None:
        """Take what comes in place of a record."""
        code = message.error().code()
        library = kafka("KafkaRecords")
        if code == library.KafkaError._PARTITION_EOF:
            self._ends[message.partition()] = message.offset()
        elif code == library.KafkaError._AUTO_OFFSET_RESET:
            self._searches.append(self._deleted(message.partition()))
        else:
            self._failure = library.KafkaException(message.error())  # after what came with it

    def _raise_if_away(self, error: Any) -> None:
        """Raise an error of the connection that somebody has to see; the library looks after the others."""
        library = kafka("KafkaRecords")
        away = (library.KafkaError._ALL_BROKERS_DOWN, library.KafkaError._AUTHENTICATION)
        if error.fatal() or error.code() in away:
            raise library.KafkaException(error)

    def _is_at_end(self) -> bool:
        """Whether all partitions are read to where there is nothing, not even a transaction that is not through."""
        library = kafka("KafkaRecords")
        if not self._topic_id:
            return False
        for partition in self._offsets:
            place = library.TopicPartition(self.topic, partition)
            if self._ends.get(partition, -1) < max(0, self._consumer.get_watermark_offsets(place, cached=True)[1]):
                return False
        return True

    @property
    def bookmark(self) -> Any:
        """The identity of the topic, and the next offset of each partition; None before the topic is found."""
        return (self._topic_id, dict(self._offsets)) if self._topic_id else None

    def acknowledge(self, position: int) -> None:
        """Commit the offsets after a position to the group, if there is one, without waiting."""
        with self._lock:
            offsets: dict[int, int] = {}
            while self._remembered and self._remembered[0][0] <= position:
                offsets = self._remembered.popleft()[1]
            if not offsets or self._consumer is None:
                return
            library = kafka("KafkaRecords")
            places = [library.TopicPartition(self.topic, partition, offset) for partition, offset in offsets.items()]
            self._consumer.commit(offsets=places, asynchronous=True)

    def close(self) -> None:
        """Disconnect."""
        with self._lock:
            consumer, self._consumer = self._consumer, None
            self._admin = None
            self._searches.clear()
            if consumer is not None:
                consumer.close()

    def __repr__(self) -> str:
        return f"KafkaRecords({self.topic!r})"


def _until(answer: "Future[Any]") -> Iterator[None]:
    while not answer.done():
        yield


def _record_of(message: Any) -> KafkaRecord:
    kind, milliseconds = message.timestamp()
    return KafkaRecord(
        message.key(),
        message.value(),
        message.partition(),
        message.offset(),
        milliseconds if kind else -1,
        tuple(message.headers() or ()),
    )


def _log_commit(error: Any, _places: object) -> None:
    if error is not None:
        KAFKA_LOGGER.warning("offsets were not committed to the group, for others to see: %s", error)
