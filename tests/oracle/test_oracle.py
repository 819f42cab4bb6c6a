"""Random pipelines of 1 to 8 operators give what plain Python gives, and what reactivex gives where it has the operators."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.conftest import Depth
from tests.models.stream_model import Sent
from tests.oracle import case as cases
from tests.oracle.case import WAYS, Chain, DifferentError, Source, check, random_chain
from tests.oracle.catalog import CATALOG, NOT_COMPARED, REASONS, Step, lazily, named_in_the_library
from tests.oracle.models import Cut, Latest, Merged

CASES = 400
CASES_OF_REACTIVEX = 600


@pytest.mark.slow
@pytest.mark.smoke
def test_pipelines_give_what_plain_python_gives(depth: Depth) -> None:
    for number in range(depth.scaled(CASES)):
        check(depth.seed, number)


@pytest.mark.slow
@pytest.mark.smoke
def test_pipelines_give_what_reactivex_gives(depth: Depth) -> None:
    pytest.importorskip("reactivex", reason="reactivex is not installed: ci/environment.sh dev installs it")
    from tests.oracle.reactivex_chains import by_reactivex, is_comparable

    for number in range(depth.scaled(CASES_OF_REACTIVEX)):
        chain = random_chain(Random(f"reactivex {depth.seed}: {number}"), is_comparable)
        elements, error = by_reactivex(chain)
        outcome = chain.outcome()
        # The model is what other tests compare with streams; that streams give it here, too, the next line shows.
        assert outcome == Sent(elements or [], error), f"case {number} of seed {depth.seed}: {chain.text}"
        assert cases.fault_of(chain, "for", "") is None, f"case {number} of seed {depth.seed}: {chain.text}"


def test_every_operator_has_a_model_or_a_reason() -> None:
    names = named_in_the_library()
    missing = sorted(names - set(CATALOG) - set(REASONS))
    assert missing == [], f"teach tests/oracle/catalog.py {', '.join(missing)}: a step with its model, or a reason"
    assert sorted({*CATALOG, *REASONS} - names) == []
    assert sorted(set(CATALOG) & set(REASONS)) == []


def test_every_operator_is_compared_with_reactivex_or_has_a_reason() -> None:
    random = Random(1)
    compared = {name for name, make in CATALOG.items() if any(make(random).rx for _ in range(100))}
    missing = sorted(set(CATALOG) - compared - set(NOT_COMPARED))
    assert missing == [], f"{', '.join(missing)}: say in tests/oracle/catalog.py what it is in reactivex, or why not"
    assert sorted(set(NOT_COMPARED) & compared) == []
    assert sorted(set(NOT_COMPARED) - set(CATALOG)) == []


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.parametrize("name", CATALOG)
def test_every_operator_is_used(name: str) -> None:
    """A model that no pipeline reaches would show nothing."""
    if name in cases.OF_ARROW:
        pytest.importorskip("pyarrow")
    numbers = itertools.count()
    while True:
        number = next(numbers)
        assert number < 10_000, f"no pipeline of the first 10,000 has {name}"
        if "." + name.partition("().")[2] + "(" in random_chain(Random(number)).pipeline_text:
            break


def test_same_number_makes_the_same_case() -> None:
    assert random_chain(Random("1: 5")).text == random_chain(Random("1: 5")).text


# --- that differences are found ---------------------------------------------------------------------------------------


def chain_of(elements: list[Any], *steps: Step) -> Chain:
    return Chain(Source(f"Stream.from_iterable({elements})", Sent(elements)), steps)


@pytest.mark.parametrize("way", WAYS)
def test_wrong_operator_is_found_in_every_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Step(".skip(1)", lazily(lambda given: itertools.islice(given, 2, None)))
    right = Step(".map(small)", CATALOG["map"](Random(1)).of)
    chain = chain_of([1, 2, 3, 4, 5, 6], wrong)
    assert right.of is not None
    monkeypatch.setattr(cases, "random_chain", lambda random: chain)
    with pytest.raises(DifferentError) as found:
        check(7, 3, way)
    assert "case 3 of seed 7" in str(found.value)
    assert "again: python -m tests.oracle --seed 7 --case 3" in str(found.value)
    smallest = "Stream.from_iterable([5, 6]).skip(1)"
    assert f"the smallest that differs:\n  {smallest}" in str(found.value)
