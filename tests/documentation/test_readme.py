"""The numbers of the README are those of the last run of the benchmark that it names."""

import json

from tests.architecture.checkout import ROOT

README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
RUN = json.loads((ROOT / "bench/peers/last_run.json").read_text(encoding="utf-8"))


def nanoseconds(task: str) -> dict[str, float]:
    return next(each["nanoseconds"] for each in RUN["tasks"] if each["task"] == task)


def test_speed_beside_others_is_that_of_the_run() -> None:
    costs = nanoseconds("map, filter, reduce")
    ours = costs["reactivestreams"]
    times = {name: cost / ours for name, cost in costs.items()}
    assert f"cost {ours:.0f} ns an element" in README
    assert (
        f"reactivex takes {times['reactivex']:.1f} times as long, bytewax {times['bytewax']:.1f}, "
        f"csp {times['csp']:.0f}, aiostream {times['aiostream']:.0f} and streamz {times['streamz']:.0f} times" in README
    )


def test_speed_of_counting_by_key_is_that_of_the_run() -> None:
    costs = nanoseconds("count by 16 keys")
    ours = costs["reactivestreams"]
    times = {name: cost / ours for name, cost in costs.items()}
    assert (
        f"costs {ours:.0f} ns, where bytewax takes {times['bytewax']:.0f} "
        f"and reactivex {times['reactivex']:.0f} times as long" in README
    )


def test_slower_task_is_named_with_the_numbers_of_the_run() -> None:
    costs = nanoseconds("buffer(100), len, sum")
    assert costs["cytoolz"] < costs["reactivestreams"]
    assert f"{costs['cytoolz']:.0f} ns beside {costs['reactivestreams']:.0f}" in README


def test_elements_made_ahead_are_those_of_the_run() -> None:
    ahead = {each["library"]: each["elements"] for each in RUN["memory"]}
    assert f"has made {ahead['reactivestreams']:,} elements when its consumer stops" in README
    assert ahead["reactivex"] == ahead["csp"] == 20_000 - 1  # all but the one that the consumer holds
