"""Who may touch what belongs to the tasks of a scheduler: the threads in which they run."""

from abc import ABC, abstractmethod

from reactivestreams.schedulers.errors import SchedulerAccessError
from rs_core.interp.deferred_functions import refuses_deferred_hooks


@refuses_deferred_hooks("and start a task of the event loop in it")
class ThreadAccess(ABC):
    """What tells its own threads from others; a documented base of logical and physical schedulers."""

    @abstractmethod
    def is_current(self) -> bool:
        """Return whether the calling thread is one in which tasks run; never runs user code.

        A caller that would wait for such a task asks first.
        """

    def check_access(self) -> bool:
        """Return whether the calling thread may touch what belongs to the tasks; never runs user code.

        It may in the threads where tasks run; where there are none for them, in any.
        """
        return self.is_current()

    def verify_access(self) -> None:
        """Raise unless `check_access()`.

        Raises:
            SchedulerAccessError: The calling thread is none in which tasks run.
        """
        if not self.check_access():
            raise SchedulerAccessError(
                f"this was called outside of the tasks of {self!r}, which alone may; schedule a task that does it"
            )
