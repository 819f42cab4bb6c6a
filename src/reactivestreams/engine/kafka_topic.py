"""The egress to a topic of Kafka, a transaction for each batch."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS, IdempotentEgress
from reactivestreams.engine.errors import EgressAheadError
from reactivestreams.engine.kafka_connection import KAFKA_LOGGER, checked_options, checked_text, kafka
from reactivestreams.errors import ArgumentError
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = ["ANSWER_SECONDS", "BATCHES_TOPIC", "KafkaTopic"]

ANSWER_SECONDS = 30.0
"""How long brokers may take to answer by default."""

BATCHES_TOPIC = "reactivestreams-batches"
"""The topic that has the number of the last batch of each egress, by default."""

BATCHES_CONFIG = {"cleanup.policy": "compact", "segment.bytes": str(2**20), "min.cleanable.dirty.ratio": "0.1"}

OWN_OPTIONS = ("bootstrap.servers", "transactional.id", "enable.idempotence", "acks", "isolation.level")

EXACTLY = PartGuarantee(
    "egress",
    Guarantee.EXACTLY_ONCE,
    "a batch and its number are one transaction, and the number is looked up before a batch is sent again; so readers "
    "with isolation.level=read_committed see it once",
)
REPEATED = PartGuarantee(
    "egress",
    Guarantee.AT_LEAST_ONCE,
    "a batch is sent again when the process died before all of it was acknowledged",
    "leave transactional at True",
)


class KafkaTopic(IdempotentEgress):
    """Send each batch to a topic of Kafka in a transaction: exactly once, for readers of what is committed.

    The transaction has a record more, in another topic, `batches_topic`: the number of the batch, under the name of the
    egress. After a crash that number says whether a batch was committed, which is not sent again. Brokers let one
    producer of a name write, and abort what the one before had begun. The topic of the batches is made where there is
    none, compacted, with the replication that is the default of the brokers; where it may delete what is old, a batch
    is refused.

    Without transactions a batch is sent by an idempotent producer, and again after a crash: at least once.

    A batch that cannot be sent is tried again at the next checkpoint. One whose number Kafka has, though the store's
    last checkpoint is older, raises EgressAheadError, since the store was begun anew or comes from a backup.

    Needs the extra `kafka`.

    Args:
        servers: Where the brokers are, as `bootstrap.servers` has it.
        topic: The topic, which is there already.
        name: The `transactional.id`: one that no other egress uses for these brokers, such as
            `f"shop/{engine.artifact_id}"` in the factory; another one when the store is begun anew.
        key: Returns the key of a row, text or bytes, which decides about its partition as in Java; None: no keys.
        encode: Returns the value of a row, bytes; by default JSON. None: a tombstone.
        transactional: Whether a batch is a transaction.
        batches_topic: The topic of the numbers.
        options: Settings of librdkafka, such as those for TLS.
        max_rows: How many rows are held at most until they are stored, from 2.
        timeout_seconds: How long brokers may take to answer, above 0.

    Raises:
        ArgumentTypeError: A text is none, or a function cannot be called.
        ArgumentError: A text is empty, a number is out of its bounds, or an option is one that the egress sets.

    Example:
        >>> KafkaTopic("localhost:9092", "totals", name="shop/totals", key=lambda row: row["airport"])
        KafkaTopic('totals', name='shop/totals')
    """

    def __init__(
        self,
        servers: str,
        topic: str,
        *,
        name: str,
        key: Callable[[Any], str | bytes | None] | None = None,
        encode: Callable[[Any], bytes | None] | None = None,
        transactional: bool = True,
        batches_topic: str = BATCHES_TOPIC,
        options: Mapping[str, Any] = MappingProxyType({}),
        max_rows: int = DEFAULT_MAX_ROWS,
        timeout_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.servers: str = checked_text(servers, operator="KafkaTopic", name="servers", example="localhost:9092")
        self.topic: str = checked_text(topic, operator="KafkaTopic", name="topic", example="totals")
        self.name: str = checked_text(name, operator="KafkaTopic", name="name", example="shop/totals")
        self.batches_topic: str = checked_text(
            batches_topic, operator="KafkaTopic", name="batches_topic", example=BATCHES_TOPIC
        )
        if not 0 < timeout_seconds <= 3_600:
            raise ArgumentError(
                f"KafkaTopic(timeout_seconds) needs a time above 0 and up to 3600, got {timeout_seconds!r}; pass one"
            )
        self.max_rows: int = checked_count(max_rows, operator="KafkaTopic", name="max_rows", at_least=2, at_most=2**24)
        self.guarantee: PartGuarantee = EXACTLY if transactional else REPEATED
        self._key = None if key is None else checked_callable(key, operator="KafkaTopic", name="key")
        self._encode = _as_json if encode is None else checked_callable(encode, operator="KafkaTopic", name="encode")
        self._options = checked_options(options, operator="KafkaTopic", own=OWN_OPTIONS)
        self._timeout_seconds = timeout_seconds
        self._transactional = transactional
        self._producer: Any = None
        self._newest = 0  # the number of the last batch that is committed
        self._last_checkpoint: int | None = None

    def open(self) -> None:
        """See that the library is there; the first batch connects, since brokers may be away."""
        kafka("KafkaTopic")

    def resume(self, last_checkpoint: int) -> None:
        """Note from where on batches are new."""
        self._last_checkpoint = last_checkpoint

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Send a batch and its number, unless Kafka has it."""
        try:
            producer = self._connected()
            if batch_id <= self._newest:
                return
            if self._transactional:
                producer.begin_transaction()
            failures: list[Any] = []
            for row in rows:
                key = None if self._key is None else self._key(row)
                self._produce(producer, self.topic, key, self._encode(row), failures)
            if self._transactional:
                self._produce(producer, self.batches_topic, self.name, str(batch_id).encode(), failures)
                producer.commit_transaction(self._timeout_seconds)
                self._newest = batch_id
            elif (left := producer.flush(self._timeout_seconds)) or failures:
                raise OSError(
                    f"{self!r}: of the {len(rows)} rows of batch {batch_id} the brokers have not acknowledged {left} "
                    f"within {self._timeout_seconds} s, and refused {len(failures)} ({failures[:1]}); it is sent again "
                    f"at the next checkpoint"
                )
        except BaseException:
            self.close()  # whether it was committed, the brokers know, and the next producer asks
            raise

    def _produce(self, producer: Any, topic: str, key: Any, value: bytes | None, failures: list[Any]) -> None:
        def told(error: Any, _message: object) -> None:
            if error is not None:
                failures.append(error)

        end = time.monotonic() + self._timeout_seconds
        while True:
            try:
                producer.produce(topic, value, key, on_delivery=told)
            except BufferError:  # the library holds as much as it may
                if time.monotonic() > end:
                    raise
                producer.poll(0.1)
            else:
                producer.poll(0)
                return

    # --- connecting ---------------------------------------------------------------------------------------------------

    def _connected(self) -> Any:
        if self._producer is not None:
            return self._producer
        library = kafka("KafkaTopic")
        common = {"bootstrap.servers": self.servers, **self._options}
        own: dict[str, Any] = {"partitioner": "murmur2_random", "enable.idempotence": True, "acks": "all"}
        if not self._transactional:
            own["message.timeout.ms"] = max(1, int(self._timeout_seconds * 1000))
            self._producer = library.Producer({**own, **common}, logger=KAFKA_LOGGER)
            return self._producer
        self._require_batches_topic(library, common)
        own["transactional.id"] = self.name
        producer = library.Producer({**own, **common}, logger=KAFKA_LOGGER)
        producer.init_transactions(self._timeout_seconds)  # ends what the producer before had begun, and locks it out
        self._newest = self._found_newest(library, common)
        if self._last_checkpoint is not None and self._newest > self._last_checkpoint:
            raise EgressAheadError(
                f"{self!r}: {self.batches_topic} has batch {self._newest} under this name, and the last checkpoint of "
                f"the store was {self._last_checkpoint} when the engine started, so that batches of other results "
                f"would be taken for those that are there; the store was begun anew or comes from a backup: pass "
                f"another name"
            )
        self._last_checkpoint = None  # from now on batches are this engine's own
        self._producer = producer
        return producer

    def _require_batches_topic(self, library: Any, common: dict[str, Any]) -> None:
        """Make the topic of the numbers if there is none."""
        admin = library.admin.AdminClient(common, logger=KAFKA_LOGGER)
        wanted = library.admin.NewTopic(self.batches_topic, num_partitions=1, config=BATCHES_CONFIG)
        try:
            admin.create_topics([wanted])[self.batches_topic].result(self._timeout_seconds)
        except library.KafkaException as error:
            if error.args[0].code() != library.KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        resource = library.admin.ConfigResource(library.admin.ResourceType.TOPIC, self.batches_topic)
        found = admin.describe_configs([resource])[resource].result(self._timeout_seconds)
        policy = found["cleanup.policy"].value
        if "delete" in policy:
            raise ArgumentError(
                f"{self!r}: the topic {self.batches_topic!r} has cleanup.policy={policy}, and a number that is deleted "
                f"would let a batch be sent twice; set it to compact"
            )

    def _found_newest(self, library: Any, common: dict[str, Any]) -> int:
        """Return the number of the last batch that was committed under this name; 0: none."""
        admin = library.admin.AdminClient(common, logger=KAFKA_LOGGER)
        place = library.TopicPartition(self.batches_topic, 0)
        # Including what is not committed, by others, too: behind it, there is nothing of ours.
        asked = admin.list_offsets({place: library.admin.OffsetSpec.latest()})[place]
        behind = asked.result(self._timeout_seconds).offset
        own = {
            "group.id": self.name,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 50,
        }
        reader = library.Consumer({**own, **common, "isolation.level": "read_committed"}, logger=KAFKA_LOGGER)
        newest = 0
        try:
            reader.assign([library.TopicPartition(self.batches_topic, 0, library.OFFSET_BEGINNING)])
            end = time.monotonic() + self._timeout_seconds
            while True:
                for message in reader.consume(1000, 0.1):
                    error = message.error()
                    if error is None:
                        if message.key() == self.name.encode():
                            newest = int(message.value())
                    elif error.code() != library.KafkaError._PARTITION_EOF:
                        raise library.KafkaException(error)
                    elif message.offset() >= behind:
                        return newest
                if time.monotonic() > end:
                    raise TimeoutError(
                        f"{self!r}: {self.batches_topic} was not read up to offset {behind} within "
                        f"{self._timeout_seconds} s; it is tried again at the next checkpoint"
                    )
        finally:
            reader.close()

    def close(self) -> None:
        """Disconnect; what was begun and not committed is aborted by the next producer of the name."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.purge()

    def __repr__(self) -> str:
        return f"KafkaTopic({self.topic!r}, name={self.name!r})"


def _as_json(row: Any) -> bytes:
    return json.dumps(row).encode()
