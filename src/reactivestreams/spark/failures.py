"""Short errors made from Spark's long exceptions."""

import json
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reactivestreams.spark.errors import PipelineError

__all__ = ["failure_summary", "failure_text", "pipeline_error_in", "pipeline_errors", "with_details"]

DETAILS_MARK = "pipeline error details: "
"""Prefix of the note that carries a `PipelineError` as text, because Spark transports only text."""

LOST_WORKER_MARKS = ("Python worker exited unexpectedly", "Python worker process terminated")
"""Spark's messages about a worker that ended unexpectedly."""

NOT_LOADED = re.compile(
    r"No module named '(reactivestreams|rs_core)\b[^']*'"
    r"|Can't get attribute '[^']*' on <module '(reactivestreams|rs_core)\b[^']*'"
)
"""What Python says where a task refers to a module or a class of this package that is missing."""

LONGEST_SUMMARY_CHARACTERS = 400
"""Maximum length of a summary: a long message can overflow the stack of the thread in which Spark handles it."""

FRAMES_HEADING = "Frames of the function on the executor (most recent call last):"

MOST_FRAMES = 12
"""How many frames of a user's function, counted from the last, come back with its error."""

OWN_FOLDERS = frozenset({"reactivestreams", "rs_core", "pyspark"})


def with_details(error: PipelineError, raised: BaseException | None = None) -> PipelineError:
    """Add a note to an error on the executor, from which `pipeline_error_in` restores the error for the caller.

    Args:
        error: The error.
        raised: The exception of the user's function; the note contains its frames.
    """
    fields = {
        "frames": [] if raised is None else user_frames(raised),
        "message": str(error),
        "operator": error.operator,
        "assembly": error.assembly,
        "row": error.row,
        "cause": error.cause,
        "row_number": error.row_number,
        "partition": error.partition,
        "key": error.key,
    }
    error.add_note(DETAILS_MARK + json.dumps(fields))
    return error


def user_frames(error: BaseException) -> list[str]:
    """Return the last frames of an exception outside of Spark and this package, formatted as in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    chosen = [frame for frame in frames if OWN_FOLDERS.isdisjoint(Path(frame.filename).parts[:-1])]
    return [text.rstrip()[:LONGEST_SUMMARY_CHARACTERS] for text in traceback.format_list(chosen[-MOST_FRAMES:])]


def pipeline_error_in(error: BaseException) -> PipelineError | None:
    """Return the executor's `PipelineError` that one of Spark's exceptions contains, or None."""
    for line in failure_text(error).splitlines():
        _, mark, details = line.partition(DETAILS_MARK)
        if not mark:
            continue
        try:
            # Spark may append text of its own, so the JSON object is decoded without the rest.
            fields, _ = json.JSONDecoder().raw_decode(details)
        except ValueError:
            continue  # Spark has cut the text; an error about JSON would say less than Spark's exception
        frames = fields.pop("frames")
        made = PipelineError(fields.pop("message"), **fields)
        if frames:
            made.add_note("\n".join([FRAMES_HEADING, *frames]))
        return made
    return lost_worker_error(error) or missing_package_error(error)


def missing_package_error(error: BaseException) -> PipelineError | None:
    """Return the error for executors that cannot load this package, or None."""
    found = NOT_LOADED.search(failure_text(error))
    if found is None:
        return None
    return PipelineError(
        f"the executors lack this package, or have another version of it ({found.group()}); send that of the driver "
        "with spark.ship(session), or install the same version on all machines",
        cause=found.group(),
    )


def lost_worker_error(error: BaseException) -> PipelineError | None:
    """Return the error for a Python worker that ended during its task, or None."""
    if not any(mark in failure_text(error) for mark in LOST_WORKER_MARKS):
        return None
    return PipelineError(
        "a Python worker ended while it ran a pipeline; the operator and the row are unknown. A function called "
        "os._exit or crashed in native code, or the system killed the worker because it used too much memory; run the "
        "pipeline in this process on from_dataframe(df.limit(n)), or read the standard error of the executor",
        cause="the Python worker ended",
    )


@contextmanager
def pipeline_errors() -> Iterator[None]:
    """Convert the exception of an action on a DataFrame of `apply` into the `PipelineError` of the operator.

    Raises:
        PipelineError: An operator failed on an executor; Spark's exception is the cause. Any other exception passes
            unchanged.
    """
    try:
        yield
    except Exception as error:
        found = pipeline_error_in(error)
        if found is None:
            raise
        raise found from error


def failure_summary(error: BaseException) -> str:
    """Return the error inside one of Spark's exceptions, in one line."""
    lines = [line.strip() for line in failure_text(error).splitlines()]
    # The line may begin with the name of Spark's exception.
    trace = [index for index, line in enumerate(lines) if "Traceback (most recent call last)" in line]
    if trace:
        # The last line of a Python traceback names the exception; the JVM's stack may follow.
        python = [line for line in jvm_free(lines[trace[0] :]) if line]
        named = [line for line in python if re.match(r"[\w.]+(Error|Exception|Warning|Interrupt|Exit)\b", line)]
        chosen = (named or python)[-1]
    else:
        causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
        *around, chosen = [*[line for line in lines if line][:1], *causes] or [type(error).__name__]
        if around and chosen in around[-1] and "://" in around[-1]:
            # It says the same, and of which path.
            begin = around[-1].partition(chosen)[0]
            chosen = f"{begin[: max(0, LONGEST_SUMMARY_CHARACTERS - len(chosen))]}{chosen}"
    return chosen if len(chosen) <= LONGEST_SUMMARY_CHARACTERS else chosen[:LONGEST_SUMMARY_CHARACTERS] + "…"


def jvm_free(lines: list[str]) -> list[str]:
    """Return the lines before the JVM's stack."""
    for index, line in enumerate(lines):
        if re.match(r"at [\w.$]+\(", line) or line.startswith("Driver stacktrace"):
            return lines[:index]
    return lines


def failure_text(error: BaseException) -> str:
    """Return the whole text of an exception, including its causes in the JVM."""
    java = getattr(error, "java_exception", None)
    if java is None:
        return str(error)
    texts: list[str] = []
    # Bounded, because a chain of causes in Java may be a circle.
    for _ in range(16):
        if java is None:
            break
        texts.append(("Caused by: " if texts else "") + str(java.toString()))
        java = java.getCause()
    return "\n".join(texts)
