"""Which check runs in this thread: factories of a subject are called without being told."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["current_check", "running"]

_current: ContextVar[CheckEnvironment | None] = ContextVar("current_check", default=None)


def current_check() -> CheckEnvironment | None:
    """Return the state of the check that this thread runs, or None outside of checks."""
    return _current.get()


@contextmanager
def running(environment: CheckEnvironment) -> Generator[None]:
    """Make a check the current one of this thread until the context is left."""
    token = _current.set(environment)
    try:
        yield
    finally:
        _current.reset(token)
