"""Subscribers that are correct, of several shapes, and verifications of them."""

import queue
import threading
from typing import Any

from reactivestreams import AsyncBaseSubscriber, BaseSubscriber, WorkerScheduler
from reactivestreams.tck import SubscriberBlackboxVerification, SubscriberWhiteboxVerification


class Silence:
    """A probe that nobody looks at."""

    def register_on_subscribe(self, puppet: Any) -> None:
        """Do nothing."""

    def register_on_next(self, element: Any) -> None:
        """Do nothing."""

    def register_on_error(self, error: Any) -> None:
        """Do nothing."""

    def register_on_complete(self) -> None:
        """Do nothing."""


class SteppingSubscriber:
    """Request one element at a time, and be its own puppet; its steps are methods, so that a mutant changes one."""

    def __init__(self, probe: Any = None) -> None:
        self.probe = Silence() if probe is None else probe
        self.subscription: Any = None
        self.is_over = False

    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        if self.subscription is not None or self.is_over:
            subscription.cancel()
            return
        self.subscription = subscription
        self.probe.register_on_subscribe(self)
        self.begin()

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        if self.is_over or self.subscription is None:
            return
        try:
            self.process(element)
        except Exception:
            self.signal_cancel()
        else:
            self.go_on()

    def on_error(self, error: Any, /) -> None:
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        if not self.is_over:
            self.is_over = True
            self.fail(error)

    def on_complete(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.complete()

    # --- the steps ---

    def begin(self) -> None:
        self.subscription.request(1)

    def process(self, element: Any) -> None:
        self.probe.register_on_next(element)

    def go_on(self) -> None:
        if not self.is_over:
            self.subscription.request(1)

    def fail(self, error: Any) -> None:
        self.probe.register_on_error(error)

    def complete(self) -> None:
        self.probe.register_on_complete()

    # --- the puppet ---

    def trigger_request(self, elements: int) -> None:
        """Do nothing: it always asks on by itself."""

    def signal_cancel(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.subscription.cancel()


class TriggeredSubscriber(SteppingSubscriber):
    """Request only when told to from outside."""

    def begin(self) -> None:
        """Do nothing."""

    def go_on(self) -> None:
        """Do nothing."""

    def trigger_request(self, elements: int) -> None:
        if not self.is_over:
            self.subscription.request(elements)


class BulkSubscriber(SteppingSubscriber):
    """Request sixteen elements, and twelve more whenever twelve were processed."""

    taken = 0

    def begin(self) -> None:
        self.subscription.request(16)

    def go_on(self) -> None:
        self.taken += 1
        if self.taken % 12 == 0 and not self.is_over:
            self.subscription.request(12)


class LimitedSubscriber(BulkSubscriber):
    """Want only some elements, though it requests more."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def go_on(self) -> None:
        super().go_on()
        if self.taken == self.limit:
            self.signal_cancel()


class ThreadedSubscriber(SteppingSubscriber):
    """Process on a thread of its own, which alone calls the subscription and ends with the stream."""

    def __init__(self, probe: Any = None) -> None:
        super().__init__(probe)
        self.waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.wanted = 0
        self.has_taken = threading.Lock()

    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        if not self.has_taken.acquire(blocking=False):
            subscription.cancel()
            return
        self.subscription = subscription
        self.waiting.put(("begin",))
        threading.Thread(target=self.work, name="subscriber", daemon=True).start()

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        self.waiting.put(("next", element))

    def on_error(self, error: Any, /) -> None:
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        self.waiting.put(("fail", error))

    def on_complete(self) -> None:
        self.waiting.put(("complete",))

    def trigger_request(self, elements: int) -> None:
        self.waiting.put(("want", elements))

    def signal_cancel(self) -> None:
        self.waiting.put(("cancel",))

    def work(self) -> None:
        while not self.is_over:
            task, *argument = self.waiting.get()
            getattr(self, f"work_{task}")(*argument)

    def work_begin(self) -> None:
        self.probe.register_on_subscribe(self)
        self.begin()

    def work_next(self, element: Any) -> None:
        try:
            self.process(element)
        except Exception:
            self.work_cancel()
        else:
            self.subscription.request(1)

    def work_want(self, elements: int) -> None:
        """Do nothing: it always asks on by itself."""

    def work_fail(self, error: Any) -> None:
        self.is_over = True
        self.fail(error)

    def work_complete(self) -> None:
        self.is_over = True
        self.complete()

    def work_cancel(self) -> None:
        self.is_over = True
        self.subscription.cancel()


class Reporting:
    """The hooks of our base classes, which report to a probe; and their puppet."""

    probe: Any = Silence()

    def hook_on_subscribe(self) -> None:
        self.probe.register_on_subscribe(self)

    def hook_on_next(self, element: Any) -> None:
        self.probe.register_on_next(element)

    def hook_on_error(self, error: Any) -> None:
        self.probe.register_on_error(error)

    def hook_on_complete(self) -> None:
        self.probe.register_on_complete()

    def trigger_request(self, elements: int) -> None:
        self.request(elements)  # type: ignore[attr-defined]

    def signal_cancel(self) -> None:
        self.cancel()  # type: ignore[attr-defined]


class OfBaseClass(Reporting, BaseSubscriber[Any]):
    """Our base class, driven by the puppet."""

    def __init__(self, probe: Any = None) -> None:
        if probe is not None:
            self.probe = probe


class OfAsyncBaseClass(Reporting, AsyncBaseSubscriber[Any]):
    """Our asynchronous base class, driven by the puppet."""

    def __init__(self, scheduler: WorkerScheduler, probe: Any = None) -> None:
        super().__init__(scheduler=scheduler)
        if probe is not None:
            self.probe = probe


def failing(kind: type[SteppingSubscriber], signal: str, *arguments: Any) -> SteppingSubscriber:
    """Return a subscriber whose work fails in a signal, and which deals with that."""

    class Failing(kind):  # type: ignore[misc, valid-type]
        def begin(self) -> None:
            if signal == "on_subscribe":
                self.signal_cancel()
            else:
                super().begin()

        def process(self, element: Any) -> None:
            super().process(element)
            if signal == "on_next":
                raise ValueError("the element cannot be processed")

    return Failing(*arguments)


class WhiteboxOf(SubscriberWhiteboxVerification):
    """The white box of a kind of subscriber."""

    kind: type[Any] = SteppingSubscriber

    def create_subscriber(self, probe: Any) -> Any:
        return self.kind(probe)

    def create_failing_subscriber(self, signal: str, probe: Any) -> Any:
        return failing(self.kind, signal, probe) if issubclass(self.kind, SteppingSubscriber) else None

    def create_element(self, element: int) -> Any:
        return element


class BlackboxOf(SubscriberBlackboxVerification):
    """The black box of a kind of subscriber."""

    kind: type[Any] = SteppingSubscriber

    def create_subscriber(self) -> Any:
        return self.kind()

    def create_limited_subscriber(self, elements: int) -> Any:
        return LimitedSubscriber(elements)

    def create_failing_subscriber(self, signal: str) -> Any:
        return failing(self.kind, signal) if issubclass(self.kind, SteppingSubscriber) else None

    def trigger_request(self, subscriber: Any) -> None:
        subscriber.trigger_request(1)

    def create_element(self, element: int) -> Any:
        return element


def whitebox_of(kind: type[Any]) -> type[WhiteboxOf]:
    return type(f"WhiteboxOf{kind.__name__}", (WhiteboxOf,), {"kind": kind})


def blackbox_of(kind: type[Any]) -> type[BlackboxOf]:
    return type(f"BlackboxOf{kind.__name__}", (BlackboxOf,), {"kind": kind})
