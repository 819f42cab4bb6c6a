"""Every operator of the catalogue is in the generated pipelines, or `apply` refuses it with a reason."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, CapacityError
from reactivestreams.spark import NotSerializableError, explain
from reactivestreams.spark.plan.result_schema import SAME_ELEMENTS
from reactivestreams.stream import Stream
from tests.conftest import Depth
from tests.models.stream_model import ModelError
from tests.oracle.catalog import CATALOG, named_in_the_library
from tests.oracle.functions import HERE
from tests.spark.generated_pipelines import seeds_of_run
from tests.spark.operator_deck import (
    ACCEPTED,
    CALLS,
    KEYED,
    LEFT_OUT,
    PLAIN,
    REFUSED,
    REFUSED_WITHIN_KEY,
    REFUSED_WITHOUT_KEY,
    ROUND,
    SCHEMA,
    WITHIN,
    built,
    hand_of,
    made,
    written,
)

CALLS_OF_REFUSED = {
    "exhaust_map": ".exhaust_map(repeated(2))",
    "on_error_continue": ".on_error_continue(differ)",
    "switch_map": ".switch_map(repeated(2))",
    "throttle_latest": ".throttle_latest(3600)",
}
"""How operators are called that the catalogue does not have, or not first."""


def test_every_operator_is_dealt_or_refused() -> None:
    placed = {*ACCEPTED, *REFUSED, *LEFT_OUT}
    missing = sorted(named_in_the_library() - placed)
    assert missing == [], (
        f"teach tests/spark/operator_deck.py {', '.join(missing)}: to deal it, or why apply refuses it"
    )
    assert sorted({*REFUSED, *REFUSED_WITHOUT_KEY, *REFUSED_WITHIN_KEY} - named_in_the_library()) == []
    assert sorted(set(ACCEPTED) & {*REFUSED, *LEFT_OUT}) == []


def test_a_round_has_every_operator_in_every_place(depth: Depth) -> None:
    dealt: dict[str, set[str]] = {"plain": set(), "keyed": set(), "through": set()}
    for seed in seeds_of_run(depth)[:ROUND]:
        kind, names = hand_of(seed)
        for name in names:
            assert f".{name.rpartition('.')[2]}(" in made(seed).text, f"seed {seed} has no {name}: {made(seed).text}"
        dealt[kind].update(names)
    through = "key_by().through"  # the pipeline of each key is this one
    assert dealt == {"plain": set(PLAIN), "keyed": set(KEYED), "through": set(WITHIN) - {through}}
    assert set().union(*dealt.values(), [through]) == set(ACCEPTED)


def test_same_seed_makes_the_same_pipeline() -> None:
    assert made(19) == made.__wrapped__(19)


def refusal(spark: Any, text: str) -> str:
    """Return why a pipeline is refused when it is built or applied."""
    frame = spark.createDataFrame([("a", 1, 0.5)], SCHEMA)
    with pytest.raises((ArgumentError, NotSerializableError)) as refused:
        explain(built(text), frame, as_="tuples", order_by="number")
    return str(refused.value)


@pytest.mark.spark
def test_what_is_not_dealt_is_refused_with_its_reason(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CALLS, "loop", None)
    monkeypatch.setitem(CALLS, "scheduler", HERE)
    for name, reason in REFUSED.items():
        text = CALLS_OF_REFUSED.get(name) or CATALOG[name](Random(1)).text
        told = refusal(spark, text)
        assert reason in told, f"{text}: {told}"
        assert name.rpartition(".")[2] in told.partition(",")[0]


@pytest.mark.spark
def test_what_is_dealt_in_one_place_only_is_refused_in_the_other(spark: Any) -> None:
    for name, reason in REFUSED_WITHOUT_KEY.items():
        assert reason in refusal(spark, written(name, Random(1)))
    for name, reason in REFUSED_WITHIN_KEY.items():
        assert reason in refusal(spark, f".key_by(key_of).through(pipeline(){written(name, Random(1))})")


def test_operators_that_keep_the_columns_pass_elements_on_as_they_are() -> None:
    names = {*PLAIN} & {name_of(definition) for definition in SAME_ELEMENTS}
    assert len(names) == len(SAME_ELEMENTS)
    elements = [1000 + number for number in range(20)]
    for name in names:
        passed: list[int] = []
        for seed in range(5):
            with suppress(ModelError, CapacityError):  # which the catalogue provokes
                Stream.from_iterable(elements).through(built(written(name, Random(seed)))).for_each(passed.append)
        assert {*map(id, passed)} <= {*map(id, elements)}, name
        assert passed or name == "ignore_elements"


def name_of(definition: Any) -> str:
    """Return the name of the method that adds an operator."""
    other = {"distinct_by_key": "distinct", "finally": "finally_"}
    name = definition.id.rpartition("/")[2]
    return other.get(name, name)
