"""Pipelines and inputs made from seeds, and what they give: in a thread, or applied to a DataFrame.

The same seed makes the same pipeline in every process, so that only seeds are sent.
"""

import random
from typing import Any

import pyarrow.compute as pc

from reactivestreams.spark import apply, from_dataframe
from reactivestreams.stream import Pipeline, Stream, pipeline

SCHEMA = "key string, number bigint, part double"
Rows = list[tuple[Any, Any, Any]]


def made_rows(rng: random.Random) -> Rows:
    """Return up to 40 rows, with nulls and repeated keys."""
    return [
        (
            rng.choice(["a", "b", "ü", "", None]),
            rng.choice([None, rng.randint(-(2**40), 2**40), rng.randint(-9, 9)]),
            rng.choice([None, 0.5, rng.uniform(-10, 10)]),
        )
        for _ in range(rng.choice([0, 1, 7, 40]))
    ]


def with_row_operator(chain: Pipeline[Any, Any], rng: random.Random) -> Pipeline[Any, Any]:
    """Add an operator over tuples."""
    n = rng.randint(2, 5)
    kind = rng.choice(["map", "filter", "flat_map", "do", "starmap", "pluck"])
    if kind == "map":
        return chain.map(lambda row: (row[0], None if row[1] is None else row[1] // n, row[2]))
    if kind == "filter":
        return chain.filter(lambda row: row[1] is not None and row[1] % n)
    if kind == "flat_map":
        prefetch = rng.choice([1, 2, 32])
        return chain.flat_map(lambda row: [row, (row[0], 7, None)][: (row[1] or 0) % 3], prefetch=prefetch)
    if kind == "starmap":
        return chain.starmap(lambda key, number, part: (key, number and number // n, part))
    if kind == "pluck":
        return chain.pluck(0, 1, 2)
    return chain.do(len)


def with_batch_operator(chain: Pipeline[Any, Any], rng: random.Random) -> Pipeline[Any, Any]:
    """Add an operator over batches that keeps names and types of the columns."""
    n = rng.randint(2, 5)
    kind = rng.choice(["filter", "filter_function", "project", "with", "map"])
    if kind == "filter":
        return chain.filter_batches((pc.field("number") > n) | (pc.field("key") == "a") | pc.field("part").is_null())
    if kind == "filter_function":
        return chain.filter_batches(lambda batch: pc.not_equal(pc.fill_null(batch["key"], "?"), "b"))
    if kind == "project":
        return chain.project("key", "number", part=pc.field("part") * pc.scalar(float(n)))
    if kind == "with":
        return chain.with_columns(number=pc.if_else(pc.field("part") > 0, pc.field("number") - n, pc.field("number")))
    return chain.map_batches(lambda batch: batch.filter(batch["number"].is_valid()))


def running_sum(state: Any, row: Any) -> Any:
    """Return key, number and the sum of the numbers so far."""
    return (row[0], row[1], state[2] + float(row[1] or 0))


def made_pipeline(seed: int) -> tuple[Pipeline[Any, Any], str, bool]:
    """Return a pipeline, the form in which its rows enter, and whether it is keyed."""
    rng = random.Random(f"pipeline {seed}")
    form = ("tuples", "batches", "tuples")[seed % 3]
    chain = pipeline()
    for _ in range(rng.randint(0, 4)):
        chain = (with_batch_operator if form == "batches" else with_row_operator)(chain, rng)
    if form == "batches" and rng.random() < 0.5:
        chain = chain.flat_map(lambda batch: [tuple(row.values()) for row in batch.to_pylist()])
        for _ in range(rng.randint(0, 2)):
            chain = with_row_operator(chain, rng)
    is_keyed = seed % 3 == 2
    if is_keyed:
        # An element's number is its order; where two are equal, the order as read decides.
        chain = chain.key_by(lambda row: row[0]).scan(running_sum, (None, None, 0.0))
        chain = with_row_operator(chain, rng)
    return chain, form, is_keyed


def made_input(seed: int) -> Rows:
    """Return the rows that a seed's pipeline is given, in the order of their numbers."""
    rows = made_rows(random.Random(f"rows {seed}"))
    return sorted(rows, key=lambda row: (row[1] is not None, row[1] or 0))


def comparable(rows: Any, *, is_keyed: bool) -> list[list[Any]]:
    """Return rows as lists; those of a keyed pipeline key by key, since between keys there is no order."""
    plain = [list(row) for row in rows]
    return sorted(plain, key=lambda row: (row[0] is not None, row[0] or "")) if is_keyed else plain


def result_in_thread(seed: int) -> list[list[Any]]:
    """Return what the pipeline gives in the caller's thread."""
    import pyarrow as pa

    chain, form, is_keyed = made_pipeline(seed)
    rows = made_input(seed)
    source: list[Any] = list(rows)
    if form == "batches":
        schema = pa.schema([("key", pa.string()), ("number", pa.int64()), ("part", pa.float64())])
        dicts = [dict(zip(schema.names, row, strict=True)) for row in rows]
        source = [pa.RecordBatch.from_pylist(dicts, schema=schema)] if rows else []
    found: list[Any] = []
    for element in Stream.from_iterable(source).through(chain).to_list():
        batch = isinstance(element, pa.RecordBatch)
        found.extend([tuple(row.values()) for row in element.to_pylist()] if batch else [element])
    return comparable(found, is_keyed=is_keyed)


def result_on_spark(session: Any, seed: int) -> list[list[Any]]:
    """Return what the pipeline gives on the executors of a session."""
    chain, form, is_keyed = made_pipeline(seed)
    frame = session.createDataFrame(made_input(seed), SCHEMA)
    arguments: dict[str, Any] = {"order_by": "number", "buckets": 2} if is_keyed else {}
    there = apply(chain, frame, schema=SCHEMA, as_=form, **arguments)
    return comparable(there.collect(), is_keyed=is_keyed)


def results_on_spark(session: Any, seeds: list[int]) -> dict[str, list[list[Any]]]:
    """Return what the pipelines of some seeds give on the executors of a session, by the text of the seed."""
    return {str(seed): result_on_spark(session, seed) for seed in seeds}


def skipped_on_spark(session: Any) -> dict[str, Any]:
    """Return what the policies for failing rows give on a session."""
    frame = session.range(0, 20, 1, 2)
    failing = pipeline().map(lambda row: (row.id, 10 // (row.id % 5)))
    skipping = apply(failing, frame, schema="id bigint, part bigint", on_error="skip")
    before = skipping.skipped.count
    rows = [row.id for row in skipping.results.collect()]
    letters = apply(failing, frame, schema="id bigint, part bigint", on_error="dead_letter")
    return {
        "before": before,
        "rows": rows,
        "skipped": skipping.skipped.count,
        "results": [row.id for row in letters.results.collect()],
        "dead": sorted([row.row.id, row.operator, row.error] for row in letters.dead_letters.collect()),
    }


def streamed_on_spark(session: Any, folder: str) -> dict[str, Any]:
    """Return what a streaming query over the JSON files of a folder writes, skipping rows that fail."""
    frame = session.readStream.schema("number bigint").json(f"{folder}/in")
    skipping = apply(
        pipeline().map(lambda row: (row.number, 10 // (row.number % 5))),
        frame,
        schema="number bigint, part bigint",
        on_error="skip",
    )
    writer = skipping.results.writeStream.format("parquet").trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/out")
    assert query.awaitTermination(90)
    rows = session.read.schema("number bigint, part bigint").parquet(f"{folder}/out").collect()
    try:
        skipped = skipping.skipped.count
    except ValueError:
        skipped = sum(skipping.skipped.count_in(progress) for progress in query.recentProgress)
    return {"numbers": sorted(row.number for row in rows), "skipped": skipped}


def failed_on_spark(session: Any) -> dict[str, Any]:
    """Return the fields of the error of a pipeline that fails on a session."""
    from reactivestreams.spark import PipelineError, pipeline_errors

    failing = apply(
        pipeline().map(lambda row: (10 // (row.id - 13),)), session.range(0, 20, 1, 2), schema="part bigint"
    )
    try:
        with pipeline_errors():
            failing.collect()
    except PipelineError as error:
        return {"operator": error.operator, "row": error.row, "cause": error.cause, "number": error.row_number}
    return {}


def streams_of_results(session: Any, seed: int) -> list[list[Any]]:
    """Return what `from_dataframe` reads of a pipeline's result."""
    chain, form, is_keyed = made_pipeline(seed)
    frame = session.createDataFrame(made_input(seed), SCHEMA)
    arguments: dict[str, Any] = {"order_by": "number", "buckets": 2} if is_keyed else {}
    there = apply(chain, frame, schema=SCHEMA, as_=form, **arguments)
    return comparable(from_dataframe(there, as_="tuples").to_list(), is_keyed=is_keyed)
