"""Runs a stream that would not end for hours and sends itself SIGINT once it flows; says what came of it.

A program of its own, since a signal goes to a process: python -m tests.rs_core.interrupted_streams SITUATION
"""

import faulthandler
import itertools
import operator
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from reactivestreams import Stream
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from tests.rs_core.recording_subscriber import RecordingSubscriber

COUNT = 10**13
HERE = ImmediateScheduler()
WORKER = WorkerScheduler(name="reactivestreams-interrupted")
POLL_SECONDS = 0.001
GIVE_UP_SECONDS = 60

seen: deque[object] = deque(maxlen=1)  # its append is compiled, so that no Python code runs for an element
is_stuck = threading.Event()


class ClosingRepeat(itertools.chain[int]):
    """Zeros without an end, from compiled code; says when it is closed."""

    def close(self) -> None:
        print("closed", flush=True)


class Zeros:
    def __iter__(self) -> ClosingRepeat:
        return ClosingRepeat(itertools.repeat(0, COUNT))


def zeros() -> Stream[Any]:
    """Return elements without an end that nobody wants, without Python code on their way."""
    return Stream.from_iterable(Zeros()).do(on_next=seen.append)


def get_stuck(element: object) -> object:
    """Wait for ever, in the thread that came here."""
    seen.append(element)
    threading.Event().wait()
    return element


def subscribe(stream: Stream[Any]) -> None:
    stream.subscribe(RecordingSubscriber())


SITUATIONS: dict[str, Callable[[], object]] = {
    "to_list": lambda: zeros().filter(operator.truth).to_list(),
    "to_list of a range": lambda: Stream.range(1, COUNT).do(on_next=seen.append).filter(operator.not_).to_list(),
    "run": lambda: zeros().run(),
    "run with a small prefetch": lambda: zeros().run(prefetch=4),
    "run through operators": lambda: zeros().skip(5).buffer(3).flat_map(iter, prefetch=4).take(COUNT).run(),
    "run through a boundary": lambda: zeros().observe_on(HERE, prefetch=4).run(),
    "run of a publisher": lambda: Stream.from_publisher(zeros(), prefetch=4).run(),
    "first": lambda: zeros().filter(operator.truth).first(),
    "reduce": lambda: zeros().reduce(max, 0),
    "for_each": lambda: zeros().for_each(abs, prefetch=4),
    "subscribe": lambda: subscribe(zeros().filter(operator.truth)),
    "iteration that finds nothing": lambda: next(iter(zeros().filter(operator.truth))),
    "list": lambda: list(zeros().filter(operator.truth)),
    "deque": lambda: deque(zeros(), maxlen=0),
    "for loop": lambda: [None for element in zeros() if element],
    "blocking stream inside a function": lambda: Stream.just(1).map(lambda _: zeros().run()).to_list(),
    "to_list that waits for a stuck worker": lambda: zeros().observe_on(WORKER, prefetch=4).map(get_stuck).to_list(),
    "iteration that waits for a stuck worker": lambda: list(zeros().observe_on(WORKER, prefetch=4).map(get_stuck)),
    "first that waits for a stuck worker": lambda: zeros().observe_on(WORKER).map(get_stuck).first(),
    "run that waits for nothing": lambda: (seen.append(0), Stream.never().run()),
}


def interrupt_when_it_flows() -> None:
    while not seen:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGINT)


def run(situation: str) -> None:
    """Run a situation and let what is raised pass."""
    faulthandler.dump_traceback_later(GIVE_UP_SECONDS, exit=True)
    threading.Thread(target=interrupt_when_it_flows, daemon=True).start()
    SITUATIONS[situation]()


def main(situation: str) -> None:
    try:
        run(situation)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    assert Stream.range(3).to_list() == [0, 1, 2]
    print("next stream runs", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
