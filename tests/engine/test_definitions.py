"""Definitions are stored when they are made and deleted, whether or not a checkpoint comes in between."""

import threading
from typing import Any

import pytest

from reactivestreams.engine import CheckpointWrite, Definition
from reactivestreams.subjects import BroadcastSubject, SimpleSubject, buffer, lockstep
from rs_core.operators.python_operator import PythonStage
from tests.engine.hosted import Hosted


def ids(hosted: Hosted) -> list[str]:
    return [each.id for each in hosted.engine.artifacts()]


@pytest.fixture
def hosted() -> Any:
    hosted = Hosted()
    hosted.start()
    yield hosted
    hosted.engine.unload()


def again(hosted: Hosted) -> None:
    hosted.crash()
    hosted.engine.start()


@pytest.mark.parametrize("takes_checkpoints", [False, True])
def test_what_was_defined_is_there_after_a_crash(hosted: Hosted, takes_checkpoints: bool) -> None:
    if takes_checkpoints:
        hosted.engine.checkpoint()
    hosted.engine.define("late", "totals", source="in")
    again(hosted)
    assert ids(hosted) == ["in", "out", "totals", "late"]


@pytest.mark.parametrize("takes_checkpoints", [False, True])
def test_what_was_deleted_is_gone_after_a_crash(hosted: Hosted, takes_checkpoints: bool) -> None:
    hosted.engine.define("late", "totals", source="in")
    if takes_checkpoints:
        hosted.engine.checkpoint()
    again(hosted)
    hosted.engine.delete("late")
    again(hosted)
    assert ids(hosted) == ["in", "out", "totals"]


def test_what_was_deleted_and_defined_again_begins_anew(hosted: Hosted) -> None:
    hosted.push(1, 2)
    hosted.engine.checkpoint()
    again(hosted)
    hosted.engine.delete("totals")
    hosted.engine.define("totals", "totals", source="in", into="out")
    again(hosted)
    hosted.push(5)
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 3, 5]


def test_new_artifact_is_part_of_the_next_differential_checkpoint(hosted: Hosted) -> None:
    hosted.engine.checkpoint("full")
    hosted.engine.define("late", "totals", source="in")
    assert hosted.engine.checkpoint().artifacts == ("late",)


def test_definition_that_cannot_be_stored_leaves_nothing_behind(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = hosted.store.put_definition, [OSError("away")]

    def put(definition: Definition) -> None:
        if failures:
            raise failures.pop()
        real(definition)

    monkeypatch.setattr(hosted.store, "put_definition", put)
    hosted.engine.delete("totals")
    with pytest.raises(OSError, match="away"):
        hosted.engine.define("totals", "totals", source="in", into="out")
    assert ids(hosted) == ["in", "out"]
    hosted.engine.define("totals", "totals", source="in", into="out")
    hosted.push(1)
    hosted.engine.checkpoint()
    assert hosted.rows == [1]


def test_deletion_that_cannot_be_stored_changes_nothing(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    real, failures = hosted.store.delete_definition, [OSError("away")]

    def delete(artifact_id: str) -> None:
        if failures:
            raise failures.pop()
        real(artifact_id)

    monkeypatch.setattr(hosted.store, "delete_definition", delete)
    with pytest.raises(OSError, match="away"):
        hosted.engine.delete("totals")
    hosted.push(1)
    hosted.engine.checkpoint()
    assert (ids(hosted), hosted.rows) == (["in", "out", "totals"], [1])
    hosted.engine.delete("totals")
    assert ids(hosted) == ["in", "out"]


@pytest.mark.parametrize("call", ["define", "delete"])
def test_definitions_wait_for_the_checkpoint_that_runs(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    real = hosted.store.commit
    seen: list[list[str]] = []
    threads: list[threading.Thread] = []

    def change() -> None:
        if call == "define":
            hosted.engine.define("late", "totals", source="in")
        else:
            hosted.engine.delete("totals")

    def commit(write: CheckpointWrite) -> Any:
        threads.append(threading.Thread(target=change))
        threads[0].start()
        stored = real(write)
        seen.append(ids(hosted))
        return stored

    monkeypatch.setattr(hosted.store, "commit", commit)
    stored = hosted.engine.checkpoint()
    threads[0].join()
    assert set(stored.artifacts) == {"in", "out", "totals"}
    assert seen == [["in", "out", "totals"]]
    assert ids(hosted) == (["in", "out", "totals", "late"] if call == "define" else ["in", "out"])


def test_many_threads_define_at_once(hosted: Hosted) -> None:
    def define(thread: int) -> None:
        for number in range(10):
            hosted.engine.define(f"{thread}/{number}", "totals", source="in")

    threads = [threading.Thread(target=define, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again(hosted)
    assert len(ids(hosted)) == 43
    assert [each.definition.created for each in hosted.engine.artifacts()] == list(range(1, 44))


def test_operators_release_what_they_hold_of_the_process_when_it_is_unloaded(hosted: Hosted) -> None:
    unloaded: list[str] = []

    class Holding(PythonStage):
        name = "engine-test/holding"

        def on_next(self, element: Any) -> None:
            self.emit(element)

        def unload(self) -> None:
            unloaded.append("released")

    hosted.registry.register("holding")(lambda engine, source: engine.stream(source).lift(Holding))
    hosted.engine.define("holding", "holding", source="in")
    hosted.engine.unload()
    assert unloaded == ["released"]


def test_large_number_of_elements_between_two_checkpoints_counts_once(hosted: Hosted) -> None:
    hosted.engine.push("in", *([1] * 5_000))
    for _ in range(12):
        hosted.settle()
        hosted.engine.checkpoint()
    assert hosted.rows == list(range(1, 5_001))
    assert hosted.store.read_input("in", 0, 9) == []


@pytest.mark.parametrize("policy", ["lockstep", "buffer", "simple"])
def test_query_that_takes_the_place_of_a_deleted_one_goes_on_into_the_subject(hosted: Hosted, policy: str) -> None:
    subjects = {
        "lockstep": lambda: BroadcastSubject(policy=lockstep(capacity=2)),
        "buffer": lambda: BroadcastSubject(policy=buffer(8)),
        "simple": lambda: SimpleSubject(policy=lockstep()),
    }
    hosted.registry.register("middle")(lambda engine: subjects[policy]())
    hosted.engine.delete("totals")
    hosted.engine.define("middle", "middle")
    hosted.engine.define("second", "totals", source="middle", into="out")
    for number in range(3):
        hosted.engine.define("first", "totals", source="in", into="middle")
        hosted.push(1, 1, 1)
        hosted.engine.checkpoint()
        if number == 1:
            again(hosted)
        hosted.engine.delete("first")
    assert hosted.rows == [1, 3, 6, 7, 9, 12, 13, 15, 18]
