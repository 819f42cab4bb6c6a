from reactivestreams.schedulers.action_task import ActionTask, YieldableActionTask
from reactivestreams.schedulers.anyio_loop import AnyioLoop
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.errors import PauseTimeoutError, SchedulerAccessError, VirtualTimeError
from reactivestreams.schedulers.event_loop import EventLoop, EventLoopScheduler
from reactivestreams.schedulers.immediate import ImmediateScheduler
from reactivestreams.schedulers.item_processing_task import (
    ItemProcessingTask,
    ItemProcessor,
    YieldableItemProcessingTask,
    YieldableItemProcessor,
)
from reactivestreams.schedulers.logical import LogicalScheduler
from reactivestreams.schedulers.no_op import NoOpScheduler
from reactivestreams.schedulers.pause import Pause
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.scheduler import Scheduler, nanoseconds_until
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import (
    ScheduledTask,
    SchedulerTask,
    YieldableSchedulerTask,
    checked_task,
    discard_task,
)
from reactivestreams.schedulers.thread_access import ThreadAccess
from reactivestreams.schedulers.trampoline import TrampolineScheduler
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException, UnhandledExceptionEvent
from reactivestreams.schedulers.virtual_time import TICK, VirtualTime, VirtualTimeScheduler
from reactivestreams.schedulers.worker import WorkerScheduler
from reactivestreams.schedulers.worker_pool import WorkerPool
from reactivestreams.schedulers.yield_token import YieldToken, YieldTokenSource
from rs_core.scheduling.serial_queue import SerialQueue

__all__ = [
    "TICK",
    "ActionTask",
    "AnyioLoop",
    "EventLoop",
    "EventLoopScheduler",
    "ImmediateScheduler",
    "ItemProcessingTask",
    "ItemProcessor",
    "LogicalScheduler",
    "NoOpScheduler",
    "Pause",
    "PauseTimeoutError",
    "PerformanceCounters",
    "PhysicalScheduler",
    "ScheduledTask",
    "Scheduler",
    "SchedulerAccessError",
    "SchedulerStatus",
    "SchedulerTask",
    "SchedulerUnhandledException",
    "SerialQueue",
    "ThreadAccess",
    "TrampolineScheduler",
    "UnhandledExceptionEvent",
    "VirtualTime",
    "VirtualTimeError",
    "VirtualTimeScheduler",
    "WorkerPool",
    "WorkerScheduler",
    "YieldToken",
    "YieldTokenSource",
    "YieldableActionTask",
    "YieldableItemProcessingTask",
    "YieldableItemProcessor",
    "YieldableSchedulerTask",
    "checked_task",
    "discard_task",
    "nanoseconds_until",
]
