"""Random pipelines of 1 to 8 operators give what plain Python gives, and reactivex where it has the operators."""

import itertools
from random import Random
from typing import Any

import pytest

from tests.architecture.test_names_elsewhere import ALL, FOUND
from tests.conftest import Depth
from tests.models.stream_model import Sent
from tests.oracle import case as cases
from tests.oracle.case import WAYS, Chain, Demand, DifferentError, Source, check, random_chain
from tests.oracle.catalog import CATALOG, NOT_COMPARED, REASONS, Step, lazily, named_in_the_library
from tests.oracle.models import Cut, Latest, Merged, Opened

# Cases that are run quickly, and those of the slow tests behind them.
CASES = pytest.mark.parametrize("numbers", [range(120), pytest.param(range(120, 400), marks=pytest.mark.slow)], ids=str)
CASES_OF_REACTIVEX = pytest.mark.parametrize(
    "numbers", [range(150), pytest.param(range(150, 600), marks=pytest.mark.slow)], ids=str
)


@CASES
def test_pipelines_give_what_plain_python_gives(depth: Depth, numbers: range) -> None:
    for number in range(depth.scaled(numbers.start), depth.scaled(numbers.stop)):
        check(depth.seed, number)


@CASES_OF_REACTIVEX
def test_pipelines_give_what_reactivex_gives(depth: Depth, numbers: range) -> None:
    pytest.importorskip("reactivex", reason="reactivex is not installed: ci/environment.sh dev installs it")
    from tests.oracle.reactivex_chains import by_reactivex, is_comparable

    for number in range(depth.scaled(numbers.start), depth.scaled(numbers.stop)):
        chain = random_chain(Random(f"reactivex {depth.seed}: {number}"), is_comparable)
        elements, error = by_reactivex(chain)
        outcome = chain.outcome()
        # The model is what other tests compare with streams; that streams give it here, too, the next line shows.
        assert outcome is not None
        assert cases.agrees(outcome, elements or [], error), f"case {number} of seed {depth.seed}: {chain.text}"
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


def test_no_operator_that_reactivex_has_is_said_to_be_missing_there() -> None:
    answers = ALL.libraries["reactivex"].answers.values()
    theirs = {one.method for one in FOUND if any(one.call in answer.calls for answer in answers)}
    assert [name for name in theirs if NOT_COMPARED.get(name) == "reactivex has none"] == []


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
        if "." + name.rpartition("().")[2] + "(" in random_chain(Random(number)).pipeline_text:
            break


def test_same_number_makes_the_same_case() -> None:
    assert random_chain(Random("1: 5")).text == random_chain(Random("1: 5")).text


# --- that differences are found ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_wrong_operator_is_found_in_every_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Step(".skip(1)", lazily(lambda given: itertools.islice(given, 2, None)))
    elements = [1, 2, 3, 4, 5, 6]
    chain = Chain(Source(f"Stream.from_iterable({elements})", Sent(elements)), (CATALOG["lift"](Random(1)), wrong))
    monkeypatch.setattr(cases, "random_chain", lambda random: chain)
    with pytest.raises(DifferentError) as found:
        check(7, 3, way)
    assert "case 3 of seed 7" in str(found.value)
    assert "the smallest that differs:\n  Stream.from_iterable([2, 3]).skip(1)\n" in str(found.value)
    assert "again: python -m tests.oracle --seed 7 --case 3" in str(found.value)


def test_stream_that_does_not_end_is_found() -> None:
    chain = Chain(Source("Stream.never()", Sent([])), ())
    assert str(cases.fault_of(chain, "random requests", "1")).startswith("StuckError: it has not ended")


def test_more_than_was_requested_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each element is counted: here the half of the requests is kept secret from the one who counts."""
    monkeypatch.setattr(Demand, "request", lambda self, n: self.subscription.request(n))
    chain = Chain(Source("Stream.range(2)", Sent([0, 1])), ())
    assert "§1.1: element 1 came for a demand of 0" in str(cases.fault_of(chain, "random requests", "1"))


MERGED = Merged([Sent([1, 2]), Sent([3])])
FAILING = Merged([Sent([1, 2], "a"), Sent([3], None)])
LATEST = Latest(Sent([1, 2]), Sent(["a", "b"]), is_led=False)
LED = Latest(Sent([1, 2]), Sent(["a", "b"]), is_led=True)
CUT = Cut(Sent([1, 2, 3]), Sent(["now"]))
OPENED = Opened(Sent([1, 2, 3]))


@pytest.mark.parametrize(
    ("outcome", "elements", "error", "expected"),
    [
        (MERGED, [1, 3, 2], None, True),
        (MERGED, [2, 1, 3], None, False),
        (MERGED, [1, 2], None, False),
        (MERGED, [1, 2, 3, 3], None, False),
        (MERGED, [1, 2, 3], "a", False),
        (FAILING, [1, 2], "a", True),
        (FAILING, [3, 1, 2], "a", True),
        (FAILING, [1, 3], "a", False),
        (FAILING, [1, 2, 3], None, False),
        (LATEST, [(1, "a"), (2, "a"), (2, "b")], None, True),
        (LATEST, [(2, "a"), (2, "b")], None, True),
        (LATEST, [(1, "a"), (2, "b")], None, False),
        (LATEST, [(1, "a"), (2, "a")], None, False),
        (LED, [(1, "b"), (2, "b")], None, True),
        (LED, [(1, "b"), (2, "a")], None, False),
        (LED, [(2, "a")], None, True),
        (LED, [(1, "a")], None, False),
        (CUT, [[1], [2, 3]], None, True),
        (CUT, [[], [1]], None, True),
        (CUT, [[1], [2], [3]], None, False),
        (CUT, [[1, 3]], None, False),
        (CUT, [[1]], "a", False),
        (OPENED, [[2, 3]], None, True),
        (OPENED, [[]], None, True),
        (OPENED, [], None, True),
        (OPENED, [[1, 2]], None, False),
        (OPENED, [[1], [2, 3]], None, False),
        (Opened(Sent([1], "a")), [], "a", True),
        (Opened(Sent([1], "a")), [[1]], None, False),
    ],
)
def test_orders_that_cannot_be_are_refused(
    outcome: Any, elements: list[Any], error: str | None, expected: bool
) -> None:
    assert outcome.allows(elements, error) is expected
