"""Whether work for a scheduler can run in the calling thread."""

from typing import Any

__all__ = ["can_run_inline", "needs_dispatch"]


def can_run_inline(scheduler: Any) -> bool:
    """Return whether work for a task of this scheduler can run inline instead; never runs user code.

    It can inside a task that is paused and waited for together with the tasks of this scheduler. A thread of the
    scheduler is not enough: it may be working for another scheduler while this one is paused.

    Args:
        scheduler: The scheduler of the context; None means that everything runs in the caller.
    """
    if _has_no_tasks(scheduler):
        return True
    is_in_turn = getattr(scheduler, "is_in_turn", None)
    return is_in_turn is not None and is_in_turn()


def needs_dispatch(scheduler: Any) -> bool:
    """Return whether the calling thread does not run tasks of this scheduler; never runs user code.

    Args:
        scheduler: The scheduler of the context; None means that everything runs in the caller.
    """
    if _has_no_tasks(scheduler):
        return False
    check_access = getattr(scheduler, "check_access", None)
    return check_access is None or not check_access()


def _has_no_tasks(scheduler: Any) -> bool:
    """Return whether everything runs in the caller."""
    return scheduler is None or getattr(scheduler, "is_immediate", False)
