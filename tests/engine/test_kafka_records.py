"""The ingress from Kafka gives every committed record once, from the offsets of the engine's checkpoint."""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import Engine, IngressGapError, KafkaRecord, KafkaRecords, MemoryStore, factories
from reactivestreams.engine.kafka_records import MAX_FETCHED_RECORDS
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import Guarantee
from reactivestreams.testing.crash import IngressCase, check_ingress
from tests.engine.kafka_broker import Broker

pytestmark = pytest.mark.slow

MOST_SECONDS = 60.0
TOPICS = itertools.count()


def text_of(record: KafkaRecord) -> str:
    assert record.value is not None
    return record.value.decode()


class Patient(KafkaRecords):
    """Waits in `read` until the broker has answered, as no ingress of an engine may."""

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        end = time.monotonic() + MOST_SECONDS
        while True:
            found = super().read(max_elements)
            if found or found is None:
                return found
            assert time.monotonic() < end, "nothing comes"


@pytest.fixture
def topic(broker: Broker) -> str:
    name = f"in-{next(TOPICS)}"
    broker.make_topic(name)
    return name


@pytest.fixture
def opened(broker: Broker) -> Iterator[Callable[..., Patient]]:
    """Open ingresses that are closed in the end."""
    made: list[Patient] = []

    def open_one(topic: str, position: int = 0, bookmark: Any = None, **arguments: Any) -> Patient:
        made.append(Patient(broker.servers, topic, **{"decode": text_of, "follow": False, **arguments}))
        made[-1].open(position, bookmark)
        return made[-1]

    yield open_one
    for each in made:
        each.close()


def all_of(ingress: KafkaRecords) -> list[Any]:
    found: list[Any] = []
    while (more := ingress.read(100)) is not None:
        found += [element for _, element in more]
    return found


Opened = Callable[..., Patient]


def test_records_come_in_order_and_go_on_behind_a_bookmark(broker: Broker, topic: str, opened: Opened) -> None:
    broker.send(topic, *"abcde")
    ingress = opened(topic)
    first = ingress.read(2)
    assert first == [(1, "a"), (2, "b")]
    bookmark = ingress.bookmark
    assert bookmark[1] == {0: 2}
    assert all_of(ingress) == ["c", "d", "e"]
    assert bookmark[1] == {0: 2}, "what was saved does not change"
    assert opened(topic, 2, bookmark).read(1) == [(3, "c")]


def test_element_is_key_and_value_by_default_and_decode_gets_all(broker: Broker, topic: str, opened: Opened) -> None:
    broker.send(topic, "x", key="k", timestamp=1_700_000_000_000)
    assert opened(topic, decode=lambda record: record).read(9) == [
        (1, KafkaRecord(b"k", b"x", 0, 0, 1_700_000_000_000, ()))
    ]
    ingress = KafkaRecords(broker.servers, topic)
    assert ingress._decode(KafkaRecord(b"k", b"x", 0, 0, -1, ())) == (b"k", b"x")


def test_all_partitions_are_read(broker: Broker, opened: Opened) -> None:
    broker.make_topic("three", 3)
    for partition in range(3):
        broker.send("three", *(f"{partition}{letter}" for letter in "abc"), partition=partition)
    ingress = opened("three")
    found = all_of(ingress)
    assert sorted(found) == [f"{partition}{letter}" for partition in range(3) for letter in "abc"]
    for partition in range(3):
        assert [each for each in found if each[0] == str(partition)] == [f"{partition}{letter}" for letter in "abc"]
    assert ingress.bookmark[1] == {0: 3, 1: 3, 2: 3}


def test_partition_that_is_added_is_read_from_its_beginning(
    broker: Broker, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confluent_kafka.admin import NewPartitions

    monkeypatch.setattr("reactivestreams.engine.kafka_records.PARTITIONS_SECONDS", 0.01)
    broker.make_topic("grows")
    broker.send("grows", "a")
    ingress = opened("grows", follow=True)
    assert ingress.read(9) == [(1, "a")]
    broker.admin.create_partitions([NewPartitions("grows", 2)])["grows"].result(MOST_SECONDS)
    broker.send("grows", "b", partition=1)
    assert ingress.read(9) == [(2, "b")]
    assert ingress.bookmark[1] == {0: 1, 1: 1}


def test_what_is_not_committed_is_waited_for_and_what_is_aborted_never_comes(
    broker: Broker, topic: str, opened: Opened
) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.servers, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(MOST_SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"aborted")
    producer.flush(MOST_SECONDS)
    producer.abort_transaction(MOST_SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    producer.flush(MOST_SECONDS)
    ingress = KafkaRecords(broker.servers, topic, decode=text_of, follow=False)
    ingress.open(0, None)
    while 0 not in ingress._ends:  # the end of what is committed
        assert ingress.read(9) == []
    assert ingress.read(9) == [], "it does not end before the transaction has"
    producer.commit_transaction(MOST_SECONDS)
    found: list[Any] = []
    while (more := ingress.read(9)) is not None:
        found += more
    ingress.close()
    assert found == [(1, "open")]


def test_since_begins_at_a_timestamp(broker: Broker, topic: str, opened: Opened) -> None:
    for day in (1, 2, 3):
        moment = datetime(2026, 1, day, tzinfo=UTC)
        broker.send(topic, str(day), timestamp=int(moment.timestamp() * 1000))
    assert all_of(opened(topic, since=datetime(2026, 1, 2, tzinfo=UTC))) == ["2", "3"]
    later = opened(topic, since=datetime(2026, 2, 1, tzinfo=UTC))
    assert all_of(later) == []
    assert later.bookmark[1] == {0: 3}


def delete_up_to(broker: Broker, topic: str, offset: int) -> None:
    from confluent_kafka import TopicPartition

    place = TopicPartition(topic, 0, offset)
    broker.admin.delete_records([place])[place].result(MOST_SECONDS)


def test_deleted_records_are_an_error(broker: Broker, topic: str, opened: Opened) -> None:
    broker.send(topic, *"abcde")
    ingress = opened(topic)
    ingress.read(1)
    bookmark = ingress.bookmark
    delete_up_to(broker, topic, 3)
    with pytest.raises(IngressGapError, match=r"partition 0 has offset 1, and Kafka has those from 3 on, up to 5"):
        opened(topic, 1, bookmark).read(9)


def test_deleted_records_are_skipped_where_that_is_asked_for(broker: Broker, topic: str, opened: Opened) -> None:
    broker.send(topic, *"abcde")
    ingress = opened(topic, on_deleted="skip")
    ingress.read(1)
    bookmark = ingress.bookmark
    delete_up_to(broker, topic, 3)
    again = opened(topic, 1, bookmark, on_deleted="skip")
    assert again.read(9) == [(2, "d"), (3, "e")]
    assert again.guarantee.guarantee is Guarantee.AT_MOST_ONCE
    with pytest.raises(IngressGapError, match="has offset 9, and Kafka has those from 3 on, up to 5"):
        opened(topic, 1, (bookmark[0], {0: 9}), on_deleted="skip").read(9)


def test_topic_that_was_made_anew_is_an_error(broker: Broker, opened: Opened) -> None:
    broker.make_topic("again")
    broker.send("again", "a")
    ingress = opened("again")
    ingress.read(1)
    bookmark = ingress.bookmark
    broker.admin.delete_topics(["again"])["again"].result(MOST_SECONDS)
    for _ in range(100):
        with suppress(Exception):
            broker.make_topic("again")
            break
    broker.send("again", "b", "c")
    with pytest.raises(IngressGapError, match="is another one"):
        opened("again", 1, bookmark).read(9)


def test_topic_that_is_not_there_is_looked_for_again(broker: Broker, opened: Opened) -> None:
    from confluent_kafka import KafkaException

    ingress = opened("later")
    with pytest.raises(KafkaException, match="Unknown topic"):
        ingress.read(9)
    broker.make_topic("later")
    broker.send("later", "a")
    ingress.close()
    ingress.open(0, None)
    assert ingress.read(9) == [(1, "a")]


def test_offsets_of_a_stored_checkpoint_are_committed_to_the_group(broker: Broker, topic: str, opened: Opened) -> None:
    from confluent_kafka import Consumer, TopicPartition

    broker.send(topic, *"abc")
    ingress = opened(topic, group="watched")
    ingress.read(2)
    ingress.read(1)
    ingress.acknowledge(2)
    watcher = Consumer({"bootstrap.servers": broker.servers, "group.id": "watched", "log_level": 0})
    end = time.monotonic() + MOST_SECONDS
    while (place := watcher.committed([TopicPartition(topic, 0)], MOST_SECONDS)[0]).offset < 0:
        assert time.monotonic() < end, "nothing is committed"
    watcher.close()
    assert place.offset == 2


def test_broker_that_is_away_is_an_error_that_is_tried_again(opened: Opened) -> None:
    from confluent_kafka import KafkaException

    ingress = KafkaRecords("127.0.0.1:9", "orders")
    ingress.open(0, None)
    with pytest.raises(KafkaException):
        all_of(ingress)
    ingress.close()


def test_library_fetches_no_more_than_its_bounds_beside_a_slow_reader(
    broker: Broker, topic: str, opened: Opened
) -> None:
    broker.send(topic, *("x" * 1000 for _ in range(20_000)))
    fetched: list[int] = []

    def count(statistics: str) -> None:
        partition = json.loads(statistics)["topics"].get(topic, {"partitions": {}})["partitions"].get("0")
        fetched.append(0 if partition is None else partition["fetchq_cnt"])

    ingress = opened(topic, options={"statistics.interval.ms": 10, "stats_cb": count})
    while len([each for each in fetched if each]) < 3:
        assert ingress.read(1), "there are records"
    # More than queued.min.messages by what one request fetches, 1 MiB.
    assert max(fetched) <= MAX_FETCHED_RECORDS + 1_100


def test_engine_reads_a_topic_through_the_deaths_of_its_process(broker: Broker, tmp_path: Path) -> None:
    broker.make_topic("nine", 1)
    broker.send("nine", *"123456789")

    def make_case(_folder: Path) -> IngressCase:
        def make() -> Patient:
            return Patient(broker.servers, "nine", decode=text_of, follow=False)

        return IngressCase(make=make, elements=list("123456789"), abandon=KafkaRecords.close)

    report = check_ingress(make_case, most_runs=15)
    assert not report.findings, str(report)


def test_explain_says_what_is_promised(broker: Broker, topic: str) -> None:
    @factories.register("test/kafka-explained")
    def records(engine: Any, *, policy: str) -> KafkaRecords:
        return KafkaRecords(broker.servers, topic, on_deleted=policy)

    with Engine(MemoryStore(), checkpoint_every=None) as engine:
        engine.define("kept", records, policy="fail")
        engine.define("skipped", records, policy="skip")
        assert "kept: exactly-once" in str(engine.explain("kept"))
        assert "skipped: at-most-once, since records that Kafka deletes" in str(engine.explain("skipped"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"servers": 7}, ArgumentTypeError, r"KafkaRecords\(servers\) needs a text, got 7"),
        ({"topic": ""}, ArgumentError, "needs a text that is not empty"),
        ({"decode": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"since": 7}, ArgumentTypeError, "needs a datetime, got 7"),
        ({"since": datetime(2026, 1, 1)}, ArgumentError, "needs a time zone"),  # noqa: DTZ001 - that is the point
        ({"on_deleted": "ignore"}, ArgumentError, "needs 'fail' or 'skip', got 'ignore'"),
        ({"group": ""}, ArgumentError, r"KafkaRecords\(group\)"),
        ({"options": {"auto.offset.reset": "latest"}}, ArgumentError, "which it sets itself"),
        ({"options": 7}, ArgumentTypeError, "needs a mapping"),
        ({"poll_interval": timedelta()}, ArgumentError, "needs a time above 0"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        KafkaRecords(**{"servers": "localhost:9092", "topic": "t", **arguments})
