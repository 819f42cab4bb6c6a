"""Pipelines made from seeds of every operator that `apply` accepts, dealt like cards: each comes once in a round.

The operators and their arguments are those of tests/oracle/catalog.py, written as text. A pipeline grows operator by
operator: one is added where a thread can run the pipeline with it, behind an operator that prepares its input where it
needs that. So the same seed makes the same pipeline in every process, and only seeds are sent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pyarrow as pa

from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered
from reactivestreams.stream import Pipeline, Stream
from tests.models.stream_model import checksum
from tests.oracle.case import NAMES
from tests.oracle.catalog import CATALOG, FOLDS
from tests.oracle.functions import rows as tuples_of

SCHEMA = "key string, number bigint, part double"
COLUMNS = ("key", "number", "part")
ARROW_SCHEMA = pa.schema([("key", pa.string()), ("number", pa.int64()), ("part", pa.float64())])
Rows = list[tuple[Any, Any, Any]]

# --- where operators may be -------------------------------------------------------------------------------------------

ONE_PROCESS = "is about the threads, the clock or the demand of one process"
PASSES_STREAMS = "passes on streams, which cannot leave their task"
BY_TIME = "chooses by when elements come"

REFUSED: dict[str, str] = {
    **dict.fromkeys(
        (
            "audit", "buffer_timeout", "buffer_toggle", "buffer_when", "combine_latest", "compress", "concat_with",
            "debounce", "delay", "delay_subscription", "delay_until", "limit_rate", "limit_weight", "map_async",
            "map_in_executor", "merge_sorted", "merge_with", "observe_on", "on_backpressure_batch",
            "on_backpressure_buffer", "on_backpressure_drop", "on_backpressure_error", "on_backpressure_latest",
            "on_backpressure_reduce", "on_error_resume", "pause_while", "progress", "rate_limit", "recorded", "sample",
            "skip_for", "subscribe_on", "switch_if_empty", "take_for", "tap", "then", "throttle_first",
            "throttle_latest", "time_interval", "timeout", "timestamp", "window_until", "with_latest_from",
            "with_timestamps().key_by().group_join", "with_timestamps().key_by().join", "zip_longest", "zip_with",
        ),
        ONE_PROCESS,
    ),
    **dict.fromkeys(
        ("group_by", "group_by_until", "window", "window_timeout", "window_toggle", "window_when"), PASSES_STREAMS
    ),
    "exhaust_map": BY_TIME,
    "switch_map": BY_TIME,
    "on_error_continue": "is the argument on_error= on Spark",
}  # fmt: skip
"""By the name of an operator that `apply` refuses, the reason that it gives."""

REFUSED_WITHOUT_KEY: dict[str, str] = {
    **dict.fromkeys(FOLDS, "has one result for the whole stream"),
    **dict.fromkeys(("repeat", "repeat_when", "retry", "retry_when"), "runs its input anew"),
}
"""The same of operators that only the pipeline of each key can have."""

REFUSED_WITHIN_KEY: dict[str, str] = {"parallel": "it signals in other threads"}
"""The same of operators that the pipeline of a key cannot have."""

LEFT_OUT: dict[str, str] = {}
"""By the name of an operator that `apply` accepts, why no pipeline has it."""

OF_WINDOWS = (
    ".count()",
    ".to_list()",
    ".reduce(mixed, 5, merge=mixed)",
    ".aggregate(n='count', total=('sum', small), one='first')",
)
OF_KEYS = (".count()", ".reduce(mixed, 5)", ".scan(mixed, 5)", ".buffer(2)", ".through(pipeline().skip(1).enumerate())")


def second_of(element: Any) -> int:
    """Return a time for any element, not in the order of the elements."""
    return checksum(element) % 60


def text_key(element: Any) -> str | None:
    return ("a", "ü", "", None)[checksum(element) % 4]


def pair_key(element: Any) -> tuple[int, str]:
    return checksum(element) % 2, "ab"[checksum(element) % 3 == 0]


def shown(element: Any) -> tuple[str]:
    """Return the row of a result."""
    return (repr(element),)


def batch_of(elements: list[Any]) -> Any:
    """Return the rows of results as a batch."""
    return pa.record_batch([pa.array([repr(element) for element in elements], pa.string())], ["result"])


CALLS: dict[str, Any] = {
    **NAMES,
    **{function.__name__: function for function in (second_of, text_key, pair_key, shown, batch_of)},
}
"""What the text of a pipeline names."""

KEYS = ("key_of", "text_key", "pair_key")


def timed(random: Random, call: str) -> str:
    """Return how windows are written in which nothing is late."""
    key, fold = random.choice(KEYS), random.choice(OF_WINDOWS)
    return f".with_timestamps(second_of, max_lateness=60).key_by({key}).{call}{fold}"


OF_SPARK: dict[str, Callable[[Random], str]] = {
    "key_by().expire_after": lambda random: (
        f".key_by({random.choice(KEYS)}).expire_after({random.choice((1, 5, 20))}, event_time=second_of, lateness=60)"
        f"{random.choice(OF_KEYS)}"
    ),
    "with_timestamps().key_by().tumbling": lambda random: timed(random, f"tumbling({random.choice((7, 20))})"),
    "with_timestamps().key_by().sliding": lambda random: timed(random, f"sliding(20, {random.choice((5, 10, 30))})"),
    "with_timestamps().key_by().session": lambda random: timed(random, f"session({random.choice((1, 4))})"),
}
"""What makes the calls of operators of event time, which the catalogue has only with what Spark refuses."""

NAMES_OF_ALL = sorted({*CATALOG, *OF_SPARK})
ACCEPTED = [name for name in NAMES_OF_ALL if name not in REFUSED and name not in LEFT_OUT]
KEYED = [name for name in ACCEPTED if "key_by()" in name and name != "key_by().through"]
PLAIN = [name for name in ACCEPTED if "key_by()" not in name and name not in REFUSED_WITHOUT_KEY]
WITHIN = [name for name in ACCEPTED if name not in REFUSED_WITHIN_KEY]


def written(name: str, random: Random) -> str:
    """Return a call of an operator with random arguments, whose results have one order."""
    text = OF_SPARK[name](random) if name in OF_SPARK else CATALOG[name](random).text
    has_lanes = ".flat_map(streamed(" in text or ".sequential()" in text
    return f"{text}.sorted(repr)" if has_lanes else text


# --- the pipeline of a seed -------------------------------------------------------------------------------------------

HANDS = {"plain": 6, "keyed": len(KEYED), "through": 12}
"""By the kind of a pipeline, how many of a round are of this kind.

* plain: operators without a key, in one partition where they keep a state.
* keyed: some before a key, an operator with a state for each key, and some behind it.
* through: some before a key, a pipeline for each key, and some behind it.
"""

ROUND = sum(HANDS.values())
FORMS = ("tuples", "batches", "rows", "dicts")
MOST_CHARACTERS = 8_000
DRAWS = 5

FAILING = ".map(fails(9, small))"
HANDLES_ERRORS = ("dematerialize", "materialize", "on_error_map", "on_error_return", "retry", "retry_when")
"""What may handle an error of the operator before: FAILING prepares for it, where nothing fails behind it."""

PREPARATIONS = (
    "",
    ".map(small)",
    ".map(paired)",
    ".start_with(4, -2, 9, 0, 7)",
    ".map(small).start_with(4, -2, 9, 0, 7)",
    ".take(1)",
    ".start_with(4).take(1)",
)
"""What may prepare the input of an operator."""

OVER_BATCHES: tuple[Callable[[int], str], ...] = (
    lambda n: f".filter_batches((pc.field('number') > {n}) | (pc.field('key') == 'a') | pc.field('part').is_null())",
    lambda n: ".filter_batches(lambda batch: pc.not_equal(pc.fill_null(batch['key'], '?'), 'b'))",
    lambda n: f".project('key', 'number', part=pc.field('part') * pc.scalar({n / 2}))",
    lambda n: f".with_columns(number=pc.if_else(pc.field('part') > 0, pc.field('number') - {n}, pc.field('number')))",
    lambda n: ".map_batches(lambda batch: batch.filter(batch['number'].is_valid()))",
)
"""Operators over the batches of a DataFrame, which keep the columns."""


@dataclass(frozen=True)
class Made:
    """The pipeline of a seed.

    Attributes:
        text: How it is written.
        form: The form in which rows enter.
        is_keyed: Whether the order of the results is that of each key only.
        names: Operators of the round that were dealt to it.
    """

    text: str
    form: str
    is_keyed: bool
    names: tuple[str, ...]

    def pipeline(self) -> Pipeline[Any, Any]:
        """Build it."""
        return built(self.text)


def built(text: str) -> Pipeline[Any, Any]:
    described: Pipeline[Any, Any] = eval(f"pipeline(){text}", CALLS)
    return described


def made_input(seed: int) -> Rows:
    """Return up to 40 rows, with nulls and repeated keys, in the order of their numbers.

    Without a key there is at least one: a DataFrame without rows may have no partition, so no task for `start_with`.
    """
    rng = Random(f"rows {seed}")
    rows = [
        (
            rng.choice(["a", "b", "ü", "", None]),
            rng.choice([None, rng.randint(-(2**40), 2**40), rng.randint(-9, 9)]),
            rng.choice([None, 0.5, rng.uniform(-10, 10)]),
        )
        for _ in range(rng.choice([1 if hand_of(seed)[0] == "plain" else 0, 1, 7, 40, 40, 40]))
    ]
    return sorted(rows, key=lambda row: (row[1] is not None, row[1] or 0))


def entering(rows: Rows, form: str) -> list[Any]:
    """Return rows as the elements of a form."""
    if form == "tuples":
        return list(rows)
    dicts = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    if form == "dicts":
        return dicts
    if form == "batches":
        return [pa.RecordBatch.from_pylist(dicts, schema=ARROW_SCHEMA)] if rows else []
    from pyspark.sql import Row

    return [Row(**each) for each in dicts]


def run_in_thread(text: str, rows: Rows, form: str) -> list[Any]:
    """Return the results in the caller's thread; those of a batch one by one."""
    found: list[Any] = []
    for element in Stream.from_iterable(entering(rows, form)).through(built(text)).to_list():
        found += tuples_of(element) if isinstance(element, pa.RecordBatch) else [element]
    return found


@cache
def made(seed: int) -> Made:
    """Return the pipeline of a seed."""
    kind, hand = hand_of(seed)
    round_, place = divmod(seed, ROUND)
    random, rows = Random(f"pipeline {seed}"), made_input(seed)
    form = FORMS[(round_ + place) % 4] if kind == "plain" else ("tuples", "rows", "dicts")[place % 3]

    def runs(text: str, *, least: int, is_right: Callable[[Pipeline[Any, Any]], bool] | None = None) -> bool:
        try:
            if is_right is not None and not is_right(built(text)):
                return False
            found = run_in_thread(text, rows, form)
        except Exception:
            return False
        told = repr(found)
        if None in found:  # which is no element
            return False
        return len(found) >= least and len(told) < MOST_CHARACTERS and " at 0x" not in told

    def with_some(text: str, most: int, is_right: Callable[[Pipeline[Any, Any]], bool]) -> str:
        """Add a few operators that may be there."""
        for name in random.sample(PLAIN, 3 * most)[: 3 * random.randint(0, most)]:
            longer = text + written(name, random)
            if runs(longer, least=1, is_right=is_right):
                text = longer
        return text

    def with_dealt(inner: str, name: str, around: Callable[[str], str] = str) -> str:
        """Add an operator that was dealt, so that some results are left, if it can have any."""
        preparations = (FAILING, *PREPARATIONS) if name in HANDLES_ERRORS else PREPARATIONS
        if kind == "keyed":
            preparations = ("",)  # what stands before a key must tell which row causes an element
        for least in (3, 1, 0):
            for preparation in preparations:
                for _ in range(DRAWS):
                    longer = inner + preparation + written(name, random)
                    if runs(around(longer), least=least):
                        return longer
        raise AssertionError(f"seed {seed}: no thread can run {name} behind {around(inner)}")

    if kind == "plain":
        text = ""
        if form == "batches":
            text = "".join(random.choice(OVER_BATCHES)(random.randint(2, 5)) for _ in range(random.randint(1, 3)))
            text += ".flat_map(rows)"
        for name in hand:
            text = with_dealt(text, name)
        return Made(f"{text}.buffer(4).map(batch_of)" if form == "batches" else f"{text}.map(shown)", form, False, hand)

    text = with_some("", 2, is_numbered)
    if kind == "keyed":
        for name in hand:
            text = with_dealt(text, name)
    else:
        key, before, inner = random.choice(KEYS), text, ""

        def around(inner: str) -> str:
            return f"{before}.key_by({key}).through(pipeline(){inner}.enumerate())"

        for name in hand:
            inner = with_dealt(inner, name, around)
        text = around(inner)
    return Made(f"{with_some(text, 2, is_stateless_behind_key)}.map(shown)", form, True, hand)


def hand_of(seed: int) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a seed's pipeline, and the operators that were dealt to it."""
    round_, place = divmod(seed, ROUND)
    for kind, names in (("plain", PLAIN), ("keyed", KEYED), ("through", WITHIN)):
        if place < HANDS[kind]:
            deck = [name for name in names if name != "key_by().through"]
            Random(f"{kind} {round_}").shuffle(deck)
            return kind, tuple(deck[place :: HANDS[kind]])
        place -= HANDS[kind]
    raise AssertionError(seed)


def is_numbered(described: Pipeline[Any, Any]) -> bool:
    return first_unnumbered(described) is None


def is_stateless_behind_key(described: Pipeline[Any, Any]) -> bool:
    """Return whether the operators behind the last one with keys have no state."""
    operators = list(described.operators)
    while operators and not operators[-1].definition.stateful:
        operators.pop()
    return not operators or bool(operators[-1].definition.keyed)
