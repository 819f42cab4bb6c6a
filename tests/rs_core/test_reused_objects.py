"""Integers, tuples and lists that the core uses again when nobody has kept them: nobody can see one change."""

import gc
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from reactivestreams import Stream

FIRST = 4096
"""From this on integers are used again; smaller ones may be shared by the interpreter."""

KEPT: dict[str, Callable[[int], bool]] = {
    "none": lambda index: False,
    "all": lambda index: True,
    "the first": lambda index: index == 0,
    "all but the first": lambda index: index > 0,
    "every third": lambda index: index % 3 == 0,
    "from the middle on": lambda index: index >= 1500,
}


def kept_of(stream: Stream[Any], is_kept: Callable[[int], bool]) -> tuple[list[Any], int]:
    """Return the elements that are kept, and how many there were."""
    kept: list[Any] = []
    index = -1

    def keep(element: object) -> None:
        nonlocal index
        index += 1
        if is_kept(index):
            kept.append(element)

    stream.for_each(keep)
    return kept, index + 1


@pytest.mark.parametrize("kept", KEPT)
def test_integer_that_is_kept_stays_the_same(kept: str) -> None:
    expected = list(range(FIRST, FIRST + 3000))
    elements, count = kept_of(Stream.range(FIRST, FIRST + 3000), KEPT[kept])
    assert elements == [element for index, element in enumerate(expected) if KEPT[kept](index)]
    assert count == len(expected)


@pytest.mark.parametrize(
    "values",
    [
        range(FIRST - 50, FIRST + 50),
        range(FIRST + 50, FIRST - 50, -1),
        range(2**30 - 50, 2**30 + 50),
        range(2**30 + 50, 2**30 - 50, -1),
        range(2**31 - 5, 2**31 + 5),
        range(-FIRST - 50, -FIRST + 50),
        range(-2, 2**32, 2**28),
    ],
)
def test_integers_that_nobody_keeps_have_the_right_values(values: range) -> None:
    texts: list[str] = []
    Stream.range(values.start, values.stop, values.step).for_each(lambda number: texts.append(f"{number}"))
    assert texts == [f"{number}" for number in values]


def test_integer_that_is_kept_for_a_while_does_not_change_meanwhile() -> None:
    latest: list[int] = [0]
    seen: list[tuple[int, int]] = []

    def look(number: int) -> None:
        seen.append((latest[0] + 0, number + 0))
        latest[0] = number

    Stream.range(FIRST, FIRST + 100).for_each(look)
    assert seen == list(pairwise([0, *range(FIRST, FIRST + 100)]))


def pairs(count: int) -> dict[str, tuple[Stream[tuple[int, int]], list[tuple[int, int]]]]:
    numbers = range(FIRST, FIRST + count)
    later = range(FIRST + 1, FIRST + count)
    return {
        "pairwise": (Stream.range(FIRST, FIRST + count).pairwise(), list(pairwise(numbers))),
        "zip": (
            Stream.zip(Stream.range(FIRST, FIRST + count), Stream.range(FIRST + 1, FIRST + count)),
            list(zip(numbers, later, strict=False)),
        ),
        "zip_longest": (
            Stream.range(FIRST, FIRST + count).zip_longest(Stream.range(FIRST + 1, FIRST + count), filling=0),
            list(zip(numbers, [*later, 0], strict=True)),
        ),
    }


OPERATORS = list(pairs(2))


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("operator", OPERATORS)
def test_tuple_that_is_kept_stays_the_same(operator: str, kept: str) -> None:
    stream, expected = pairs(3000)[operator]
    elements, count = kept_of(stream, KEPT[kept])
    assert elements == [pair for index, pair in enumerate(expected) if KEPT[kept](index)]
    assert len({id(pair) for pair in elements}) == len(elements)
    assert count == len(expected)


@pytest.mark.parametrize("operator", OPERATORS)
def test_tuple_that_is_used_again_has_the_hash_of_its_elements(operator: str) -> None:
    stream, expected = pairs(50)[operator]
    hashes: list[int] = []
    stream.for_each(lambda pair: hashes.append(hash(pair)))
    assert hashes == [hash(pair) for pair in expected]


@pytest.mark.parametrize("kept", KEPT)
def test_list_that_is_kept_stays_the_same(kept: str) -> None:
    lists, count = kept_of(Stream.range(3000 * 3 + 1).buffer(3), KEPT[kept])
    expected = [list(range(first, min(first + 3, 9001))) for first in range(0, 9001, 3)]
    assert lists == [each for index, each in enumerate(expected) if KEPT[kept](index)]
    assert len({id(each) for each in lists}) == len(lists)
    assert count == len(expected)


CHANGES: dict[str, Callable[[list[Any]], object]] = {
    "appended to": lambda elements: elements.extend("xyz"),
    "cleared": lambda elements: elements.clear(),
    "cut": lambda elements: elements.pop(),
    "sorted": lambda elements: elements.sort(reverse=True),
    "put into itself": lambda elements: elements.append(elements),
}


@pytest.mark.parametrize("change", CHANGES)
def test_list_that_its_receiver_changes_has_no_trace_of_that_when_it_is_used_again(change: str) -> None:
    seen: list[list[int]] = []

    def look(elements: list[int]) -> None:
        seen.append([number + 0 for number in elements])
        CHANGES[change](elements)

    Stream.range(3000).buffer(100).for_each(look)
    assert seen == [list(range(first, first + 100)) for first in range(0, 3000, 100)]


class Element:
    """Something that can be watched."""


def watched_pairs(operator: str, made: list[weakref.ref[Element]]) -> Stream[Any]:
    def make(_: int) -> Element:
        element = Element()
        made.append(weakref.ref(element))
        return element

    elements = Stream.range(5).map(make)
    if operator == "buffer":
        return elements.buffer(2)
    return elements.pairwise() if operator == "pairwise" else Stream.zip(elements, elements, prefetch=1)


@pytest.mark.parametrize(
    ("operator", "alive"), [("pairwise", [2, 2, 2, 2]), ("zip", [2, 2, 2, 2, 2]), ("buffer", [2, 2, 1])]
)
def test_elements_of_what_is_used_again_die_before_the_next_one(operator: str, alive: list[int]) -> None:
    made: list[weakref.ref[Element]] = []
    counts: list[int] = []
    watched_pairs(operator, made).for_each(lambda _: counts.append(sum(each() is not None for each in made)))
    assert counts == alive
    assert all(each() is None for each in made)


@pytest.mark.parametrize("operator", ["pairwise", "zip", "buffer"])
def test_collector_knows_what_is_kept_with_elements_that_may_be_part_of_a_cycle(operator: str) -> None:
    kept, _ = kept_of(watched_pairs(operator, []), lambda index: index in (0, 2))
    assert [gc.is_tracked(pair) for pair in kept] == [True, True]


@pytest.mark.parametrize("operator", ["pairwise", "zip", "buffer"])
def test_finalizer_of_an_element_finds_nothing_that_had_it(operator: str) -> None:
    found: list[object] = []

    class Finalized:
        def __init__(self) -> None:
            self.itself = [self]

        def __del__(self) -> None:
            found.extend(each for each in gc.get_referrers(self) if type(each) in (tuple, list))

    elements = Stream.range(4).map(lambda _: Finalized())
    streams: dict[str, Stream[Any]] = {
        "pairwise": elements.pairwise(),
        "zip": Stream.zip(elements, elements, prefetch=1),
        "buffer": elements.buffer(2),
    }
    streams[operator].for_each(lambda pair: [each.itself.clear() for each in pair])
    assert found == []
