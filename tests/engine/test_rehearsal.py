"""An engine rehearses a recovery without opening or writing anything, and says what it is doing in numbers."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.engine import Engine, EngineStatusError, FactoryRegistry, Figures, Ingress, MemoryStore, PushInput
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from tests.engine.hosted import Hosted, added


class Untouchable(Ingress):
    def open(self, position: int, bookmark: Any) -> None:
        raise AssertionError("opened")


@pytest.fixture
def stored() -> MemoryStore:
    hosted = Hosted()
    hosted.start()
    hosted.push(1, 2)
    hosted.engine.stop()
    return hosted.store


def rehearsed(store: MemoryStore, **factories: Callable[..., Any]) -> dict[str, Any]:
    registry = FactoryRegistry()
    chosen: dict[str, Callable[..., Any]] = {
        "in": lambda engine: PushInput(),
        "out": Hosted().registry.find("out").build,
        "totals": lambda engine, source: engine.stream(source).scan(added, 0),
        **factories,
    }
    for name, build in chosen.items():
        registry.register(name)(build)
    store.open()
    fork = store.forked()
    scheduler = VirtualTimeScheduler(VirtualTime())
    engine = Engine(fork, scheduler=scheduler, checkpoint_every=None, registry=registry)
    found = {each.artifact_id: each for each in engine.rehearse()}
    assert (fork.definitions(), fork.state_of("totals")) == (store.definitions(), store.state_of("totals"))
    with pytest.raises(EngineStatusError):
        engine.start()
    return found


def test_what_is_the_same_recovers(stored: MemoryStore) -> None:
    found = rehearsed(stored)
    assert {each: found[each].outcome for each in found} == {"in": "same", "out": "same", "totals": "same"}
    assert all(each.recovers for each in found.values())


def test_other_operators_without_a_version_are_shown(stored: MemoryStore) -> None:
    totals = rehearsed(stored, totals=lambda engine, source: engine.stream(source).scan(added, 5))["totals"]
    assert (totals.outcome, totals.recovers) == ("changed", False)
    assert "-rx://operators/scan(" in totals.difference


def test_state_that_does_not_fit_and_factory_that_raises_are_shown(stored: MemoryStore) -> None:
    totals = rehearsed(stored, totals=lambda engine, source: engine.stream(source).buffer(2))["totals"]
    assert (totals.outcome, totals.recovers) == ("failed", False)
    broken = rehearsed(stored.after_crash(), totals=lambda engine, source: 1 // 0)["totals"]
    assert (broken.outcome, type(broken.error), broken.version) == ("failed", ZeroDivisionError, 1)


def test_ingress_is_not_opened(stored: MemoryStore) -> None:
    assert rehearsed(stored, **{"in": lambda engine: Untouchable()})["in"].outcome in ("same", "changed")


def test_running_engine_has_numbers() -> None:
    hosted = Hosted()
    engine = hosted.start()
    hosted.push(1, 2, 3)
    statistics = engine.statistics()
    ingress, out, totals = statistics.artifacts
    assert (ingress.id, ingress.kind, ingress.figures.elements, ingress.figures.behind) == ("in", "ingress", 3, 3)
    assert (out.figures.elements, out.figures.waiting, out.figures.capacity) == (3, 3, 1000)
    assert (totals.figures, totals.status, totals.error) == (Figures(), "running", "")
    assert (statistics.status, statistics.last_checkpoint, statistics.failed_checkpoints) == ("running", None, 0)
    engine.checkpoint()
    ingress, out, _ = engine.statistics().artifacts
    assert (ingress.figures.behind, out.figures.waiting) == (0, 0)
    engine.stop()
