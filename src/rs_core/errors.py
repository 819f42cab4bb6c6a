"""The exception tree: every error that the project raises or signals, each naming the rule behind it.

The core raises these and `reactivestreams.errors` re-exports them. Each class derives from `ReactiveStreamsError`, so
that one clause catches all of them, and from the most specific built-in class, so that code that knows only built-in
exceptions works too. An error says what happened with the offending value, cites the rule and tells what to do.
"""

from importlib import util

__all__ = [
    "AbiMismatchError",
    "AlreadySubscribedError",
    "ArgumentError",
    "ArgumentTypeError",
    "CapacityError",
    "DemandExceededError",
    "EmptyStreamError",
    "InvalidRequestError",
    "InvalidRequestTypeError",
    "MissingExtraError",
    "NullElementError",
    "ReactiveStreamsError",
    "RunningEventLoopError",
    "SchedulerDisposedError",
    "SchedulerFullError",
    "SignalOverlapError",
    "SourceUsedTwiceError",
    "StateError",
    "StreamCancelledError",
    "WouldDeadlockError",
]


class ReactiveStreamsError(Exception):
    """Base of every error of this project.

    Args:
        message: What happened, with the offending value; why it is wrong; what to do.
        rule: Id of the rule that was broken, such as `"3.9"`; by default the class attribute `rule` of the class.

    Example:
        >>> error = InvalidRequestError("§3.9: request(n) needs n > 0, got -1; request a positive count")
        >>> error.rule, isinstance(error, ValueError)
        ('3.9', True)
    """

    rule: str | None = None
    """Id of the rule that was broken, or None where no rule of the specification is concerned."""

    def __init__(self, message: str, *, rule: str | None = None) -> None:
        super().__init__(message)
        if rule is not None:
            self.rule = rule  # in the instance dictionary, which BaseException.__reduce__ carries into copies


class NullElementError(ReactiveStreamsError, TypeError):
    """Report a None where a signal needs a value (rules 1.9 and 2.13)."""

    rule = "2.13"


class InvalidRequestError(ReactiveStreamsError, ValueError):
    """Report a `request(n)` whose n is not positive (rule 3.9)."""

    rule = "3.9"


class InvalidRequestTypeError(ReactiveStreamsError, TypeError):
    """Report a `request(n)` whose n is no integer (read as a request that is not positive, rule 3.9)."""

    rule = "3.9"


class SignalOverlapError(ReactiveStreamsError, RuntimeError):
    """Report two signals to one subscriber that ran at the same time (rule 1.3)."""

    rule = "1.3"


class DemandExceededError(ReactiveStreamsError, RuntimeError):
    """Report a publisher that sent more elements than were requested (rule 1.1)."""

    rule = "1.1"


class AlreadySubscribedError(ReactiveStreamsError, RuntimeError):
    """Report a subscriber that was given a second subscription (rule 2.12)."""

    rule = "2.12"


class SourceUsedTwiceError(ReactiveStreamsError, RuntimeError):
    """Report a second subscription to a source that can serve only one, such as an iterator (rule 1.10)."""

    rule = "1.10"


class ArgumentError(ReactiveStreamsError, ValueError):
    """Report an argument of the right type whose value is out of range."""


class ArgumentTypeError(ReactiveStreamsError, TypeError):
    """Report an argument of the wrong type."""


class StateError(ReactiveStreamsError, RuntimeError):
    """Report state that cannot be saved or loaded now, or that this version cannot read."""


class CapacityError(ReactiveStreamsError, RuntimeError):
    """Report that a bounded buffer, cache or table is full."""


class StreamCancelledError(ReactiveStreamsError, RuntimeError):
    """Report that a stream was cancelled before the awaited result was there."""


class SchedulerDisposedError(ReactiveStreamsError, RuntimeError):
    """Report work handed to a scheduler that was disposed."""


class SchedulerFullError(ReactiveStreamsError, RuntimeError):
    """Report work handed to a scheduler whose bounded queue is full."""


class EmptyStreamError(ReactiveStreamsError, LookupError):
    """Report that a stream completed without the element that was asked for."""


class AbiMismatchError(ReactiveStreamsError, ImportError):
    """Report an extension that was built for another C interface of the core than the one that is installed."""


class MissingExtraError(ReactiveStreamsError, ImportError):
    """Report that a package is not installed which only one extra brings; the message has the command that installs it.

    Example:
        >>> MissingExtraError.unless_installed("json", extra="demo", purpose="the page")
        >>> MissingExtraError.unless_installed("no_such_package", extra="demo", purpose="the page")
        Traceback (most recent call last):
            ...
        rs_core.errors.MissingExtraError: the page needs no_such_package, which is not installed; run: pip install
            "reactive-streams-core[demo]"
    """

    @classmethod
    def unless_installed(cls, package: str, *, extra: str, purpose: str) -> None:
        """Raise unless a package can be imported; it is looked for, not imported.

        Args:
            package: Name of the package.
            extra: The extra of ours that brings it.
            purpose: What needs it, as the message begins.

        Raises:
            MissingExtraError: It is not installed.
        """
        if util.find_spec(package) is None:
            raise cls(
                f'{purpose} needs {package}, which is not installed; run: pip install "reactive-streams-core[{extra}]"'
            )


class RunningEventLoopError(ReactiveStreamsError, RuntimeError):
    """Report a blocking call made inside a running event loop, which it would stop."""


class WouldDeadlockError(ReactiveStreamsError, RuntimeError):
    """Report a wait for something that only the waiting thread itself could bring about."""
