"""A right publisher in small steps: a wrong example changes one of them, a right one shows it as it should be."""

import logging
import threading


class Numbers:
    """Sends the numbers below a count to each subscriber, on the thread that requests."""

    def __init__(self, count, make=int, subscription=None):
        self.count = count
        self.make = make  # makes the element of a number
        self.subscription = subscription or NumbersSubscription

    def subscribe(self, subscriber):
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        self.subscription(self, subscriber).begin()


class NumbersSubscription:
    """Serves one subscriber. Who finds it idle sends; everybody else only leaves word."""

    def __init__(self, publisher, subscriber):
        self.publisher = publisher
        self.subscriber = subscriber
        self.sent = 0
        self.demand = 0
        self.refusal = None  # the error that answers a bad request
        self.is_over = False
        self.is_busy = True  # until on_subscribe has returned
        self.lock = threading.Lock()

    def begin(self):
        self.call(self.subscriber.on_subscribe, self)
        self.send()

    def request(self, n):
        with self.lock:
            if self.is_over:
                return
            self.add(n)
            if self.is_busy:
                return
            self.is_busy = True
        self.send()

    def add(self, n):
        if n > 0:
            self.demand += n
        else:
            self.refusal = ValueError(f"§3.9: request({n}) is not positive")

    def cancel(self):
        with self.lock:
            self.is_over = True
            self.subscriber = None

    def send(self):
        while self.has_something_to_say():
            if self.refusal is not None:
                self.failed(self.refusal)
            elif self.is_exhausted():
                self.finished()
            else:
                self.send_next()

    def has_something_to_say(self):
        with self.lock:
            self.is_busy = not self.is_over and bool(self.demand or self.refusal or self.is_exhausted())
            return self.is_busy

    def is_exhausted(self):
        return self.sent == self.publisher.count

    def send_next(self):
        try:
            element = self.publisher.make(self.sent)
        except Exception as error:
            self.failed(error)
            return
        self.sent += 1
        self.pay()
        self.call(self.subscriber_now().on_next, element)

    def pay(self):
        with self.lock:
            self.demand -= 1

    def failed(self, error):
        self.end("on_error", error)

    def finished(self):
        self.end("on_complete")

    def end(self, signal, *argument):
        subscriber = self.subscriber_now()
        self.cancel()
        self.call(getattr(subscriber, signal), *argument)

    def subscriber_now(self):
        """Return the subscriber, or one to which nothing matters when it has just cancelled."""
        subscriber = self.subscriber
        return Nobody() if subscriber is None else subscriber

    def call(self, signal, *argument):
        try:
            signal(*argument)
        except Exception:
            self.cancel()
            logging.getLogger("examples").exception("§2.13: a subscriber has raised")


class Nobody:
    """Hears nothing."""

    def on_next(self, element):
        pass

    def on_error(self, error):
        pass

    def on_complete(self):
        pass


class Idle:
    """A subscription that brings nothing."""

    def request(self, n):
        pass

    def cancel(self):
        pass
