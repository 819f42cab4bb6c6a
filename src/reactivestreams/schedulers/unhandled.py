"""Unhandled exceptions of tasks: handlers are called from the task's scheduler up to the physical one."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.arguments import checked_callable
from reactivestreams.dropped import dropped

if TYPE_CHECKING:
    from reactivestreams.schedulers.logical import LogicalScheduler


class SchedulerUnhandledException:
    """The argument of a handler.

    Args:
        scheduler: The scheduler on which the task was scheduled.
        exception: What the task raised.
    """

    def __init__(self, scheduler: "LogicalScheduler", exception: BaseException) -> None:
        self.scheduler = scheduler
        self.exception = exception
        self.handled = False
        """Set it to True so that no further handler is called."""

    def __repr__(self) -> str:
        return f"SchedulerUnhandledException({self.scheduler!r}, {self.exception!r}, handled={self.handled})"


UnhandledExceptionHandler = Callable[[SchedulerUnhandledException], object]


class UnhandledExceptionEvent:
    """The handlers of a scheduler, called in the order in which they were added; any thread may add and remove.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> scheduler = ImmediateScheduler()
        >>> def handle(unhandled):
        ...     print(repr(unhandled.exception))
        ...     unhandled.handled = True
        >>> scheduler.unhandled_exception.add(handle)
        >>> _ = scheduler.schedule(lambda: 1 / 0)
        ZeroDivisionError('division by zero')
    """

    __slots__ = ("_handlers",)

    def __init__(self) -> None:
        self._handlers: dict[UnhandledExceptionHandler, None] = {}

    def add(self, handler: UnhandledExceptionHandler) -> None:
        """Add a handler; one that was added before is not called twice.

        Raises:
            ArgumentTypeError: The handler cannot be called.
        """
        self._handlers[checked_callable(handler, operator="unhandled_exception.add", name="handler")] = None

    def remove(self, handler: UnhandledExceptionHandler) -> None:
        """Remove a handler; one that was never added is ignored."""
        self._handlers.pop(handler, None)

    def tell(self, unhandled: SchedulerUnhandledException) -> bool:
        """Call the handlers until one has handled the exception; return whether one has. Always runs user code.

        An exception of a handler goes to the hook for dropped signals, and the next handler is called.
        """
        for handler in list(self._handlers):
            try:
                handler(unhandled)
            except BaseException as failure:
                dropped("unhandled_exception", failure, origin=repr(unhandled.scheduler))
            if unhandled.handled:
                return True
        return False
