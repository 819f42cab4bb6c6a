"""A new engine over a store has everything again; what it cannot have is decided on, and nothing is lost by that."""

from dataclasses import dataclass
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.engine import (
    BuildContext,
    CheckpointWrite,
    DefinitionChangedError,
    Engine,
    EngineStatus,
    Failure,
    Mitigation,
    StoreLockedError,
    UnknownFactoryError,
)
from reactivestreams.errors import ReactiveStreamsError, StateError, StateLimitError
from reactivestreams.state import StateLimits, StateRegistry
from tests.engine.hosted import Hosted, added


def stopped(*numbers: int, **arguments: Any) -> Hosted:
    hosted = Hosted(**arguments)
    hosted.start()
    hosted.push(*numbers)
    hosted.engine.stop()
    return hosted


def errors_of(group: pytest.ExceptionInfo[Any]) -> list[str]:
    return [str(error) for error in group.value.exceptions]


def test_engine_goes_on_where_it_was_stopped() -> None:
    hosted = stopped(1, 2)
    hosted.crash()
    hosted.engine.start()
    hosted.push(3)
    hosted.engine.stop()
    assert hosted.rows == [1, 3, 6]


def test_store_in_use_is_refused_and_left_alone() -> None:
    hosted = Hosted()
    hosted.start()
    second = Engine(hosted.store, checkpoint_every=None, registry=hosted.registry)
    with pytest.raises(StoreLockedError):
        second.start()
    assert second.status is EngineStatus.UNLOADED
    hosted.push(1)
    hosted.engine.stop()
    assert hosted.rows == [1]


def test_factory_that_is_gone_stops_the_start_and_names_the_artifact() -> None:
    hosted = stopped(1)
    del hosted.registry._by_name["totals"]
    hosted.crash()
    with pytest.raises(ExceptionGroup, match="1 artifacts could not be recovered; mend what is wrong") as caught:
        hosted.engine.start()
    assert isinstance(caught.value.exceptions[0], UnknownFactoryError)
    assert caught.value.exceptions[0].__notes__ == ["while 'totals' was recovered (build)"]
    assert hosted.engine.status is EngineStatus.UNLOADED


@pytest.mark.parametrize("checkpoints", [False, True])
def test_ignored_artifact_keeps_its_state_for_an_engine_that_can_load_it(checkpoints: bool) -> None:
    hosted = stopped(1, 2)
    builder = hosted.registry.find("totals")
    del hosted.registry._by_name["totals"]
    failures: list[Failure] = []

    def ignore(failure: Failure) -> Mitigation:
        failures.append(failure)
        return Mitigation.IGNORE

    hosted.crash(on_failure=ignore)
    hosted.engine.start()
    assert [(each.artifact_id, each.stage) for each in failures] == [("totals", "build")]
    assert hosted.engine.find("totals").status == "failed"
    if checkpoints:
        hosted.engine.checkpoint("full")
    hosted.engine.unload()
    hosted.registry.register("totals")(builder.build)
    hosted.crash()
    hosted.engine.start()
    hosted.push(3)
    hosted.engine.stop()
    assert hosted.rows == [1, 3, 6]


def test_removed_artifact_is_deleted() -> None:
    hosted = stopped(1)
    del hosted.registry._by_name["totals"]
    hosted.crash(on_failure=lambda failure: Mitigation.REMOVE)
    hosted.engine.start()
    assert [each.id for each in hosted.engine.artifacts()] == ["in", "out"]
    assert hosted.store.state_of("totals") is None
    hosted.engine.stop()


def test_artifact_whose_state_does_not_fit_is_built_anew_if_told() -> None:
    hosted = stopped(1, 2)
    hosted.registry._by_name.pop("totals")
    hosted.registry.register("totals", 2, migrate=lambda version, old: old)(
        lambda engine, source: engine.stream(source).map(float).scan(added, 0.0)
    )
    stages: list[str] = []

    def anew(failure: Failure) -> Mitigation:
        stages.append(failure.stage)
        return Mitigation.REGENERATE

    hosted.crash(on_failure=anew)
    hosted.engine.start()
    hosted.push(5)
    hosted.engine.stop()
    assert (stages, hosted.rows) == (["load"], [1, 3, 5.0])


def test_another_query_takes_the_place_of_one_that_was_removed_since_its_state_does_not_fit() -> None:
    hosted = stopped(1, 2)
    hosted.registry._by_name.pop("totals")
    hosted.registry.register("totals", 2, migrate=lambda version, old: old)(
        lambda engine, source: engine.stream(source).map(float).scan(added, 0.0)
    )
    hosted.crash(on_failure=lambda failure: Mitigation.REMOVE)
    hosted.engine.start()
    assert [each.id for each in hosted.engine.artifacts()] == ["in", "out"]
    hosted.engine.define("other", "totals", into="out", source="in")
    hosted.push(5)
    hosted.engine.stop()
    assert hosted.rows == [1, 3, 5.0]


def test_what_cannot_be_built_cannot_be_built_anew() -> None:
    hosted = stopped(1)
    del hosted.registry._by_name["totals"]
    hosted.crash(on_failure=lambda failure: Mitigation.REGENERATE)
    with pytest.raises(ExceptionGroup):
        hosted.engine.start()


def changed(hosted: Hosted, version: int = 1, **arguments: Any) -> None:
    def twice(total: int, number: int) -> int:
        return total + 2 * number

    hosted.registry._by_name.pop("totals")
    hosted.registry.register("totals", version, **arguments)(
        lambda engine, source: engine.stream(source).scan(twice, 0)
    )


def test_changed_operator_is_refused_with_the_difference() -> None:
    hosted = stopped(1)
    changed(hosted)
    hosted.crash()
    with pytest.raises(ExceptionGroup) as caught:
        hosted.engine.start()
    (message,) = errors_of(caught)
    assert isinstance(caught.value.exceptions[0], DefinitionChangedError)
    assert "-rx://operators/scan(added, 0" in message
    assert "+rx://operators/scan(changed.<locals>.twice, 0" in message
    assert "pass accept_changes=['totals']" in message


def test_change_that_is_accepted_goes_on_with_the_state_and_is_not_asked_about_again() -> None:
    hosted = stopped(1)
    changed(hosted)
    hosted.crash(accept_changes=["totals"])
    hosted.engine.start()
    hosted.push(3)
    hosted.engine.stop()
    hosted.crash()
    hosted.engine.start()
    hosted.push(1)
    hosted.engine.stop()
    assert hosted.rows == [1, 7, 9]


def test_raised_version_states_the_change_and_migrates_the_arguments() -> None:
    hosted = stopped(1)
    hosted.registry._by_name.pop("totals")

    def totals(engine: BuildContext, *, source: str, factor: int) -> Any:
        return engine.stream(source).scan(lambda total, n: total + factor * n, 0)

    hosted.registry.register("totals", 3, migrate=lambda version, old: {**old, "factor": 10 * version})(totals)
    hosted.crash()
    hosted.engine.start()
    hosted.push(2)
    hosted.engine.stop()
    (definition,) = [each for each in hosted.store.definitions() if each.id == "totals"]
    assert (hosted.rows, definition.factory_version) == ([1, 21], 3)
    hosted.crash()
    hosted.engine.start()
    assert hosted.engine.find("totals").arguments == {"source": "in", "factor": 10}
    hosted.engine.stop()


@pytest.mark.parametrize(
    ("version", "arguments", "message"),
    [
        (2, {}, "registered in version 2, and what is stored was built by version 1; pass migrate="),
        (2, {"migrate": lambda version, old: 1 // 0}, "migrate of the factory 'totals' raised ZeroDivisionError"),
        (2, {"migrate": lambda version, old: [1]}, "returned [1] (list) for version 1; return a mapping"),
    ],
)
def test_version_that_cannot_be_reached_is_refused(version: int, arguments: dict[str, Any], message: str) -> None:
    hosted = stopped(1)
    changed(hosted, version, **arguments)
    hosted.crash()
    with pytest.raises(ExceptionGroup) as caught:
        hosted.engine.start()
    assert message in errors_of(caught)[0]


def test_later_version_in_the_store_is_refused() -> None:
    hosted = Hosted()
    changed(hosted, 5)
    hosted.start()
    hosted.engine.stop()
    hosted.crash()
    hosted.registry._by_name.pop("totals")
    hosted.registry.register("totals", 4, migrate=lambda version, old: old)(lambda engine, source: engine)
    with pytest.raises(ExceptionGroup) as caught:
        hosted.engine.start()
    assert "was built by version 5; run the release that wrote it" in errors_of(caught)[0]


def test_all_failures_are_reported_at_once() -> None:
    hosted = stopped(1)
    hosted.registry._by_name.clear()
    hosted.crash()
    with pytest.raises(ExceptionGroup) as caught:
        hosted.engine.start()
    assert len(caught.value.exceptions) == 3


def test_damaged_state_is_refused_and_says_where() -> None:
    hosted = stopped(1)
    hosted.crash()
    state = hosted.store.state_of("totals") or b""
    damaged = CheckpointWrite(9, "full", 0, states={"totals": state[:-9] + b"\xff" + state[-8:]})
    hosted.store.open()
    hosted.store.commit(damaged)
    hosted.store.close()
    with pytest.raises(ExceptionGroup) as caught:
        hosted.engine.start()
    assert isinstance(caught.value.exceptions[0], StateError)
    assert "damaged" in errors_of(caught)[0]


def test_policy_has_to_answer_with_a_mitigation() -> None:
    hosted = stopped(1)
    del hosted.registry._by_name["totals"]
    hosted.crash(on_failure=lambda failure: None)
    with pytest.raises(ReactiveStreamsError, match=r"on_failure needs to return a Mitigation, got None \(NoneType\)"):
        hosted.engine.start()


def test_query_that_had_ended_stays_ended_and_its_egress_knows() -> None:
    hosted = Hosted()
    hosted.registry.register("first")(lambda engine, source: engine.stream(source).take(1))
    hosted.engine.start()
    for name, factory, arguments in (("in", "in", {}), ("out", "out", {}), ("first", "first", {"source": "in"})):
        hosted.engine.define(name, factory, into="out" if name == "first" else None, **arguments)
    hosted.push(7, 8)
    hosted.engine.stop()
    hosted.crash()
    hosted.engine.start()
    hosted.push(9)
    hosted.engine.checkpoint()
    assert (hosted.rows, hosted.engine.find("out").status, hosted.engine.find("first").status) == (
        [7],
        "ended",
        "ended",
    )
    hosted.engine.stop()


def test_elements_that_were_pushed_and_not_sent_are_sent_after_the_restart() -> None:
    hosted = Hosted()
    hosted.start()
    hosted.engine.push("in", 1, 2)  # time does not move: nothing is sent
    hosted.crash()
    hosted.engine.start()
    hosted.settle()
    hosted.engine.stop()
    assert hosted.rows == [1, 3]
    assert hosted.store.read_input("in", 0, 9) == []


def test_registry_of_factories_checks_what_it_gets() -> None:
    hosted = Hosted()
    with pytest.raises(ReactiveStreamsError, match=r"needs a text that is not empty"):
        hosted.registry.register("")
    with pytest.raises(ReactiveStreamsError, match=r"needs a text, got .*call it as @factories.register"):
        hosted.registry.register(added)  # type: ignore[arg-type]
    with pytest.raises(ReactiveStreamsError, match=r"is registered under this name; pass another one"):
        hosted.registry.register("in")(added)
    with pytest.raises(ReactiveStreamsError, match="needs a count from 1"):
        hosted.registry.register("x", 0)


def test_what_an_ingress_had_read_and_not_passed_on_is_passed_on_after_the_restart() -> None:
    hosted = Hosted()
    hosted.start()

    def halt(number: int) -> None:
        if number == 2:
            hosted.engine.find("in").scheduler.pause_async()  # type: ignore[union-attr]

    watching = Stream.from_publisher(hosted.engine.get_subject("in")).subscribe(on_next=halt)
    hosted.push(1, 2, 3, 4)
    watching.cancel()
    assert list(hosted.engine.find("in").node._waiting) == [3, 4]
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 3]
    hosted.crash()
    hosted.engine.start()
    hosted.settle()
    hosted.engine.stop()
    assert hosted.rows == [1, 3, 6, 10]


def test_classes_of_the_program_and_bounds_are_those_of_the_engine() -> None:
    @dataclass
    class Order:
        price: int

    own = StateRegistry()
    own.register(name="engine-test/order")(Order)
    hosted = Hosted(state_registry=own, limits=StateLimits(max_bytes=5_000))
    hosted.registry.register("orders")(lambda engine, source, first: engine.stream(source).scan(dearest, first))
    hosted.start()
    hosted.engine.define("orders", "orders", source="in", first=Order(7))
    hosted.push(Order(3), Order(9))
    hosted.engine.find("totals").dispose()
    hosted.engine.stop()
    hosted.crash()
    hosted.engine.start()
    assert hosted.engine.find("orders").arguments == {"source": "in", "first": Order(7)}
    with pytest.raises(StateLimitError):
        hosted.engine.push("in", "x" * 6_000)
    hosted.engine.stop()


def dearest(before: Any, order: Any) -> Any:
    return max(before, order, key=lambda each: each.price)
