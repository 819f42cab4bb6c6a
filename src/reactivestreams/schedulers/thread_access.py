"""Thread access: objects of a scheduler's tasks may only be used in the threads that run them."""

from abc import ABC, abstractmethod

from reactivestreams.schedulers.errors import SchedulerAccessError
from rs_core.interp.deferred_functions import refuses_deferred_hooks


@refuses_deferred_hooks("and start a task of the event loop in it")
class ThreadAccess(ABC):
    """The checks of the calling thread; a documented base of logical and physical schedulers."""

    @abstractmethod
    def is_current(self) -> bool:
        """Return whether the calling thread is one that runs tasks; never runs user code.

        A caller that would wait for such a task checks this first.
        """

    def check_access(self) -> bool:
        """Return whether the calling thread may use objects of the tasks; never runs user code.

        It may if it runs tasks; if there are no particular threads for tasks, any thread may.
        """
        return self.is_current()

    def verify_access(self) -> None:
        """Raise unless `check_access()`.

        Raises:
            SchedulerAccessError: The calling thread does not run tasks.
        """
        if not self.check_access():
            raise SchedulerAccessError(f"only tasks of {self!r} may call this; schedule a task that does it")
