import copy
import gc
import weakref
from collections.abc import Callable

import pytest

from rs_core.demand import Demand
from rs_core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DemandExceededError,
    InvalidRequestError,
    InvalidRequestTypeError,
)

UNBOUNDED = 2**63 - 1


def demand_of(n: int) -> Demand:
    demand = Demand()
    demand.add(n)
    return demand


class Index:
    def __init__(self, n: int) -> None:
        self.n = n

    def __index__(self) -> int:
        return self.n


class FailingIndex:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error


class WithoutRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def test_a_new_demand_is_zero() -> None:
    demand = Demand()
    assert (demand.value, demand.is_unbounded, demand.is_cancelled) == (0, False, False)


def test_requests_add_up() -> None:
    demand = Demand()
    demand.add(2)
    demand.add(3)
    assert demand.value == 5


def test_only_the_add_that_raises_the_demand_from_zero_is_told_so() -> None:
    demand = Demand()
    answers = [demand.add(1), demand.add(1)]
    demand.consume(2)
    answers.append(demand.add(1))
    assert answers == [True, False, True]


@pytest.mark.parametrize("n", [UNBOUNDED, UNBOUNDED + 1, 2**64, 10**30, pytest.param(10**5000, id="5000 digits")])
def test_a_request_of_two_to_the_63_minus_one_or_more_is_unbounded(n: int) -> None:
    demand = demand_of(n)
    assert (demand.value, demand.is_unbounded) == (UNBOUNDED, True)


@pytest.mark.parametrize("second", [1, 2, UNBOUNDED, 10**30])
def test_a_sum_beyond_two_to_the_63_saturates(second: int) -> None:
    demand = demand_of(UNBOUNDED - 1)
    demand.add(second)
    assert demand.value == UNBOUNDED


def test_unbounded_demand_never_counts_down() -> None:
    demand = demand_of(UNBOUNDED)
    assert (demand.take(10), demand.consume(10**6), demand.take(10**30), demand.value) == (
        10,
        UNBOUNDED,
        UNBOUNDED,
        UNBOUNDED,
    )


@pytest.mark.parametrize(("n", "expected"), [(True, 1), (Index(4), 4), (Index(2**80), UNBOUNDED)])
def test_whatever_has_an_index_counts_as_a_number(n: Index, expected: int) -> None:
    assert demand_of(n).value == expected


@pytest.mark.parametrize("n", [0, -1, -UNBOUNDED, -(2**63), -(2**63) - 1, -(10**30), False, Index(-3)])
def test_a_request_below_one_is_refused_and_changes_nothing(n: int) -> None:
    demand = demand_of(7)
    with pytest.raises(InvalidRequestError) as refused:
        demand.add(n)
    assert (demand.value, refused.value.rule) == (7, "3.9")


def test_the_refusal_of_a_request_says_value_rule_and_remedy() -> None:
    with pytest.raises(InvalidRequestError) as refused:
        Demand().add(-1)
    assert str(refused.value) == (
        "§3.9: request(n) needs n > 0, got -1; request a positive count or call cancel() "
        "instead of a non-positive subscription request"
    )


def test_an_integer_too_long_to_print_is_refused_with_its_size() -> None:
    with pytest.raises(InvalidRequestError, match=r"got -2\*\*16609 or beyond;"):
        Demand().add(-(10**5000))


@pytest.mark.parametrize(
    ("n", "shown"),
    [("3", "'3' (str)"), (1.5, "1.5 (float)"), (None, "None (NoneType)"), ("x" * 200, "'" + "x" * 76 + "... (str)")],
)
def test_a_request_without_an_index_is_refused_by_type(n: object, shown: str) -> None:
    demand = Demand()
    with pytest.raises(InvalidRequestTypeError) as refused:
        demand.add(n)
    assert (str(refused.value), demand.value) == (
        f"§3.9: request(n) needs an integer, got {shown}; request a positive count or call cancel()",
        0,
    )


def test_a_value_whose_repr_fails_is_refused_all_the_same() -> None:
    with pytest.raises(InvalidRequestTypeError, match="got <WithoutRepr without a working repr>"):
        Demand().add(WithoutRepr())


def test_an_index_that_fails_is_the_cause_of_the_refusal() -> None:
    error = RuntimeError("no number today")
    with pytest.raises(InvalidRequestTypeError) as refused:
        Demand().add(FailingIndex(error))
    assert refused.value.__cause__ is error


def test_an_interrupt_inside_an_index_is_not_turned_into_a_refusal() -> None:
    with pytest.raises(KeyboardInterrupt):
        Demand().add(FailingIndex(KeyboardInterrupt()))


def test_take_takes_no_more_than_there_is() -> None:
    demand = demand_of(3)
    assert (demand.take(2), demand.take(2), demand.take(2)) == (2, 1, 0)


def test_consume_returns_what_remains() -> None:
    demand = demand_of(3)
    assert (demand.consume(2), demand.consume(0), demand.consume(1)) == (1, 1, 0)


def test_consuming_more_than_the_demand_is_refused_and_changes_nothing() -> None:
    demand = demand_of(2)
    with pytest.raises(DemandExceededError) as refused:
        demand.consume(3)
    assert (str(refused.value), demand.value) == (
        "§1.1: consume(3) exceeds the demand of 2; deliver only what was requested",
        2,
    )


@pytest.mark.parametrize("method", [Demand.take, Demand.consume])
@pytest.mark.parametrize("n", [-1, -(10**30)])
def test_taking_a_negative_number_is_refused(method: Callable[[Demand, int], int], n: int) -> None:
    demand = demand_of(5)
    with pytest.raises(ArgumentError, match=f"got {n};"):
        method(demand, n)
    assert demand.value == 5


@pytest.mark.parametrize("method", [Demand.take, Demand.consume])
@pytest.mark.parametrize("n", ["1", 1.0, None, True])
def test_taking_what_is_no_count_is_refused_by_type(method: Callable[[Demand, object], int], n: object) -> None:
    demand = demand_of(5)
    with pytest.raises(ArgumentTypeError, match=f"got {n!r} "):
        method(demand, n)
    assert demand.value == 5


@pytest.mark.parametrize("n", [1, UNBOUNDED])
def test_cancel_ends_a_demand_for_good(n: int) -> None:
    demand = demand_of(n)
    demand.cancel()
    assert (demand.value, demand.is_unbounded, demand.is_cancelled) == (0, False, True)


def test_only_the_first_cancel_is_told_that_it_cancelled() -> None:
    demand = Demand()
    assert (demand.cancel(), demand.cancel()) == (True, False)


@pytest.mark.parametrize("n", [1, UNBOUNDED, 10**30, 0, -1, "3", None])
def test_a_request_after_cancel_does_nothing_whatever_it_is(n: object) -> None:
    demand = demand_of(5)
    demand.cancel()
    assert (demand.add(n), demand.value, demand.is_cancelled) == (False, 0, True)


def test_nothing_can_be_taken_after_cancel() -> None:
    demand = demand_of(5)
    demand.cancel()
    assert (demand.take(1), demand.take(10**30), demand.value) == (0, 0, 0)


def test_elements_under_way_may_be_consumed_after_cancel() -> None:
    demand = demand_of(5)
    demand.cancel()
    assert (demand.consume(3), demand.consume(100), demand.is_cancelled) == (0, 0, True)


def test_repr_shows_the_state() -> None:
    cancelled = Demand()
    cancelled.cancel()
    assert [repr(demand) for demand in (Demand(), demand_of(4), demand_of(UNBOUNDED), cancelled)] == [
        "Demand(0)",
        "Demand(4)",
        "Demand(unbounded)",
        "Demand(cancelled)",
    ]


def test_a_demand_can_be_referenced_weakly_and_is_freed() -> None:
    demand = Demand()
    reference = weakref.ref(demand)
    del demand
    gc.collect()
    assert reference() is None


def test_a_demand_cannot_be_subclassed_or_copied() -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Subclass", (Demand,), {})
    with pytest.raises(TypeError, match="cannot pickle"):
        copy.copy(Demand())
