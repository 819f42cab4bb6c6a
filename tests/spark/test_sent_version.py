"""Tasks carry the version of this package, and are refused by a process with another one."""

import pickle

import pytest

import reactivestreams
from reactivestreams.spark import PipelineError
from reactivestreams.spark.failures import pipeline_error_in
from reactivestreams.spark.sent_version import SentVersion, require_version


def test_same_version_is_received() -> None:
    assert isinstance(pickle.loads(pickle.dumps(SentVersion())), SentVersion)


def test_task_of_another_version_is_refused() -> None:
    with pytest.raises(PipelineError, match=r"an executor has version .* the driver 0\.0\.1, so the") as refused:
        require_version("0.0.1")

    assert reactivestreams.__version__ in str(refused.value)
    (note,) = refused.value.__notes__
    back = pipeline_error_in(RuntimeError(f"PythonException: {refused.value}\n{note}"))
    assert str(back) == str(refused.value)


def test_tasks_of_sources_carry_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql.types import StructType

    from reactivestreams.spark.sinks.stream_data_source import BridgeReader, FilesReader

    options = {"max_rows": "1", "tasks": "1", "wait_seconds": "1", "port": "1", "token": "t"}
    readers = BridgeReader(options, StructType()), FilesReader("folder")
    pickle.loads(pickle.dumps(readers))
    with monkeypatch.context() as other:
        other.setattr(reactivestreams, "__version__", "0.0.1")
        sent = [pickle.dumps(reader) for reader in readers]
    for task in sent:
        with pytest.raises(PipelineError, match=r"and the driver 0\.0\.1, so the task was not run"):
            pickle.loads(task)


@pytest.mark.parametrize(
    "said",
    [
        "ModuleNotFoundError: No module named 'reactivestreams'",
        "ModuleNotFoundError: No module named 'rs_core.state'",
        "AttributeError: Can't get attribute 'StatelessTask' on <module 'reactivestreams.spark.stateless' from 'x'>",
    ],
)
def test_executors_that_cannot_load_this_package_are_told_what_to_do(said: str) -> None:
    error = pipeline_error_in(RuntimeError(f"PythonException: Traceback\n{said}\n"))

    assert str(error).startswith("the executors lack this package, or have another version of it (")
    assert "spark.ship(session)" in str(error)


def test_missing_module_of_the_user_is_left_alone() -> None:
    assert pipeline_error_in(RuntimeError("ModuleNotFoundError: No module named 'reactivestreams_extra'")) is None
