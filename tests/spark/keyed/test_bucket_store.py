"""The state of a bucket in pages: results of a thread for any micro-batches, whatever the pages are."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import pipeline
from reactivestreams.operators.keyed.stage import operator_name
from reactivestreams.spark import PipelineError
from reactivestreams.spark.keyed import bucket_store, keyed_streaming, pages, tolerant_run
from reactivestreams.spark.keyed.bucket_run import BucketRun
from reactivestreams.spark.keyed.bucket_store import (
    CHUNKS_STATE,
    FIRST_CHUNK,
    HEADING_STATE,
    LAYOUT_VERSION,
    PARTS,
    BucketHeading,
    joined_chunks,
    paged_value,
)
from reactivestreams.spark.keyed.buckets import grouping_number, key_hash
from reactivestreams.spark.keyed.checkpoint_state import opened
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.keyed_streaming import BucketProcessor
from reactivestreams.spark.keyed.shuffle_batches import ENCODED_COLUMN, EncodeTask, ShuffleDecoder, batches_of
from reactivestreams.spark.on_error.error_policy import DEAD_LETTER, FAIL, ErrorPolicy
from reactivestreams.spark.plan.pipeline_plan import expiry_of
from reactivestreams.spark.steps.step_results import RowsIn
from reactivestreams.stream import Pipeline

Row = tuple[int, int]
Key = Callable[[Row], object]

BUCKETS = 2


def key_of(row: Row) -> int:
    return row[0]


def value_of(row: Any) -> Any:
    return row[1]


def digest(state: Row, row: Row) -> Row:
    """Fold so that another order gives another result."""
    return row[0], (state[1] * 31 + row[1]) % 1009


FORMS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda keyed: keyed.scan(digest, (0, 7)),
    "take": lambda keyed: keyed.take(2),
    "distinct": lambda keyed: keyed.distinct(lambda row: row[1] % 5),
    "buffer": lambda keyed: keyed.buffer(3).map(lambda rows: (rows[0][0], sum(row[1] for row in rows))),
    "through scan": lambda keyed: keyed.through(pipeline().scan(digest, (0, 7))),
    "through skip": lambda keyed: keyed.through(pipeline().skip(2).take(2)),
    "count": lambda keyed: keyed.count(),
    "reduce": lambda keyed: keyed.reduce(digest, (0, 7)),
    "aggregate": lambda keyed: keyed.aggregate(n="count").map(lambda record: (record["key"], record["n"])),
}


def stages_of(form: str, key: Key = key_of, max_keys: int = 1_000_000) -> Pipeline[Any, Any]:
    stages: Pipeline[Any, Any] = FORMS[form](pipeline().key_by(key, max_keys=max_keys))
    return stages


def expected_of(stages: Pipeline[Any, Any], rows: list[Row]) -> list[Any]:
    """Return what a thread gives before the input ends."""
    results: list[Any] = []
    run = BucketRun(stages, None)
    results.extend(run.run(rows))
    run.close()
    return results


def by_key(results: list[Any]) -> dict[Any, list[Any]]:
    groups = defaultdict(list)
    for result in results:
        groups[result[0]].append(result)
    return dict(groups)


class Query:
    """A keyed pipeline over Spark's in-memory state store, micro-batch by micro-batch.

    Args:
        stages: The pipeline, from the keyed operator on.
        tolerant: Whether rows that fail are left out.
        time_mode: Spark's name for the time that ends keys and windows.
    """

    def __init__(self, stages: Pipeline[Any, Any], *, tolerant: bool = False, time_mode: str = "None") -> None:
        from pyspark.sql.streaming.tws_tester import TwsTester
        from pyspark.sql.types import StructType

        rows = StructType().add("key", "long").add("value", "long")
        policy = ErrorPolicy(DEAD_LETTER if tolerant else FAIL, rows, rows, "here", None)
        source = RowsIn("tuples", rows)
        step = KeyedStep(stages.slice(0, 0), source, stages.operators[0], BUCKETS, is_tolerant=tolerant)
        self.encode: EncodeTask = EncodeTask(step, order_by=("value",))
        self.stages = stages
        self.operators = tuple(map(operator_name, stages.operators))
        decoder = ShuffleDecoder(None if tolerant else source, ("value",))
        heading = BucketHeading(BUCKETS, self.operators)
        processor: Any = BucketProcessor(
            stages, decoder, policy, heading=heading, expiry=expiry_of(stages.operators[0]), time_mode=time_mode
        )
        self.tester: Any = TwsTester(processor, timeMode=time_mode, eventTimeExtractor=lambda _: 2**62)

    def reach(self, seconds: int) -> list[Any]:
        """Advance the clock, or the watermark, and return the results of what ends thereby."""
        by_clock = self.tester._timeMode == "processingtime"
        reach = self.tester.setProcessingTime if by_clock else self.tester.setWatermark
        return self.decoded(reach(seconds * 1000))

    def run(self, rows: list[Row]) -> list[Any]:
        """Process a micro-batch and return its results."""
        import pandas as pd
        import pyarrow as pa

        columns = [pa.array(column, pa.int64()) for column in ([row[0] for row in rows], [row[1] for row in rows])]
        cells: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for batch in self.encode([pa.RecordBatch.from_arrays(columns, ["key", "value"])] if rows else []):
            for cell in batch.to_pylist():
                cells[cell["bucket"]].append(cell)
        results: list[Any] = []
        for bucket, found in cells.items():
            results += self.decoded(self.tester.testInPandas(bucket, pd.DataFrame(found)))
        return results

    def decoded(self, frame: Any) -> list[Any]:
        """Return the results in a frame."""
        if not len(frame):
            return []
        if ENCODED_COLUMN not in frame:
            return [*frame.itertuples(index=False, name=None)]
        results: list[Any] = []
        for encoded in frame[ENCODED_COLUMN]:
            for batch in batches_of(encoded):
                results += [row.get("result", row) for row in batch.to_pylist()]
        return [tuple(row.values()) for row in results if row is not None]

    def chunks(self, bucket: int) -> dict[int, bytes]:
        """Return what is stored of a bucket besides its value, compressed."""
        stored = self.tester.peekMapState(CHUNKS_STATE, grouping_number(bucket))
        return {key[0]: value[0] for key, value in stored.items()}

    def stored(self, bucket: int) -> dict[int, bytes]:
        """Return the stored pages of a bucket, and the values of its log, whose numbers are negative."""
        return {
            number: pages.decompressed(value) for number, value in self.chunks(bucket).items() if number < FIRST_CHUNK
        }

    def put(self, bucket: int, number: int, value: bytes) -> None:
        """Replace a stored page, or a value of the log."""
        self.tester.updateMapState(CHUNKS_STATE, grouping_number(bucket), {(number,): (value,)})

    def pages(self, bucket: int) -> dict[int, bytes]:
        """Return the stored pages of a bucket."""
        return {number: value for number, value in self.stored(bucket).items() if number >= 0}

    def logs(self, bucket: int) -> int:
        """Return how many values the log of a bucket has."""
        return len(self.stored(bucket)) - len(self.pages(bucket))

    def state(self) -> dict[Any, Any]:
        """Return all keys with their state, as `state show` reads them."""
        found: dict[Any, Any] = {}
        for bucket in range(BUCKETS):
            text, count, value = self.tester.peekValueState(HEADING_STATE, grouping_number(bucket))
            heading = BucketHeading.of_text(text)
            state = opened(bucket, heading, count, value or b"", self.chunks(bucket))
            assert len(state.keys) == state.key_count
            found |= state.keys
        return found

    def keys(self) -> int:
        """Return how many keys all buckets have."""
        values = [self.tester.peekValueState(HEADING_STATE, grouping_number(bucket)) for bucket in range(BUCKETS)]
        return sum(paged_value(joined_chunks(value[1], value[2], {}))[0].keys for value in values if value is not None)


@pytest.fixture(params=[(10, 7), (40, 3), (4096, 50_000)], ids=["large", "growing", "small"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets with a page for nearly each key, with some pages, with one; and runs of so many elements."""
    page_bytes, elements = request.param
    monkeypatch.setattr(pages, "PAGE_BYTES", page_bytes)
    monkeypatch.setattr(keyed_streaming, "RUN_ELEMENTS", elements)


def micro_batches(seed: int, count: int, size: int, keys: int) -> list[list[Row]]:
    """Return micro-batches of rows; the second value grows, and sorts them."""
    return [
        [((seed + place * place * 7919) % keys, place) for place in range(number * size, (number + 1) * size)]
        for number in range(count)
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("sizes")
def test_results_are_those_of_a_thread(form: str) -> None:
    stages = stages_of(form)
    for seed, size, keys in ((0, 13, 11), (5, 40, 300), (9, 1, 3)):
        batches = micro_batches(seed, 9, size, keys)
        query = Query(stages)
        there = [result for batch in batches for result in query.run(batch[::-1])]
        rows = [row for batch in batches for row in batch]
        assert by_key(there) == by_key(expected_of(stages, rows))
        assert query.keys() == len({row[0] for row in rows})


@pytest.mark.usefixtures("sizes")
def test_rows_that_fail_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tolerant_run, "LEAST_SAVED_AFTER", 4)

    def fold(state: Row, row: Row) -> Row:
        if row[1] % 5 == 2:
            raise ValueError("in the fold")
        return digest(state, row)

    stages = pipeline().key_by(key_of).scan(fold, (0, 7))
    batches = micro_batches(1, 6, 30, 40)
    query = Query(stages, tolerant=True)
    there = [result for batch in batches for result in query.run(batch)]

    good = [row for batch in batches for row in batch if row[1] % 5 != 2]
    assert by_key(there) == by_key(expected_of(stages, good))


def told(window: Any) -> Row:
    return window.key, int(window.start) * 1000 + window.value


def timed(kind: Callable[[Any], Any]) -> Pipeline[Any, Any]:
    keyed = pipeline().with_timestamps(lambda row: row[1], max_lateness=5).key_by(key_of)
    stages: Pipeline[Any, Any] = kind(keyed).count().map(told)
    return stages


TIMED: dict[str, tuple[str, Pipeline[Any, Any]]] = {
    "tumbling": ("EventTime", timed(lambda keyed: keyed.tumbling(10))),
    "sliding, late": ("EventTime", timed(lambda keyed: keyed.sliding(20, 5, allowed_lateness=15))),
    "session": ("EventTime", timed(lambda keyed: keyed.session(3))),
    "idle, event times": (
        "EventTime",
        pipeline()
        .key_by(key_of)
        .expire_after(8, event_time=lambda row: row[1], lateness=5)
        .reduce(digest, (0, 7))
        .map(value_of),
    ),
    "idle, clock": ("ProcessingTime", pipeline().key_by(key_of).expire_after(8).reduce(digest, (0, 7)).map(value_of)),
}


def moments(seed: int) -> list[tuple[int, list[Row]]]:
    """Return micro-batches, each with the time that is reached before it; some are far apart, some have no rows."""
    chance = random.Random(seed)
    latest, found = 100, []
    for size in (0, 60, 3, 0, 200, 1, 80, 2, 40, 0, 5, 90):
        reached = latest - 5
        latest += chance.choice((1, 4, 30))
        found.append((reached, [(chance.randrange(400), chance.randint(reached - 3, latest)) for _ in range(size)]))
    return found


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("form", TIMED)
@pytest.mark.usefixtures("sizes")
def test_what_ends_by_time_is_that_of_a_run_that_holds_everything(
    form: str, tolerant: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_store, "FEWER_PAGES", 2)
    mode, stages = TIMED[form]
    for seed in range(4):
        query, whole = Query(stages, tolerant=tolerant, time_mode=mode), BucketRun(stages, None)
        before, held = 0, 0
        for reached, rows in moments(seed):
            now = max(reached, before + 1)
            expected = [*whole.run(sorted(rows, key=value_of), now=now * 1_000_000)]
            there = query.reach(now) + query.run(rows)
            assert {key: sorted(found) for key, found in by_key(there).items()} == {
                key: sorted(found) for key, found in by_key(expected).items()
            }
            before, held = now, max(held, query.keys())
        query.reach(10_000)
        assert query.keys() == 0 < held
        assert not any(query.chunks(bucket) for bucket in range(BUCKETS))
        whole.close()


def test_time_that_ends_few_keys_reads_few_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    mode, stages = TIMED["session"]
    query = Query(stages, time_mode=mode)
    query.run([(key, 1_000) for key in range(2000)])
    query.run([(7, 500)])
    read: list[int] = []
    read_pages = bucket_store.PagedBucket.read

    def count(bucket: bucket_store.PagedBucket, numbers: Iterable[int]) -> None:
        read.extend(numbers := [*numbers])
        read_pages(bucket, numbers)

    monkeypatch.setattr(bucket_store.PagedBucket, "read", count)
    assert query.reach(504) == [(7, 500_001)]
    assert len(read) < 5
    assert query.keys() == 2000
    assert query.state()[7, 1_000_000_000, 1_003_000_000] == 1


def test_waiting_elements_that_are_many_are_stored_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_store, "CHUNK_BYTES", 250)
    mode, stages = TIMED["idle, event times"]
    query, count = Query(stages, time_mode=mode), 600
    query.run([(key, 50) for key in range(count)])
    assert min(len(query.chunks(bucket)) for bucket in range(BUCKETS)) > 2
    assert query.state() == {}
    assert query.reach(51) == []
    assert len(query.state()) == count
    assert not any(number >= FIRST_CHUNK for bucket in range(BUCKETS) for number in query.chunks(bucket))
    assert len(query.reach(70)) == count


def test_micro_batch_with_few_keys_writes_a_log_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    query = Query(stages_of("scan"))
    query.run([(key, 1) for key in range(2000)])
    query.run([(3, 1)])  # from now on pages are stored one by one
    query.run([(key, 1) for key in range(2000) if key_hash(key) % BUCKETS != key_hash(3) % BUCKETS][:1])
    before = [query.pages(bucket) for bucket in range(BUCKETS)]
    assert sum(map(len, before)) > 500

    assert len(query.run([(key, 2) for key in (3, 5, 1999, 5000)])) == 4

    assert [query.pages(bucket) for bucket in range(BUCKETS)] == before
    assert [query.logs(bucket) for bucket in range(BUCKETS)] == [1, 1]
    assert query.keys() == 2001


def test_log_is_written_into_the_pages_when_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    monkeypatch.setattr(bucket_store, "LOG_VALUE_BYTES", 100)
    query = Query(stages_of("scan"))
    batches = [[(key, 0) for key in range(2000)]]
    batches += [[(key * 7919 % 2100, place) for key in range(place * 40, place * 40 + 40)] for place in range(1, 20)]
    expected: dict[int, Row] = {}
    sizes = []
    for batch in batches:
        query.run(batch)
        for row in batch:
            expected[row[0]] = digest(expected.get(row[0], (0, 7)), row)
        assert query.state() == expected
        sizes.append(query.logs(0))
    assert max(sizes) > 3
    assert sizes.count(0) > 2  # at first, and when it had grown too large


def test_pages_are_stored_together_where_a_micro_batch_needs_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    query = Query(stages_of("scan"))
    few, all_keys = [3, 5, 1999], range(2000)
    numbers = []
    for place, keys in enumerate((all_keys, few, few, all_keys, all_keys, few)):
        assert len(query.run([(key, place) for key in keys])) == len(keys)
        numbers.append(len(query.pages(0)))
    together, alone = numbers[:2]
    assert alone > 250 > 10 > together
    assert numbers == [together, alone, alone, together, together, alone]
    assert query.keys() == 2000


def test_pages_that_are_stored_one_by_one_are_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 256)
    query = Query(stages_of("scan"))
    query.run([(key, 0) for key in range(2000)])
    before = query.state()

    query.run([(3, 1)])
    bucket = key_hash(3) % BUCKETS
    found = {number: pages.Page(pages.separate_pages(value)[0]) for number, value in query.pages(bucket).items()}

    sizes = [len(value) for value in query.pages(bucket).values()]
    assert 256 / PARTS / 2 < sum(sizes) / len(sizes) < 256 / PARTS * 2
    assert all(mark % PARTS == number % PARTS for number, page in found.items() for mark in page.marks)
    assert query.state() == before | {3: digest(before[3], (3, 1))}


def test_time_alone_leaves_pages_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    mode, stages = TIMED["session"]
    query = Query(stages, time_mode=mode)
    query.run([(key, 1_000 if key else 500) for key in range(2000)])
    before = len(query.pages(0))
    assert query.reach(504) == [(0, 500_001)]
    assert len(query.pages(0)) == before < 10
    query.run([(7, 1_000)])
    query.reach(600)
    assert len(query.pages(key_hash(7) % BUCKETS)) > 100


def test_micro_batch_that_changes_nothing_writes_nothing() -> None:
    query = Query(stages_of("take"))
    query.run([(1, place) for place in range(3)])
    before = query.pages(0) | query.pages(1)
    assert query.run([(1, place) for place in range(3, 6)]) == []
    assert query.pages(0) | query.pages(1) == before


def test_keys_that_were_not_loaded_count_for_max_keys() -> None:
    for form in ("scan", "through scan"):
        query = Query(stages_of(form, max_keys=20))
        keys = [key for key in range(100) if key_hash(key) % BUCKETS == 0]
        assert len(query.run([(key, 1) for key in keys[:20]])) == 20
        assert len(query.run([(keys[0], 2), (keys[19], 2)])) == 2
        with pytest.raises(PipelineError, match=r"would be number 21, and key_by\(max_keys=20\)"):
            query.run([(keys[20], 3)])


def test_key_function_that_changes_its_mind_is_refused() -> None:
    calls = 0

    def drifting(row: Row) -> int:
        nonlocal calls
        calls += 1
        return row[0] if calls < 6 else row[0] + 1000

    query = Query(stages_of("scan", drifting))
    with pytest.raises(PipelineError, match=r"returned 10\d\d for an element that had another key before; let it"):
        query.run([(1, 1), (2, 1), (3, 1)])


def test_damaged_page_is_refused() -> None:
    query = Query(stages_of("scan"))
    query.run([(1, 1)])
    bucket = next(bucket for bucket in range(BUCKETS) if query.pages(bucket))
    ((number, page),) = query.pages(bucket).items()
    for damaged in (page[:-1], pages.joined_pages([pages.separate_pages(page)[0][:-1]])):
        query.put(bucket, number, pages.compressed(damaged))
        with pytest.raises(PipelineError, match=r"the state in the checkpoint is damaged: (a page of )?\d+ bytes ha"):
            query.run([(1, 2)])
    head, whole = pages.STORED_HEAD, pages.compressed(page)
    for damaged, problem in (
        (b"", "0 bytes are shorter than their head"),
        (whole[:-1], r"\d+ bytes that claim to be \d+ cannot be decompressed"),
        (head.pack(0, 2**63) + whole[9:], r"\d+ bytes that claim to be 9223372036854775808 cannot be decompressed"),
        (head.pack(1, 2**63) + whole[9:], r"\d+ bytes that claim to be 9223372036854775808 cannot be decompressed"),
        (head.pack(2, 9) + whole[9:], r"\d+ bytes are compressed in an unknown way, number 2"),
    ):
        query.put(bucket, number, damaged)
        with pytest.raises(PipelineError, match=f"is damaged: {problem}.*; use a new checkpoint"):
            query.run([(1, 2)])


def test_damaged_log_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    query = Query(stages_of("scan"))
    for keys in (range(2000), [3], [3]):
        query.run([(key, 1) for key in keys])
    (bucket,) = (bucket for bucket in range(BUCKETS) if query.logs(bucket))
    for damaged, problem in (
        (query.stored(bucket)[-1][:-1], r"a log of \d+ bytes"),
        (b"", "value 1 of the log is missing"),
    ):
        query.put(bucket, -1, pages.compressed(damaged))
        with pytest.raises(PipelineError, match=f"the state in the checkpoint is damaged: {problem}"):
            query.run([(3, 2)])


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (b"short", "a value of 5 bytes is shorter than its head"),
        (bytes(40), "a bucket has a power of two of pages, and not 0"),
        (b"\3" + bytes(39), "a bucket has a power of two of pages, and not 3"),
        (b"\1" + bytes(39), "at least 1 page is stored together, and not 0"),
        (b"\1\0\0\0\1" + bytes(31) + b"\1\0\0\0", "of 1 pages 1 have a time, in a value of 40 bytes"),
        (b"\1\0\0\0\1" + bytes(31) + b"\2" + bytes(19), "of 1 pages 2 have a time, in a value of 56 bytes"),
    ],
)
def test_damaged_value_is_refused(damaged: bytes, problem: str) -> None:
    query = Query(stages_of("scan"))
    query.run([(1, 1)])
    bucket = next(bucket for bucket in range(BUCKETS) if query.pages(bucket))
    place = HEADING_STATE, grouping_number(bucket)
    heading, count, _ = query.tester.peekValueState(*place)
    query.tester.updateValueState(*place, (heading, count, pages.compressed(damaged)))
    with pytest.raises(PipelineError, match=f"the state in the checkpoint is damaged: {problem}; use a new checkpoint"):
        query.run([(1, 2)])


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (BucketHeading(2, ("a",), LAYOUT_VERSION + 1), r"another release stored it \(layout 7, this one reads 6\)"),
        (BucketHeading(3, ("a",)), "its keys are in 3 buckets, but this query has 2; pass buckets=3, or use a new"),
        (BucketHeading(2, ("b",)), "it belongs to b, but this pipeline has a; start the pipeline that made"),
    ],
)
def test_state_that_does_not_fit_is_refused(stored: BucketHeading, problem: str) -> None:
    own = BucketHeading(2, ("a",))
    own.require(BucketHeading.of_text(own.text()))
    with pytest.raises(PipelineError, match=problem):
        own.require(BucketHeading.of_text(stored.text()))


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(min_size=1, max_size=600))), st.integers(1, 300))
def test_page_is_read_as_it_was_written(keys: list[tuple[int, bytes]], longer: int) -> None:
    page = pages.Page()
    for mark, value in keys:
        page.add(mark, value * longer)
    again = pages.Page(page.stored())
    assert (again.marks, again.values()) == (page.marks, page.values()) == (page.marks, [v * longer for _, v in keys])
    assert again.stored() == page.stored()
    for marks in ({mark for mark, _ in keys[::2]}, {3}, set[int]()):
        assert sorted(again.places(marks)) == [place for place, (mark, _) in enumerate(keys) if mark in marks]
    if keys:
        for damaged in (page.stored()[:-1], page.stored() + b"\0", page.stored()[:3]):
            with pytest.raises(
                ValueError, match=r"a page of \d+ bytes (has keys that would end at|ends in its heading)"
            ):
                pages.Page(damaged)


@given(
    st.lists(st.binary(min_size=1, max_size=9)),
    st.lists(st.tuples(st.integers(0, 20), st.binary(min_size=1, max_size=9))),
    st.integers(1, 99),
)
def test_page_that_was_changed_has_the_new_values(
    values: list[bytes], changes: list[tuple[int, bytes]], longer: int
) -> None:
    page = pages.Page()
    for mark, value in enumerate(values):
        page.add(mark, value)
    page, expected = pages.Page(page.stored()), [*values]
    for place, value in changes:
        if place < len(expected):
            page.replace(place, value * longer)
            expected[place] = value * longer
        else:
            page.add(len(expected), value * longer)
            expected.append(value * longer)
    for each in (page, pages.Page(page.stored())):
        assert each.values() == expected
        assert [*each.marks] == [*range(len(expected))]


@given(st.lists(st.binary(min_size=1, max_size=9)), st.sets(st.integers(0, 20)))
def test_keys_that_have_ended_are_not_in_the_page(values: list[bytes], ended: set[int]) -> None:
    page = pages.Page()
    for mark, value in enumerate(values):
        page.add(mark, value)
    page = pages.Page(page.stored())
    for place in ended & {*range(len(values))}:
        page.replace(place, b"")
    left = [place for place in range(len(values)) if place not in ended]
    assert page.held() == left == page.places({*range(len(values))})
    again = pages.Page(page.stored())
    assert again.values() == page.values() == [values[place] for place in left]
    assert [*again.marks] == left


CHANGES = st.builds(pages.Change, *(st.integers(0, 2**32 - 1),) * 2, st.integers(0, 255), st.binary(max_size=9))


@given(st.lists(st.lists(CHANGES, min_size=1), max_size=5))
def test_log_is_read_as_it_was_written(batches: list[list[pages.Change]]) -> None:
    log = pages.ChangeLog()
    for batch in batches:
        log.add(batch)
        log = pages.ChangeLog(log.stored())
    changes = [change for batch in batches for change in batch]
    assert [*log.changes({change.page for change in changes})] == changes
    if changes:
        chosen = {changes[0].page}
        assert [*log.changes(chosen)] == [change for change in changes if change.page in chosen]
        for damaged in (log.stored()[:3], log.stored()[:-1], log.stored() + b"0"):
            with pytest.raises(ValueError, match=r"a log of \d+ bytes (has changes that|ends in its heading)"):
                pages.ChangeLog(damaged)


def test_change_of_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="a page of 0 keys has a change of key number 1"):
        pages.Page().apply(pages.Change(0, 1, 0, b""))


@given(st.lists(st.binary(max_size=20)))
def test_pages_are_separated_as_they_were_joined(stored: list[bytes]) -> None:
    value = pages.joined_pages(stored)
    assert pages.separate_pages(value) == stored
    with pytest.raises(ValueError, match=r"\d+ bytes have a page that would end at \d+"):
        pages.separate_pages(value + b"\1\0")


@given(st.integers(0, 2**32 - 1), st.integers(0, 31))
def test_page_is_one_of_those_that_there_are(position: int, power: int) -> None:
    assert pages.page_of(position, 2**power) in range(2**power)


def test_equal_keys_of_unequal_types_have_one_hash() -> None:
    assert len(set(map(key_hash, (1, 1.0, True)))) == 1
    assert key_hash(("a", 1)) == key_hash(("a", 1.0))
