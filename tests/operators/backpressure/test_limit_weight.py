"""limit_weight: elements are held ahead of demand up to a weight."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, DemandExceededError, StateError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestLimitWeight(OperatorContract, StateContract):
    """Elements that weigh two: three fit in, since the third is requested at a weight of four."""

    reads_ahead = 3
    # Upstream may send some more: each that waits makes this operator request another one, while they are light.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().limit_weight(5, lambda _: 2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Weighed:
    """A stream of elements that weigh what they are, with its input in hand."""

    def __init__(self, limit: int, request: int = 0, weigh: Any = int) -> None:
        self.source = ManualPublisher()
        self.subscriber = RecordingSubscriber(first_request=request)
        stream: Stream[Any] = Stream.from_publisher(self.source, recovery="exact", prefetch=1)
        self.handle = stream.limit_weight(limit, weigh).bind(self.subscriber)

    def initialized(self) -> "Weighed":
        self.handle.initialize()
        return self


@given(
    weights=st.lists(st.integers(1, 9), max_size=20),
    limit=st.integers(1, 12),
    asks=st.lists(st.booleans(), max_size=40),
    saved_at=st.integers(0, 40),
)
def test_what_waits_exceeds_the_limit_by_one_element_at_most(
    weights: list[int], limit: int, asks: list[bool], saved_at: int
) -> None:
    """By a model: each step either sends an element that was requested, or requests one."""
    elements = [(number, weight) for number, weight in enumerate(weights)]
    weighed = Weighed(limit, weigh=lambda element: element[1]).initialized()
    came: list[Any] = []
    sent, requested, before = 0, 0, 0
    for step, is_request in enumerate(asks):
        if step == saved_at:
            state, came, before = save_tree(weighed.handle), came + weighed.subscriber.elements, sent
            owed = requested - len(came)
            weighed = Weighed(limit, weigh=lambda element: element[1])
            load_tree(weighed.handle, state)
            weighed.initialized()
            if owed:
                weighed.subscriber.request(owed)
        if is_request:
            requested += 1
            weighed.subscriber.request(1)
        elif sent < len(elements) and sent - before < weighed.source.requested:
            weighed.source.send(elements[sent])
            sent += 1
        passed = came + weighed.subscriber.elements
        assert passed == elements[: min(sent, requested)]
        waiting = [weight for _, weight in elements[len(passed) : sent]]
        assert sum(waiting[:-1]) < limit
        outstanding = weighed.source.requested - (sent - before)
        assert outstanding == int(sum(waiting) < limit)


def test_element_heavier_than_the_limit_passes_alone() -> None:
    weighed = Weighed(3).initialized()
    weighed.source.send(100)
    assert weighed.source.requested == 1
    weighed.subscriber.request(1)
    assert weighed.source.requested == 2
    weighed.source.send(2, 2)
    assert weighed.subscriber.elements == [100]
    weighed.source.complete()
    weighed.subscriber.request(2)
    assert weighed.subscriber.outcome == ([100, 2, 2], "complete")


def test_weights_beyond_any_machine_word_count_as_the_limit() -> None:
    heavy = Stream.just(*range(5)).limit_weight(2**60, lambda _: 2**200)
    assert list(heavy.iterate(prefetch=1)) == [0, 1, 2, 3, 4]


def test_source_that_sends_more_than_was_requested_is_cancelled() -> None:
    weighed = Weighed(3).initialized()
    for element in range(1, 9):
        weighed.source.send(element)
    weighed.subscriber.request(UNBOUNDED)
    assert isinstance(weighed.subscriber.error, DemandExceededError)
    assert weighed.source.cancels == 1


def test_elements_that_are_requested_at_once_never_wait() -> None:
    assert Stream.range(10_000).limit_weight(1, lambda _: 1).to_list() == list(range(10_000))


def test_what_waits_is_told_to_who_looks() -> None:
    weighed = Weighed(10).initialized()
    weighed.source.send(3)
    weighed.source.send(4)
    facts = weighed.handle.inputs[0].inspect()
    assert (facts["buffered"], facts["weight"]) == (2, 7)


@pytest.mark.parametrize(
    ("weight", "shown"), [(0, "0"), (-1, "-1"), (1.5, "1.5"), (True, "True"), ("3", "'3'"), (None, "None")]
)
def test_weight_that_is_none_ends_the_stream(weight: Any, shown: str) -> None:
    weighed = Weighed(10, UNBOUNDED, weigh=lambda _: weight).initialized()
    weighed.source.send(7)
    assert isinstance(weighed.subscriber.error, ArgumentError)
    expected = f"limit_weight(weigh) must return an integer of 1 or more, got {shown} for 7; return what"
    assert str(weighed.subscriber.error).startswith(expected)
    assert (weighed.subscriber.elements, weighed.source.cancels) == ([], 1)


def test_weight_function_that_raises_ends_the_stream() -> None:
    weighed = Weighed(10, weigh=len).initialized()
    weighed.source.send("abc")
    weighed.source.send(7)
    assert weighed.subscriber.outcome == ([], """TypeError("object of type 'int' has no len()")""")
    assert weighed.source.cancels == 1


def test_source_in_another_thread_waits_for_a_slow_consumer() -> None:
    held: list[int] = []
    with WorkerScheduler(name="source") as scheduler:
        pages = Stream.range(2_000).map(lambda n: b"x" * (1 + n % 50)).subscribe_on(scheduler)
        stream = pages.do(lambda page: held.append(len(page))).limit_weight(200, len)
        taken = 0
        for page in stream.iterate(prefetch=1):
            taken += len(page)
            assert sum(held) - taken < 200 + 2 * 50 + 50  # of which the iteration holds one, and one comes
    assert taken == sum(held)


@pytest.mark.parametrize("limit", [0, -1, 2**60 + 1])
def test_limit_out_of_bounds_is_refused(limit: int) -> None:
    with pytest.raises(ArgumentError, match=r"^limit_weight\(max_weight\) needs a count from 1 to "):
        Stream.range(3).limit_weight(limit, int)


def test_weigh_that_cannot_be_called_is_refused() -> None:
    wrong: Any = 8
    with pytest.raises(ArgumentTypeError, match=r"^limit_weight\(weigh\) needs a callable, got 8"):
        Stream.range(3).limit_weight(3, wrong)


def test_state_of_more_than_the_limit_is_refused() -> None:
    before = Weighed(10).initialized()
    for element in (3, 3, 3):
        before.source.send(element)
    with pytest.raises(StateError, match="cannot load elements that weigh 9, and lets 5 wait"):
        load_tree(Weighed(5).handle, save_tree(before.handle))


def test_call_is_written_as_it_was_made() -> None:
    assert repr(pipeline().limit_weight(4, len)) == "pipeline().limit_weight(4, len)"
