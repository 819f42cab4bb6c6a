"""cycle: the elements again and again, without running the stream again."""

import itertools
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS
from reactivestreams.state import load_tree, save_tree
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of
from tests.contracts.state_contract import SerializableContract, StateContract
from tests.operators.recovering.contracts import resumes_everywhere


class Cycles(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time
    times: int

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().cycle(self.times)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def left_over(self, elements: list[Any]) -> list[Any]:
        return elements * (self.times - 1)


class TestCycleOnce(Cycles):
    times = 1


class TestCycleThrice(Cycles):
    times = 3


def test_stream_runs_once() -> None:
    source = CountedIterable("abc")
    assert Stream.from_iterable(source).cycle(3).to_list() == list("abc" * 3)
    assert source.taken == 3


def test_cycle_of_nothing_ends() -> None:
    assert Stream.empty().cycle().to_list() == []


def test_cycle_for_ever_ends_by_cancel() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=100_000)
    Stream.range(7).cycle().subscribe(subscriber)
    assert subscriber.outcome == (list(itertools.islice(itertools.cycle(range(7)), 100_000)), "open")


@pytest.mark.parametrize("taken", [1, 3, 4, 10])
def test_cycle_for_ever_resumes_behind_every_element(taken: int) -> None:
    resumes_everywhere(Stream.range(3).cycle().take(taken), list(itertools.islice(itertools.cycle(range(3)), taken)))


def test_each_request_brings_as_many_and_the_last_one_the_end() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=3)
    Stream.from_publisher(publisher).cycle(2).subscribe(subscriber)
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([1, 2, 1], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([1, 2, 1, 2], "complete")


def test_what_is_dropped_below_costs_no_demand() -> None:
    subscriber = RecordingSubscriber(first_request=3)
    Stream.range(2).cycle().filter(bool).subscribe(subscriber)
    assert subscriber.elements == [1, 1, 1]


def test_error_ends_the_cycle() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(CountedIterable([1, 2], fails_with=ValueError("why"))).cycle().subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "ValueError('why')")


def test_error_below_in_a_later_round_ends_the_cycle() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    seen: list[int] = []

    def fail_at_the_fifth(number: int) -> int:
        seen.append(number)
        return 1 // (5 - len(seen))

    Stream.range(3).cycle().map(fail_at_the_fifth).subscribe(subscriber)
    assert seen == [0, 1, 2, 0, 1]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_one_element_more_than_the_bound_ends_the_stream() -> None:
    source, subscriber = CountedIterable(range(9)), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).cycle(max_elements=3).subscribe(subscriber)
    assert subscriber.elements == [0, 1, 2]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error).startswith(
        "cycle(max_elements=3): one more element came than that; raise max_elements, or put take(3) before it"
    )
    assert source.is_closed


def test_single_round_keeps_nothing_and_needs_no_bound() -> None:
    handle = Stream.range(9).cycle(1, max_elements=1).bind(subscriber := RecordingSubscriber(first_request=4))
    handle.initialize()
    assert fields_of(handle.inputs[0])[-3:] == [[], 0, 0]
    subscriber.request(UNBOUNDED)
    assert subscriber.outcome == (list(range(9)), "complete")


def test_no_bound_is_had_by_asking_for_it() -> None:
    count = DEFAULT_MAX_ELEMENTS + 1
    assert Stream.range(count).cycle(2, max_elements=None).count() == 2 * count


@pytest.mark.parametrize(("times", "bound"), [(2, 9), (None, 2)])
def test_state_that_cannot_be_is_refused(times: int | None, bound: int) -> None:
    handle = Stream.range(3).cycle().bind(RecordingSubscriber(first_request=8))
    handle.initialize()
    other = Stream.range(3).cycle(times, max_elements=bound).bind(RecordingSubscriber())
    with pytest.raises(StateError, match=r"load the state with the (number of rounds|bound) that it was saved with"):
        load_tree(other, save_tree(handle))


@pytest.mark.parametrize("name", ["times", "max_elements"])
def test_counts_out_of_bounds_are_refused(name: str) -> None:
    for wrong in (0, -1, 2**63):
        with pytest.raises(ArgumentError, match=rf"cycle\({name}\) needs a count from 1 to {2**63 - 1}, got {wrong}"):
            Stream.just(1).cycle(**{name: wrong})
    for text in ("3", 2.0, True):
        with pytest.raises(ArgumentTypeError, match=rf"cycle\({name}\) needs an integer, got {text!r} \("):
            Stream.just(1).cycle(**{name: text})  # type: ignore[arg-type]


def test_calls_are_written_as_one_would_write_them() -> None:
    described = pipeline().cycle().cycle(2).cycle(max_elements=None).cycle(3, max_elements=5)
    assert str(described) == ("pipeline().cycle().cycle(2).cycle(max_elements=None).cycle(3, max_elements=5)")
