"""A checkpoint has everything that belongs to one moment, and what was not stored is part of the next one."""

import gc
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.engine import (
    Checkpoint,
    CheckpointError,
    CheckpointWrite,
    Engine,
    EngineStatus,
    EngineStatusError,
    Failure,
    Mitigation,
    StoreFencedError,
    TwoPhaseEgress,
)
from reactivestreams.errors import ArgumentError
from reactivestreams.schedulers import PauseTimeoutError
from reactivestreams.state import StateLimits
from tests.engine.hosted import Hosted


@pytest.fixture
def hosted() -> Any:
    hosted = Hosted()
    hosted.start()
    yield hosted
    hosted.engine.unload()


def fail_commits(hosted: Hosted, monkeypatch: pytest.MonkeyPatch, count: int) -> list[CheckpointWrite]:
    real, failed = hosted.store.commit, list[CheckpointWrite]()

    def commit(write: CheckpointWrite) -> Any:
        if len(failed) < count:
            failed.append(write)
            raise OSError("no space left")
        return real(write)

    monkeypatch.setattr(hosted.store, "commit", commit)
    return failed


def test_differential_checkpoint_has_what_changed_and_a_full_one_everything(hosted: Hosted) -> None:
    first = hosted.engine.checkpoint()
    assert (first.number, set(first.artifacts)) == (1, {"in", "out", "totals"})
    hosted.registry.register("idle")(lambda engine, source: engine.stream(source).take(1))
    hosted.engine.define("idle", "idle", source="in")
    assert hosted.engine.checkpoint().artifacts == ("idle",)
    full = hosted.engine.checkpoint("full")
    assert (full.kind, full.artifacts) == ("full", ("in", "out", "totals", "idle"))


def test_checkpoint_without_changes_stores_nothing(hosted: Hosted) -> None:
    first = hosted.engine.checkpoint()
    assert hosted.engine.checkpoint() is first
    assert [each.number for each in hosted.store.checkpoints()] == [1]


def test_recovered_and_untouched_artifacts_are_not_written_again(hosted: Hosted) -> None:
    for number in range(100):
        hosted.engine.define(f"totals {number}", "totals", source="in")
    hosted.push(1)
    hosted.engine.checkpoint()
    hosted.engine.checkpoint()
    engine = hosted.crash()
    engine.start()
    last = engine.last_checkpoint
    assert engine.checkpoint() == last
    hosted.push(1)
    assert len(engine.checkpoint().artifacts) == 103


def test_what_a_failed_commit_had_is_part_of_the_next_checkpoint(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = fail_commits(hosted, monkeypatch, 2)
    hosted.push(1)
    for _ in range(2):
        with pytest.raises(CheckpointError, match=r"was not stored: OSError: no space left; what is in it is part of"):
            hosted.engine.checkpoint()
    assert hosted.rows == []
    hosted.push(2)
    hosted.engine.checkpoint()
    assert (hosted.rows, [write.number for write in failed]) == ([1, 3], [1, 1])


def test_element_that_comes_during_a_commit_is_part_of_the_next_checkpoint(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = hosted.store.commit

    def commit(write: CheckpointWrite) -> Any:
        hosted.push(10)
        return real(write)

    hosted.push(1)
    monkeypatch.setattr(hosted.store, "commit", commit)
    hosted.engine.checkpoint()
    monkeypatch.setattr(hosted.store, "commit", real)
    assert hosted.rows == [1]
    assert hosted.engine.find("totals").has_changed
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 11]


def test_engine_is_faulted_after_so_many_failures_and_nothing_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted(max_failed_checkpoints=3)
    hosted.start()
    fail_commits(hosted, monkeypatch, 9)
    hosted.push(1)
    for _ in range(3):
        assert hosted.engine.status is EngineStatus.RUNNING
        with pytest.raises(CheckpointError):
            hosted.engine.checkpoint()
    assert hosted.engine.status is EngineStatus.FAULTED
    with pytest.raises(EngineStatusError, match=r"the engine is faulted; unload it, mend what is wrong"):
        hosted.engine.checkpoint()
    hosted.settle()
    hosted.engine.stop()
    assert hosted.engine.status is EngineStatus.UNLOADED


def test_engine_that_is_fenced_stops_at_once(hosted: Hosted) -> None:
    hosted.push(1)
    newer = hosted.store.after_crash()
    newer.open()
    with pytest.raises(StoreFencedError):
        hosted.engine.checkpoint()
    assert hosted.engine.status is EngineStatus.FAULTED
    assert newer.last_checkpoint() is None


def test_batch_that_could_not_be_written_is_written_at_the_next_checkpoint(hosted: Hosted) -> None:
    egress = hosted.engine.find("out").node.egress
    egress.failures = 2
    hosted.push(1)
    hosted.engine.checkpoint()
    hosted.push(2)
    hosted.engine.checkpoint()
    assert (hosted.rows, str(hosted.engine.find("out").error)) == ([], "the disk is away")
    hosted.engine.checkpoint()
    assert hosted.batches == {1: [1], 2: [3]}


def test_artifact_that_cannot_be_saved_fails_the_checkpoint_or_is_left_out() -> None:
    asked: list[Failure] = []
    answers = [Mitigation.STOP, Mitigation.IGNORE]

    def decide(failure: Failure) -> Mitigation:
        asked.append(failure)
        return answers[len(asked) - 1]

    hosted = Hosted(on_failure=decide)
    hosted.start()
    hosted.registry.register("odd")(lambda engine, source: engine.stream(source).map(lambda n: lambda: n).buffer(9))
    hosted.engine.define("odd", "odd", source="in")
    hosted.push(1)
    with pytest.raises(CheckpointError, match=r"'odd' could not be saved: .*mend it, delete it, or let on_failure"):
        hosted.engine.checkpoint()
    stored = hosted.engine.checkpoint()
    assert set(stored.artifacts) == {"in", "out", "totals"}
    assert [(each.artifact_id, each.kind, each.stage) for each in asked] == [("odd", "query", "save")] * 2
    assert hosted.rows == [1]
    hosted.engine.unload()


def test_egress_that_cannot_prepare_fails_the_checkpoint_and_takes_it_back(hosted: Hosted) -> None:
    class Failing(TwoPhaseEgress):
        def __init__(self) -> None:
            self.calls: list[Any] = []

        def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> Any:
            self.calls.append((checkpoint_id, list(rows)))
            if len(self.calls) == 1:
                raise OSError("away")

        def commit(self, checkpoint_id: int, token: Any) -> None:
            self.calls.append(("commit", checkpoint_id))

        def abort(self, last_committed: int) -> None:
            self.calls.append(("abort", last_committed))

    failing = Failing()
    hosted.registry.register("failing")(lambda engine: failing)
    hosted.engine.define("failing", "failing")
    hosted.engine.define("more", "totals", source="in", into="failing")
    hosted.push(1)
    with pytest.raises(CheckpointError, match=r"'failing' could not be saved"):
        hosted.engine.checkpoint()
    hosted.push(2)
    hosted.engine.checkpoint()
    assert failing.calls == [(1, [1]), ("abort", 0), (1, [1, 3]), ("commit", 1)]
    assert hosted.rows == [1, 3]


def test_task_of_a_query_cannot_end_the_pause_of_a_checkpoint(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = hosted.engine.find("totals").scheduler
    assert scheduler is not None
    steps: list[str] = []

    def meddle(name: str) -> None:
        steps.append(name)
        if name == "paused":
            scheduler.continue_()
            assert scheduler.status.value == "paused"

    monkeypatch.setattr(hosted.engine, "_on_step", meddle)
    hosted.push(1)
    hosted.engine.checkpoint()
    assert steps == [
        "paused",
        *["artifact saved"] * 3,
        "saved",
        "resumed",
        "committing",
        "committed",
        "marked",
        "egress settled",
        "acknowledged",
        "pruned",
    ]


def test_second_call_joins_the_checkpoint_that_runs(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    real = hosted.store.commit
    joined: list[Any] = []
    joins = threading.Event()

    class Seen(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            joins.set()
            return super().result(timeout)

    monkeypatch.setattr("reactivestreams.engine.engine.Future", Seen)
    threads: list[threading.Thread] = []

    def commit(write: CheckpointWrite) -> Any:
        thread = threading.Thread(target=lambda: joined.append(hosted.engine.checkpoint()))
        thread.start()
        threads.append(thread)
        assert joins.wait(30)
        return real(write)

    monkeypatch.setattr(hosted.store, "commit", commit)
    hosted.push(1)
    stored = hosted.engine.checkpoint()
    threads[0].join()
    assert joined == [stored]
    assert [each.number for each in hosted.store.checkpoints()] == [1]


def test_kinds_are_checked(hosted: Hosted) -> None:
    with pytest.raises(ArgumentError, match=r"needs 'differential' or 'full', got 'partial'"):
        hosted.engine.checkpoint("partial")


def test_task_that_does_not_give_way_is_named_and_everything_goes_on() -> None:
    hosted = Hosted()
    engine = Engine(
        hosted.store, registry=hosted.registry, checkpoint_every=timedelta(hours=1), pause_timeout_seconds=0.01
    )
    entered, may_leave = threading.Event(), threading.Event()

    def wait(number: int) -> int:
        entered.set()
        assert may_leave.wait(30)
        return number

    hosted.registry.register("stubborn")(lambda context, source: context.stream(source).map(wait))
    engine.start()
    hosted.define(engine)
    engine.define("stubborn", "stubborn", source="in")
    engine.push("in", 1)
    assert entered.wait(30)
    with pytest.raises(PauseTimeoutError, match="tasks of engine still run"):
        engine.checkpoint()
    may_leave.set()
    while not engine.checkpoint().artifacts or hosted.rows != [1]:
        pass
    engine.stop()


def test_inner_stream_that_came_since_the_last_checkpoint_is_part_of_the_next_one(hosted: Hosted) -> None:
    def inner(number: int) -> Stream[int]:
        return Stream.range(number * 10, number * 10 + 3)

    hosted.registry.register("nested")(lambda engine, source: engine.stream(source).concat_map(inner))
    hosted.engine.define("small", "out", max_rows=2)
    hosted.engine.define("nested", "nested", source="in", into="small")
    hosted.engine.checkpoint()
    assert not hosted.engine.find("nested").has_changed
    hosted.push(1)
    assert hosted.engine.find("nested").has_changed
    hosted.engine.checkpoint()
    hosted.push(2)
    hosted.engine.checkpoint()
    hosted.settle()
    hosted.crash()
    hosted.engine.start()
    for _ in range(6):
        hosted.settle()
        hosted.engine.checkpoint()
    assert [row for row in hosted.rows if row >= 10] == [10, 11, 12, 20, 21, 22]


def test_garbage_is_collected_again_after_a_checkpoint(hosted: Hosted) -> None:
    states: list[bool] = []
    hosted.engine._on_step = lambda name: (
        states.append(gc.isenabled()) if name in ("artifact saved", "resumed") else None
    )
    hosted.engine.checkpoint()
    assert states == [False, False, False, True]


def test_state_of_more_than_half_of_what_it_may_have_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    hosted = Hosted(limits=StateLimits(max_bytes=2_000))
    hosted.registry.register("texts")(lambda engine, source: engine.stream(source).scan(longer, ""))
    hosted.start()
    hosted.engine.delete("totals")
    hosted.engine.define("texts", "texts", source="in")
    warned: list[int] = []
    for length in (100, 1_200, 1_300, 100, 1_400, 3_000):
        hosted.push(length)
        with suppress(CheckpointError):
            hosted.engine.checkpoint()
        warned.append(sum("of the 2000 bytes that it may have" in record.message for record in caplog.records))
    assert warned == [0, 1, 1, 1, 2, 2]
    assert isinstance(hosted.engine.last_checkpoint, Checkpoint)
    hosted.engine.unload()


def longer(_before: str, length: int) -> str:
    return "x" * length
