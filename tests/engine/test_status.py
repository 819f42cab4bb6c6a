"""The status of an engine allows what it can do, and an end that was asked for comes, whatever runs."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.engine import (
    CheckpointError,
    CheckpointWrite,
    Engine,
    EngineStatus,
    EngineStatusError,
    EngineUnloadedError,
)
from tests.engine.hosted import Hosted

S = EngineStatus


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def seen_statuses(hosted: Hosted) -> list[EngineStatus]:
    seen: list[EngineStatus] = []

    def note(name: str) -> None:
        if not seen or seen[-1] is not hosted.engine.status:
            seen.append(hosted.engine.status)

    hosted.arguments["on_step"] = note
    hosted.engine = hosted.make()
    return seen


def test_statuses_of_a_whole_life() -> None:
    hosted = Hosted()
    seen = seen_statuses(hosted)
    assert hosted.engine.status is S.CREATED
    hosted.start()
    assert hosted.engine.status is S.RUNNING
    hosted.engine.checkpoint()
    assert hosted.engine.status is S.RUNNING
    hosted.engine.stop()
    assert (hosted.engine.status, seen) == (S.UNLOADED, [S.RECOVERING, S.CHECKPOINTING])


def test_unload_is_idempotent_and_nothing_works_after_it() -> None:
    hosted = Hosted()
    hosted.start()
    hosted.engine.unload()
    hosted.engine.unload()
    hosted.engine.stop()
    calls: list[Callable[[], object]] = [
        hosted.engine.checkpoint,
        hosted.engine.start,
        lambda: hosted.engine.define("x", "subject"),
        lambda: hosted.engine.delete("in"),
        lambda: hosted.engine.push("in", 1),
        hosted.engine.held().__enter__,
    ]
    for call in calls:
        with pytest.raises(EngineUnloadedError, match="the engine is unloaded; make a new one over the store"):
            call()


def test_engine_is_started_once() -> None:
    hosted = Hosted()
    hosted.start()
    with pytest.raises(EngineStatusError, match="the engine is running"):
        hosted.engine.start()
    hosted.engine.unload()


@pytest.mark.parametrize("step", ["paused", "artifact saved", "saved", "resumed"])
def test_unload_during_a_checkpoint_gives_it_up_and_waits_for_it(step: str) -> None:
    hosted = Hosted()
    threads: list[threading.Thread] = []

    def note(name: str) -> None:
        if name == step and not threads:
            threads.append(in_thread(hosted.engine.unload))
            while not hosted.engine._is_unload_requested:
                pass

    hosted.arguments["on_step"] = note
    hosted.engine = hosted.make()
    hosted.start()
    hosted.push(1)
    with pytest.raises(EngineUnloadedError, match="given up, since the engine is being unloaded"):
        hosted.engine.checkpoint()
    threads[0].join()
    assert (hosted.engine.status, hosted.store.last_checkpoint(), hosted.rows) == (S.UNLOADED, None, [])


def test_unload_during_a_commit_waits_until_it_is_through() -> None:
    hosted = Hosted()
    threads: list[threading.Thread] = []

    def note(name: str) -> None:
        if name == "committed":
            threads.append(in_thread(hosted.engine.unload))
            while not hosted.engine._is_unload_requested:
                pass

    hosted.arguments["on_step"] = note
    hosted.engine = hosted.make()
    hosted.start()
    hosted.push(1)
    assert hosted.engine.checkpoint().number == 1
    threads[0].join()
    assert (hosted.engine.status, hosted.rows) == (S.UNLOADED, [1])


def test_unload_during_a_recovery_gives_it_up() -> None:
    hosted = Hosted()
    hosted.start()
    hosted.engine.stop()
    threads: list[threading.Thread] = []
    build = hosted.registry.find("in").build

    def slow(engine: Any) -> Any:
        threads.append(in_thread(hosted.engine.unload))
        while not hosted.engine._is_unload_requested:
            pass
        return build(engine)

    del hosted.registry._by_name["in"]
    hosted.registry.register("in")(slow)
    hosted.crash()
    with pytest.raises(EngineUnloadedError):
        hosted.engine.start()
    threads[0].join()
    assert hosted.engine.status is S.UNLOADED


def test_unload_that_failed_can_be_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted()
    hosted.start()
    egress = hosted.engine.find("out").node.egress
    failures = [OSError("still busy")]

    def close() -> None:
        if failures:
            raise failures.pop()

    monkeypatch.setattr(egress, "close", close)
    with pytest.raises(ExceptionGroup, match="was not unloaded; call unload") as caught:
        hosted.engine.unload()
    assert caught.value.exceptions[0].__notes__ == ["while 'out' was unloaded"]
    assert hosted.engine.status is S.UNLOAD_FAILED
    hosted.engine.unload()
    assert hosted.engine.status is S.UNLOADED
    Engine(hosted.store, checkpoint_every=None, registry=hosted.registry).start().unload()


def test_error_of_a_checkpoint_keeps_the_engine_running(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted()
    hosted.start()
    real = hosted.store.commit

    def commit(write: CheckpointWrite) -> Any:
        raise OSError("away")

    monkeypatch.setattr(hosted.store, "commit", commit)
    with pytest.raises(CheckpointError):
        hosted.engine.checkpoint()
    assert hosted.engine.status is S.RUNNING
    monkeypatch.setattr(hosted.store, "commit", real)
    assert hosted.engine.checkpoint().number == 1
    hosted.engine.unload()


def test_with_statement_takes_a_last_checkpoint() -> None:
    hosted = Hosted()
    with hosted.engine as engine:
        hosted.define(engine)
        hosted.push(1)
        assert repr(engine).endswith("running, 3 artifacts>")
    assert hosted.rows == [1]


def test_egress_is_closed_when_the_engine_is_unloaded() -> None:
    hosted = Hosted()
    hosted.start()
    egress = hosted.engine.find("out").node.egress
    hosted.engine.stop()
    assert egress.closed == 1
