import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import EMPTY, SpscRing
from tests.contracts.ring_classes import Ring, RingClass
from tests.models.ring_model import RingModel

ELEMENTS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=2))


class RingAgainstModel(RuleBasedStateMachine):
    ring_class: RingClass

    @initialize(capacity=st.integers(1, 9))
    def make(self, capacity: int) -> None:
        self.ring: Ring = self.ring_class(capacity)
        self.model = RingModel(capacity)

    @rule(element=ELEMENTS)
    def offer(self, element: object) -> None:
        assert self.ring.offer(element) == self.model.offer(element)

    @rule(elements=st.lists(ELEMENTS, max_size=12))
    def offer_batch(self, elements: list[object]) -> None:
        assert self.ring.offer_batch(elements) == self.model.offer_batch(iter(elements))

    @rule()
    def poll(self) -> None:
        assert self.ring.poll() == self.model.poll(EMPTY)

    @rule(limit=st.integers(0, 12))
    def drain(self, limit: int) -> None:
        assert self.ring.drain(limit) == self.model.drain(limit)

    @rule(limit=st.integers(0, 12))
    def drain_to(self, limit: int) -> None:
        drained: list[object] = []
        expected = self.model.drain(min(limit, self.model.capacity))
        assert self.ring.drain_to(drained.append, limit=limit) == len(expected)
        assert drained == expected

    @invariant()
    def the_ring_looks_the_same(self) -> None:
        if not hasattr(self, "ring"):
            return
        size = len(self.model.elements)
        observed = (len(self.ring), self.ring.is_empty, self.ring.is_full, self.ring.peek())
        assert observed == (size, size == 0, size == self.model.capacity, self.model.peek(EMPTY))


class SpscRingAgainstModel(RingAgainstModel):
    ring_class = SpscRing

    @rule(elements=st.lists(ELEMENTS, max_size=12))
    def offer_batch_of_an_iterator(self, elements: list[object]) -> None:
        taken_from, expected_from = iter(elements), iter(elements)
        assert self.ring.offer_batch(taken_from) == self.model.offer_batch(expected_from)
        assert list(taken_from) == list(expected_from)


class MpscRingAgainstModel(RingAgainstModel):
    ring_class = MpscRing


@pytest.mark.slow
class TestSpscRingAgainstModel(SpscRingAgainstModel.TestCase):
    pass


@pytest.mark.slow
class TestMpscRingAgainstModel(MpscRingAgainstModel.TestCase):
    pass
