"""Schedulers: who runs a task, when, and in which thread."""

from reactivestreams.schedulers.immediate import ImmediateScheduler
from reactivestreams.schedulers.scheduler import Scheduler, SchedulerTask, checked_task, discard_task, seconds_until
from reactivestreams.schedulers.worker import WorkerScheduler

__all__ = [
    "ImmediateScheduler",
    "Scheduler",
    "SchedulerTask",
    "WorkerScheduler",
    "checked_task",
    "discard_task",
    "seconds_until",
]
