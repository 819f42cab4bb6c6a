"""The compiled core of Reactive Streams for Python: demand, bounded rings, stages and the boundaries between threads.

Each part is a separate module and can be used alone, from Python and, through the installed `.pxd` files, from Cython.
The names below are loaded when they are first used, so `import rs_core` costs next to nothing and loads no extension
module.

The compiled modules serve the main interpreter of a process; in a subinterpreter the import is refused.
"""


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


# Here, because it runs before any module of the package is loaded: the message of the loader of extensions depends on
# the version of Python, and if a subinterpreter comes first, the main one is refused.
if not _is_main_interpreter():
    raise ImportError(
        "rs_core cannot be imported in a subinterpreter: its compiled modules serve the main interpreter of a process; "
        "import it there, or run this in a separate process"
    )

# Otherwise a loaded module of the package would be found later without the package.
from rs_core.lazy_names import lazy_names  # noqa: E402

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "rs_core.authors.base_classes": (
            "AsyncBaseSubscriber",
            "BaseProcessor",
            "BasePublisher",
            "BaseSubscriber",
            "BaseSubscription",
        ),
        "rs_core.demand": ("Demand",),
        "rs_core.emitter": ("SerializedEmitter",),
        "rs_core.errors": (
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
        ),
        "rs_core.include": ("get_include",),
        "rs_core.operators.python_operator": ("PythonStage",),
        "rs_core.queues.mpsc_ring": ("MpscRing",),
        "rs_core.queues.overflow_policy": ("EmitResult", "OverflowPolicy"),
        "rs_core.queues.spsc_ring": ("SpscRing",),
        "rs_core.stream.description": ("Description",),
        "rs_core.stream.subscription": ("Stage",),
    },
)
