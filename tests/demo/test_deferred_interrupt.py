"""Ctrl-C waits for the end of the block, a second one does not, and afterwards it means what it meant before."""

import signal
import threading

import pytest

from reactivestreams.demo.deferred_interrupt import DeferredInterrupt


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def block(told: list[str], *steps: str) -> None:
    with DeferredInterrupt(lambda: told.append("told")):
        for step in steps:
            if step == "press":
                press()
            else:
                told.append(step)


def test_interrupt_is_raised_when_the_block_has_ended() -> None:
    told: list[str] = []

    with pytest.raises(KeyboardInterrupt):
        block(told, "press", "rest of the block")

    assert told == ["told", "rest of the block"]


def test_second_interrupt_is_raised_at_once() -> None:
    told: list[str] = []

    with pytest.raises(KeyboardInterrupt):
        block(told, "press", "press", "rest of the block")

    assert told == ["told"]


def test_nothing_is_raised_where_nobody_interrupts() -> None:
    told: list[str] = []

    block(told, "all of the block")

    assert told == ["all of the block"]


def test_error_of_the_block_comes_before_the_interrupt() -> None:
    def fail() -> None:
        with DeferredInterrupt(lambda: None):
            press()
            raise ValueError("the block failed")

    with pytest.raises(ValueError, match="the block failed"):
        fail()


def test_handler_is_the_one_from_before_whatever_the_block_installs() -> None:
    before = signal.getsignal(signal.SIGINT)

    with DeferredInterrupt(lambda: None):
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def run() -> None:
        with DeferredInterrupt(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    assert seen == [before]
