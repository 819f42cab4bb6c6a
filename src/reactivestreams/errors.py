"""The exception tree; each class names the rule that it reports.

The classes are defined in `rs_core.errors`, since the core raises them.
"""

from rs_core.errors import (
    AbiMismatchError,
    AlreadySubscribedError,
    ArgumentError,
    ArgumentTypeError,
    CapacityError,
    DemandExceededError,
    EmptyStreamError,
    InvalidRequestError,
    InvalidRequestTypeError,
    MissingExtraError,
    NullElementError,
    ReactiveStreamsError,
    RunningEventLoopError,
    SchedulerDisposedError,
    SchedulerFullError,
    SignalOverlapError,
    SourceUsedTwiceError,
    StateError,
    StreamCancelledError,
    WouldDeadlockError,
)

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
