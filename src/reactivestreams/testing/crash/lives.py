"""The lives of an engine over one world: it dies, the next one recovers, until everything is through."""

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar, cast

from reactivestreams.engine import CheckpointError, Engine, FactoryRegistry, Ingress, Store
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.schedulers.virtual_time import TICK
from reactivestreams.testing.crash.faults import Death, Faults, OutageError, derived

__all__ = ["EGRESS_STEPS", "INGRESS_STEPS", "STORE_STEPS", "EndlessRunError", "Lives", "is_planned", "paced"]

T = TypeVar("T")

MOST_LIVES = 6
MOST_ROUNDS = 400
QUIET_ROUNDS = 12
"""After how many rounds in which nothing changed a run is through whose source does not end."""

INGRESS_STEPS = ("open", "read", "acknowledge")

EGRESS_STEPS: dict[str, tuple[str, ...]] = {
    "idempotent": ("open", "write"),
    "two-phase": ("open", "prepare", "commit", "abort"),
    "store": ("open", "write_in"),
}

STORE_STEPS = (
    "open",
    "definitions",
    "put_definition",
    "delete_definition",
    "last_checkpoint",
    "state_of",
    "read_table",
    "commit",
    "prune",
    "prepared_of",
    "settle",
    "append_input",
    "read_input",
    "trim_input",
)


class EndlessRunError(AssertionError):
    """A run that does not come to its end."""


@dataclass
class Lives:
    """One run.

    Attributes:
        faults: What goes wrong.
        registry: The factories.
        define: Defines the artifacts, in each life.
        store: Returns the store, as the process of each life finds it.
        out: The id of the egress at the end.
        compared: The ids of the artifacts that must not have changed when the run is through.
        kinds: The kinds of checkpoints, in turn.
        checkpoint_every: How many rounds lie between them.
        before_round: Called with the engine and the number of the round, which no process forgets, before each.
        after_death: Called when a process is dead, to release what the operating system would.
        pace: How far the clock moves in a round.
        rounds: How many there are at least.
        ends: Whether the source ends; otherwise the run is through when nothing changes any more.
    """

    faults: Faults
    registry: FactoryRegistry
    define: Callable[[Engine], object]
    store: Callable[[], Store]
    out: str
    compared: Sequence[str]
    kinds: Sequence[str] = ("full", "differential", "differential")
    checkpoint_every: int = 3
    before_round: Callable[[Engine, int], object] | None = None
    after_death: Callable[[], object] | None = None
    pace: timedelta = TICK
    rounds: int = 0
    ends: bool = True
    round: int = 0

    def run(self) -> None:
        """Run engines until everything is through, whatever dies.

        Raises:
            EndlessRunError: It is not through after many rounds or lives.
            Exception: What a part has raised by itself while an engine started.
        """
        for _ in range(MOST_LIVES):
            try:
                next(_apart(self._live))
                with self.faults.switched_off(), self._engine(VirtualTime()):
                    pass  # what could not be written at the very end is written now
                return
            except Death:
                pass
            except Exception as error:
                if not is_planned(error):
                    raise
                self.faults.die()  # an outage while it starts is a death, too
            with self.faults.switched_off():
                if self.after_death is not None:
                    self.after_death()
            self.faults.live_again()
        raise EndlessRunError(f"it does not get through {MOST_LIVES} lives")

    def _engine(self, clock: VirtualTime) -> Engine:
        return Engine(
            self.store(),
            scheduler=VirtualTimeScheduler(clock),
            checkpoint_every=None,
            registry=self.registry,
            max_failed_checkpoints=9,
        )

    def _live(self) -> None:
        clock = VirtualTime()
        engine = self._engine(clock)
        engine.start()
        self.define(engine)
        taken = quiet = 0
        for tick in range(1, MOST_ROUNDS):
            self.round += 1
            if self.before_round is not None:
                self.before_round(engine, self.round)
            clock.advance_to(tick * max(1, -(-self.pace // TICK)))
            if tick == self.faults.tick:
                self.faults.die()
                raise Death
            has_changed = any(engine.find(each).has_changed for each in self.compared)
            if tick % self.checkpoint_every == 0:
                with suppress(CheckpointError):
                    engine.checkpoint(self.kinds[taken % len(self.kinds)])
                taken += 1
            quiet = 0 if has_changed else quiet + 1
            is_through = engine.find(self.out).status == "ended" if self.ends else quiet >= QUIET_ROUNDS
            has_changed = any(engine.find(each).has_changed for each in self.compared)
            if is_through and not has_changed and tick % self.checkpoint_every == 0 and self.round >= self.rounds:
                break
        else:
            raise EndlessRunError(f"it is not through after {MOST_ROUNDS} rounds: {_errors_of(engine)}")
        with suppress(CheckpointError):  # then the last life stores it
            engine.stop()


def _apart(call: Callable[[], T]) -> Generator[T, None, None]:
    """Call something where no exception stays behind that it was handling when it died.

    CPython leaves an `except` clause too late: where a tracing function raises at its `return`, the exception that it
    caught counts as being handled for as long as the caller runs, and joins the context of everything raised there. A
    generator handles exceptions of its own, which end with it.
    """
    yield call()


def is_planned(error: BaseException | None) -> bool:
    """Return whether an exception comes from a fault of the kit."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, OutageError | Death):
            return True
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += cast("BaseExceptionGroup[BaseException]", each).exceptions
    return False


def _errors_of(engine: Engine) -> str:
    found = [f"{each.id}: {each.status}, {each.error!r}" for each in engine.artifacts() if each.error is not None]
    return "; ".join(found) or "no part has raised"


def paced(ingress: Ingress, most: int) -> Ingress:
    """Let an ingress read so many elements at most at every other call, so that a run has several reads."""
    kind = type(ingress)
    has_read = False

    def read(self: Any, max_elements: int) -> Any:
        nonlocal has_read
        has_read = not has_read
        return kind.read(self, min(most, max_elements)) if has_read else []

    ingress.__class__ = derived(kind, {"read": read})
    return ingress
