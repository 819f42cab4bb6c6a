"""Rounds in which several threads emit at once, and what came of them: for test_emitter.py and test_create.py."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

from rs_core import EmitResult
from tests.stress.outcomes import Action, Hesitate

Tagged = tuple[int, int]
"""Who emitted it, and the how-manieth of that thread it is."""

# What a delivery costs, so that other threads find the emitter busy: more than it takes to wake one that waits. Where
# other programs leave these threads one processor, that is not enough: so every few deliveries take a nap.
WORK_LOOPS = 3_000
NAP_EVERY = 8
NAP_SECONDS = 0.0002


class Sink:
    """Notes signals, who delivered them, and whether they overlap or come after the end."""

    def __init__(self) -> None:
        self.elements: list[Tagged] = []
        self.delivering_threads: list[int] = []
        self.ends: list[str] = []
        self.overlaps = 0
        self.late = 0
        self._signalling = threading.Lock()

    def on_next(self, element: Tagged) -> None:
        self._signalled()
        self.elements.append(element)
        self.delivering_threads.append(threading.get_ident())
        for _ in range(WORK_LOOPS):
            pass
        if len(self.elements) % NAP_EVERY == 0:
            time.sleep(NAP_SECONDS)
        self._signalling.release()

    def on_error(self, error: Exception) -> None:
        self._signalled()
        self.ends.append(type(error).__name__)
        self._signalling.release()

    def on_complete(self) -> None:
        self._signalled()
        self.ends.append("complete")
        self._signalling.release()

    def _signalled(self) -> None:
        if not self._signalling.acquire(blocking=False):
            self.overlaps += 1
            self._signalling.acquire()
        self.late += len(self.ends)

    @property
    def is_signalled(self) -> bool:
        return self._signalling.locked()

    @property
    def is_in_order(self) -> bool:
        """Whether the elements of each thread came in its order."""
        last: dict[int, int] = {}
        for who, number in self.elements:
            if number <= last.get(who, -1):
                return False
            last[who] = number
        return True


class Round:
    """An emitter under several threads; results of all emissions, and what the hook was told.

    Args:
        emitter: Has `emit`.
        sink: Who gets the elements.
        dropped: Filled by the hook that the test installed.
    """

    def __init__(self, emitter: Any, sink: Sink, dropped: list[Any]) -> None:
        self.emitter = emitter
        self.sink = sink
        self.dropped = dropped
        self.results: dict[Tagged, EmitResult] = {}
        self.threads: dict[int, int] = {}
        self.found_busy: set[Tagged] = set()

    def emitting(self, who: int, count: int) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            self.threads[who] = threading.get_ident()
            for number in range(count):
                if self.sink.is_signalled:
                    self.found_busy.add((who, number))
                self.results[who, number] = self.emitter.emit((who, number))
            return None

        return action

    def calling(self, function: Callable[[], object]) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            hesitate()
            function()
            return None

        return action

    def with_result(self, *wanted: EmitResult) -> set[Tagged]:
        return {element for element, result in self.results.items() if result in wanted}

    @property
    def told(self) -> set[Tagged]:
        """Of which elements the hook was told."""
        return {value for value in self.dropped if isinstance(value, tuple) and value in self.results}

    @property
    def is_accounted_for(self) -> bool:
        """Whether each accepted element was delivered once or told to the hook, and no other one was delivered."""
        delivered, accepted = set(self.sink.elements), self.with_result(EmitResult.ACCEPTED)
        refused = self.told - accepted
        return (
            len(delivered) == len(self.sink.elements)
            and delivered <= accepted
            and not delivered & self.told
            and accepted <= delivered | self.told
            and refused == self.with_result(EmitResult.DROPPED)
        )

    @property
    def in_time(self) -> set[Tagged]:
        """The emissions that came before the end; those behind it meet nobody."""
        return self.results.keys() - self.with_result(EmitResult.TERMINATED, EmitResult.CANCELLED)

    @property
    def contended(self) -> set[Tagged]:
        """Those of them that met another thread: found it delivering, were delivered by it, displaced or refused."""
        delivered = zip(self.sink.elements, self.sink.delivering_threads, strict=True)
        alone = {element for element, thread in delivered if self.threads[element[0]] == thread} - self.found_busy
        return self.in_time - alone


def summary(name: str, rounds: list[Round]) -> tuple[float, int]:
    """Print how much met contention; return its share of what came before the end, and how many emissions there are."""
    contended, in_time = sum(len(round_.contended) for round_ in rounds), sum(len(round_.in_time) for round_ in rounds)
    counts = Counter(str(result.value) for round_ in rounds for result in round_.results.values())
    print(f"{name}: {contended} of {in_time} emissions ({contended / in_time:.0%}) contended; {dict(counts)}")
    return contended / in_time, counts.total()
