"""Subscribers that are wrong in one way each, and some that are only unusual."""

import threading
from collections.abc import Callable
from typing import Any

from tests.tck.subscriber_subjects import LimitedSubscriber, SteppingSubscriber, ThreadedSubscriber, TriggeredSubscriber


def later(function: Callable[[], None]) -> None:
    """Call a function on another thread, in a moment."""
    threading.Timer(0.02, function).start()


class Idle:
    """Do nothing in any signal."""

    def __init__(self, probe: Any = None) -> None:
        pass

    def on_subscribe(self, subscription: Any, /) -> None:
        """Do nothing."""

    def on_next(self, element: Any, /) -> None:
        """Do nothing."""

    def on_error(self, error: Any, /) -> None:
        """Do nothing."""

    def on_complete(self) -> None:
        """Do nothing."""


class Deaf(TriggeredSubscriber):
    def trigger_request(self, elements: int) -> None:
        """Do nothing."""


class RequestsAtEnd(TriggeredSubscriber):
    def complete(self) -> None:
        self.subscription.request(1)
        super().complete()

    def fail(self, error: Any) -> None:
        self.subscription.request(1)
        super().fail(error)


class CancelsAtEnd(TriggeredSubscriber):
    def complete(self) -> None:
        self.subscription.cancel()
        super().complete()

    def fail(self, error: Any) -> None:
        self.subscription.cancel()
        super().fail(error)


class RequestsElsewhereAtEnd(SteppingSubscriber):
    def complete(self) -> None:
        self.ask_elsewhere()

    def fail(self, error: Any) -> None:
        self.ask_elsewhere()

    def ask_elsewhere(self) -> None:
        other = threading.Thread(target=self.subscription.request, args=(1,))
        other.start()
        other.join()


class Namesake:
    """Has methods that are called like signals."""

    def __init__(self, subscription: Any) -> None:
        self.subscription = subscription

    def on_complete(self) -> None:
        self.subscription.request(1)

    def on_error(self, error: Any) -> None:
        self.subscription.cancel()


class CallsNamesake(TriggeredSubscriber):
    def begin(self) -> None:
        Namesake(self.subscription).on_complete()
        Namesake(self.subscription).on_error(None)


class TakesAll(TriggeredSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        self.subscription = subscription
        self.probe.register_on_subscribe(self)
        subscription.request(1)


class IgnoresSecond(SteppingSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        if self.subscription is None:
            super().on_subscribe(subscription)


class CancelsAll(Idle):
    completed = 0

    def on_subscribe(self, subscription: Any, /) -> None:
        subscription.cancel()

    def on_complete(self) -> None:
        type(self).completed += 1


class CancelsFirst(SteppingSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        if self.subscription is not None and subscription is not None:
            self.subscription.cancel()
        super().on_subscribe(subscription)


class RaisesAfterCancel(TriggeredSubscriber):
    def on_next(self, element: Any, /) -> None:
        if self.is_over:
            raise RuntimeError("But I thought it's cancelled!")
        super().on_next(element)


class Slow(TriggeredSubscriber):
    """Request and cancel a moment after being told to; raise when an element comes that was not requested."""

    requested = 0

    def trigger_request(self, elements: int) -> None:
        later(lambda: self.ask(elements))

    def ask(self, elements: int) -> None:
        if not self.is_over:
            self.requested += elements
            self.subscription.request(elements)

    def signal_cancel(self) -> None:
        later(super().signal_cancel)

    def on_next(self, element: Any, /) -> None:
        if element is not None and not self.requested:
            raise RuntimeError("nothing was requested")
        self.requested -= 1
        super().on_next(element)


class SlowStepping(Slow):
    """Besides request one at a time, the next one only when an element has arrived."""

    wanted = 0

    def trigger_request(self, elements: int) -> None:
        self.wanted += elements
        if self.wanted == elements:
            super().trigger_request(1)

    def go_on(self) -> None:
        self.wanted -= 1
        if self.wanted:
            super().trigger_request(1)


class SilentAtEnd(TriggeredSubscriber):
    def complete(self) -> None:
        """Report nothing."""

    def fail(self, error: Any) -> None:
        """Report nothing."""


class TalkativeAtEnd(TriggeredSubscriber):
    def complete(self) -> None:
        super().complete()
        super().complete()

    def fail(self, error: Any) -> None:
        super().fail(error)
        super().fail(error)


class ReplacesError(TriggeredSubscriber):
    def fail(self, error: Any) -> None:
        super().fail(ValueError("another one"))


class Unregistered(TriggeredSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription


class RaisesInError(SteppingSubscriber):
    def fail(self, error: Any) -> None:
        raise RuntimeError("Wrong, don't do this!") from error


class RaisesAtEnd(SteppingSubscriber):
    def complete(self) -> None:
        raise RuntimeError("no end, please")


class RaisesInNext(SteppingSubscriber):
    def on_next(self, element: Any, /) -> None:
        raise RuntimeError("no element, please")


class RequestsNothing(SteppingSubscriber):
    def begin(self) -> None:
        self.subscription.request(0)


class RequestsText(SteppingSubscriber):
    def begin(self) -> None:
        self.subscription.request("1")


class RequestsLess(TriggeredSubscriber):
    def trigger_request(self, elements: int) -> None:
        if not self.is_over and not self.taken:
            self.taken = True
            self.subscription.request(1)

    taken = False


class KeepsOneDemand(TriggeredSubscriber):
    """Request one at a time; a new demand takes the place of what is left of the last."""

    wanted = 0

    def trigger_request(self, elements: int) -> None:
        idle = not self.wanted
        self.wanted = elements
        if idle:
            self.subscription.request(1)

    def go_on(self) -> None:
        self.wanted -= 1
        if self.wanted:
            self.subscription.request(1)


class ReportsNothing(TriggeredSubscriber):
    def process(self, element: Any) -> None:
        """Report nothing."""


class ReportsAnother(TriggeredSubscriber):
    def process(self, element: Any) -> None:
        super().process(element + 1)


class ReportsTwice(TriggeredSubscriber):
    def process(self, element: Any) -> None:
        super().process(element)
        super().process(element)


class NeverCancels(TriggeredSubscriber):
    def signal_cancel(self) -> None:
        """Do nothing."""


class WrongRefusal(SteppingSubscriber):
    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise ValueError("None")
        super().on_next(element)


class PassesNoneOn(TriggeredSubscriber):
    def on_error(self, error: Any, /) -> None:
        self.fail(error)


class RefusesLate(SteppingSubscriber):
    """Look at the argument only once there is a subscription."""

    def on_next(self, element: Any, /) -> None:
        if self.subscription is not None:
            super().on_next(element)


class RefusesEarly(SteppingSubscriber):
    """Look at the argument only before the end."""

    def on_next(self, element: Any, /) -> None:
        if not self.is_over:
            super().on_next(element)


class GoesOnAfterEnd(SteppingSubscriber):
    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        self.process(element)
        self.subscription.request(1)


class LetsFailuresOut(SteppingSubscriber):
    def on_next(self, element: Any, /) -> None:
        raise ValueError("the element cannot be processed")


class KeepsAfterFailure(SteppingSubscriber):
    def on_next(self, element: Any, /) -> None:
        """Take it as if it had failed, and forget the subscription."""
        self.subscription = None


class OnlyForgets(LimitedSubscriber):
    def signal_cancel(self) -> None:
        self.is_over = True


class RaisesAtLateElement(LimitedSubscriber):
    def on_next(self, element: Any, /) -> None:
        if self.is_over:
            raise RuntimeError("I have enough")
        super().on_next(element)


class CallsFromTwoThreads(SteppingSubscriber):
    """Request by a thread of its own for each element, which nobody waits for."""

    def go_on(self) -> None:
        if not self.is_over:
            for _ in range(2):
                threading.Thread(target=self.subscription.request, args=(1,)).start()


class Loses(ThreadedSubscriber):
    """Drop every third element on the way to its thread."""

    taken = 0

    def on_next(self, element: Any, /) -> None:
        self.taken += 1
        if self.taken % 3 or element is None:
            super().on_next(element)
        else:
            self.subscription.request(1)


class StoresLate(SteppingSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None or self.subscription is not None or self.is_over:
            super().on_subscribe(subscription)
            return
        self.probe.register_on_subscribe(self)
        subscription.request(1)
        self.subscription = subscription

    def on_next(self, element: Any, /) -> None:
        if element is not None and self.subscription is None:
            raise AttributeError("there is no subscription")
        super().on_next(element)


class AsksFirst(SteppingSubscriber):
    """Request the next element before this one is processed."""

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        self.go_on()
        self.process(element)


class ForgetsTheEnd(SteppingSubscriber):
    """Begin by overwriting what signals that came inside the first request have set."""

    is_in_request = False

    def begin(self) -> None:
        self.is_in_request = True
        super().begin()
        self.is_in_request = False

    def complete(self) -> None:
        if not self.is_in_request:
            super().complete()
