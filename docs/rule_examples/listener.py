"""A right subscriber in small steps: a wrong example changes one of them, a right one shows it as it should be."""

import logging


class Listener:
    """Takes one element at a time and requests the next one when it is done with it."""

    def __init__(self):
        self.subscription = None
        self.is_over = False
        self.elements = []

    def on_subscribe(self, subscription):
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        if self.subscription is not None:
            subscription.cancel()
            return
        self.subscription = subscription
        self.ask()

    def on_next(self, element):
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        if self.is_over:
            return
        try:
            self.work(element)
        except Exception:
            logging.getLogger("examples").exception("cannot go on")
            self.stop()
        else:
            self.ask()

    def on_error(self, error):
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        self.is_over = True

    def on_complete(self):
        self.finish()

    def finish(self):
        self.is_over = True

    def work(self, element):
        self.elements.append(element)

    def ask(self):
        if not self.is_over:
            self.subscription.request(1)

    def stop(self):
        if not self.is_over:
            self.is_over = True
            self.subscription.cancel()


class LimitedListener(Listener):
    """Wants so many elements and no more, though it requests several at a time."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def ask(self):
        if not self.elements:
            self.subscription.request(self.limit + 5)
        elif len(self.elements) == self.limit:
            self.stop()
