"""A wrong and a right example for each rule of chapter 1."""

import threading

from rule_examples.numbers_publisher import Idle, Numbers, NumbersSubscription


class ElementsAreFree(NumbersSubscription):
    def pay(self):
        pass


class ElementsCostDemand(NumbersSubscription):
    def pay(self):
        with self.lock:
            self.demand -= 1


class EndsWhenDemandIsUsedUp(NumbersSubscription):
    def is_exhausted(self):
        return self.sent == self.publisher.count and self.demand == 0

    def send_next(self):
        if self.sent < self.publisher.count:
            super().send_next()
        else:
            self.cancel()  # there is demand and nothing to send: what now?


class EndsWithItsNumbers(NumbersSubscription):
    def is_exhausted(self):
        return self.sent == self.publisher.count


class AThreadForEachRequest(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
        threading.Thread(target=self.send).start()


class OneSendsTheOthersAdd(NumbersSubscription):
    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
            if self.is_busy:
                return
            self.is_busy = True
        self.send()


class PrintsItsFailure(NumbersSubscription):
    def failed(self, error):
        self.cancel()
        print("cannot go on:", error)


class SignalsItsFailure(NumbersSubscription):
    def failed(self, error):
        self.end("on_error", error)


class FallsSilent(NumbersSubscription):
    def finished(self):
        self.cancel()


class SaysThatItEnds(NumbersSubscription):
    def finished(self):
        self.end("on_complete")


class LooksAtTheCountFirst(NumbersSubscription):
    def __init__(self, publisher, subscriber):
        super().__init__(publisher, subscriber)
        self.listener = subscriber

    def request(self, n):
        if n <= 0:
            self.listener.on_error(ValueError(f"§3.9: request({n}) is not positive"))
            self.cancel()
        else:
            super().request(n)


class LooksWhetherItIsOverFirst(NumbersSubscription):
    def request(self, n):
        if self.is_over:  # completed, failed, cancelled: all the same
            return
        super().request(n)


class CompletesAlways(NumbersSubscription):
    def failed(self, error):
        subscriber = self.subscriber
        try:
            self.end("on_error", error)
        finally:
            subscriber.on_complete()


class EndsOnce(NumbersSubscription):
    def failed(self, error):
        self.end("on_error", error)


class SendsWhatWasRequestedBefore(NumbersSubscription):
    is_cancelled = False

    def request(self, n):
        if not self.is_cancelled:
            super().request(n)

    def cancel(self):
        self.is_cancelled = True


class StopsBetweenElements(NumbersSubscription):
    def cancel(self):
        with self.lock:
            self.is_over = True  # send() looks before each element
            self.subscriber = None


class RejectsAtOnce:
    def subscribe(self, subscriber):
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        subscriber.on_error(RuntimeError("closed for today"))


class RejectsInOrder:
    def subscribe(self, subscriber):
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        subscriber.on_subscribe(Idle())
        subscriber.on_error(RuntimeError("closed for today"))


class IgnoresWhoItKnows(Numbers):
    def __init__(self, count, make=int):
        super().__init__(count, make)
        self.known = []

    def subscribe(self, subscriber):
        if subscriber not in self.known:
            self.known.append(subscriber)
            super().subscribe(subscriber)


class ServesWhoeverAsks(Numbers):
    def subscribe(self, subscriber):
        super().subscribe(subscriber)  # a subscription of its own, each time


class ServesTheLastOne(Numbers):
    current = None

    def subscribe(self, subscriber):
        if self.current is not None:
            self.current.cancel()
        self.current = NumbersSubscription(self, subscriber)
        self.current.begin()


class ServesEachByItself(Numbers):
    def subscribe(self, subscriber):
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        NumbersSubscription(self, subscriber).begin()
