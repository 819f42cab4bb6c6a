"""The exceptions that end a check: a failure, or a skip in the words of the standard's kit."""

import unittest
from typing import NoReturn, Protocol

from reactivestreams.errors import ReactiveStreamsError

__all__ = [
    "BufferOverflowError",
    "CheckAbandoned",
    "Failed",
    "PublisherStopped",
    "Skipped",
    "SubjectError",
    "Unmet",
    "is_fatal",
    "not_verified",
    "not_verified_for_subscribers",
    "skip_unless_chance_may_decide",
]


class Failed(AssertionError):  # noqa: N818 - a verdict, not an error of the program
    """End a check: its expectation is not met."""


class Unmet(Failed):
    """End a check: its precondition is not met, which another check judges.

    It is a failure of the checks about that rule and of those of the set-up; every other check is skipped.

    Args:
        message: The unmet precondition.
        rule: The rule that requires it.
    """

    def __init__(self, message: str, *, rule: str) -> None:
        super().__init__(message)
        self.rule: str = rule


class Skipped(unittest.SkipTest):
    """End a check: it cannot be run with this subject, for the reason given."""


class SubjectError(ReactiveStreamsError, TypeError):
    """Report a subject that cannot be judged: a factory that does not return a publisher, a missing method.

    The message names the factory, its result and the expected one.
    """


class BufferOverflowError(ReactiveStreamsError, RuntimeError):
    """Stop a publisher that floods a probe: more elements wait there than a check ever requests."""


class PublisherStopped(BaseException):
    """Stop a publisher that continues to flood a probe after a `BufferOverflowError`."""


class CheckAbandoned(BaseException):
    """Leave a check that the watchdog has abandoned, so that its threads end."""


def is_fatal(error: BaseException) -> bool:
    """Return whether a check must not handle an exception: it stops the process, or the check itself."""
    return isinstance(error, KeyboardInterrupt | SystemExit | MemoryError | CheckAbandoned)


class _HasChoice(Protocol):
    def skip_stochastic_tests(self) -> bool: ...


def not_verified(by: str = "", because: str = "", *, words: str = "Not verified by this TCK.") -> NoReturn:
    """End an entry of the standard's kit that has no test.

    Args:
        by: The check of this kit that verifies it.
        because: Why no check can.
        words: The words of the standard's kit.

    Raises:
        Skipped: Always.
    """
    more = f" The standard's kit leaves it open; {by} verifies it." if by else f" {because}" if because else ""
    raise Skipped(f"{words}{more}")


def not_verified_for_subscribers(by: str = "", because: str = "") -> NoReturn:
    """End an entry of the subscriber's kit, which has its own words.

    Raises:
        Skipped: Always.
    """
    not_verified(by, because, words="Not verified using this TCK.")


def skip_unless_chance_may_decide(subject: _HasChoice) -> None:
    """Skip a check that depends on chance if the subject requests that.

    Raises:
        Skipped: `skip_stochastic_tests()` is true.
    """
    if subject.skip_stochastic_tests():
        raise Skipped("Skipping @Stochastic test because `skip_stochastic_tests()` returned `True`!")
