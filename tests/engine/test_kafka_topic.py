"""The egress to Kafka sends each batch once, in a transaction with its number."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import EgressAheadError, Engine, KafkaTopic, MemoryStore, factories
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.crash import EgressCase, check_egress
from tests.engine.kafka_broker import Broker

pytestmark = pytest.mark.slow

MOST_SECONDS = 60.0
TOPICS = itertools.count()


@pytest.fixture
def topic(broker: Broker) -> str:
    name = f"out-{next(TOPICS)}"
    broker.make_topic(name)
    return name


Opened = Callable[..., KafkaTopic]


@pytest.fixture
def opened(broker: Broker) -> Iterator[Opened]:
    """Open egresses that are closed in the end."""
    made: list[KafkaTopic] = []

    def open_one(topic: str, last_checkpoint: int = 0, **arguments: Any) -> KafkaTopic:
        made.append(KafkaTopic(broker.servers, topic, **{"name": f"name of {topic}", **arguments}))
        made[-1].open()
        made[-1].resume(last_checkpoint)
        return made[-1]

    yield open_one
    for each in made:
        each.close()


def values(broker: Broker, topic: str) -> list[bytes | None]:
    return [value for _, _, value in broker.read(topic)]


def test_batch_is_sent_once_also_by_another_process(broker: Broker, topic: str, opened: Opened) -> None:
    first = opened(topic)
    first.write(1, [1, {"a": "ä"}])
    first.write(1, [1, {"a": "ä"}])
    again = opened(topic, last_checkpoint=1)
    again.write(1, [1, {"a": "ä"}])
    again.write(3, [2])
    assert values(broker, topic) == [b"1", b'{"a": "\\u00e4"}', b"2"]


def test_rows_have_keys_and_values_as_told(broker: Broker, opened: Opened) -> None:
    broker.make_topic("keyed", 4)
    egress = opened("keyed", key=lambda row: row[0], encode=lambda row: row[1])
    egress.write(1, [("a", b"1"), ("b", b"2"), ("a", None)])
    found = broker.read("keyed")
    assert len(found) == 3
    assert [value for _, key, value in found if key == b"a"] == [b"1", None]
    assert len({partition for partition, key, _ in found if key == b"a"}) == 1


def test_batch_that_fails_in_the_middle_is_not_seen_and_sent_again(broker: Broker, topic: str, opened: Opened) -> None:
    egress = opened(topic)
    with pytest.raises(TypeError):
        egress.write(1, [1, 2, object()])
    egress.write(1, [1, 2, 3])
    assert values(broker, topic) == [b"1", b"2", b"3"]


def test_what_a_dead_process_had_begun_is_aborted(broker: Broker, topic: str, opened: Opened) -> None:
    dead = opened(topic)
    dead.write(1, [1])
    dead._producer.begin_transaction()
    dead._producer.produce(topic, b"half")
    dead._producer.flush(MOST_SECONDS)
    alive = opened(topic, last_checkpoint=2)
    alive.write(2, [2])
    assert values(broker, topic) == [b"1", b"2"]


def test_process_that_was_replaced_cannot_write_and_repeats_nothing(broker: Broker, topic: str, opened: Opened) -> None:
    from confluent_kafka import KafkaException

    old, new = opened(topic), opened(topic, last_checkpoint=1)
    old.write(1, [1])
    new.write(2, [2])
    with pytest.raises(KafkaException, match=r"fenced|newer"):
        old.write(2, [2])
    old.write(2, [2])  # it has connected again, and finds the number
    assert values(broker, topic) == [b"1", b"2"]


def test_commit_whose_answer_is_lost_is_not_repeated(
    broker: Broker, topic: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    egress = opened(topic)
    egress.write(1, [1])
    producer = egress._producer

    class Lossy:
        def __getattr__(self, name: str) -> Any:
            return getattr(producer, name)

        def commit_transaction(self, seconds: float) -> None:
            producer.commit_transaction(seconds)
            raise TimeoutError("no answer came")

    egress._producer = Lossy()
    with pytest.raises(TimeoutError, match="no answer"):
        egress.write(2, [2])
    egress.write(2, [2])
    egress.write(3, [3])
    assert values(broker, topic) == [b"1", b"2", b"3"]


def test_store_that_was_begun_anew_is_noticed(broker: Broker, topic: str, opened: Opened) -> None:
    opened(topic).write(7, [1])
    with pytest.raises(EgressAheadError, match=r"has batch 7 under this name, and the last checkpoint .* was 3"):
        opened(topic, last_checkpoint=3).write(4, [2])
    opened(topic, last_checkpoint=3, name="another name").write(4, [2])
    assert values(broker, topic) == [b"1", b"2"]


def test_names_have_numbers_of_their_own(broker: Broker, topic: str, opened: Opened) -> None:
    first, second = opened(topic, name="first"), opened(topic, name="second")
    first.write(5, ["a"])
    second.write(2, ["b"])
    second.write(5, ["c"])
    assert values(broker, topic) == [b'"a"', b'"b"', b'"c"']


def test_topic_of_numbers_that_deletes_is_refused(broker: Broker, topic: str, opened: Opened) -> None:
    broker.make_topic("forgetful", cleanup_policy="delete")
    with pytest.raises(ArgumentError, match=r"has cleanup.policy=delete"):
        opened(topic, batches_topic="forgetful").write(1, [1])


def test_without_transactions_a_batch_is_sent_again(broker: Broker, topic: str, opened: Opened) -> None:
    egress = opened(topic, transactional=False)
    egress.write(1, [1, 2])
    egress.write(1, [1, 2])
    assert values(broker, topic) == [b"1", b"2", b"1", b"2"]


def test_rows_that_brokers_refuse_are_an_error(broker: Broker, opened: Opened) -> None:
    broker.make_topic("narrow", max_message_bytes=1000)
    egress = opened("narrow", transactional=False)
    with pytest.raises(OSError, match=r"of batch 1 the brokers have not acknowledged 0 .* and refused 1"):
        egress.write(1, ["x" * 2000])


def test_broker_that_is_away_is_an_error_that_is_tried_again() -> None:
    from confluent_kafka import KafkaException

    egress = KafkaTopic("127.0.0.1:9", "out", name="n", timeout_seconds=0.5)
    egress.open()
    with pytest.raises((KafkaException, TimeoutError)):
        egress.write(1, [1])
    egress.close()


def test_egress_writes_each_row_once_with_a_fault_in_each_step(broker: Broker) -> None:
    def make_case(_folder: Path) -> EgressCase:
        name = f"case-{next(TOPICS)}"
        broker.make_topic(name)
        return EgressCase(
            make=lambda: KafkaTopic(broker.servers, name, name=name, encode=lambda row: str(row).encode()),
            results=lambda: [int(value or b"") for value in values(broker, name)],
            abandon=KafkaTopic.close,
        )

    report = check_egress(make_case, most_runs=12)
    assert not report.findings, str(report)


def test_explain_says_what_is_promised_and_why(broker: Broker, topic: str) -> None:
    @factories.register("test/kafka-topic")
    def out(engine: Any, *, transactional: bool) -> KafkaTopic:
        return KafkaTopic(broker.servers, topic, name=f"test/{engine.artifact_id}", transactional=transactional)

    with Engine(MemoryStore(), checkpoint_every=None) as engine:
        engine.define("once", out, transactional=True)
        engine.define("again", out, transactional=False)
        assert "once: exactly-once, since a batch and its number are one transaction" in str(engine.explain("once"))
        assert "again: at-least-once, since a batch is sent again" in str(engine.explain("again"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"servers": 7}, ArgumentTypeError, r"KafkaTopic\(servers\) needs a text, got 7"),
        ({"topic": ""}, ArgumentError, "needs a text that is not empty"),
        ({"name": ""}, ArgumentError, r"KafkaTopic\(name\)"),
        ({"batches_topic": 7}, ArgumentTypeError, r"KafkaTopic\(batches_topic\)"),
        ({"key": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"encode": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"options": {"transactional.id": "x"}}, ArgumentError, "which it sets itself"),
        ({"max_rows": 1}, ArgumentError, "from 2 to"),
        ({"timeout_seconds": 0}, ArgumentError, "above 0 and up to 3600, got 0"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        KafkaTopic(**{"servers": "localhost:9092", "topic": "t", "name": "n", **arguments})
