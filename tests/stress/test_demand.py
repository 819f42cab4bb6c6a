"""Demand under Python threads, in outcomes."""

from collections.abc import Callable

import pytest

from rs_core.demand import Demand
from tests.conftest import Depth
from tests.stress.outcomes import Action, Table, Verdict, judge, observe

ROUNDS = 300
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN
UNBOUNDED = 2**63 - 1

pytestmark = pytest.mark.slow


def demand_of(n: int) -> Demand:
    demand = Demand()
    demand.add(n)
    return demand


def two_adds_to_a_demand_of_zero() -> list[Action]:
    demand = Demand()
    return [lambda hesitate: demand.add(1), lambda hesitate: demand.add(2)]


def an_add_beside_two_takes() -> list[Action]:
    demand = demand_of(1)
    return [lambda hesitate: demand.add(1), lambda hesitate: (demand.take(2), hesitate(), demand.take(2))[::2]]


def an_add_beside_the_consumption_of_all() -> list[Action]:
    demand = demand_of(1)
    return [lambda hesitate: demand.add(1), lambda hesitate: demand.consume(1)]


def two_cancels() -> list[Action]:
    demand = demand_of(1)
    return [lambda hesitate: demand.cancel(), lambda hesitate: demand.cancel()]


def a_cancel_beside_a_take() -> list[Action]:
    demand = demand_of(2)
    return [lambda hesitate: demand.cancel(), lambda hesitate: (demand.take(1), hesitate(), demand.value)[::2]]


def two_adds_that_saturate() -> list[Action]:
    demand = demand_of(UNBOUNDED - 1)
    return [
        lambda hesitate: demand.add(1),
        lambda hesitate: demand.add(UNBOUNDED),
        lambda hesitate: demand.value >= UNBOUNDED - 1,
    ]


TABLES: dict[Callable[[], list[Action]], Table] = {
    two_adds_to_a_demand_of_zero: {
        (True, False): (ALLOWED, "the first thread raised it from 0"),
        (False, True): (ALLOWED, "the second thread raised it from 0"),
        (True, True): (FORBIDDEN, "two threads would deliver"),
        (False, False): (FORBIDDEN, "nobody would deliver"),
    },
    an_add_beside_two_takes: {
        (False, (2, 0)): (ALLOWED, "the add came first"),
        (False, (1, 1)): (FORBIDDEN, "the demand was 0 after the first take, so the add was told wrong"),
        (True, (1, 1)): (ALLOWED, "the add came between the takes"),
        (True, (1, 0)): (ALLOWED, "the add came last"),
        (False, (1, 0)): (FORBIDDEN, "the request was lost"),
    },
    an_add_beside_the_consumption_of_all: {
        (False, 1): (ALLOWED, "the add came first: the present deliverer goes on"),
        (True, 0): (ALLOWED, "the add came last: its thread delivers"),
        (False, 0): (FORBIDDEN, "both would stop: a stall"),
        (True, 1): (FORBIDDEN, "both would deliver"),
    },
    two_cancels: {
        (True, False): (ALLOWED, "the first thread cancelled"),
        (False, True): (ALLOWED, "the second thread cancelled"),
        (True, True): (FORBIDDEN, "cleaned up twice"),
        (False, False): (FORBIDDEN, "never cleaned up"),
    },
    a_cancel_beside_a_take: {
        (True, (1, 1)): (ALLOWED, "the cancel came last"),
        (True, (1, 0)): (ALLOWED, "the cancel came between the take and the look"),
        (True, (0, 0)): (ALLOWED, "the cancel came first"),
        (True, (0, 1)): (FORBIDDEN, "a cancelled demand came back"),
    },
    two_adds_that_saturate: {
        (False, False, True): (ALLOWED, "it was above 0 all the time"),
        (False, False, False): (FORBIDDEN, "the sum wrapped"),
    },
}


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], list[Action]], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    judge(situation, observe(situation, rounds=rounds), TABLES[situation], rounds=rounds)
