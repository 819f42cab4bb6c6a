"""The exception classes: every error that the project raises or signals, each with its rule.

The core raises these and `reactivestreams.errors` re-exports them. Each class derives from `ReactiveStreamsError`, so
that one clause catches all of them, and from the most specific built-in class, so that code that knows only built-in
exceptions works too. An error says what happened with the offending value, cites the rule and says what to do.
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
    "MoreThanOneElementError",
    "NullElementError",
    "ReactiveStreamsError",
    "RecoveredError",
    "RunningEventLoopError",
    "SchedulerDisposedError",
    "SchedulerFullError",
    "SignalAfterEndError",
    "SignalOverlapError",
    "SourceUsedTwiceError",
    "StateError",
    "StateFormatError",
    "StateLimitError",
    "StateTypeError",
    "StreamCancelledError",
    "WouldDeadlockError",
    "WrongEventLoopError",
]


class ReactiveStreamsError(Exception):
    """The base of every error of this project.

    Args:
        message: What happened, with the offending value; why it is wrong; what to do.
        rule: The id of the rule that was broken, such as `"3.9"`; by default the class attribute `rule` of the class.

    Example:
        >>> error = InvalidRequestError("§3.9: request(n) needs n > 0, got -1; request a positive count")
        >>> error.rule, isinstance(error, ValueError)
        ('3.9', True)
    """

    rule: str | None = None
    """The id of the broken rule, or None if it is not about a rule of the specification."""

    def __init__(self, message: str, *, rule: str | None = None) -> None:
        super().__init__(message)
        if rule is not None:
            self.rule = rule  # in the instance dictionary, which BaseException.__reduce__ carries into copies


class NullElementError(ReactiveStreamsError, TypeError):
    """Report a None where a signal needs a value (rules 1.9 and 2.13)."""

    rule: str | None = "2.13"


class InvalidRequestError(ReactiveStreamsError, ValueError):
    """Report a `request(n)` whose n is not positive (rule 3.9)."""

    rule: str | None = "3.9"


class InvalidRequestTypeError(ReactiveStreamsError, TypeError):
    """Report a `request(n)` whose n is not an integer (treated like a request that is not positive, rule 3.9)."""

    rule: str | None = "3.9"


class SignalAfterEndError(ReactiveStreamsError, RuntimeError):
    """Report a signal to a subscriber after its terminal signal (rule 1.7)."""

    rule: str | None = "1.7"


class SignalOverlapError(ReactiveStreamsError, RuntimeError):
    """Report two signals to one subscriber that ran at the same time (rule 1.3)."""

    rule: str | None = "1.3"


class DemandExceededError(ReactiveStreamsError, RuntimeError):
    """Report a publisher that sent more elements than were requested (rule 1.1)."""

    rule: str | None = "1.1"


class AlreadySubscribedError(ReactiveStreamsError, RuntimeError):
    """Report a subscriber that got a second subscription (rule 2.12)."""

    rule: str | None = "2.12"


class SourceUsedTwiceError(ReactiveStreamsError, RuntimeError):
    """Report a second subscription to a source that can serve only one, such as an iterator (rule 1.10)."""

    rule: str | None = "1.10"


class ArgumentError(ReactiveStreamsError, ValueError):
    """Report an argument of the right type whose value is out of range."""


class ArgumentTypeError(ReactiveStreamsError, TypeError):
    """Report an argument of the wrong type."""


class StateError(ReactiveStreamsError, RuntimeError):
    """Report state that cannot be saved or loaded now, or that this version cannot read."""

    location: str | None = None
    """The location in the saved state, as at the start of the message; None if there is no saved state."""


class StateFormatError(StateError, ValueError):
    """Report bytes that are not valid saved state: damaged, cut off, of another format, or not of the expected type."""


class StateLimitError(StateError):
    """Report state that is larger or deeper than its limits allow; the message names the limit."""


class StateTypeError(StateError, TypeError):
    """Report a value that cannot be saved, because its class is not part of the format and was not registered."""


class RecoveredError(ReactiveStreamsError):
    """Represent an exception whose class is unknown when saved state is loaded.

    Loading never looks for a class by its name. So this object stores the state of the exception: its kind, its message
    and its rule. It is saved again as the original exception.

    Args:
        message: The message of the original.
        kind: The name of the original's class, with its module.
        rule: The id of the original's rule.

    Example:
        >>> str(RecoveredError("no more of article 7", kind="shop.OutOfStockError"))
        'shop.OutOfStockError: no more of article 7'
    """

    kind: str = "Exception"
    """The name of the original's class, with its module if it is not built-in."""

    def __init__(self, message: str, *, kind: str = "Exception", rule: str | None = None) -> None:
        super().__init__(message, rule=rule)
        self.kind = kind

    def __str__(self) -> str:
        return f"{self.kind}: {self.args[0]}"


class CapacityError(ReactiveStreamsError, RuntimeError):
    """Report that a bounded buffer, cache or table is full."""


class StreamCancelledError(ReactiveStreamsError, RuntimeError):
    """Report that a stream was cancelled before it had the awaited result."""


class SchedulerDisposedError(ReactiveStreamsError, RuntimeError):
    """Report a task for a disposed scheduler."""


class SchedulerFullError(ReactiveStreamsError, RuntimeError):
    """Report a task for a scheduler whose bounded queue is full."""


class EmptyStreamError(ReactiveStreamsError, LookupError):
    """Report that a stream completed without the requested element."""


class MoreThanOneElementError(ReactiveStreamsError, LookupError):
    """Report that a stream had more than the single requested element."""


class AbiMismatchError(ReactiveStreamsError, ImportError):
    """Report an extension that was built for another C interface of the core than the one that is installed."""


class MissingExtraError(ReactiveStreamsError, ImportError):
    """Report that a package of an extra is not installed; the message has the command that installs it.

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
        """Raise unless a package can be found; it is not imported.

        Args:
            package: The name of the package.
            extra: The extra that installs it.
            purpose: The start of the message, which says what needs it.

        Raises:
            MissingExtraError: The package is not installed.
        """
        if util.find_spec(package) is None:
            raise cls(
                f'{purpose} needs {package}, which is not installed; run: pip install "reactive-streams-core[{extra}]"'
            )


class RunningEventLoopError(ReactiveStreamsError, RuntimeError):
    """Report a blocking call made inside a running event loop, which it would stop."""


class WouldDeadlockError(ReactiveStreamsError, RuntimeError):
    """Report a wait that only the waiting thread itself could end."""


class WrongEventLoopError(ReactiveStreamsError, RuntimeError):
    """Report an object of one event loop that was used in another one, or where no loop runs."""
