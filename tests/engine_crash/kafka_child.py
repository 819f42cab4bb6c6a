"""The process that is killed between two topics of Kafka: an engine over a SQLite file, from the one to the other.

usage: python -m tests.engine_crash.kafka_child FOLDER STEP COUNT HOW SERVERS IN OUT TRANSACTIONAL

The first four are those of `crash_child`. Besides the engine's steps there are `sending` and `sent`, around each batch;
TRANSACTIONAL is `1`, or `0` for batches that are sent at least once.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.engine import (
    BuildContext,
    Engine,
    FactoryRegistry,
    KafkaRecord,
    KafkaRecords,
    KafkaTopic,
    SqliteStore,
)
from tests.engine_crash.crash_child import steps_noted

PARTITIONS = 3
KEYS = 2 * PARTITIONS
"""Keys of numbers; those of a key are all in one partition, so that their order is that of the topic."""

SECONDS_A_ROW = 0.001
CHECKPOINT_INTERVAL = timedelta(milliseconds=20)


class NotedTopic(KafkaTopic):
    """Notes when a batch begins to be sent, and when it is."""

    def __init__(self, note: Callable[[str], None], *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._note = note

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        self._note("sending")
        super().write(batch_id, rows)
        self._note("sent")


def number_of(record: KafkaRecord) -> int:
    assert record.value is not None
    return int(record.value)


def key_of(number: int) -> int:
    return number % KEYS


def added(before: tuple[int, int, int], number: int) -> tuple[int, int, int]:
    return number, key_of(number), before[2] + number


def slowed(row: tuple[int, int, int]) -> tuple[int, int, int]:
    time.sleep(SECONDS_A_ROW)
    return row


def key_text(row: tuple[int, int, int]) -> str:
    return str(row[1])


def main(directory: str, target: str, count: int, how: str, servers: str, source: str, goal: str, exact: str) -> None:
    here = Path(directory)
    registry = FactoryRegistry()
    guarantee = "exactly-once" if exact == "1" else "at-least-once"

    @registry.register("crash/records")
    def records(engine: BuildContext) -> KafkaRecords:
        return KafkaRecords(servers, source, decode=number_of, follow=False)

    @registry.register("crash/sums")
    def sums(engine: BuildContext, *, records: str) -> Any:
        return engine.stream(records).key_by(key_of).scan(added, (0, 0, 0)).map(slowed)

    with steps_noted(here, target, count, how) as note:

        @registry.register("crash/topic")
        def topic(engine: BuildContext) -> KafkaTopic:
            return NotedTopic(
                note,
                servers,
                goal,
                name=f"crash/{goal}",
                key=key_text,
                encode=lambda row: json.dumps(row).encode(),
                transactional=exact == "1",
            )

        def define(engine: Engine) -> None:
            note("defining")
            engine.define("records", "crash/records")
            engine.define("topic", "crash/topic")
            engine.define("sums", "crash/sums", records="records", into="topic", guarantee=guarantee)

        store = SqliteStore(here / "state.db")
        with Engine(
            store, define=define, registry=registry, checkpoint_every=CHECKPOINT_INTERVAL, on_step=note
        ) as engine:
            while engine.find("topic").status != "ended" or waiting(engine):
                if any(engine.find(each).status == "failed" for each in ("records", "sums")):
                    raise SystemExit(f"an artifact failed: {[each.error for each in engine.artifacts()]}")
                time.sleep(0.005)


def waiting(engine: Engine) -> int:
    """Return how many rows have not been sent."""
    return next(each.figures.waiting or 0 for each in engine.statistics().artifacts if each.id == "topic")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
