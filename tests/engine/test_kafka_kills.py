"""An engine between two topics that is killed with kill -9 loses nothing, and repeats nothing in transactions."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Depth
from tests.engine.kafka_broker import MOST_SECONDS, Broker
from tests.engine_crash.crash_run import PHASES, STEP_BYTES, CrashReport, Kill, compare, live
from tests.engine_crash.kafka_child import KEYS, PARTITIONS

pytestmark = pytest.mark.slow

RECORDS_A_KILL = 500
KILLS = 24
"""How often the gate kills the engine that sends in transactions; greater depths do more often."""

KILLS_WITHOUT_TRANSACTIONS = 8

STEPS = [step for steps in PHASES.values() for step in steps]


def planned_kills(count: int, order: random.Random) -> list[Kill]:
    """Return random moments: while a batch is sent, at a step of the engine, and at any moment while elements flow."""
    kills: list[Kill] = []
    for number in range(count):
        if number % 3 == 0:
            kills.append(Kill("sending", order.randint(1, 3), "after", order.uniform(0, 0.06)))
        elif number % 3 == 1:
            step = order.choice([*STEPS, "sending", "sent"])
            kills.append(Kill(step, 1 if step in PHASES["recovery"] else order.randint(1, 3)))
        else:
            kills.append(Kill("pruned", order.randint(1, 3), "after", order.uniform(0, 0.3)))
    return kills


def send_numbers(broker: Broker, topic: str, count: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.servers, "log_level": 0})
    for number in range(1, count + 1):
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
        producer.poll(0)
    assert producer.flush(MOST_SECONDS) == 0


def killed_between_topics(broker: Broker, folder: Path, kills: list[Kill], *, is_transactional: bool) -> CrashReport:
    """Kill an engine as planned, let it end, and compare what a reader of what is committed sees."""
    name = "exact" if is_transactional else "repeating"
    source, goal = f"kills-{name}-in", f"kills-{name}-out"
    records = RECORDS_A_KILL * len(kills)
    broker.make_topic(source, PARTITIONS)
    broker.make_topic(goal, PARTITIONS)
    send_numbers(broker, source, records)
    (folder / "step").write_bytes(b" " * STEP_BYTES)
    child = ("kafka_child", broker.servers, source, goal, str(int(is_transactional)))
    report = CrashReport()
    for kill in kills:
        report.kills[live(folder, kill, *child)] += 1
    assert live(folder, None, *child) == "done"

    totals: Counter[int] = Counter()
    expected: dict[int, list[tuple[int, ...]]] = {key: [] for key in range(KEYS)}
    for number in range(1, records + 1):
        totals[number % KEYS] += number
        expected[number % KEYS].append((number, number % KEYS, totals[number % KEYS]))
    seen: dict[int, list[tuple[int, ...]]] = {key: [] for key in range(KEYS)}
    for _, key, value in broker.read(goal):
        assert key is not None
        assert value is not None
        seen[int(key)].append(tuple(json.loads(value)))
    for key, rows in expected.items():
        compare(rows, seen[key], report)
    print(f"{report}, at {dict(report.kills)}")
    return report


def test_kills_lose_and_repeat_nothing_in_transactions(broker: Broker, tmp_path: Path, depth: Depth) -> None:
    kills = planned_kills(depth.scaled(KILLS), random.Random(depth.seed))
    report = killed_between_topics(broker, tmp_path, kills, is_transactional=True)
    assert report.is_right, report
    assert report.kills.total() - report.kills["done"] >= 20, report


def test_kills_lose_nothing_without_transactions(broker: Broker, tmp_path: Path, depth: Depth) -> None:
    kills = planned_kills(KILLS_WITHOUT_TRANSACTIONS, random.Random(depth.seed))
    report = killed_between_topics(broker, tmp_path, kills, is_transactional=False)
    assert report.lost == 0, report
