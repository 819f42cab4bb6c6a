"""An operator with one result sends it behind every operator, however few elements its reader requests."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import EmptyStreamError
from tests.stream.turn_catalog import OPERATORS, catalog_of

WITHOUT_END = {
    "buffer_when",
    "combine_latest",
    "concat_map of streams of much",
    "cycle",
    "cycle of one element",
    "flat_map of much",
    "flat_map of streams of much",
    "flat_map of what is let go",
    "flat_map_ordered of much",
    "merge_with",
    "repeat",
    "repeat of one element",
    "repeat of what is let go",
    "zip_longest",
}
"""Entries of the catalogue that send for minutes, or for ever."""

WITH_HOST = {
    "map_async",
    "map_async behind a filter",
    "map_async without order",
    "observe_on",
    "observe_on behind a filter",
}
"""Entries that need an event loop or a scheduler."""

ENTRIES = catalog_of(OPERATORS)


def test_entries_left_out_are_there() -> None:
    assert set(ENTRIES) >= WITHOUT_END | WITH_HOST


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


def answers_at(stream: Stream[Any], number: int) -> list[bool]:
    """What `any` answers that finds the element with this number, counted from one."""
    counter = itertools.count(1)
    return stream.through(pipeline().any(lambda _: next(counter) == number)).map(bool).to_list()
