"""Publishers that are wrong about who lives for how long: subscriptions, references, sources that fail, subscribers
that raise."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from reactivestreams.tck.kit.check_environment import current_check
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Signal, here, on_a_thread

IDLE_SECONDS = 1.0
"""How often a worker without tasks looks whether its check is over."""

# --- references ---


class KeepingTheCompleted(Link):
    """Keep subscribers whose stream has ended in a list of the publisher."""

    def completion(self) -> Signal | None:
        keep(self.publisher, self.subscriber)
        return super().completion()


class KeepingTheRefused(Link):
    """Keep subscribers that made a bad request."""

    def refusal(self, n: int) -> Exception:
        keep(self.publisher, self.subscriber)
        return super().refusal(n)


class KeepingTheCancelled(Link):
    """Keep the subscriber until the next request, which does not come."""

    def end(self) -> Any:
        keep(self.publisher, self.subscriber)
        return super().end()


class KeepingATraceback(Link):
    """Remember an exception whose frames refer to the subscriber."""

    def element(self) -> Signal | None:
        subscriber = self.subscriber
        try:
            raise LookupError("nothing is cached")
        except LookupError as error:
            keep(self.publisher, error)
        return super().element() if subscriber is not None else None


class KeepingAThreadLocal(Link):
    """Leave the subscriber in the storage of the thread that served it."""

    places = threading.local()

    def element(self) -> Signal | None:
        self.places.subscriber = self.subscriber
        return super().element()


def keep(publisher: NumbersPublisher, what: Any) -> None:
    """Keep something as long as the publisher lives."""
    vars(publisher).setdefault("kept", []).append(what)


class WorkerPublisher(NumbersPublisher):
    """Send everything from one thread of its own, which ends when the check is over."""

    def __init__(self, elements: int, link: type[Link] = Link, **settings: Any) -> None:
        super().__init__(elements, link, **settings)
        self.tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.check = current_check()
        if self.run is here:  # no executor was given
            self.run = self.tasks.put
            on_a_thread(self.work)

    def work(self) -> None:
        task: Any = None
        while True:
            try:
                task = self.tasks.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if self.check is None or self.check.is_closed:
                    return
            else:
                task()


class KeptByTheLastTask(Link):
    """Rely on nobody knowing the link any more, while the worker still has it in a variable."""

    def end(self) -> Any:
        self.is_over = True
        return self.subscriber


class KillingTheWorker(Link):
    """Let what a subscriber raises end the worker, which serves others, too."""

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        call(*argument)


# --- subscribers that raise ---


class GoingOnAfterAFault(Link):
    def faulty(self, error: Exception) -> None:
        """Take no notice."""


class FailingTheFaulty(Link):
    """Tell a subscriber that has raised of its own error."""

    def faulty(self, error: Exception) -> None:
        subscriber = self.subscriber
        self.cancel()
        if subscriber is not None:
            subscriber.on_error(error)


class HidingFaults(Link):
    """Let nobody know that a subscriber has raised."""

    def faulty(self, error: Exception) -> None:
        self.cancel()


# --- sources that fail ---


class FailingTwice(Link):
    def source_failed(self, error: Exception) -> Signal | None:
        subscriber = self.end()
        return (lambda: self.fail(subscriber, error)), ()

    def fail(self, subscriber: Any, error: Exception) -> None:
        subscriber.on_error(error)
        subscriber.on_error(error)


class CompletingForAFailure(Link):
    def source_failed(self, error: Exception) -> Signal | None:
        return self.end().on_complete, ()


class SilentFailure(Link):
    def source_failed(self, error: Exception) -> Signal | None:
        self.end()
        return None


class RaisingForAFailure(Link):
    def source_failed(self, error: Exception) -> Signal | None:
        self.end()
        raise error


class SendingAfterAFailure(Link):
    """Signal the error and go on with the next element."""

    def source_failed(self, error: Exception) -> Signal | None:
        return self.subscriber.on_error, (error,)


# --- cancel ---


class DeafToCancelInOnSubscribe(Link):
    """Begin with a new state after `on_subscribe`, so that a cancellation inside it is forgotten."""

    def subscribed(self) -> None:
        subscriber = self.subscriber
        self.deliver(subscriber.on_subscribe, self)
        self.subscriber, self.is_over = subscriber, False
        self.start()


class ClosingARunningGenerator(Link):
    """Signal from inside a generator, and close that in `cancel`, which a running one refuses."""

    def subscribed(self) -> None:
        self.steps = self.walk()
        super().subscribed()

    def walk(self) -> Any:
        while True:
            super().drain()
            yield

    def drain(self) -> None:
        next(self.steps, None)

    def cancel(self) -> None:
        super().cancel()
        self.steps.close()


class ForgettingOnce(Link):
    """Remove itself from a list in every `cancel`."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.entries = [self]

    def cancel(self) -> None:
        super().cancel()
        self.entries.remove(self)


# --- coroutines ---


class RequestIsACoroutine(Link):
    async def request(self, n: int, /) -> None:  # type: ignore[override]
        super().request(n)


class SubscribeIsACoroutine(NumbersPublisher):
    async def subscribe(self, subscriber: Any, /) -> None:  # type: ignore[override]
        super().subscribe(subscriber)


# --- several subscribers ---


class RaisingForTheSecond(NumbersPublisher):
    has_subscriber = False

    def with_subscriber(self, subscriber: Any) -> None:
        if self.has_subscriber:
            raise RuntimeError("there is a subscriber already")
        self.has_subscriber = True
        super().with_subscriber(subscriber)


class IgnoringTheSecond(NumbersPublisher):
    has_subscriber = False

    def with_subscriber(self, subscriber: Any) -> None:
        if not self.has_subscriber:
            self.has_subscriber = True
            super().with_subscriber(subscriber)


class DeadAfterTheFirstCancel(NumbersPublisher):
    """Serve nobody, in silence, once somebody has cancelled."""

    is_shut_down = False

    def with_subscriber(self, subscriber: Any) -> None:
        if not self.is_shut_down:
            super().with_subscriber(subscriber)


class ShuttingDownOnCancel(Link):
    def cancel(self) -> None:
        vars(self.publisher)["is_shut_down"] = True
        super().cancel()


class SharingASubscription(NumbersPublisher):
    """Give all subscribers one subscription, which serves the last of them."""

    shared: Link | None = None

    def with_subscriber(self, subscriber: Any) -> None:
        if self.shared is None:
            self.shared = self.link(self, subscriber)
            self.shared.subscribed()
        else:
            self.shared.subscriber = subscriber
            subscriber.on_subscribe(self.shared)


class FindingByEquality(NumbersPublisher):
    """Look for the link of a subscriber by `==`, so that a second one equal to the first takes its place."""

    def __init__(self, elements: int, link: type[Link] = Link, **settings: Any) -> None:
        super().__init__(elements, link, **settings)
        self.links: list[Link] = []

    def with_subscriber(self, subscriber: Any) -> None:
        known = next((link for link in self.links if link.subscriber == subscriber), None)
        if known is not None:
            subscriber.on_subscribe(known)
            return
        link = self.link(self, subscriber)
        self.links.append(link)
        link.subscribed()


class SubscribingAgainOnRequest(Link):
    """Signal `on_subscribe` once more when the first request comes."""

    has_request = False

    def request(self, n: int, /) -> None:
        subscriber = self.subscriber
        if not self.has_request and subscriber is not None:
            self.has_request = True
            subscriber.on_subscribe(self)
        super().request(n)


# --- right, though it looks wrong ---


class FinishingItsBatch(Link):
    """Send what has been prepared, 64 elements at most, before looking whether it was cancelled."""

    batch = 0
    is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def request(self, n: int, /) -> None:
        if not self.is_cancelled:
            super().request(n)

    def faulty(self, error: Exception) -> None:
        self.batch = 0
        super().faulty(error)

    def next_signal(self) -> Signal | None:
        with self.lock:
            if self.batch == 0:
                if self.is_cancelled:
                    self.end()
                self.batch = min(64, self.demand)
            self.batch -= self.batch > 0
            return super().next_signal()


class HoppingBetweenThreads(Link):
    """Send each element from another thread, one after the other."""

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        if call.__name__ == "on_subscribe":
            super().deliver(call, *argument)
            return
        thread = threading.Thread(target=super().deliver, args=(call, *argument), name="mutant-hop", daemon=True)
        thread.start()
        thread.join()
