"""What the calling thread may do for the tasks of a scheduler."""

from typing import Any

__all__ = ["can_run_inline", "needs_dispatch"]


def can_run_inline(scheduler: Any) -> bool:
    """Return whether what belongs into a task of this scheduler may be done at once instead; never runs user code.

    It may inside a task that is paused, and waited for, together with those of this scheduler. A thread of the
    scheduler's is not enough: it may be busy for another one, while this one is paused.

    Args:
        scheduler: What the context has, or None: everything runs in the caller.
    """
    if _has_no_tasks(scheduler):
        return True
    is_in_turn = getattr(scheduler, "is_in_turn", None)
    return is_in_turn is not None and is_in_turn()


def needs_dispatch(scheduler: Any) -> bool:
    """Return whether the calling thread is none in which tasks of this scheduler run; never runs user code.

    Args:
        scheduler: What the context has, or None: everything runs in the caller.
    """
    if _has_no_tasks(scheduler):
        return False
    check_access = getattr(scheduler, "check_access", None)
    return check_access is None or not check_access()


def _has_no_tasks(scheduler: Any) -> bool:
    """Return whether everything runs in the caller."""
    return scheduler is None or getattr(scheduler, "is_immediate", False)
