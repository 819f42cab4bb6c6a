"""What the ring of many producers has for itself: batches that lose nothing to another producer."""

from collections.abc import Iterable, Iterator

import pytest

from rs_core.errors import ArgumentTypeError
from rs_core.queues.mpsc_ring import MpscRing


class ListWithItsOwnIterator(list[int]):
    def __iter__(self) -> Iterator[int]:
        raise AssertionError("user code ran")


@pytest.mark.parametrize("elements", [iter([1]), {1}, "ab", range(3), {1: 2}])
def test_a_batch_that_is_no_list_or_tuple_is_refused_untouched(elements: Iterable[object]) -> None:
    ring: MpscRing[object] = MpscRing(4)
    before = list(elements) if not isinstance(elements, Iterator) else [1]
    with pytest.raises(ArgumentTypeError, match=r"offer_batch.* needs a list or tuple, got"):
        ring.offer_batch(elements)
    assert (len(ring), list(elements)) == (0, before)


def test_the_message_for_a_wrong_batch_says_why_and_what_to_do() -> None:
    with pytest.raises(ArgumentTypeError) as refused:
        MpscRing(1).offer_batch(5)
    assert str(refused.value) == (
        "MpscRing.offer_batch(elements) needs a list or tuple, got 5 (int); another producer may take the slot of an "
        "element of an iterator, so pass a list, or use offer for each element"
    )


def test_a_batch_runs_no_user_code() -> None:
    ring: MpscRing[int] = MpscRing(4)
    assert (ring.offer_batch(ListWithItsOwnIterator([1, 2])), ring.drain()) == (2, [1, 2])


def test_one_element_is_kept_apart_from_the_next_although_the_ring_has_two_slots() -> None:
    ring: MpscRing[int] = MpscRing(1)
    observed = [(ring.offer(number), ring.offer(-1), ring.poll()) for number in range(5)]
    assert observed == [(True, False, number) for number in range(5)]
