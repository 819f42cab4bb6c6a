"""Subscribers as library authors write them, which note what their hooks saw."""

import threading
from typing import Any

from rs_core.authors.base_classes import AsyncBaseSubscriber, BaseSubscriber
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler


class Notes:
    """Notes its hooks, in which thread they ran, and whether two of them ran at the same time."""

    first_request: int | None = 2**63 - 1
    request: Any  # of the base class

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.hooks: list[tuple[Any, ...]] = []
        self.threads: set[int] = set()
        self.faults: list[str] = []
        self.ended = threading.Event()
        self._running = threading.Lock()

    def hook_on_subscribe(self) -> None:
        self.note("subscribe")
        if self.first_request is not None:
            self.request(self.first_request)

    def hook_on_next(self, element: Any) -> None:
        self.note("next", element)

    def hook_on_error(self, error: Exception) -> None:
        self.note("error", error)
        self.ended.set()

    def hook_on_complete(self) -> None:
        self.note("complete")
        self.ended.set()

    def hook_on_cancel(self) -> None:
        self.note("cancel")
        self.ended.set()

    def note(self, *hook: Any) -> None:
        if not self._running.acquire(blocking=False):
            self.faults.append(f"{hook} while another hook was running")
            return
        self.threads.add(threading.get_ident())
        self.hooks.append(hook)
        self._running.release()

    @property
    def names(self) -> list[str]:
        return [hook[0] for hook in self.hooks]

    @property
    def elements(self) -> list[Any]:
        return [hook[1] for hook in self.hooks if hook[0] == "next"]

    @property
    def errors(self) -> list[Exception]:
        return [hook[1] for hook in self.hooks if hook[0] == "error"]


class Noting(Notes, BaseSubscriber[Any]):
    """In the thread of the publisher."""


class AsyncNoting(Notes, AsyncBaseSubscriber[Any]):
    """On a scheduler."""

    prefetch = 4


def subscribed(publisher: ManualPublisher, scheduler: Any, *, first_request: int | None = 2**63 - 1) -> AsyncNoting:
    """Subscribe, and let the first hook run."""
    subscriber = AsyncNoting(scheduler=scheduler)
    subscriber.first_request = first_request
    publisher.subscribe(subscriber)
    if isinstance(scheduler, ManualScheduler):
        scheduler.run_waiting()
    return subscriber
