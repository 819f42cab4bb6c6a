"""A wrong and a right example for each rule of chapter 4."""

from reactivestreams import BaseProcessor
from rule_examples.numbers_publisher import Idle


class RunsAhead:
    def subscribe(self, subscriber):
        self.subscriber = subscriber
        subscriber.on_subscribe(Idle())

    def on_subscribe(self, subscription):
        subscription.request(2**63 - 1)  # I am only a subscriber here

    def on_next(self, element):
        self.subscriber.on_next(element)

    def on_error(self, error):
        self.subscriber.on_error(error)

    def on_complete(self):
        self.subscriber.on_complete()


class KeepsToDemand(BaseProcessor):
    def hook_on_next(self, element):
        self.emit(element)  # the base class sends it when it was requested


class LogsTheError(BaseProcessor):
    def hook_on_next(self, element):
        self.emit(element)

    def on_error(self, error):
        print("the upstream has failed:", error)


class LogsTheErrorAndPassesItOn(BaseProcessor):
    def hook_on_next(self, element):
        self.emit(element)

    def hook_on_error(self, error):
        print("the upstream has failed:", error)  # and the base class signals it, at once
