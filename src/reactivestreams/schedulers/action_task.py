"""Tasks that call a function."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVarTuple, Unpack

from reactivestreams.arguments import checked_callable
from reactivestreams.schedulers.task import ACTION_PRIORITY, YieldableSchedulerTask
from reactivestreams.schedulers.yield_token import YieldToken

if TYPE_CHECKING:
    from reactivestreams.schedulers.scheduler import Scheduler

Ts = TypeVarTuple("Ts")


class ActionTask:
    """Call a function once, with a priority or a state of its own; a plain callable can be scheduled directly.

    Args:
        action: The function; its result is ignored.
        state: The argument of the call.
        priority: The ready task with the lowest number runs first.

    Raises:
        ArgumentTypeError: The function cannot be called.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> _ = ImmediateScheduler().schedule(ActionTask(print, "hello", priority=0))
        hello
    """

    is_runnable = True

    def __init__(self, action: Callable[[Unpack[Ts]], object], *state: *Ts, priority: int = ACTION_PRIORITY) -> None:
        self._action = checked_callable(action, operator="ActionTask", name="action")
        self._state = state
        self.priority = priority

    def execute(self, scheduler: "Scheduler") -> bool:
        """Call the function; return True."""
        self._action(*self._state)
        return True


class YieldableActionTask(YieldableSchedulerTask):
    """Call a function with a yield token, until it returns True; it can be interrupted by a pause.

    Args:
        action: The function: it receives the state and the token, and returns True if it is done, False to get another
            turn.
        state: The first argument of each call.
        priority: The ready task with the lowest number runs first.

    Raises:
        ArgumentTypeError: The function cannot be called.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> numbers = iter(range(3))
        >>> def some(token):
        ...     for number in numbers:
        ...         print(number)
        ...         if token.is_yield_requested:
        ...             return False
        ...     return True
        >>> _ = ImmediateScheduler().schedule(YieldableActionTask(some))
        0
        1
        2
    """

    is_runnable = True

    def __init__(
        self,
        action: Callable[[Unpack[Ts], YieldToken], bool],
        *state: *Ts,
        priority: int = ACTION_PRIORITY,
    ) -> None:
        self._action = checked_callable(action, operator="YieldableActionTask", name="action")
        self._state = state
        self.priority = priority

    def execute_yieldable(self, scheduler: "Scheduler", yield_token: YieldToken) -> bool:
        """Call the function; return its result."""
        return self._action(*self._state, yield_token)
