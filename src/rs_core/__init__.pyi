from rs_core.base_classes import AsyncBaseSubscriber, BaseProcessor, BasePublisher, BaseSubscriber, BaseSubscription
from rs_core.demand import Demand
from rs_core.description import Description
from rs_core.emitter import SerializedEmitter
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
    RecoveredError,
    RunningEventLoopError,
    SchedulerDisposedError,
    SchedulerFullError,
    SignalOverlapError,
    SourceUsedTwiceError,
    StateError,
    StateFormatError,
    StateLimitError,
    StateTypeError,
    StreamCancelledError,
    WouldDeadlockError,
)
from rs_core.include import get_include
from rs_core.mpsc_ring import MpscRing
from rs_core.overflow_policy import EmitResult, OverflowPolicy
from rs_core.python_stage import PythonStage
from rs_core.spsc_ring import SpscRing
from rs_core.stage import Stage

__all__ = [
    "AbiMismatchError",
    "AlreadySubscribedError",
    "ArgumentError",
    "ArgumentTypeError",
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "CapacityError",
    "Demand",
    "DemandExceededError",
    "Description",
    "EmitResult",
    "EmptyStreamError",
    "InvalidRequestError",
    "InvalidRequestTypeError",
    "MissingExtraError",
    "MpscRing",
    "NullElementError",
    "OverflowPolicy",
    "PythonStage",
    "ReactiveStreamsError",
    "RecoveredError",
    "RunningEventLoopError",
    "SchedulerDisposedError",
    "SchedulerFullError",
    "SerializedEmitter",
    "SignalOverlapError",
    "SourceUsedTwiceError",
    "SpscRing",
    "Stage",
    "StateError",
    "StateFormatError",
    "StateLimitError",
    "StateTypeError",
    "StreamCancelledError",
    "WouldDeadlockError",
    "get_include",
]
