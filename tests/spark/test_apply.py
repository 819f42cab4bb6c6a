"""Pipelines on executors give what they give in the caller's thread."""

import datetime as dt
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from reactivestreams.errors import ArgumentError
from reactivestreams.spark import (
    NotSerializableError,
    PartitionStateWarning,
    UnorderedWarning,
    apply,
    from_dataframe,
)
from reactivestreams.stream import Pipeline, Stream, pipeline
from rs_core.operators.python_operator import PythonStage

pytestmark = pytest.mark.spark

TRIPLE = "key string, number bigint, sum bigint"


def by_key(rows: Iterable[Any]) -> dict[Any, list[Any]]:
    """Return the rows of each key, in their order."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[0]].append(tuple(row))
    return dict(groups)


def running_sum(state: Any, row: Any) -> Any:
    """Return the key, the number and the sum of the numbers so far."""
    return (row[0], row[1], state[2] + (row[1] or 0))


def summed() -> Pipeline[Any, Any]:
    """Return a pipeline with a state for each key."""
    return pipeline().filter(lambda row: row[0] is not None).key_by(lambda row: row[0]).scan(running_sum, (None, 0, 0))


ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "ü", "", None]), st.none() | st.integers(-(2**40), 2**40)), max_size=60
)
STATELESS = st.lists(
    st.sampled_from(
        [
            ("filter", lambda row: row[1] is not None and row[1] % 3 > 0),
            ("map", lambda row: (row[0], None if row[1] is None else row[1] // 2)),
            ("flat_map", lambda row: [row, (row[0], 7)][: (row[1] or 0) % 3]),
            ("do", lambda row: None),
        ]
    ),
    max_size=4,
)


def described(operators: Iterable[tuple[str, Any]]) -> Pipeline[Any, Any]:
    """Return the pipeline of some generated operators."""
    chain = pipeline()
    for name, function in operators:
        chain = getattr(chain, name)(function)
    return chain


# A smaller example is not searched for: each try takes Spark a second.
GENERATED = settings(
    max_examples=max(4, settings.default.max_examples // 10),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@GENERATED
@given(rows=ROWS, operators=STATELESS)
def test_generated_stateless_pipeline_gives_the_same_here_and_there(spark: Any, rows: Any, operators: Any) -> None:
    frame = spark.createDataFrame(rows, "key string, number bigint")
    stages = described(operators)

    there = apply(stages, frame, schema="key string, number bigint", as_="tuples").collect()

    assert there == Stream.from_iterable(rows).through(stages).to_list()


@GENERATED
@given(rows=ROWS, before=STATELESS, after=STATELESS)
def test_generated_keyed_pipeline_gives_the_same_here_and_there(spark: Any, rows: Any, before: Any, after: Any) -> None:
    numbered = [(key, number, position) for position, (key, number) in enumerate(rows)]
    frame = spark.createDataFrame(numbered, "key string, number bigint, position int").orderBy("key")
    stages = (
        described(before)
        .key_by(lambda row: (row[0], (row[1] or 0) % 2))
        .scan(running_sum, (None, 0, 0))
        .through(described(after))
        .key_by(lambda row: row[0])
        .scan(running_sum, (None, 0, 0))
    )
    here = Stream.from_iterable(numbered).through(stages).to_list()

    there = apply(stages, frame, schema=TRIPLE, as_="tuples", order_by="position").collect()

    assert by_key(there) == by_key(here)


@pytest.mark.parametrize("form", ["rows", "tuples", "dicts"])
def test_each_form_enters_and_leaves(spark: Any, form: str) -> None:
    frame = spark.range(0, 10, 1, 2).selectExpr("id", "CAST(id AS STRING) AS text")

    assert apply(pipeline(), frame, schema=frame.schema, as_=form).collect() == frame.collect()


@pytest.mark.smoke
def test_row_attributes_work_on_executors(spark: Any) -> None:
    frame = spark.range(0, 4, 1, 2).selectExpr("id", "id * 2 AS twice")

    there = apply(pipeline().map(lambda row: {"sum": row.id + row["twice"]}), frame, schema="sum bigint")

    assert [row.sum for row in there.collect()] == [0, 3, 6, 9]


def test_batches_enter_and_leave(spark: Any) -> None:
    frame = spark.range(0, 10, 1, 2)

    there = apply(pipeline().map(lambda batch: batch.slice(1, 2)), frame, schema="id bigint", as_="batches")

    assert [row.id for row in there.collect()] == [1, 2, 6, 7]


def test_points_in_time_survive_both_ways(spark: Any) -> None:
    frame = spark.sql("SELECT timestamp'2013-07-01 12:00:00' AS t, timestamp_ntz'2013-07-01 12:00:00' AS n")

    there = apply(
        pipeline().map(lambda row: (row.t, row.n, row.t)), frame, schema="t timestamp, n timestamp_ntz, u timestamp"
    )

    row, own = there.first(), frame.first()
    assert tuple(row) == (own.t, own.n, own.t)
    assert isinstance(row.t, dt.datetime)


def test_empty_dataframe_gives_an_empty_result(spark: Any) -> None:
    frame = spark.createDataFrame([], "key string, number bigint")

    assert apply(pipeline(), frame, schema=frame.schema).collect() == []
    assert apply(summed(), frame, schema=TRIPLE, order_by="number").collect() == []


@pytest.mark.smoke
def test_keyed_pipeline_orders_the_rows_of_a_key_over_all_partitions(spark: Any) -> None:
    # Descending numbers over several partitions: as read, every key would see its largest number first.
    frame = spark.range(0, 60, 1, 5).selectExpr("CAST(id % 4 AS STRING) AS key", "59 - id AS number")

    there = apply(summed(), frame, schema=TRIPLE, order_by="number", buckets=3).collect()

    expected = Stream.from_iterable(sorted(map(tuple, frame.collect()), key=lambda row: row[1])).through(summed())
    assert by_key(there) == by_key(expected.to_list())


def test_rows_with_equal_order_keep_the_order_as_read(spark: Any) -> None:
    frame = spark.range(0, 40, 1, 4).selectExpr("'k' AS key", "id AS number", "0 AS same")

    there = apply(summed(), frame, schema=TRIPLE, order_by="same").collect()

    assert [row.number for row in there] == list(range(40))


def test_several_columns_order_with_nulls_first(spark: Any) -> None:
    frame = spark.createDataFrame(
        [("k", 1, 2, "b"), ("k", 2, None, "a"), ("k", 3, 2, "a")], "key string, number bigint, first int, second string"
    )

    there = apply(summed(), frame, schema=TRIPLE, order_by=["first", "second"]).collect()

    assert [row.number for row in there] == [2, 3, 1]


def test_missing_order_warns_and_keeps_the_order_as_read(spark: Any) -> None:
    frame = spark.range(0, 30, 1, 3).selectExpr("CAST(id % 2 AS STRING) AS key", "id AS number")

    with pytest.warns(UnorderedWarning, match="without order_by is unordered") as caught:
        there = apply(summed(), frame, schema=TRIPLE)

    assert caught[0].filename == __file__
    here = from_dataframe(frame).through(summed()).to_list()
    assert by_key(there.collect()) == by_key(here)


@pytest.mark.parametrize(
    ("stages", "name"), [(pipeline().count(), "count"), (pipeline().map(lambda row: (row[0],)).first(), "first")]
)
def test_one_result_of_all_rows_is_refused(spark: Any, stages: Any, name: str) -> None:
    refused = (
        rf"operator {name}, built at .*test_apply.py.*, has one result for the whole stream, .* from_dataframe\(df\)"
    )
    with pytest.raises(ArgumentError, match=refused):
        apply(stages, spark.range(10), schema="result bigint")


@pytest.mark.parametrize("stages", [pipeline().cycle()], ids=["cycle"])
def test_operator_that_never_ends_is_refused(spark: Any, stages: Any) -> None:
    method = stages.operators[0].definition.method
    refused = rf"operator {method}, built at .*, runs until the subscriber cancels.*; state how often, such as {method}"
    with pytest.raises(ArgumentError, match=refused):
        apply(stages.map(lambda row: row), spark.range(10), schema="id bigint")


@pytest.mark.parametrize(
    "build",
    [lambda p: p.compress([1]), lambda p: p.buffer_when([1]), lambda p: p.buffer_toggle([1], lambda _: [])],
    ids=["compress", "buffer_when", "buffer_toggle"],
)
def test_operator_with_another_stream_is_refused(spark: Any, build: Any) -> None:
    with pytest.raises(NotSerializableError, match=r"operator (compress|buffer_when|buffer_toggle), built at "):
        apply(build(pipeline()), spark.range(10), schema="id bigint")


@pytest.mark.parametrize(
    ("method", "arguments", "reason"),
    [
        ("switch_map", [list], "chooses by when elements come"),
        ("exhaust_map", [list], "chooses by when elements come"),
        ("window", [3], r"passes on streams, .*; use buffer\(\) for lists"),
        ("window_timeout", [3, 1], r"passes on streams, .*; use buffer\(\) for lists"),
        ("group_by", [len], r"passes on streams, .*; use key_by\(\), which has operators for each key"),
        ("group_by_until", [len, list], r"passes on streams, .*; use key_by\(\), which has operators for each key"),
        ("repeat", [2], "runs its input anew, and the rows of a partition come once"),
        ("repeat_when", [list], "runs its input anew, and the rows of a partition come once"),
        ("retry_when", [list], "runs its input anew, and the rows of a partition come once"),
        ("on_error_continue", [print], "is the argument on_error= on Spark"),
        ("retry", [2], "runs its input anew, and the rows of a partition come once"),
    ],
)
def test_what_means_nothing_over_rows_is_refused(spark: Any, method: str, arguments: Any, reason: str) -> None:
    chosen = getattr(pipeline(), method)(*arguments)
    with pytest.raises(ArgumentError, match=rf"operator {method}, .*, {reason}"):
        apply(chosen, spark.range(10), schema="id bigint")


def test_tree_of_each_row_runs_on_spark_before_a_key(spark: Any) -> None:
    tree = pipeline().expand(lambda row: [(row[0] - 1,)] if row[0] > 0 else [])
    counted = tree.key_by(lambda row: row[0], max_keys=9).count()
    there = apply(counted, spark.range(4), schema="key bigint, count bigint", order_by="id")
    assert {row.key: row["count"] for row in there.collect() if row["count"] == 4 - row.key} == {0: 4, 1: 3, 2: 2, 3: 1}


def test_one_result_of_each_key_runs_on_spark(spark: Any) -> None:
    totals = pipeline().key_by(lambda row: row[0] % 2, max_keys=9).through(pipeline().map(lambda row: row[0]).sum())
    there = apply(totals.map(lambda total: (total,)), spark.range(10), schema="result bigint", order_by="id")
    assert sorted(row.result for row in there.collect()) == [20, 25]


@pytest.mark.parametrize(
    ("stages", "name", "expected"),
    [
        (pipeline().take(1).map(lambda row: (row[0],)), "take", [0, 5]),
        (pipeline().skip(4).map(lambda row: (row[0],)), "skip", [4, 9]),
        (pipeline().buffer(3).map(lambda rows: (len(rows),)), "buffer", [3, 2, 3, 2]),
        (pipeline().buffer(3, 2).map(lambda rows: (len(rows),)), "buffer", [3, 3, 1, 3, 3, 1]),
        (pipeline().sliding(2, 2).map(lambda rows: (rows[1][0],)), "sliding", [1, 3, 6, 8]),
        (pipeline().enumerate(1).map(lambda numbered: (numbered[0],)), "enumerate", [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]),
        (pipeline().pluck(0).scan(max).map(lambda most: (most,)), "scan", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (
            pipeline().pluck(0).split_when(lambda _, n: n % 3 == 0).map(lambda numbers: (sum(numbers),)),
            "split_when",
            [3, 7, 5, 21, 9],
        ),
        (
            pipeline().pluck(0).buffer_until(lambda n: n % 3 == 0).map(lambda numbers: (sum(numbers),)),
            "buffer_until",
            [0, 6, 4, 11, 24],
        ),
        (
            pipeline().pluck(0).buffer_while(lambda n: n % 3).map(lambda numbers: (sum(numbers),)),
            "buffer_while",
            [3, 4, 5, 15],
        ),
        (
            pipeline().pluck(0).filter(lambda n: n % 3 == 0).cycle(2).map(lambda n: (n,)),
            "cycle",
            [0, 3, 0, 3, 6, 9, 6, 9],
        ),
        (
            pipeline().pluck(0).filter(lambda n: n % 3 == 0).intersperse(-1).map(lambda n: (n,)),
            "intersperse",
            [0, -1, 3, 6, -1, 9],
        ),
        (pipeline().pairwise().map(lambda rows: (rows[1][0],)), "pairwise", [1, 2, 3, 4, 6, 7, 8, 9]),
        (pipeline().scan(lambda state, row: (state[0] + 1,), (0,)), "scan", [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]),
    ],
)
def test_state_without_a_key_warns_and_restarts_in_each_partition(
    spark: Any, stages: Any, name: str, expected: list[int]
) -> None:
    with pytest.warns(
        PartitionStateWarning, match=f"operator {name}, built at .*test_apply.py.* starts again in each partition"
    ):
        there = apply(stages, spark.range(0, 10, 1, 2), schema="result bigint")

    assert [row.result for row in there.collect()] == expected


def test_stateless_and_ordered_pipelines_do_not_warn(spark: Any) -> None:
    frame = spark.createDataFrame([("k", 1)], "key string, number bigint")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apply(pipeline().map(lambda row: row), frame, schema=frame.schema)
        apply(summed(), frame, schema=TRIPLE, order_by="number")


class Flight:
    """An element of a class of the test, which must be sent between two steps."""

    def __init__(self, carrier: str, delay: int) -> None:
        self.carrier = carrier
        self.delay = delay


def test_elements_of_any_class_move_between_steps(spark: Any) -> None:
    frame = spark.range(0, 12, 1, 3).selectExpr("CAST(id % 3 AS STRING) AS carrier", "id AS delay")

    class Local(Flight):
        """A class that no module holds."""

    for kind in (Flight, Local):
        stages = (
            pipeline()
            .map(lambda row, kind=kind: kind(row.carrier, row.delay))
            .key_by(lambda flight: flight.carrier)
            .scan(lambda state, flight: (flight.carrier, flight.delay, state[2] + flight.delay), ("", 0, 0))
        )

        there = apply(stages, frame, schema=TRIPLE, order_by="delay").collect()

        assert by_key(there)["1"] == [("1", 1, 1), ("1", 4, 5), ("1", 7, 12), ("1", 10, 22)]


def test_none_is_an_element_between_steps(spark: Any) -> None:
    stages = (
        pipeline()
        .map(lambda row: None if row.id % 2 else row.id)
        .key_by(lambda element: element is None)
        .scan(lambda state, element: (str(element is None), state[1] + 1, 0), ("", 0, 0))
    )

    there = apply(stages, spark.range(0, 10, 1, 2), schema=TRIPLE, order_by="id").collect()

    assert {key: rows[-1] for key, rows in by_key(there).items()} == {"True": ("True", 5, 0), "False": ("False", 5, 0)}


def test_scan_without_a_seed_passes_its_first_element_to_the_keys_as_it_is(spark: Any) -> None:
    stages = (
        pipeline()
        .map(lambda row: row.id)
        .scan(lambda total, number: total + number)
        .key_by(lambda total: total % 2)
        .scan(lambda state, total: (total, state[1] + 1), (0, 0))
    )

    with pytest.warns(PartitionStateWarning):
        there = apply(stages, spark.range(1, 6, 1, 1), schema="total bigint, place bigint", order_by="id").collect()

    assert sorted(map(tuple, there)) == [(1, 1), (3, 2), (6, 1), (10, 2), (15, 3)]


def test_more_elements_than_a_batch_holds_move_in_order(spark: Any) -> None:
    stages = (
        pipeline()
        .flat_map(lambda row: [(row.id % 2, row.id * 1000 + part) for part in range(1000)])
        .key_by(lambda element: element[0])
        .scan(lambda state, element: (element[0], element[1], state[2] + (element[1] <= state[1])), (0, -1, 0))
    )

    there = apply(stages, spark.range(0, 40, 1, 2), schema="key bigint, last bigint, backward bigint", order_by="id")

    assert there.groupBy("key").agg({"last": "max", "backward": "max", "*": "count"}).orderBy("key").collect() == [
        (0, 38_999, 0, 20_000),
        (1, 39_999, 0, 20_000),
    ]


def test_order_survives_reading_ahead_over_many_batches(spark: Any) -> None:
    # Batches of two rows, and flat_map reads 32 rows ahead of what it passes on.
    frame = spark.range(0, 60, 1, 2).selectExpr("'k' AS key", "59 - id AS number")
    stages = (
        pipeline().flat_map(lambda row: [row] * (row.number % 3)).through(summed()).flat_map(lambda row: [row, row])
    )
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
    try:
        there = apply(stages.through(summed()), frame, schema=TRIPLE, order_by="number").collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")

    sorted_rows = sorted(frame.collect(), key=lambda row: row.number)
    assert there == Stream.from_iterable(sorted_rows).through(stages).through(summed()).to_list()


class Twice(PythonStage):
    """An operator of one's own, which sends each element twice."""

    name = "tests/twice"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: Any) -> None:
        self.emit(element)
        self.emit(element)


def test_operator_of_one_s_own_runs_on_executors(spark: Any) -> None:
    with pytest.warns(PartitionStateWarning, match="operator lift"):
        there = apply(pipeline().lift(Twice), spark.range(2), schema="id bigint")

    assert [row.id for row in there.collect()] == [0, 0, 1, 1]


def test_result_can_be_read_as_a_stream_that_stops_early(spark: Any) -> None:
    there = apply(pipeline().map(lambda row: (row.id * 2,)), spark.range(0, 40, 1, 8), schema="twice bigint")

    assert from_dataframe(there, as_="tuples", window=1).take(2).to_list() == [(0,), (2,)]
