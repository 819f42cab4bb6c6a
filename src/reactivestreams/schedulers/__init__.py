"""Schedulers: when a task runs, and in which thread."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.schedulers.action_task": ("ActionTask", "YieldableActionTask"),
        "reactivestreams.schedulers.anyio_loop": ("AnyioLoop",),
        "reactivestreams.schedulers.counters": ("PerformanceCounters",),
        "reactivestreams.schedulers.errors": ("PauseTimeoutError", "SchedulerAccessError", "VirtualTimeError"),
        "reactivestreams.schedulers.event_loop": ("EventLoop", "EventLoopScheduler"),
        "reactivestreams.schedulers.immediate": ("ImmediateScheduler",),
        "reactivestreams.schedulers.item_processing_task": (
            "ItemProcessingTask",
            "ItemProcessor",
            "YieldableItemProcessingTask",
            "YieldableItemProcessor",
        ),
        "reactivestreams.schedulers.logical": ("LogicalScheduler",),
        "reactivestreams.schedulers.no_op": ("NoOpScheduler",),
        "reactivestreams.schedulers.pause": ("Pause",),
        "reactivestreams.schedulers.physical": ("PhysicalScheduler",),
        "reactivestreams.schedulers.scheduler": ("Scheduler", "nanoseconds_until"),
        "reactivestreams.schedulers.status": ("SchedulerStatus",),
        "reactivestreams.schedulers.task": (
            "ScheduledTask",
            "SchedulerTask",
            "YieldableSchedulerTask",
            "checked_task",
            "discard_task",
        ),
        "reactivestreams.schedulers.thread_access": ("ThreadAccess",),
        "reactivestreams.schedulers.trampoline": ("TrampolineScheduler",),
        "reactivestreams.schedulers.unhandled": ("SchedulerUnhandledException", "UnhandledExceptionEvent"),
        "reactivestreams.schedulers.virtual_time": ("TICK", "VirtualTime", "VirtualTimeScheduler"),
        "reactivestreams.schedulers.worker": ("WorkerScheduler",),
        "reactivestreams.schedulers.worker_pool": ("WorkerPool",),
        "reactivestreams.schedulers.yield_token": ("YieldToken", "YieldTokenSource"),
        "rs_core.scheduling.serial_queue": ("SerialQueue",),
    },
)
