"""The compiled core of Reactive Streams for Python: demand, bounded rings, stages and the boundaries between threads.

Each part stands in a module of its own and can be used alone, from Python and, through the installed `.pxd` files, from
Cython. The names below are loaded when first asked for, so that `import rs_core` costs next to nothing and loads no
extension module.

The compiled modules serve the main interpreter of a process; in a subinterpreter the import is refused.
"""

from importlib import import_module

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
    "SignalAfterEndError",
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
    "WrongEventLoopError",
    "get_include",
]

_MODULES = {
    "AsyncBaseSubscriber": "rs_core.authors.base_classes",
    "BaseProcessor": "rs_core.authors.base_classes",
    "BasePublisher": "rs_core.authors.base_classes",
    "BaseSubscriber": "rs_core.authors.base_classes",
    "BaseSubscription": "rs_core.authors.base_classes",
    "Demand": "rs_core.demand",
    "Description": "rs_core.stream.description",
    "EmitResult": "rs_core.queues.overflow_policy",
    "MpscRing": "rs_core.queues.mpsc_ring",
    "OverflowPolicy": "rs_core.queues.overflow_policy",
    "PythonStage": "rs_core.operators.python_stage",
    "SerializedEmitter": "rs_core.emitter",
    "SpscRing": "rs_core.queues.spsc_ring",
    "Stage": "rs_core.stream.subscription",
    "get_include": "rs_core.include",
}


def _is_main_interpreter() -> bool:
    import _thread

    known = getattr(_thread, "_is_main_interpreter", None)  # from 3.12 on
    if known is not None:
        return bool(known())
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:  # a Python without it
        return True
    return bool(interpreters.get_current() == interpreters.get_main())


# Here, since it runs before any module of the package is loaded: what the loader of extensions says itself depends on
# the version of Python, and where a subinterpreter comes first, it is the main one that is refused.
if not _is_main_interpreter():
    raise ImportError(
        "rs_core cannot be imported in a subinterpreter: its compiled modules serve the main interpreter of a process; "
        "import it there, or run this in a process of its own"
    )


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES.get(name, "rs_core.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
