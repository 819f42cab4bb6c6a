"""Our own wrong processors, thought of before any check had judged them."""

import threading
from typing import Any

from tests.tck_selftest.processors.relay import Relay, RelayLink, Step


class ErrorAfterElements(Relay):
    """Let an error wait until all elements before it have been sent."""

    def failed(self, error: BaseException) -> None:
        self.is_over = True
        self.error = error


class ErrorReplaced(Relay):
    """Signal an error of its own that says the same."""

    def failed(self, error: BaseException) -> None:
        super().failed(RuntimeError(str(error)))


class CompletingForAnError(Relay):
    def failed(self, error: BaseException) -> None:
        super().failed(error)
        self.error = None


class LosingTheWaiting(Relay):
    """Forget an element that still waits when the end comes."""

    def on_complete(self) -> None:
        self.waiting.clear()
        super().on_complete()


class ReplayingTheLast(Relay):
    """Send the last element again to whoever subscribes late."""

    last: Any = None

    def send(self, element: Any, links: list[RelayLink]) -> None:
        self.last = element
        super().send(element, links)

    def subscribe(self, subscriber: Any, /) -> None:
        super().subscribe(subscriber)
        if subscriber is not None and self.last is not None:
            subscriber.on_next(self.last)


class CancellingForOne(Relay):
    """Cancel upstream when any subscriber leaves, though others stay."""

    def leave(self, link: RelayLink) -> Any:
        subscriber = super().leave(link)
        if subscriber is not None and self.links and self.upstream is not None:
            self.upstream.cancel()
        return subscriber


class SendingToTheCancelled(Relay):
    """Take no notice of a subscriber that leaves, as long as the stream goes on."""

    def leave(self, link: RelayLink) -> Any:
        if self.is_over or link.failure is not None:
            return super().leave(link)
        return link.subscriber


class KeepingTheCancelled(Relay):
    """Keep the links of those who have left."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[Any] = []

    def leave(self, link: RelayLink) -> Any:
        subscriber = super().leave(link)
        self.left.append(subscriber)
        return subscriber


class TakingTheSecondUpstream(Relay):
    """Cancel the old upstream in place of the new one."""

    def subscribed_again(self, subscription: Any) -> None:
        self.upstream.cancel()
        self.upstream = subscription


class CompletingTheFirstTwice(Relay):
    def last_step(self) -> Step:
        first = self.links[0].subscriber
        end = super().last_step()

        def end_twice() -> None:
            end()
            first.on_complete()

        return end_twice


class NeedingASubscriber(Relay):
    """Raise for an element that nobody waits for."""

    def on_next(self, element: Any, /) -> None:
        if element is not None and not self.links:
            raise RuntimeError("nobody has subscribed")
        super().on_next(element)


class AskingFromTwoThreads(Relay):
    """Ask upstream from a thread of its own, and from a second one while the first is still inside `request`."""

    def step_for_demand(self) -> Step | None:
        step = super().step_for_demand()
        return step if step is None or not self.is_asking else self.asking_thread().start

    def on_next(self, element: Any, /) -> None:
        if threading.current_thread().name == "mutant":
            second = self.asking_thread()
            second.start()
            second.join()  # it only adds to the demand
        super().on_next(element)

    def asking_thread(self) -> threading.Thread:
        return threading.Thread(target=self.upstream.request, args=(1,), name="mutant", daemon=True)


class LosingTheErrorOfTheEarly(Relay):
    """Forget an error that came when nobody had subscribed."""

    def failed(self, error: BaseException) -> None:
        if self.links:
            super().failed(error)


class LosingTheDemandOfTheEarly(Relay):
    """Forget what was requested before there was an upstream."""

    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is not None and self.upstream is None:
            for link in self.links:
                link.demand = 0
        super().on_subscribe(subscription)


class PassingNoneOn(Relay):
    def on_next(self, element: Any, /) -> None:
        with self.lock:
            self.is_asking = False
            self.waiting.append(element)
        self.drain()


class AskingTooOften(Relay):
    """Ask upstream for as much as all subscribers have asked for together, and keep all of it."""

    def step_for_demand(self) -> Step | None:
        if self.waiting or self.is_asking or self.upstream is None:
            return super().step_for_demand()
        self.is_asking = True
        total = sum(link.demand for link in self.links)
        return lambda: self.upstream.request(total)


class GreedyForTheFirst(Relay):
    """Ask upstream as soon as anybody has asked, and drop what others have not asked for."""

    def next_step(self) -> Step | None:
        if not self.is_over and any(link.demand > 0 for link in self.links):
            return self.step_for_demand()
        return super().next_step()

    def step_for_demand(self) -> Step | None:
        if not self.waiting:
            return super().step_for_demand()
        element = self.waiting.popleft()
        links = [link for link in self.links if link.demand > 0]
        for link in links:
            link.demand -= 1
        return lambda: self.send(element, links)


class ServingTheBufferAfterAnError(Relay):
    """Signal an error at once, and keep the elements that waited for whoever still asks."""

    def failed(self, error: BaseException) -> None:
        waiting, ended = list(self.waiting), [link.subscriber for link in self.links]
        super().failed(error)
        self.kept = [(subscriber, element) for subscriber in ended for element in waiting]

    kept: list[tuple[Any, Any]] = []  # noqa: RUF012 - replaced, never changed

    def asked_again(self) -> None:
        kept, self.kept = self.kept, []
        for subscriber, element in kept:
            subscriber.on_next(element)

    def subscribe(self, subscriber: Any, /) -> None:
        relay = self

        class AskingLink(RelayLink):
            def request(self, n: int, /) -> None:
                super().request(n)
                if relay.is_over:
                    relay.asked_again()

        self.serve(AskingLink(self, subscriber))


class PassingBadRequestsUp(Relay):
    """Request of the upstream what a subscriber has requested, whatever it is."""

    def subscribe(self, subscriber: Any, /) -> None:
        relay = self

        class PassingLink(RelayLink):
            def request(self, n: int, /) -> None:
                if n <= 0 and relay.upstream is not None:
                    relay.upstream.request(n)
                super().request(n)

        self.serve(PassingLink(self, subscriber))


class RefusingNoneOnce(Relay):
    """Look at the first element only."""

    has_begun = False

    def on_next(self, element: Any, /) -> None:
        if element is None and self.has_begun:
            return
        super().on_next(element)
        self.has_begun = True
