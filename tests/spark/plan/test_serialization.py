"""What cannot be sent to an executor is refused when the pipeline is built, with operator and line."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.spark import NotSerializableError
from reactivestreams.spark.plan.serialization import require_serializable
from reactivestreams.stream import Stream, pipeline
from rs_core.operators.python_operator import PythonStage


def holding(value: object) -> Any:
    """Return a function that holds a value in its closure."""
    return lambda row: (value, row)


def refusal_of(function: Any) -> str:
    """Return the message by which a mapping function is refused."""
    described = pipeline().filter(bool).map(function)
    with pytest.raises(NotSerializableError) as caught:
        require_serializable(described.operators)
    return str(caught.value)


def test_open_file_is_refused_with_operator_and_line() -> None:
    with Path(__file__).open() as file:
        message = refusal_of(holding(file))

    assert "operator map, built at " in message
    assert "test_serialization.py:" in message
    assert "an open file" in message


@pytest.mark.parametrize(
    "make", [lambda: iter([1]), lambda: (x for x in "ab"), lambda: map(str, [1]), lambda: zip("a", "b", strict=True)]
)
def test_one_shot_iterator_is_refused_though_it_could_be_copied(make: Any) -> None:
    assert "a one-shot iterator" in refusal_of(holding(make()))


def test_iterator_deep_inside_a_value_is_refused() -> None:
    assert "a one-shot iterator (list_iterator)" in refusal_of(holding({"queue": [(1, iter([2]))]}))


def test_lock_is_refused() -> None:
    assert "lock" in refusal_of(holding(threading.Lock()))


class Scheduling(PythonStage[object, object]):
    """Runs a hook by the clock."""

    name = "test/scheduling"
    demand = "own"
    scheduled_hooks = ("flush",)

    def flush(self) -> None:
        """Do nothing."""


OTHER = Stream.empty().with_timestamps(float).key_by(abs)


@pytest.mark.parametrize(
    "described",
    [
        pipeline().map_in_executor(abs, ThreadPoolExecutor),
        pipeline().rate_limit(5, 1),
        pipeline().limit_rate(5),
        pipeline().limit_weight(5, len),
        pipeline().pause_while(Stream.never()),
        pipeline().with_timestamps(float).key_by(abs).join(OTHER, within=1),
        pipeline().with_timestamps(float).key_by(abs).group_join(OTHER, within=1),
        pipeline().on_backpressure_buffer(5),
        pipeline().on_backpressure_drop(),
        pipeline().on_backpressure_latest(),
        pipeline().on_backpressure_error(),
        pipeline().on_backpressure_reduce(max),
        pipeline().on_backpressure_batch(5),
        pipeline().lift(Scheduling),
    ],
    ids=repr,
)
def test_what_is_about_threads_demand_or_the_clock_is_refused(described: Any) -> None:
    with pytest.raises(NotSerializableError, match="is about the threads, the clock or the demand of one process"):
        require_serializable(described.operators)


def test_bound_operator_is_refused_with_a_remedy() -> None:
    scheduler = WorkerScheduler(name="unused")
    try:
        described = pipeline().observe_on(scheduler)
        with pytest.raises(
            NotSerializableError, match=r"observe_on, built at .*test_serialization\.py.* leave it out on Spark"
        ):
            require_serializable(described.operators)
    finally:
        scheduler.dispose()


@pytest.mark.parametrize("value", [1, "text", [1, 2], {"a": {1}}, range(5), b"x", print, Path("."), (None,)])
def test_plain_values_are_accepted(value: object) -> None:
    require_serializable(pipeline().map(holding(value)).filter(bool).key_by(holding(value)).scan(max, 0).operators)
