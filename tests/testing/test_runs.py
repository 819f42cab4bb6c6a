"""Runs with fixed ticks: when what is done, what is refused, and what operators are given."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import LocalExecutionEnvironment, OperatorNode
from reactivestreams.testing import CREATED, DISPOSED, SUBSCRIBED, TestScheduler, assert_equal, on_complete, on_next


@pytest.fixture
def scheduler() -> TestScheduler:
    return TestScheduler()


def test_run_creates_subscribes_and_disposes_at_its_ticks(scheduler: TestScheduler) -> None:
    seen: list[tuple[int, str]] = []

    class Node(OperatorNode):
        def on_start(self) -> None:
            seen.append((scheduler.clock.ticks, "start"))

        def on_dispose(self) -> None:
            seen.append((scheduler.clock.ticks, "dispose"))

    class Noting:
        def bind(self, subscriber: Any) -> Node:
            seen.append((scheduler.clock.ticks, "bind"))
            return Node()

    def create() -> Noting:
        seen.append((scheduler.clock.ticks, "create"))
        return Noting()

    scheduler.start(create)
    assert (CREATED, SUBSCRIBED, DISPOSED) == (100, 200, 1000)
    assert seen == [(100, "create"), (200, "bind"), (200, "start"), (1000, "dispose")]
    seen.clear()
    scheduler.start(create, created=1100, subscribed=1100, disposed=1200)
    assert seen == [(1100, "create"), (1100, "bind"), (1100, "start"), (1200, "dispose")]


@pytest.mark.parametrize(
    ("ticks", "message"),
    [
        (
            {"created": 201},
            r"^subscribed=200 is before created=201; pass the ticks in the order created, subscribed",
        ),
        ({"disposed": 199}, r"^disposed=199 is before subscribed=200;"),
        ({"save_at": [300, 199]}, r"^save_at=199 is before subscribed=200;"),
    ],
    ids=["created", "disposed", "save_at"],
)
def test_ticks_in_another_order_are_refused(scheduler: TestScheduler, ticks: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        scheduler.start(Stream.never, **ticks)


def test_what_cannot_be_bound_is_refused(scheduler: TestScheduler) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"^start\(create\) needs a function that returns a stream, got 5 \(int\)"
    ):
        scheduler.start(lambda: 5)


def test_source_has_its_turn_one_tick_after_the_subscription(scheduler: TestScheduler) -> None:
    assert_equal(scheduler.start(lambda: Stream.range(2)).messages, on_next(201, 0), on_next(201, 1), on_complete(201))


def test_harness_comes_first_in_its_tick_then_operators(scheduler: TestScheduler) -> None:
    order: list[str] = []
    scheduler.do_at(200, lambda: scheduler.schedule(lambda: order.append("operator")))
    scheduler.do_at(201, order.append, "harness")
    scheduler.clock.start()
    assert order == ["harness", "operator"]


def test_operators_are_given_the_context(scheduler: TestScheduler) -> None:
    environment = LocalExecutionEnvironment()
    context = scheduler.create_context(execution_environment=environment, elements={"rx://limit": 3})
    seen: list[Any] = []

    class Looking:
        def bind(self, subscriber: Any) -> Any:
            class Node(OperatorNode):
                def on_context(self, context: Any) -> None:
                    seen.append(context)

            return Node()

    scheduler.start(Looking, context=context)
    assert seen == [context]
    assert (context.scheduler, context.execution_environment) == (scheduler, environment)
    assert context.try_get_element("rx://limit") == (True, 3)
    assert scheduler.create_context().instance_id == "rx://testing"
