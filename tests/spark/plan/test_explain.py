"""The plan tells what runs where and what is guaranteed, with reasons; what cannot be given is refused when built."""

from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import Guarantee, apply, explain
from reactivestreams.spark.guarantees import SOURCE_GUARANTEES, mark_source
from reactivestreams.stream import pipeline

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """Return numbers from 0 to 19 in two partitions."""
    return spark.range(0, 20, 1, 2).selectExpr("id AS number", "CAST(id % 3 AS STRING) AS key")


@pytest.fixture
def files(spark: Any, tmp_path: Path) -> Any:
    """Return a streaming DataFrame over a folder."""
    return spark.readStream.schema("number bigint, key string").json(str(tmp_path))


@pytest.mark.smoke
def test_plan_tells_what_runs_where(frame: Any) -> None:
    stages = pipeline().filter(bool).key_by(lambda row: row.key).scan(max, 0).buffer(2).key_by(len).scan(max, 0)

    plan = explain(stages, frame, order_by="number", buckets=5)

    lines = [line.split(" built at")[0].split("/")[0].rstrip() for line in str(plan).splitlines()]
    assert lines == [
        "step 1, on the executors, one task per partition of the DataFrame (mapInArrow):",
        "  filter",
        "  shuffle      by the key of keyed_scan to one of 5 buckets, then sort",
        "step 2, on the executors, one task per bucket (mapInArrow):",
        "  keyed_scan",
        "  buffer",
        "  shuffle      by the key of keyed_scan to one of 5 buckets, then sort",
        "step 3, on the executors, one task per bucket (mapInArrow):",
        "  keyed_scan",
        "rows enter as: rows",
        "order: by number within a key, equal rows as read; none between keys",
        "rows that fail: the action fails",
        "guarantee: exactly-once",
        "  source: exactly-once, since a task that is repeated reads its partition again",
        (
            "  operators: exactly-once, since a row counts once in the result, although a task that is repeated calls "
            "the functions again"
        ),
    ]
    assert "test_explain.py:" in str(plan)
    assert "(state per key)" in str(plan)
    assert "(state restarts in each partition)" in str(plan)


def test_plan_is_drawn_in_a_notebook(frame: Any) -> None:
    stages = pipeline().filter(bool).key_by(lambda row: row.key).scan(max, 0).map(str)

    plan = explain(stages, frame, order_by="number", buckets=5)

    drawn, _, text = plan._repr_html_().partition("</svg>")
    picture = ET.fromstring(f"{drawn.partition('</style>')[2]}</svg>")
    words = [element.text or "" for element in picture.iter("text")]
    boxes = ["step 1", "filter", "shuffle", "step 2", "keyed_scan", "map"]
    assert [word for word in words if word in boxes] == boxes
    assert picture.get("aria-label") == f"A plan for Spark: {', then '.join(boxes)}"
    assert " ".join(words).count("test_explain.py:") == 3
    assert {"to one of 5 buckets", "state per key"} <= {*words}
    promises = str(plan)[str(plan).index("rows enter as") :]
    assert text == f"<pre>{escape(promises)}</pre>"


def test_plan_without_order_says_unordered(frame: Any) -> None:
    stages = pipeline().key_by(lambda row: row.key).scan(max, 0)

    assert "order: unordered" in str(explain(stages, frame))
    assert explain(stages, frame).buckets == 8


def test_buckets_of_a_streaming_query_do_not_depend_on_the_cores(
    files: Any, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = pipeline().key_by(lambda row: row.key).scan(max, 0)
    for cores in (1, 64):
        monkeypatch.setattr(type(spark.sparkContext), "defaultParallelism", cores)
        assert explain(stages, files).buckets == 32


def test_plan_without_operators_says_so(frame: Any) -> None:
    assert "(no operators)" in str(explain(pipeline(), frame))


def test_plan_tells_the_policy_for_rows_that_fail(frame: Any) -> None:
    for policy, told in (("skip", "left out and counted"), ("dead_letter", "collected as dead letters")):
        assert f"rows that fail: {told}" in str(explain(pipeline().map(len), frame, on_error=policy))


def test_form_follows_the_first_operator(frame: Any) -> None:
    assert explain(pipeline().project("number"), frame).form == "batches"
    assert explain(pipeline().map(len), frame).form == "rows"


def test_side_effects_are_at_least_once_with_reason_and_remedy(frame: Any) -> None:
    plan = explain(pipeline().do(print), frame)

    assert plan.guarantee is Guarantee.AT_LEAST_ONCE
    assert "a task that is repeated repeats the side effects of its functions; write with a sink" in str(plan)
    with pytest.raises(
        ArgumentError,
        match=r"exactly-once was requested, but operator do, built at .*test_explain\.py:\d+ in .* gives at-least-once"
        r": .*; write with a sink that replaces a repeated batch",
    ):
        apply(pipeline().do(print), frame, schema=frame.schema, guarantee="exactly-once")


def test_sink_counts(frame: Any) -> None:
    stages = pipeline().filter(bool)

    once = explain(stages, frame, sink="to_path", guarantee=Guarantee.EXACTLY_ONCE)
    assert once.guarantee is Guarantee.EXACTLY_ONCE
    repeated = explain(stages, frame, sink="for_each_batch", guarantee="at-least-once")
    assert repeated.guarantee is Guarantee.AT_LEAST_ONCE
    with pytest.raises(ArgumentError, match=r"but for_each_batch gives at-least-once: .*idempotent=True"):
        explain(stages, frame, sink="for_each_batch", guarantee="exactly-once")
    with pytest.raises(ArgumentError, match=r"sink must be one of 'to_path', .*; did you mean 'to_path'\?"):
        explain(stages, frame, sink="to_paths")


def test_source_of_ours_says_what_it_promises(files: Any) -> None:
    live = files.select("number")
    mark_source(live, SOURCE_GUARANTEES["live"])

    assert explain(pipeline(), live).guarantee is Guarantee.NONE
    with pytest.raises(ArgumentError, match=r"but to_streaming_dataframe gives no guarantee: .*; pass log="):
        apply(pipeline(), live, schema=live.schema, guarantee="exactly-once")


def test_streaming_source_of_spark_is_replayed_unless_it_cannot_be(spark: Any, files: Any) -> None:
    socket = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", 9).load()

    assert explain(pipeline(), files).guarantee is Guarantee.EXACTLY_ONCE
    assert explain(pipeline(), socket).guarantee is Guarantee.NONE
    with pytest.raises(ArgumentError, match="Spark's source socket cannot read a batch again; read from files, Kafka"):
        explain(pipeline(), socket, guarantee="exactly-once")


def test_state_without_a_key_is_at_least_once_on_a_streaming_dataframe(frame: Any, files: Any) -> None:
    counted = pipeline().scan(lambda total, row: total + 1, 0)

    assert explain(counted, frame).guarantee is Guarantee.EXACTLY_ONCE
    assert explain(counted, files).guarantee is Guarantee.AT_LEAST_ONCE
    with pytest.raises(ArgumentError, match=r"operator scan, built at .*; put it after key_by"):
        explain(counted, files, guarantee="exactly-once")


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"guarantee": "exactly once"}, ArgumentError, "guarantee must be one of .*'exactly-once', got 'exactly once'"),
        ({"guarantee": 1}, ArgumentTypeError, "guarantee must be a str, got 1"),
        ({"on_error": "skip_"}, ArgumentError, r"on_error must be one of 'fail', .*; did you mean 'skip'\?"),
        ({"on_error": None}, ArgumentTypeError, "on_error must be a str, got None"),
        ({"as_": "tuples"}, ArgumentError, "as_='tuples' cannot go with operator project, built at .*test_explain"),
    ],
)
def test_bad_argument_is_refused(frame: Any, arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        explain(pipeline().project("number"), frame, **arguments)


@pytest.mark.parametrize(
    ("stages", "complaint"),
    [
        (
            pipeline().project("nummer"),
            "operator project, .* does not fit the columns number .*'nummer', but the batch",
        ),
        (pipeline().filter_batches(pc.field("number") + 1), "operator filter_batches, .* needs a boolean for each row"),
        (pipeline().with_columns(twice=pc.field("key") * 2), "operator with_columns, .* no kernel matching"),
        (
            pipeline().project("key").filter_batches(pc.field("number") > 1),
            "operator filter_batches, .* the batch has key",
        ),
    ],
)
def test_expression_that_does_not_fit_the_columns_is_refused(frame: Any, stages: Any, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        explain(stages, frame)


def test_schema_is_asked_for_where_it_cannot_be_known(frame: Any) -> None:
    with pytest.raises(
        ArgumentError, match=r"schema is needed, since the result of operator map, built at .* is unknown"
    ):
        apply(pipeline().map(len), frame)
    with pytest.raises(ArgumentError, match=r"result of operator map_batches, built at .* is unknown"):
        apply(pipeline().project("key").map_batches(lambda batch: batch), frame)
    with pytest.raises(ArgumentError, match="Spark has no type for a column of"):
        apply(pipeline().project(half=pc.field("number").cast(pa.float16())), frame)


@pytest.mark.parametrize("form", ["rows", "tuples", "dicts"])
def test_schema_is_that_of_the_rows_where_they_stay_as_they_are(frame: Any, form: str) -> None:
    stages = pipeline().filter(bool).do(len)

    result = apply(stages, frame, as_=form)

    assert result.schema == frame.schema
    assert sorted(result.collect()) == sorted(frame.collect())


def test_schema_of_the_columns_is_known_where_whole_batches_are_left_out(frame: Any) -> None:
    stages = pipeline().filter(lambda batch: batch.num_rows).project("key")

    assert apply(stages, frame, as_="batches").schema == frame.select("key").schema


@pytest.mark.smoke
def test_the_operators_of_a_rail_take_the_place_of_the_rails(frame: Any) -> None:
    inner = pipeline().parallel(2).map(lambda row: (row.number * 2,)).sequential()
    stages = (
        pipeline()
        .filter(lambda row: row.number % 5 == 0)
        .parallel(4)
        .through(inner)
        .filter(bool)
        .sequential(ordered=False)
        .map(lambda row: (row[0] + 1,))
    )
    assert [each.definition.method for each in explain(stages, frame).pipeline.operators] == [
        "filter",
        "map",
        "filter",
        "map",
    ]
    result = apply(stages, frame, schema="number bigint")
    assert [row.number for row in result.orderBy("number").collect()] == [1, 11, 21, 31]


@pytest.mark.parametrize(
    ("rail", "named"),
    [
        (lambda rail: rail.scan(max, 0), "operator scan"),
        (lambda rail: rail.key_by(len).scan(max, 0), "operator keyed_scan"),
        (lambda rail: rail.take(2), "operator take"),
    ],
)
def test_rails_that_keep_a_state_are_refused(frame: Any, rail: Any, named: str) -> None:
    with pytest.raises(
        ArgumentError, match=rf"{named}, built at .*keeps a state in each rail of parallel\(\).*put it behind"
    ):
        explain(pipeline().parallel(2).through(rail).sequential(), frame)


@pytest.mark.parametrize("partitions", [1, 3, 8, 200])
def test_plan_of_a_streaming_query_tells_how_many_tasks_have_buckets(spark: Any, files: Any, partitions: int) -> None:
    stages = pipeline().key_by(lambda row: row.key).scan(max, 0)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    try:
        plan = explain(stages, files, order_by="number", buckets=8)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)

    assert f"step 2, on the executors, 8 buckets in {min(8, partitions)} of {partitions} tasks (transform" in str(plan)
