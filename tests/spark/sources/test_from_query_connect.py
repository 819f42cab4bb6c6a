"""A streaming query of Spark Connect as a stream: its forms, its pace, its end, and what comes again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.spark.in_process import SparkProcess
from tests.spark.sources.connect_queries import (
    cancelled_inside,
    cancelled_waiting,
    consumer_fails,
    errors,
    forms_of,
    held_up,
    keyed_totals,
    left_in_an_endless_batch,
    micro_batches,
    read_on,
    restarts,
    slow_reader,
    stopped_by_somebody_else,
    whose_checkpoint,
)
from tests.spark.sources.test_from_query import ROWS, write_file

pytestmark = pytest.mark.spark


@pytest.fixture
def base(tmp_path: Path) -> str:
    """Return a folder that has the files of three micro-batches in its folder `in`."""
    (tmp_path / "in").mkdir()
    for number in range(3):
        write_file(tmp_path / "in", number)
    return str(tmp_path)


def rows_of(*numbers: int) -> list[list[int]]:
    """Return what JSON makes of the rows of some micro-batches."""
    return [[number * ROWS + row, number] for number in numbers for row in range(ROWS)]


def run(connect: SparkProcess, function: Callable[[Any, str], Any], base: str) -> Any:
    """Run an observed function and check that it left nothing."""
    found = connect.run(function, base)
    assert found["left"] == []
    return found["result"]


def test_elements_equal_those_of_a_classic_session(connect: SparkProcess, spark: Any, base: str) -> None:
    rows, tuples, dicts, batches = found = connect.run(forms_of, base)

    assert (len(rows), len(tuples), len(dicts), len(batches)) == (15, 15, 15, 3)
    assert found == forms_of(spark, base)


def test_micro_batches_have_ids_and_can_be_read_again(connect: SparkProcess, base: str) -> None:
    seen = run(connect, micro_batches, base)

    assert seen == [
        [number, False, [number * ROWS, number], [*range(number * ROWS, (number + 1) * ROWS)], ROWS]
        for number in range(3)
    ]


def test_skipped_batch_of_a_query_with_state_still_counts_through_connect(connect: SparkProcess, base: str) -> None:
    assert run(connect, keyed_totals, base) == [[1, [[0, 5], [1, 5]]], [2, [[0, 8], [1, 7]]]]


def test_query_is_held_until_what_is_behind_the_batch_is_asked_for(connect: SparkProcess, base: str) -> None:
    result = run(connect, slow_reader, base)

    assert result["first"] == rows_of(0)
    assert result["held"] == [[], 1, ["query.json"]]
    assert (result["second"], result["released"]) == ([ROWS, 1], [0])


@pytest.mark.parametrize(("function", "ended"), [(cancelled_inside, []), (cancelled_waiting, [0, 1, 2])])
def test_cancel_from_another_thread_ends_the_query_through_connect(
    connect: SparkProcess, base: str, function: Any, ended: list[int]
) -> None:
    assert run(connect, function, base) == ["None", ended]


def test_leaving_an_endless_batch_ends_its_job(connect: SparkProcess, base: str) -> None:
    # It would not come back if the job were not ended.
    ((row, batch),) = run(connect, left_in_an_endless_batch, base)
    assert (row < ROWS, batch) == (True, 0)


def test_errors_are_told_shortly_through_connect(connect: SparkProcess, base: str) -> None:
    found = run(connect, errors, base)

    assert found["job"][0] == "SparkJobError"
    assert "too late in the year" in found["job"][1]
    assert found["start"][0] == "SparkJobError"
    assert "the streaming query 'totals' failed: " in found["start"][1]
    assert "Invalid streaming output mode: append" in found["start"][1]
    assert found["pipeline"][0] == "PipelineError"
    assert "operator map, built at" in found["pipeline"][1]
    assert "ZeroDivisionError" in found["pipeline"][1]
    assert found["source"][0] == "SparkJobError"
    assert [name for name, (_, message, cause) in found.items() if len(message) > 900 or cause == "NoneType"] == []


def test_function_of_the_user_that_raises_ends_the_query_through_connect(connect: SparkProcess, base: str) -> None:
    assert run(connect, consumer_fails, base) == ["no such airport", [0]]


def test_unfinished_batch_comes_again_with_its_id_through_connect(connect: SparkProcess, base: str) -> None:
    result = run(connect, restarts, base)

    assert result["before"] == [[0, False, rows_of(0)], [1, False, rows_of(1)]]
    assert result["after"] == [[1, True, rows_of(1)], [2, False, rows_of(2)]]
    assert result["later"] == [[3, False, rows_of(3)]]


def test_checkpoint_has_one_reader_and_one_query_through_connect(connect: SparkProcess, spark: Any, base: str) -> None:
    said = run(connect, whose_checkpoint, base)

    assert "is already in use by a query of the same session" in said["in use"]
    assert "belongs to another query: its sources are" in said["other"]
    # The record is the same in both kinds of session.
    assert json.loads(json.dumps(read_on(spark, base)))[0] == [0, True, rows_of(0)]


def test_query_stopped_by_somebody_else_is_an_error_through_connect(connect: SparkProcess, base: str) -> None:
    is_alive, message, ended = run(connect, stopped_by_somebody_else, base)

    assert (is_alive, ended) == (False, [])
    assert "the streaming query 'flights' was stopped by another program" in message


def test_reader_that_is_held_up_is_missed(connect: SparkProcess, base: str) -> None:
    message, ended = run(connect, held_up, base)

    assert (
        "the streaming query 'flights' failed: ConnectionError: the reader of this query has ended, or was held up"
        in message
    )
    assert ended == []
    # The batch was consumed, which is in the record, and comes again.
    assert connect.run(read_on, base)[0] == [0, True, rows_of(0)]
