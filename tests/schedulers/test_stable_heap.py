"""The priority queue with removal, against a sorted list."""

import gc
import random
import sys
import weakref
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from rs_core.errors import ArgumentError
from rs_core.queues.stable_heap import HeapElement, StableHeap
from tests.contracts.finalized import Finalized


class Element(HeapElement):
    """Something that has a key; equal to itself only."""

    def __init__(self, key: int) -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"Element({self.key})"


def drained(heap: StableHeap[Element]) -> list[Element]:
    return [heap.pop() for _ in range(len(heap))]


def filled(keys: list[int]) -> tuple[StableHeap[Element], list[Element]]:
    heap, elements = StableHeap[Element](), [Element(key) for key in keys]
    for element in elements:
        heap.push(element, element.key)
    return heap, elements


def test_empty_heap_has_nothing_to_give() -> None:
    heap = StableHeap[Element]()
    for ask in (heap.pop, heap.peek, heap.peek_key):
        with pytest.raises(IndexError):
            ask()
    assert (len(heap), Element(1) in heap, heap.remove(Element(1))) == (0, False, False)


def test_lowest_key_comes_first_and_equals_keep_their_order() -> None:
    heap, elements = filled([3, 1, 2, 1, 3])
    assert (len(heap), heap.peek(), heap.peek_key()) == (5, elements[1], 1)
    assert drained(heap) == [elements[place] for place in (1, 3, 2, 0, 4)]
    assert len(heap) == 0


@pytest.mark.parametrize("seed", range(5))
def test_random_keys_come_out_as_a_sorted_list(seed: int) -> None:
    keys = random.Random(seed).choices(range(50), k=1_000)
    heap, elements = filled(keys)
    assert drained(heap) == sorted(elements, key=lambda element: element.key)


@pytest.mark.parametrize("seed", range(5))
def test_random_removals_leave_the_others_in_order(seed: int) -> None:
    choose = random.Random(seed)
    heap, elements = filled(choose.choices(range(50), k=1_000))
    removed = set(choose.sample(elements, 700))
    assert all(heap.remove(element) for element in removed)
    assert not any(element in heap or heap.remove(element) for element in removed)
    assert drained(heap) == sorted(set(elements) - removed, key=lambda element: (element.key, elements.index(element)))


@pytest.mark.parametrize(
    ("keys", "removed"),
    [
        ([1, 10, 2, 11, 12, 3, 4], 3),  # what takes the place of the removed one belongs further up
        ([1, 2, 10, 3, 4, 11, 12, 5], 1),  # and here further down
    ],
    ids=["upwards", "downwards"],
)
def test_heap_is_one_again_after_a_removal_in_its_middle(keys: list[int], removed: int) -> None:
    heap, elements = filled(keys)
    assert heap.remove(elements[removed])
    assert [element.key for element in drained(heap)] == sorted(keys[:removed] + keys[removed + 1 :])


def test_pushing_again_moves_an_element() -> None:
    heap, elements = filled([1, 2, 3])
    heap.push(elements[0], 9)
    assert [element.key for element in drained(heap)] == [2, 3, 1]


def test_key_is_told_of_what_is_there() -> None:
    heap, elements = filled([3, 1, 2])
    assert [heap.key_of(element) for element in elements] == [3, 1, 2]
    heap.push(elements[0], 9)
    heap.remove(elements[1])
    assert [heap.key_of(element) for element in elements] == [9, None, 2]


def test_arrival_number_gives_an_element_its_old_place_among_equals() -> None:
    heap, elements = filled([0, 0, 0])
    heap.remove(elements[0])
    arrivals = [heap.push(element, 0) for element in elements]
    assert heap.remove(elements[0])
    heap.push(elements[0], 0, arrival=arrivals[0])
    assert drained(heap) == elements


def test_element_is_in_one_heap_at_a_time() -> None:
    heap, other = StableHeap[Element](), StableHeap[Element]()
    element = Element(1)
    heap.push(element, 1)
    with pytest.raises(
        ArgumentError, match=r"^push\(Element\(1\)\) found the element in another heap; remove it there"
    ):
        other.push(element, 1)
    assert (element in heap, element in other, other.remove(element)) == (True, False, False)
    assert heap.remove(element)
    other.push(element, 1)
    assert drained(other) == [element]


def test_what_is_no_element_is_in_no_heap() -> None:
    heap, _ = filled([1])
    assert (None in heap, 1 in heap) == (False, False)
    with pytest.raises(TypeError):
        heap.push(None, 1)  # type: ignore[arg-type]


def test_heap_keeps_its_elements_alive_and_lets_go_of_them() -> None:
    heap, elements = filled([1, 2, 3])
    before = [sys.getrefcount(element) for element in elements]
    while len(heap):
        heap.pop()
    assert [sys.getrefcount(element) for element in elements] == [count - 1 for count in before]


def drop(heap: StableHeap[Element]) -> Element | None:
    """Let a heap die with its last reference, which the caller has, too."""
    return None


def leave_to_the_collector(heap: StableHeap[Element]) -> Element | None:
    loop = Element(0)
    loop.heap = heap  # type: ignore[attr-defined]
    heap.push(loop, 0)
    return loop


@pytest.mark.parametrize("end", [drop, leave_to_the_collector])
def test_elements_of_a_dead_heap_are_in_no_heap(end: Callable[[StableHeap[Element]], Element | None]) -> None:
    heap, elements = filled([3, 1, 2])
    loop = end(heap)
    death = None if loop is None else weakref.ref(loop)
    del heap, loop
    gc.collect()
    assert death is None or death() is None
    other = StableHeap[Element]()
    for element in elements:
        assert not other.remove(element)
        other.push(element, element.key)
    assert drained(other) == [elements[1], elements[2], elements[0]]


def test_finalizer_that_a_dying_heap_runs_finds_the_others_in_no_heap() -> None:
    heap, elements = filled([3, 2])
    seen: list[int] = []
    other = StableHeap[Element]()
    first = Finalized(lambda: seen.extend(other.push(element, element.key) for element in elements))
    owner = Element(1)
    owner.first = first  # type: ignore[attr-defined]
    heap.push(owner, 1)
    del first, owner
    del heap
    assert (seen, drained(other)) == ([0, 1], [elements[1], elements[0]])


@given(st.lists(st.integers(0, 20)), st.lists(st.integers(0, 20)))
def test_heap_filled_half_emptied_and_filled_again_is_in_order(first: list[int], second: list[int]) -> None:
    heap, elements = filled(first)
    early = [heap.pop() for _ in range(len(first) // 2)]
    for key in second:
        elements.append(Element(key))
        heap.push(elements[-1], key)
    assert early == sorted(elements[: len(first)], key=lambda element: element.key)[: len(early)]
    assert drained(heap) == sorted((e for e in elements if e not in early), key=lambda element: element.key)


class HeapMachine(RuleBasedStateMachine):
    """Generated interleavings of all that a heap does, against a list that is kept sorted."""

    def __init__(self) -> None:
        super().__init__()
        self.heap = StableHeap[Element]()
        self.model: list[Element] = []  # in the order of arrival

    def first(self) -> Element:
        return min(self.model, key=lambda element: element.key)  # the first of equals

    @rule(key=st.integers(0, 5))
    def push(self, key: int) -> None:
        self.model.append(Element(key))
        self.heap.push(self.model[-1], key)

    @precondition(lambda self: self.model)
    @rule()
    def pop(self) -> None:
        first = self.first()
        self.model.remove(first)
        assert self.heap.pop() is first

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        element = data.draw(st.sampled_from(self.model))
        self.model.remove(element)
        assert self.heap.remove(element)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), key=st.integers(0, 5))
    def move(self, data: st.DataObject, key: int) -> None:
        element = data.draw(st.sampled_from(self.model))
        self.model.remove(element)
        element.key = key
        self.model.append(element)
        self.heap.push(element, key)

    @invariant()
    def agrees(self) -> None:
        assert len(self.heap) == len(self.model)
        if self.model:
            assert self.heap.peek() is self.first()


TestHeapMachine = HeapMachine.TestCase
