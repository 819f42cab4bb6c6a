"""A streaming query as a stream whose demand holds Spark back."""

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.query_trigger import checked_trigger
from reactivestreams.spark.rows.dataframe_arguments import checked_count, require_streaming_dataframe
from reactivestreams.spark.rows.row_forms import ROW_FORMS, checked_form
from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW, MAX_WINDOW
from reactivestreams.spark.sources.query_elements import QueryElements
from reactivestreams.spark.sources.query_stage import QueryStage
from reactivestreams.spark.sources.query_start import QueryPlan
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["QUERY_FORMS", "from_query"]

QUERY_FORMS = (*ROW_FORMS, "micro_batches")
"""What `as_` of `from_query` may be."""

OUTPUT_MODES = ("append", "update", "complete")
REDELIVERIES = ("deliver", "skip")


def from_query(
    streaming_df: "DataFrame",
    *,
    checkpoint: str | os.PathLike[str],
    as_: str = "rows",
    trigger: str | None = None,
    output_mode: str = "append",
    on_redelivery: str = "deliver",
    window: int = DEFAULT_WINDOW,
    name: str | None = None,
) -> Stream[Any]:
    """Make a stream of what a streaming query produces; Spark runs the next micro-batch when this one was consumed.

    The batch function of the query waits until the subscriber has asked for what is behind the last element of the
    batch; only then Spark commits the batch. After an interruption the batch that was not committed is delivered again,
    whole and under the same number: each element arrives at least once. It arrives exactly once in the effect where the
    consumer's effect is idempotent by `MicroBatch.batch_id`. A record beside the checkpoint tells which batch had been
    begun or consumed: `MicroBatch.is_redelivered` says so, and with `on_redelivery="skip"` a batch that had been
    consumed wholly is left out, whatever the form; one that had been consumed in part is delivered again all the same.

    Args:
        streaming_df: A streaming DataFrame of classic Spark.
        checkpoint: Folder on a file system of this machine for Spark's checkpoint and the record; each query needs one
            of its own. It is made where it is missing.
        as_: `"rows"`, `"tuples"`, `"dicts"`, `"batches"` as for `from_dataframe`, or `"micro_batches"`: a `MicroBatch`
            for each micro-batch, also for one without rows.
        trigger: None to begin the next micro-batch at once, `"available_now"` to end when everything that was there at
            the start is read, or Spark's text of an interval, such as `"5 seconds"`.
        output_mode: Spark's `"append"`, `"update"` or `"complete"`.
        on_redelivery: `"deliver"`, or `"skip"` to leave out a batch that is known to have been consumed wholly.
        window: How many partitions of a micro-batch may be computed beyond the one that is being read, 1 to 64.
        name: Name of the query, unique among the running ones.

    Returns:
        The stream. Each subscription runs the query from where the checkpoint stands; one at a time.

    Raises:
        ArgumentError: An argument has a value that cannot be, or `streaming_df` is a batch DataFrame.
        ArgumentTypeError: An argument has the wrong type, or `streaming_df` belongs to Spark Connect.

    Demand: The query starts with the first request. Of the micro-batch that is being read at most `window` + 1
        partitions are computed beyond the elements requested; the next one does not begin.
    Errors: `FolderInUseError` or `CheckpointError` at the start; `PipelineError` where a pipeline that
        `apply` put into the query failed; `SparkJobError` with Spark's own exception as its cause where the query
        failed otherwise, and without one where somebody else stopped it.
    State: Spark's checkpoint is the state. Saving a stream with this source raises StateError until it has ended: the
        checkpoint moves on by itself, so that a loaded stream would count elements twice or leave some out.
    Threads: Signals run in the thread that requests, which waits for Spark. A cancellation from another thread takes
        effect within `IDLE_SECONDS` where no batch is there, else when the next partition has arrived. When it has
        returned, the query has ended. The start waits up to `LOCK_TIMEOUT_SECONDS` for the Spark of a killed driver.
    Rules: 1.1, 1.3, 3.3, 3.13, as every source that iterates; 3.4 is bent, since a request may have to wait for Spark.

    Example:
        The guide on Spark's sources has one that is run.
    """
    require_streaming_dataframe(streaming_df)
    plan = QueryPlan(
        dataframe=streaming_df,
        checkpoint=checked_checkpoint(checkpoint),
        form=checked_query_form(as_, streaming_df),
        trigger=checked_trigger(trigger, streaming_df),
        output_mode=checked_choice("output_mode", output_mode, OUTPUT_MODES),
        name=checked_name(name),
        window=checked_count("window", window, DEFAULT_WINDOW, 1, MAX_WINDOW),
        skip_delivered=checked_choice("on_redelivery", on_redelivery, REDELIVERIES) == "skip",
    )
    elements = QueryElements(plan)
    return Stream.from_iterable(elements).lift(QueryStage, elements.label)


def checked_checkpoint(checkpoint: object) -> Path:
    """Check the argument `checkpoint` and return it as an absolute path."""
    if not isinstance(checkpoint, (str, os.PathLike)):
        raise ArgumentTypeError(f"checkpoint must be a path, got {checkpoint!r}; pass a text or a Path")
    text = os.fspath(checkpoint)
    if not isinstance(text, str) or not text:
        raise ArgumentError(
            f"checkpoint must be a path as text, got {text!r}; pass such as '/data/checkpoints/flights'"
        )
    scheme = text.partition(":")[0] if "://" in text or text.startswith("file:") else ""
    if scheme == "file":
        text = url2pathname(urlsplit(text).path)
    elif scheme:
        raise ArgumentError(
            f"checkpoint must be on a file system of this machine, got {text!r}: the record of delivered batches and "
            "the lock stand beside it; mount that storage and pass the path there"
        )
    path = Path(text).absolute()
    if path.exists() and not path.is_dir():
        raise ArgumentError(f"checkpoint must be a folder, got the file {text!r}; pass a folder, it is made if missing")
    return path


def checked_query_form(as_: object, streaming_df: "DataFrame") -> str:
    """Check the argument `as_`."""
    if as_ == "micro_batches":
        return "micro_batches"
    if isinstance(as_, str) and as_ not in ROW_FORMS:
        checked_choice("as_", as_, QUERY_FORMS)
    return checked_form(as_, streaming_df.schema)


def checked_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Check an argument that is one of a few texts."""
    shown = ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} must be a str, got {value!r}; pass one of {shown}")
    if value not in choices:
        near = difflib.get_close_matches(value, choices, n=1, cutoff=0.5)
        meant = f"; did you mean {near[0]!r}?" if near else "; pass one of these"
        raise ArgumentError(f"{name} must be one of {shown}, got {value!r}{meant}")
    return value


def checked_name(name: object) -> str | None:
    """Check the argument `name`."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise ArgumentTypeError(f"name must be a str, got {name!r}; pass a text such as 'flights'")
    if not name.strip():
        raise ArgumentError("name must not be empty; leave it out for a query without a name")
    return name
