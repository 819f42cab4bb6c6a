"""The strategy for a keyed pipeline on a streaming DataFrame: each bucket has its state in Spark's state store."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.keyed.expiry import BEGINNING, Expiry
from reactivestreams.operators.keyed.stage import operator_name
from reactivestreams.spark.keyed.bucket_run import BucketRun
from reactivestreams.spark.keyed.bucket_store import BucketHeading, BucketStore, PagedBucket
from reactivestreams.spark.keyed.buckets import key_hash
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.router import element_in
from reactivestreams.spark.keyed.saved_run import SavedRun
from reactivestreams.spark.keyed.shuffle_batches import (
    ENCODED_COLUMN,
    EncodeTask,
    ShuffleDecoder,
    decode_counted_results,
    decode_results,
    shuffle_schema,
)
from reactivestreams.spark.keyed.tolerant_run import TolerantRun
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.row_results import FailedRow
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, expiry_of, lateness_of
from reactivestreams.spark.rows.arrow_stream import batch_bytes
from reactivestreams.spark.rows.row_encoding import RowEncoder
from reactivestreams.spark.steps.step_results import RowsIn
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["BucketProcessor", "keyed_streaming_dataframe"]

MILLISECOND = 1000
"""Microseconds per millisecond, which is Spark's unit of time."""

STORE_OPTION = "spark.sql.streaming.stateStore.providerClass"
STORE_WITHOUT_COLUMNS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
"""Spark's default state store, on which `transformWithState` does not run."""

RUN_ELEMENTS = 50_000
"""Most elements of one run of a bucket's operators, which are loaded with the state of their keys."""

UNCONVERTED_TYPES = frozenset({"byte", "short", "integer", "long", "float", "double", "boolean", "string", "binary"})
"""The types whose values Spark does not convert when it takes them from pandas."""

STORE_NEEDED = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def keyed_streaming_dataframe(plan: PipelinePlan, df: "DataFrame", policy: ErrorPolicy) -> "DataFrame":
    """Return the streaming DataFrame of a plan with one keyed operator, with the columns of the policy.

    mapInArrow encodes elements into cells, and transformWithStateInPandas passes the cells to the bucket's operators.
    Results that pandas would convert are cells, too, which another mapInArrow decodes. Accumulators do not work in the
    second of these, so failures are passed on as row results and the third counts them.

    Raises:
        ArgumentError: The session has a state store that cannot hold the state.
    """
    if df.sparkSession.conf.get(STORE_OPTION, None) == STORE_WITHOUT_COLUMNS:
        raise ArgumentError(
            f"a keyed pipeline on a streaming DataFrame needs the state store RocksDB, but {STORE_OPTION} of this "
            f"session is {STORE_WITHOUT_COLUMNS!r}, Spark's default; set it before the query starts, for example with "
            f"session.conf.set({STORE_OPTION!r}, {STORE_NEEDED!r})"
        )
    before, after = plan.steps
    keyed: Any = before.shuffle
    source, expiry = RowsIn(plan.form, policy.rows), expiry_of(keyed)
    heading = BucketHeading(plan.buckets, tuple(map(operator_name, after.pipeline.operators)))
    step = KeyedStep(before.pipeline, source, keyed, plan.buckets, is_tolerant=policy.is_tolerant)
    cells = df.mapInArrow(EncodeTask(step, order_by=plan.order_by), shuffle_schema())
    lateness = lateness_of(keyed)
    time_mode = "EventTime" if lateness is not None else "None" if expiry is None else "ProcessingTime"
    if lateness is not None:
        cells = cells.withWatermark("time", f"{-(-lateness // 1000)} milliseconds")
    rows_as_they_are = not before.pipeline.operators and not policy.is_tolerant
    decoder = ShuffleDecoder(source if rows_as_they_are else None, plan.order_by)
    processor: Any = BucketProcessor(
        after.pipeline, decoder, replace(policy, counter=None), heading=heading, expiry=expiry, time_mode=time_mode
    )
    buckets = cells.groupBy("bucket")
    if processor.returns_columns:
        return buckets.transformWithStateInPandas(processor, policy.output, "Append", time_mode)
    encoded = buckets.transformWithStateInPandas(processor, f"{ENCODED_COLUMN} binary", "Append", time_mode)
    if policy.counter is None:
        return encoded.mapInArrow(decode_results, policy.output)
    return encoded.mapInArrow(partial(decode_counted_results, counter=policy.counter), policy.output)


class BucketProcessor:
    """Runs the keyed operators of a bucket. An instance is sent to the executors.

    Roles: Spark makes one copy per task and calls it in one thread, bucket by bucket, in no defined order.
    Invariants: a bucket is saved after each call that fed it; nothing but Spark's handle lives between calls, so a
        repeated task starts from the state that the last micro-batch committed.
    Progress: a call runs to its end; memory contains the operators of one bucket, its elements of one micro-batch, and
        `RESULTS_HELD` results.

    Args:
        pipeline: The operators from `key_by` on.
        decoder: Decodes cells into elements.
        policy: What happens to rows that fail.
        heading: The heading of the state.
        expiry: When a key expires, or None.
        time_mode: Spark's name for the time that ends keys and windows.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        decoder: ShuffleDecoder,
        policy: ErrorPolicy,
        *,
        heading: BucketHeading,
        expiry: Expiry | None,
        time_mode: str,
    ) -> None:
        self.pipeline = pipeline
        self.decoder = decoder
        self.policy = policy
        self.heading = heading
        self.expiry = expiry
        self.time_mode = time_mode
        self.returns_columns: bool = not policy.is_tolerant and passes_pandas_unchanged(policy.result)
        """Whether results are returned as columns, and not as cells."""

    # Spark defines the names of the methods and of their parameters; it calls by keyword.

    def init(self, handle: Any) -> None:
        """Store Spark's handle."""
        freeze_heap()
        self.handle = handle
        self.store: BucketStore = BucketStore(handle, self.heading)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        """Process the cells of a bucket."""
        cells: list[tuple[int, int, bytes]] = []
        for frame in rows:
            columns = (frame[name].tolist() for name in ("partition", "number", ENCODED_COLUMN))
            cells += [cell for cell in zip(*columns, strict=True) if cell[2] is not None]
        if not cells:  # only marks: bucket 0 checks that the checkpoint fits, and writes its heading if it is new
            self.store.check()
            return
        with fewer_collections():
            yield from self.handled(self.decoder.elements(cells), self.now(timerValues))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        """Process the elements of a bucket that the watermark has reached, and end expired keys."""
        expired = expiredTimerInfo.getExpiryTimeInMs() * MILLISECOND
        yield from self.handled(iter(()), max(expired, self.now(timerValues) or 0))

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N802, N803
        """Do nothing: there is no initial state."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def handled(self, elements: Iterator[Any], now: int | None) -> Iterator[Any]:
        """Run the operators of the bucket on elements, and what ends by time; yield frames of their results."""
        bucket, next_waiting = PagedBucket(self.store, key_hash), None
        most = RUN_ELEMENTS if self.waits_for is None else None  # with each run the waiting ones are loaded
        chunk = [*islice(elements, most)]
        while True:
            run = self.run_of(bucket.state_of(self.hashes_of(chunk, bucket.records, now), now))
            try:
                yield from self.frames(run, chunk, now)
                bucket.keep(run.save(), None if now is None else run.due_of)
                next_waiting = run.next_waiting()
            finally:
                run.close()
            chunk = [*islice(elements, most)]
            if not chunk:
                break
        bucket.write()
        if now is not None:
            due = [time for time in (bucket.next_time(), next_waiting) if time is not None]
            self.set_timer(min(due, default=None))

    @property
    def waits_for(self) -> Callable[[Any], int] | None:
        """The function that returns the time of an element that waits for the watermark; None where none does."""
        return None if self.expiry is None or self.expiry.event_time is None else self.expiry.instant

    def hashes_of(self, chunk: list[Any], records: bytes, now: int | None) -> set[int]:
        """Return the hashes of the keys whose elements are processed.

        Args:
            chunk: The elements of a run, or what the policy makes of them.
            records: The records of the bucket's operators, which may contain elements that wait for the watermark.
            now: The time.
        """
        key_function, instant = self.pipeline.operators[0].parameters[0], self.waits_for
        elements = chunk
        if self.policy.is_tolerant:
            elements = [element_in(item) for item in chunk if not isinstance(item, FailedRow)]
        if instant is not None and now is not None:
            elements = [element for element in elements if not is_after(now, instant, element)]
            elements += self.waiting_elements(records, now)
        try:
            return set(map(key_hash, set(map(key_function, elements))))
        except Exception:  # it did not fail before the shuffle; the operators will report it
            hashes: set[int] = set()
            for element in elements:
                with suppress(Exception):
                    hashes.add(key_hash(key_function(element)))
            return hashes

    def waiting_elements(self, records: bytes, now: int) -> list[Any]:
        """Return the elements that have waited and that the watermark has reached."""
        if not records:
            return []
        run = BucketRun(self.pipeline, SavedRun(records, {}))
        try:
            return [each.element for each in run.take_waiting() if each.time <= now]
        finally:
            run.close()

    def run_of(self, state: SavedRun | None) -> BucketRun | TolerantRun:
        """Return the operators of the bucket, loaded."""
        if self.policy.is_tolerant:
            return TolerantRun(self.pipeline, state, policy=self.policy, expiry=self.expiry)
        return BucketRun(self.pipeline, state)

    def frames(self, run: BucketRun | TolerantRun, elements: Iterable[Any], now: int | None) -> Iterator[Any]:
        """Feed elements and yield frames of the results."""
        import pandas as pd

        if isinstance(run, TolerantRun):
            batches = run.run(elements, now=now)
        else:
            batches = RowEncoder(self.policy.result).encode(run.run(elements, now=now))
        for batch in batches:
            if self.returns_columns:
                columns = map(pd.arrays.ArrowExtensionArray, batch.columns)
                yield pd.DataFrame(dict(zip(batch.schema.names, columns, strict=True)), copy=False)
            else:
                yield pd.DataFrame({ENCODED_COLUMN: [batch_bytes(batch)]})

    def now(self, values: Any) -> int | None:
        """Return the time in microseconds since 1970; None if neither keys nor windows end by one."""
        if self.time_mode == "None":
            return None
        by_clock = self.time_mode == "ProcessingTime"
        reached = values.getCurrentProcessingTimeInMs() if by_clock else values.getCurrentWatermarkInMs()
        return reached * MILLISECOND if reached > 0 else BEGINNING  # 0: there is no watermark yet

    def set_timer(self, due: int | None) -> None:
        """Set Spark's timer to a time, or remove it."""
        wanted = set() if due is None else {max(-(-due // MILLISECOND), 1)}
        present = set(self.handle.listTimers())
        for time in present - wanted:
            self.handle.deleteTimer(time)
        for time in wanted - present:
            self.handle.registerTimer(time)


def is_after(now: int, instant: Callable[[Any], int], element: Any) -> bool:
    """Return whether the watermark has not reached an element; the operators report it if its time cannot be told."""
    try:
        return instant(element) > now
    except Exception:
        return True


def passes_pandas_unchanged(schema: "StructType") -> bool:
    """Return whether Spark takes Arrow columns of a schema from a pandas DataFrame without converting values."""
    names, kinds = schema.fieldNames(), {field.dataType.typeName() for field in schema.fields}
    return len({*names}) == len(names) and kinds <= UNCONVERTED_TYPES
