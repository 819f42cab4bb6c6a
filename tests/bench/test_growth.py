"""What is fitted to costs, which pipelines are said to grow too fast, and that all of them run."""

import pytest

from bench import growth
from bench.growing_pipelines import Growing, growing_pipelines
from bench.growth import CANNOT_COUNT, GREW, MOST, exponent, exponents
from bench.instructions import CannotCountError

SIZES = (100, 200, 400, 800)
PIPELINES = growing_pipelines()


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_power_of_the_size_is_found(power: float) -> None:
    assert exponent(SIZES, [7 * size**power for size in SIZES]) == pytest.approx(power)


def test_constant_part_makes_the_exponent_less_and_a_logarithm_more() -> None:
    assert exponent(SIZES, [10_000 + 100 * size for size in SIZES]) < 1
    assert exponent(SIZES, [size * size.bit_length() for size in SIZES]) > MOST


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Return what will be counted of two pipelines, of which the second is quadratic."""
    found = [
        Growing("linear", "elements", lambda size: None, SIZES),
        Growing("loops", "keys", lambda size: None, SIZES),
    ]
    counted = {found[0].name_of(size): 100.0 * size for size in SIZES}
    counted |= {found[1].name_of(size): float(size * size) for size in SIZES}
    monkeypatch.setattr(growth, "growing_pipelines", lambda: found)
    monkeypatch.setattr(growth, "wrong_profile", lambda: None)
    monkeypatch.setattr(growth, "valgrind_version", lambda: "valgrind-0")
    monkeypatch.setattr(growth, "count", lambda kind, layouts: counted)
    return counted


def test_pipeline_that_grows_too_fast_fails_and_is_named(
    counts: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert growth.main() == GREW
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 2 grow in proportion; not loops in its keys"


def test_pipelines_that_grow_in_proportion_pass(counts: dict[str, float], capsys: pytest.CaptureFixture[str]) -> None:
    counts |= {f"loops, {size} keys": 5.0 * size for size in SIZES}
    assert growth.main() == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 of 2 grow in proportion"


def test_what_cannot_be_counted_is_said(
    counts: dict[str, float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> str:
        raise CannotCountError("valgrind is missing")

    monkeypatch.setattr(growth, "valgrind_version", missing)
    assert growth.main() == CANNOT_COUNT
    assert capsys.readouterr().err == "valgrind is missing\n"


def test_instructions_of_the_largest_size_are_told_for_one(counts: dict[str, float]) -> None:
    ((_, each, power),) = exponents(growth.growing_pipelines()[:1], counts)
    assert (each, power) == (100.0, pytest.approx(1.0))


@pytest.mark.parametrize("growing", PIPELINES, ids=lambda growing: f"{growing.name}, {growing.what}")
def test_pipeline_runs_at_its_smallest_size(growing: Growing) -> None:
    growing.run(growing.sizes[0])


def test_sizes_are_twice_those_before_and_names_differ() -> None:
    names = [growing.name_of(size) for growing in PIPELINES for size in growing.sizes]
    assert len(names) == len(set(names))
    for growing in PIPELINES:
        assert [2 * size for size in growing.sizes[:-1]] == [*growing.sizes[1:]]
