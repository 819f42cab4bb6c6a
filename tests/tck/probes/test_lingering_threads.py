"""Threads of the kit's own sources: used again while there is work, gone soon after."""

import threading
import weakref

import pytest

from reactivestreams.tck.probes import lingering_threads
from reactivestreams.tck.probes.lingering_threads import LingeringThreads

SECONDS = 20.0


class Noted:
    """Notes the thread that calls it."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.called = threading.Event()

    def __call__(self) -> None:
        self.thread = threading.current_thread()
        self.called.set()


def test_calls_that_last_at_the_same_time_have_threads_of_their_own() -> None:
    threads = LingeringThreads("lingering")
    together = threading.Barrier(3)

    def meet() -> None:
        together.wait(SECONDS)

    threads.run(meet)
    threads.run(meet)
    together.wait(SECONDS)
    assert not together.broken


def test_thread_ends_after_its_last_call() -> None:
    threads = LingeringThreads("lingering")
    call = Noted()
    threads.run(call)
    assert call.called.wait(SECONDS)
    call.thread.join(SECONDS)
    assert not call.thread.is_alive()


def test_every_call_is_made_whenever_it_comes() -> None:
    # Some come while a thread waits, some at the moment in which it gives up.
    threads = LingeringThreads("lingering")
    for _ in range(300):
        call = Noted()
        threads.run(call)
        assert call.called.wait(SECONDS)


@pytest.mark.slow  # its threads linger
def test_many_calls_in_a_row_need_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lingering_threads, "_LINGER_SECONDS", 1.0)
    threads = LingeringThreads("lingering")
    used: set[threading.Thread] = set()
    left = [50]
    ended = threading.Event()

    def again() -> None:
        used.add(threading.current_thread())
        left[0] -= 1
        if left[0]:
            threads.run(again)
        else:
            ended.set()

    threads.run(again)
    assert ended.wait(SECONDS)
    assert len(used) < 25


def test_call_is_let_go_while_its_thread_waits() -> None:
    threads = LingeringThreads("lingering")
    gone = threading.Event()
    call = Noted()
    weakref.finalize(call, gone.set)
    called = call.called
    threads.run(call)
    del call
    assert called.wait(SECONDS)
    assert gone.wait(SECONDS)
