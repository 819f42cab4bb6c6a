"""What ends a check before its last line: it fails, or is skipped in the words of the standard's kit."""

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
    """End a check: what it asks for is not the case."""


class Unmet(Failed):
    """End a check: what it begins with is not the case, which another check judges.

    It is a failure of the checks about that rule and of those of the set-up; every other check is skipped.

    Args:
        message: What is not the case.
        rule: The rule that asks for it.
    """

    def __init__(self, message: str, *, rule: str) -> None:
        super().__init__(message)
        self.rule: str = rule


class Skipped(unittest.SkipTest):
    """End a check: it cannot be run with this subject, for the reason given."""


class SubjectError(ReactiveStreamsError, TypeError):
    """Report a subject that cannot be judged: a factory that returns no publisher, a method that is missing.

    The message names the factory, says what it gave and what was expected.
    """


class BufferOverflowError(ReactiveStreamsError, RuntimeError):
    """Stop a publisher that floods a probe: more elements wait there than a check ever asks for."""


class PublisherStopped(BaseException):
    """Stop a publisher that goes on flooding a probe after a `BufferOverflowError`."""


class CheckAbandoned(BaseException):
    """Leave a check that the watchdog gave up, so that its threads end."""


def is_fatal(error: BaseException) -> bool:
    """Return whether an exception is none of a check's business: it stops the process, or the check itself."""
    return isinstance(error, KeyboardInterrupt | SystemExit | MemoryError | CheckAbandoned)


class _HasChoice(Protocol):
    def skip_stochastic_tests(self) -> bool: ...


def not_verified(by: str = "", because: str = "", *, words: str = "Not verified by this TCK.") -> NoReturn:
    """End an entry of the standard's kit that has no test.

    Args:
        by: The check of ours that does verify it.
        because: Why nothing can.
        words: What the standard's kit says.

    Raises:
        Skipped: Always.
    """
    more = f" The standard's kit leaves it open; {by} verifies it." if by else f" {because}" if because else ""
    raise Skipped(f"{words}{more}")


def not_verified_for_subscribers(by: str = "", because: str = "") -> NoReturn:
    """End an entry of a subscriber's kit, which says it in words of its own.

    Raises:
        Skipped: Always.
    """
    not_verified(by, because, words="Not verified using this TCK.")


def skip_unless_chance_may_decide(subject: _HasChoice) -> None:
    """End a check that depends on chance where the subject wants none.

    Raises:
        Skipped: `skip_stochastic_tests()` is true.
    """
    if subject.skip_stochastic_tests():
        raise Skipped("Skipping @Stochastic test because `skip_stochastic_tests()` returned `True`!")
