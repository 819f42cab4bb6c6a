"""A wrong and a right example for each rule of chapter 3."""

import array
import ctypes
import threading

from rule_examples.listener import Listener
from rule_examples.numbers_publisher import Idle, Numbers, NumbersSubscription


class IsAskedByATimer(Listener):
    def ask(self):
        threading.Timer(0.01, self.subscription.request, args=(1,)).start()


class AsksByItself(Listener):
    def ask(self):
        if not self.is_over:
            self.subscription.request(1)


class DropsWhatComesWhileItSends(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over or self.is_busy:
                return
            self.add(n)
            self.is_busy = True
        self.send()


class AddsWhatComesWhileItSends(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
            if self.is_busy:
                return
            self.is_busy = True
        self.send()


class CallsDeeperAndDeeper(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
        self.send()  # calls on_next, which calls request, which calls on_next ...


class ComesBackToTheLoop(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
            if self.is_busy:
                return  # back to on_next, and from there to the loop that called it
            self.is_busy = True
        self.send()


class HoldsALockWhileItSends(NumbersSubscription):
    def __init__(self, publisher, subscriber):
        super().__init__(publisher, subscriber)
        self.sending = threading.RLock()

    def request(self, n):
        with self.sending:
            super().request(n)


class HoldsALockWhileItCounts(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
            if self.is_busy:
                return
            self.is_busy = True
        self.send()


class WaitsForTheRunningSignal(NumbersSubscription):
    def __init__(self, publisher, subscriber):
        super().__init__(publisher, subscriber)
        self.sending = threading.RLock()

    def send(self):
        with self.sending:
            super().send()

    def cancel(self):
        with self.sending:
            super().cancel()


class LeavesWord(NumbersSubscription):
    def cancel(self):
        with self.lock:  # held for a moment only, never during a signal
            self.is_over = True
            self.subscriber = None


class StopsUntilTheNextRequest(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.demand = 0
            self.is_over = self.is_exhausted()


class StopsForGood(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.is_over = True
            self.subscriber = None

    def request(self, n):
        if not self.is_over:
            super().request(n)


class ClosesTwice(NumbersSubscription):
    def __init__(self, publisher, subscriber):
        super().__init__(publisher, subscriber)
        self.files = ["a file"]

    def cancel(self):
        super().cancel()
        self.files.pop()


class ClosesOnce(NumbersSubscription):
    def __init__(self, publisher, subscriber):
        super().__init__(publisher, subscriber)
        self.files = ["a file"]

    def cancel(self):
        super().cancel()
        self.files.clear()


class Replaces(NumbersSubscription):
    def add(self, n):
        self.demand = n


class Adds(NumbersSubscription):
    def add(self, n):
        if n > 0:
            self.demand += n
        else:
            self.refusal = ValueError(f"§3.9: request({n}) is not positive")


class IgnoresBadCounts(NumbersSubscription):
    def add(self, n):
        self.demand += max(n, 0)


class AnswersBadCounts(NumbersSubscription):
    def add(self, n):
        if n > 0:
            self.demand += n
        else:
            self.refusal = ValueError(f"§3.9: request({n}) is not positive")


class PreparesAfterAsking(Listener):
    def on_subscribe(self, subscription):
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        subscription.request(1)  # on_next may be called right here
        self.subscription = subscription


class PreparesBeforeAsking(Listener):
    def on_subscribe(self, subscription):
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        if self.subscription is not None:
            subscription.cancel()
            return
        self.subscription = subscription
        subscription.request(1)  # the last statement


class WritesAfterTheEnd(Listener):
    def on_subscribe(self, subscription):
        super().on_subscribe(subscription)  # on_complete may be called right here
        self.elements.append("subscribed")

    def on_complete(self):
        self.is_over = True
        del self.elements


class WritesBeforeItAsks(Listener):
    def on_subscribe(self, subscription):
        self.elements.append("subscribed")
        super().on_subscribe(subscription)

    def on_complete(self):
        self.is_over = True
        del self.elements


class TakesNoNotice(NumbersSubscription):
    def cancel(self):
        pass


class TakesNotice(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.is_over = True
            self.subscriber = None


class ListsItsSubscribers(Numbers):
    def __init__(self, count, make=int):
        super().__init__(count, make)
        self.subscribers = []

    def subscribe(self, subscriber):
        self.subscribers.append(subscriber)
        super().subscribe(subscriber)


class ForgetsItsSubscribers(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.is_over = True
            self.subscriber = None  # the only reference there was


class ShutsDownInSilence(Numbers):
    is_shut_down = False

    def subscribe(self, subscriber):
        publisher = self

        class Last(NumbersSubscription):
            def cancel(self):
                publisher.is_shut_down = True
                super().cancel()

        if not self.is_shut_down:
            Last(self, subscriber).begin()


class SaysThatItIsShutDown(Numbers):
    is_shut_down = False

    def subscribe(self, subscriber):
        publisher = self

        class Last(NumbersSubscription):
            def cancel(self):
                publisher.is_shut_down = True
                super().cancel()

        if self.is_shut_down:
            subscriber.on_subscribe(Idle())
            subscriber.on_error(RuntimeError("shut down"))
        else:
            Last(self, subscriber).begin()


class RefusesToCancelTwice(NumbersSubscription):
    def cancel(self):
        if self.is_over:
            raise RuntimeError("it is over already")
        super().cancel()


class CancelsWhenever(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.is_over = True
            self.subscriber = None


class CountsInSixtyFourBits(NumbersSubscription):
    def add(self, n):
        self.demand += array.array("q", [n])[0]


class CountsInPythonIntegers(NumbersSubscription):
    def add(self, n):
        if n > 0:
            self.demand += n
        else:
            self.refusal = ValueError(f"§3.9: request({n}) is not positive")


class WrapsAround(NumbersSubscription):
    def add(self, n):
        self.demand = ctypes.c_int64(self.demand + n).value


class StopsAtTheMaximum(NumbersSubscription):
    def add(self, n):
        if n > 0:
            self.demand = min(2**63 - 1, self.demand + n)
        else:
            self.refusal = ValueError(f"§3.9: request({n}) is not positive")
