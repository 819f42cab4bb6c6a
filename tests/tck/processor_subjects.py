"""Processors that are correct, of several shapes, and verifications of them."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from reactivestreams import BaseProcessor
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import ProcessorVerification
from tests.tck.subjects import IdleSubscription

BOUND = 16


class FanOutProcessor:
    """Pass every element on to all subscribers there are, each at its own pace; the slowest one bounds the upstream.

    Its steps are methods of their own, so that a mutant changes one of them.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.links: list[Link] = []
        self.upstream: Any = None
        self.in_flight = 0
        self.ending: Callable[[Any], None] | None = None
        self.has_left = False
        self.must_ask = False
        self.is_asking = False

    # --- from above ---

    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        with self.lock:
            is_second = self.upstream is not None
            if not is_second:
                self.upstream = subscription
        if is_second:
            self.refuse_second(subscription)
        else:
            self.ask()

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        with self.lock:
            if self.ending is not None:
                return
            self.in_flight -= 1
            links = list(self.links)
            for link in links:
                link.waiting.append(element)
        self.drain(links)

    def on_error(self, error: Any, /) -> None:
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        self.fail(error)

    def on_complete(self) -> None:
        self.complete()

    # --- from below ---

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        link = self.link(subscriber)
        link.signal(lambda: subscriber.on_subscribe(link))
        with self.lock:
            if not link.is_over and self.ending is None:
                self.links.append(link)
        link.start(is_first=True)

    # --- the steps ---

    def link(self, subscriber: Any) -> "Link":
        return Link(self, subscriber)

    def refuse_second(self, subscription: Any) -> None:
        subscription.cancel()

    def fail(self, error: Any) -> None:
        """Let the error overtake what waits (§4.2)."""
        with self.lock:
            for link in self.links:
                link.waiting.clear()
            self.end(lambda subscriber: subscriber.on_error(error))
        self.drain_all()

    def complete(self) -> None:
        self.end(lambda subscriber: subscriber.on_complete())
        self.drain_all()

    def end(self, ending: Callable[[Any], None]) -> None:
        with self.lock:
            if self.ending is None:
                self.ending = ending

    def drain_all(self) -> None:
        with self.lock:
            links = list(self.links)
        self.drain(links)

    def drain(self, links: "list[Link]") -> None:
        for link in links:
            link.start()

    def run(self, drain: Callable[[], None]) -> None:
        drain()

    def may_emit(self, link: "Link") -> bool:
        return link.demand > 0

    def wanted(self) -> int:
        if not any(link.demand for link in self.links):
            return 0
        return max(0, BOUND - self.in_flight - max(len(link.waiting) for link in self.links))

    def leave(self) -> None:
        """Cancel the upstream, since nobody is left; who comes later is completed."""
        self.has_left = True

    def ask(self) -> None:
        """Call the upstream; one thread does, for all that come meanwhile (§2.7)."""
        with self.lock:
            self.must_ask = True
            if self.is_asking:
                return
            self.is_asking = True
        while True:
            with self.lock:
                if not self.must_ask or self.upstream is None:
                    self.is_asking = False
                    return
                self.must_ask = False
                upstream, is_leaving = self.upstream, self.has_left and self.ending is None
                if is_leaving:
                    self.ending = lambda subscriber: subscriber.on_complete()
                count = 0 if is_leaving or self.ending is not None else self.wanted()
                self.in_flight += count
            if is_leaving:
                upstream.cancel()
            elif count:
                upstream.request(count)


class Link:
    """The subscription of one subscriber; whoever sets `is_draining` sends to it."""

    def __init__(self, processor: FanOutProcessor, subscriber: Any) -> None:
        self.processor = processor
        self.lock = processor.lock
        self.subscriber: Any = subscriber
        self.waiting: deque[Any] = deque()
        self.demand = 0
        self.refusal: Exception | None = None
        self.is_over = False
        self.is_draining = True  # until on_subscribe has returned

    def request(self, n: int, /) -> None:
        with self.lock:
            if self.is_over:
                return
            if n > 0:
                self.demand = min(MAX_DEMAND, self.demand + n)
            else:
                self.refusal = ValueError(f"§3.9: non-positive subscription request: {n}")
            links = list(self.processor.links)  # other threads take theirs out
        self.processor.drain(links if self in links else [self])
        self.processor.ask()

    def cancel(self) -> None:
        with self.lock:
            was_over = self.is_over
            self.finish()
            is_last = not was_over and not self.processor.links
        if is_last:
            self.processor.leave()
            self.processor.ask()

    def finish(self) -> Any:
        subscriber, self.subscriber = self.subscriber, None
        self.is_over = True
        self.waiting.clear()
        if self in self.processor.links:
            self.processor.links.remove(self)
        return subscriber

    def start(self, *, is_first: bool = False) -> None:
        with self.lock:
            if self.is_draining and not is_first:
                return
            self.is_draining = True
        self.processor.run(self.drain)

    def drain(self) -> None:
        while True:
            step = self.next_step()
            if step is None:
                break
            self.signal(step)
            del step  # it refers to the subscriber
        self.processor.ask()

    def next_step(self) -> Callable[[], None] | None:
        with self.lock:
            subscriber, ending = self.subscriber, self.processor.ending
            if self.refusal is not None and not self.is_over:
                refusal = self.refusal
                self.finish()
                return lambda: subscriber.on_error(refusal)
            if self.waiting and self.processor.may_emit(self):
                self.demand -= 1
                element = self.waiting.popleft()
                return lambda: subscriber.on_next(element)
            if ending is not None and not self.waiting and not self.is_over:
                self.finish()
                return lambda: ending(subscriber)
            self.is_draining = False
            return None

    def signal(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:  # §2.13
            self.cancel()


class ThreadedProcessor(FanOutProcessor):
    """Send from threads that end when there is nothing to send."""

    def run(self, drain: Callable[[], None]) -> None:
        threading.Thread(target=drain, name="processor", daemon=True).start()


class PatientProcessor(FanOutProcessor):
    """Let an error wait behind the elements before it."""

    def fail(self, error: Any) -> None:
        self.end(lambda subscriber: subscriber.on_error(error))
        self.drain_all()


class LockstepProcessor(FanOutProcessor):
    """Request and emit only when all subscribers have requested."""

    def wanted(self) -> int:
        return super().wanted() if all(link.demand for link in self.links) else 0

    def may_emit(self, link: Link) -> bool:
        # Those that have emitted this element already are one behind in what waits.
        longest = max((len(other.waiting) for other in self.links), default=0)
        return link.demand > 0 and all(other.demand for other in self.links if len(other.waiting) == longest)


class OfBaseClass(BaseProcessor[Any, Any]):
    """Our base class; it serves one subscriber."""

    def hook_on_next(self, element: Any) -> None:
        self.emit(element)


class ProcessorOf(ProcessorVerification):
    """The verification of a kind of processor."""

    kind: type[Any] = FanOutProcessor

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self.kind()

    def create_failed_publisher(self) -> Any:
        processor = self.kind()
        processor.on_subscribe(IdleSubscription())
        processor.on_error(RuntimeError("the upstream has failed"))
        return processor

    def create_element(self, element: int) -> Any:
        return element

    def max_supported_subscribers(self) -> int:
        return 1 if self.kind is OfBaseClass else MAX_DEMAND

    def does_coordinated_emission(self) -> bool:
        return issubclass(self.kind, LockstepProcessor)

    def delays_errors(self) -> bool:
        return issubclass(self.kind, PatientProcessor | OfBaseClass)


def processor_of(kind: type[Any]) -> type[ProcessorOf]:
    return type(f"ProcessorOf{kind.__name__}", (ProcessorOf,), {"kind": kind})
