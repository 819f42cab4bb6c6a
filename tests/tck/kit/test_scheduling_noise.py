"""The noise yields at lines of a subject only, in threads that begin meanwhile, and leaves no trace of itself."""

import gc
import random
import sys
import threading
from types import FrameType
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.tck import Environment, Outcome, PublisherVerification, run
from reactivestreams.tck.kit import scheduling_noise as noise_module
from reactivestreams.tck.kit.scheduling_noise import scheduling_noise


class Naps:
    """Stands for the module `time`, and counts."""

    def __init__(self) -> None:
        self.by_thread: dict[str, int] = {}

    def sleep(self, seconds: float) -> None:
        name = threading.current_thread().name
        self.by_thread[name] = self.by_thread.get(name, 0) + 1


def work() -> int:
    total = 0
    for number in range(200):
        total += number
    return total


def test_threads_that_begin_meanwhile_yield_and_none_afterwards(monkeypatch: Any) -> None:
    naps = Naps()
    monkeypatch.setattr(noise_module, "time", naps)
    before = sys.gettrace(), threading.gettrace()
    with scheduling_noise(random.Random(1)) as noise:
        if noise is None:
            return  # under a measurement of coverage
        thread = threading.Thread(target=work, name="of the subject")
        thread.start()
        thread.join()
        work()
    assert set(naps.by_thread) == {"of the subject", threading.current_thread().name}
    assert (sys.gettrace(), threading.gettrace()) == before
    naps.by_thread.clear()
    work()
    assert naps.by_thread == {}


def test_standard_library_is_not_interrupted(monkeypatch: Any) -> None:
    naps = Naps()
    monkeypatch.setattr(noise_module, "time", naps)
    with scheduling_noise(random.Random(1)):
        thread = threading.Thread(target=threading.Event().wait, args=(0.001,), name="of the library")
        thread.start()
        thread.join()
    assert "of the library" not in naps.by_thread


def test_nothing_is_traced_beside_somebody_else_who_traces() -> None:
    def debugger(frame: FrameType, event: str, argument: Any) -> None:
        """Look at nothing."""

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        with scheduling_noise(random.Random(1)) as noise:
            found = sys.gettrace()
    finally:
        sys.settrace(before)
    assert (noise, found) == (None, debugger)


@pytest.mark.parametrize(("target", "has_effect"), [(work, True), (threading.Event().is_set, False)])
def test_noise_has_an_effect_where_another_thread_runs_code_of_the_subject(target: Any, has_effect: bool) -> None:
    with scheduling_noise(random.Random(1)) as noise:
        if noise is None:
            return
        work()
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    assert noise.has_effect == has_effect


def test_what_the_collector_calls_in_a_thread_is_no_code_of_the_subject() -> None:
    ran = []

    class Cyclic:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            ran.append("finalizer")

    def measure(phase: str, found: dict[str, int]) -> None:
        ran.append(phase)

    gc.collect()  # what other tests left would be finalized in the thread, by functions of whatever kind
    Cyclic()
    gc.callbacks.append(measure)
    try:
        with scheduling_noise(random.Random(1)) as noise:
            if noise is None:
                return
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
    finally:
        gc.callbacks.remove(measure)
    assert {"start", "finalizer", "stop"} <= set(ran)
    assert not noise.has_effect


@pytest.mark.slow
@pytest.mark.parametrize("is_compiled", [True, False])
def test_compiled_publisher_gets_two_rounds_and_one_in_python_more(is_compiled: bool) -> None:
    class Numbers(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            stream = Stream.from_iterable(range(elements))
            return stream if is_compiled else stream.map(lambda number: number)

    name = "stochastic_spec103_signals_must_neither_overlap_nor_be_lost_under_scheduling_noise"
    (verdict,) = run(Numbers, Environment(default_timeout_milliseconds=10_000, variables={}), names=[name]).verdicts
    assert verdict.outcome is Outcome.PASS
    (note,) = [note for note in verdict.evidence.notes if note.endswith("elements were made")]
    assert (note.startswith("2 rounds")) == is_compiled
