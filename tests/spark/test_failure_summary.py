"""One line out of Spark's text: the exception of Python where there is one, else the innermost cause."""

from typing import Any

import pytest

from reactivestreams.spark import PipelineError
from reactivestreams.spark.failures import (
    LONGEST_SUMMARY_CHARACTERS,
    failure_summary,
    pipeline_error_in,
    pipeline_errors,
    with_details,
)

TRACE = """Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
{last}
"""


@pytest.mark.parametrize("before", ["", "org.apache.spark.api.python.PythonException: ", "Job aborted.\n"])
@pytest.mark.parametrize("after", ["", "\tat org.apache.spark.Task.run(Task.scala:1)\n", "Driver stacktrace:\n"])
@pytest.mark.parametrize("last", ["ZeroDivisionError: division by zero", "app.OwnError", "KeyError: 'a'"])
def test_exception_of_python_is_named(before: str, after: str, last: str) -> None:
    assert failure_summary(RuntimeError(before + TRACE.format(last=last) + after)) == last


def test_message_of_several_lines_keeps_the_exception() -> None:
    text = TRACE.format(last="ValueError: first line\nsecond line")

    assert failure_summary(RuntimeError(text)) == "ValueError: first line"


class JavaError(Exception):
    """An exception as Py4J gives it: with a chain of causes in the JVM."""

    def __init__(self, *texts: str) -> None:
        super().__init__("An error occurred while calling o1.count.")
        self.java_exception: Any = None
        for text in reversed(texts):
            self.java_exception = Thrown(text, self.java_exception)


class Thrown:
    def __init__(self, text: str, cause: Any) -> None:
        self.text = text
        self.cause = cause

    def toString(self) -> str:  # noqa: N802 - Java's name
        return self.text

    def getCause(self) -> Any:  # noqa: N802 - Java's name
        return self.cause


def test_cause_is_named_with_its_path() -> None:
    inner = "S3Exception: Access Denied (Status Code: 403)"
    failure = JavaError("SparkException: Job aborted", f"IOException: open s3a://flights/out: {inner}:null", inner)

    assert failure_summary(failure) == f"IOException: open s3a://flights/out: {inner}"


def test_long_path_does_not_hide_the_cause() -> None:
    inner = "S3Exception: Access Denied (Status Code: 403)"
    failure = JavaError(f"IOException: open s3a://flights/{'x' * LONGEST_SUMMARY_CHARACTERS}: {inner}:null", inner)

    said = failure_summary(failure)

    assert said.startswith("IOException: open s3a://flights/xxx")
    assert said.endswith(inner)
    assert len(said) <= LONGEST_SUMMARY_CHARACTERS


def test_innermost_cause_is_named_without_python() -> None:
    failure = JavaError("SparkException: Job aborted", "SparkException: Task failed", "IOException: No space left")

    assert failure_summary(failure) == "IOException: No space left"


def test_circle_of_causes_ends() -> None:
    failure = JavaError("SparkException: Job aborted")
    failure.java_exception.cause = failure.java_exception

    assert failure_summary(failure) == "SparkException: Job aborted"


def test_exception_without_text_gives_its_type() -> None:
    assert failure_summary(RuntimeError()) == "RuntimeError"


def test_details_that_spark_has_cut_leave_its_own_exception() -> None:
    located = with_details(PipelineError("map failed", operator="map", row="(1,)"))
    whole = f"Job aborted.\n{located.__notes__[0]} and what Spark writes behind"
    cut = whole[: whole.index("row")]

    found = pipeline_error_in(RuntimeError(whole))
    assert found is not None
    assert (str(found), found.operator, found.row) == ("map failed", "map", "(1,)")
    with pytest.raises(RuntimeError, match=r"Job aborted\."), pipeline_errors():
        raise RuntimeError(cut)


def test_long_text_is_cut() -> None:
    assert len(failure_summary(RuntimeError("x" * 1_000))) == LONGEST_SUMMARY_CHARACTERS + 1
