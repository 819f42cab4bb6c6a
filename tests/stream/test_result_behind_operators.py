"""An operator with one result sends it behind every operator, however few elements its reader requests."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import OnComplete, OnNext, Stream, pipeline
from reactivestreams.errors import EmptyStreamError
from reactivestreams.state import load_tree, save_tree
from rs_core.operators.python_operator import PythonStage
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.stream.turn_catalog import OPERATORS, catalog_of

WITHOUT_END = {
    "buffer_toggle",
    "buffer_when",
    "combine_latest",
    "concat_map of streams of much",
    "cycle",
    "cycle of one element",
    "flat_map of much",
    "flat_map of streams of much",
    "flat_map of what is let go",
    "flat_map_ordered of much",
    "exhaust_map of much",
    "exhaust_map of what never comes",
    "expand",
    "expand of streams of much",
    "group_join",
    "join",
    "join of which many come at once",
    "merge_sorted",
    "merge_with",
    "repeat",
    "repeat of one element",
    "repeat of what is let go",
    "repeat_when",
    "repeat_when of much",
    "retry_when",
    "switch_map of much",
    "switch_map of what never comes",
    "zip_longest",
}
"""Entries of the catalogue that send for minutes, or for ever."""

WITH_HOST = {
    "map_async",
    "map_async behind a filter",
    "map_async without order",
    "observe_on",
    "observe_on behind a filter",
    "subscribe_on",
}
"""Entries that need an event loop or a scheduler."""

ENTRIES = catalog_of(OPERATORS)


WITHOUT_STATE = {
    "group_by",
    "group_by and flat_map",
    "group_by_until",
    "window",
    "window and flat_map",
    "window_timeout",
    "window_toggle",
    "window_until",
    "window_when",
}


def test_entries_left_out_are_there() -> None:
    assert set(ENTRIES) >= WITHOUT_END | WITH_HOST | WITHOUT_STATE


def outcome(run: Callable[[], object]) -> object:
    try:
        return run()
    except EmptyStreamError as error:
        return str(error)


@pytest.mark.parametrize("operator", sorted(set(ENTRIES) - WITHOUT_END - WITH_HOST))
def test_result_is_sent_to_who_requests_one_element(operator: str) -> None:
    def stream() -> Stream[Any]:
        return ENTRIES[operator](Stream.just(7), None)  # type: ignore[no-any-return]

    one_by_one = outcome(lambda: next(stream().through(pipeline().to_list()).iterate(prefetch=1)))
    assert one_by_one == outcome(lambda: stream().to_list())


def test_result_is_sent_to_who_requests_when_what_is_above_has_ended() -> None:
    counted = Stream.just(7).through(pipeline().count().ignore_elements().count())
    assert list(counted.iterate(prefetch=1)) == [0]
    failed = Stream.empty().through(pipeline().last().ignore_elements().count())
    with pytest.raises(EmptyStreamError):
        next(failed.iterate(prefetch=1))


@pytest.mark.parametrize("operator", sorted(set(ENTRIES) - WITHOUT_END - WITH_HOST))
def test_answer_that_the_last_element_gives_is_the_only_one(operator: str) -> None:
    def stream() -> Stream[Any]:
        return ENTRIES[operator](Stream.just(7), None)  # type: ignore[no-any-return]

    try:
        number = len(stream().to_list())
    except EmptyStreamError:
        return
    assert answers_at(stream(), number) == [number > 0]


@pytest.mark.parametrize(
    "stream",
    [
        Stream.when_all([1], [2]),
        Stream.zip([1], [2]),
        Stream.combine_latest([1], [2]),
        Stream.merge([1], []),
        Stream.concat([1], []),
        Stream.amb([1], Stream.never()),
        Stream.just(1).buffer_when(Stream.never()),
    ],
    ids=repr,
)
def test_answer_that_the_last_tuple_gives_is_the_only_one(stream: Stream[Any]) -> None:
    assert answers_at(stream, 1) == [True]


@pytest.mark.parametrize("operator", sorted(set(ENTRIES) - WITHOUT_END - WITH_HOST - WITHOUT_STATE))
def test_end_that_waits_for_a_request_is_saved_and_loaded(operator: str) -> None:
    def bound() -> tuple[Any, RecordingSubscriber]:
        subscriber = RecordingSubscriber(demand=None)
        stream = ENTRIES[operator](Stream.just(7), None).ignore_elements()
        return stream.through(pipeline().count()).bind(subscriber), subscriber

    def signals(subscriber: RecordingSubscriber) -> str:
        subscriber.subscription.request(1)
        return repr(subscriber.signals[1:])

    first, uninterrupted = bound()
    first.initialize()
    saved = save_tree(first, allow_restart=True)
    second, recovered = bound()
    load_tree(second, saved)
    second.initialize()
    assert signals(recovered) == signals(uninterrupted)


def answers_at(stream: Stream[Any], number: int) -> list[bool]:
    """What `any` answers that finds the element with this number, counted from one."""
    counter = itertools.count(1)
    return stream.through(pipeline().any(lambda _: next(counter) == number)).map(bool).to_list()


def test_interrupt_by_a_result_takes_the_place_of_an_end_that_was_noted_before() -> None:
    def interrupted(_element: int) -> int:
        raise KeyboardInterrupt

    subscriber = RecordingSubscriber()
    counted = Stream.just(7).through(pipeline().count()).take(1).distinct(interrupted)
    with pytest.raises(KeyboardInterrupt):
        counted.subscribe(subscriber)
    assert [signal[0] for signal in subscriber.signals] == ["on_subscribe"]


class FirstThree(PythonStage[int, int]):
    """Passes on three elements."""

    name = "test/first_three"

    def on_next(self, element: int) -> None:
        self.emit(element)
        if element == 2:
            self.complete()


ENDS_EARLY: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "take": lambda stream: stream.take(3),
    "take_while": lambda stream: stream.take_while(lambda number: number < 3),
    "take_while inclusive": lambda stream: stream.take_while(lambda number: number < 2, inclusive=True),
    "take_until": lambda stream: stream.take_until(lambda number: number == 2),
    "handle": lambda stream: stream.handle(lambda number, sink: sink.emit(number) if number < 3 else sink.complete()),
    "dematerialize": lambda stream: stream.map(
        lambda number: OnNext(number) if number < 3 else OnComplete()
    ).dematerialize(),
    "lift": lambda stream: stream.lift(FirstThree),
    "a fold": lambda stream: stream.through(pipeline().first()),
    "compress": lambda stream: stream.compress([1, 1, 1]),
    "zip_with": lambda stream: stream.zip_with([1, 2, 3]),
    "on_error_return": lambda stream: stream.map(lambda number: 6 // (2 - number)).on_error_return(-1),
    "retry_when": lambda stream: stream.map(lambda n: 1 // (n - 1)).retry_when(lambda errors: errors.take(1)),
    "repeat_when": lambda stream: stream.take(1).repeat_when(lambda counts: counts.take(2)),
    "switch_if_empty": lambda stream: stream.take(0).switch_if_empty([1, 2, 3]),
}


@pytest.mark.parametrize("operator", ENDS_EARLY)
def test_end_of_an_operator_that_waits_is_saved_and_loaded(operator: str) -> None:
    def bound() -> tuple[Any, RecordingSubscriber]:
        subscriber = RecordingSubscriber(demand=None)
        return ENDS_EARLY[operator](Stream.range(10)).buffer(2).bind(subscriber), subscriber

    uninterrupted = ENDS_EARLY[operator](Stream.range(10)).buffer(2).to_list()
    for number in range(len(uninterrupted)):
        came: list[Any] = []
        handle, subscriber = bound()
        handle.initialize()
        for _ in range(number):
            subscriber.subscription.request(1)
        came += subscriber.elements
        for _ in range(2):  # what was loaded is saved once more
            saved = save_tree(handle)
            handle.cancel()
            handle, subscriber = bound()
            load_tree(handle, saved)
            handle.initialize()
        subscriber.subscription.request(10)
        assert came + subscriber.elements == uninterrupted
        assert subscriber.signals[-1][0] == "on_complete"
