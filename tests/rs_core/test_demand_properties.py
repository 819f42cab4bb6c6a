import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from rs_core.demand import Demand
from tests.models.demand_model import UNBOUNDED, DemandModel

# Small numbers meet often; the others stand at the edges of int64 and beyond.
COUNTS = st.one_of(
    st.integers(0, 5),
    st.integers(UNBOUNDED - 3, UNBOUNDED + 3),
    st.integers(2**64 - 2, 2**64 + 2),
    st.integers(0, 10**40),
)


class DemandAgainstModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.demand = Demand()
        self.model = DemandModel()

    @rule(n=COUNTS.filter(lambda n: n > 0))
    def add(self, n: int) -> None:
        assert self.demand.add(n) == self.model.add(n)

    @rule(n=COUNTS)
    def take(self, n: int) -> None:
        assert self.demand.take(n) == self.model.take(n)

    @rule(part=st.fractions(0, 1))
    def consume(self, part: int) -> None:
        n = int(part * self.model.value)
        assert self.demand.consume(n) == self.model.consume(n)

    @precondition(lambda self: self.model.value > 0)
    @rule()
    def consume_all(self) -> None:
        n = self.model.value
        assert self.demand.consume(n) == self.model.consume(n)

    # Once only in a while: nothing can be observed after it.
    @precondition(lambda self: self.model.value % 7 == 6)
    @rule()
    def cancel(self) -> None:
        assert self.demand.cancel() == self.model.cancel()

    @invariant()
    def the_state_is_the_same(self) -> None:
        observed = (self.demand.value, self.demand.is_unbounded, self.demand.is_cancelled)
        assert observed == (self.model.value, self.model.is_unbounded, self.model.is_cancelled)


@pytest.mark.slow
class TestDemandAgainstModel(DemandAgainstModel.TestCase):
    pass
