"""A wrong and a right example for each rule of chapter 2."""

import queue
import threading
import time

from rule_examples.listener import LimitedListener, Listener
from rule_examples.numbers_publisher import NumbersSubscription


class WaitsToBeServed(Listener):
    def ask(self):
        pass


class AsksForMore(Listener):
    def ask(self):
        if not self.is_over:
            self.subscription.request(1)


class WorksWhereItIsCalled(Listener):
    def work(self, element):
        time.sleep(0.1)  # a slow disk
        super().work(element)


class WorksElsewhere(Listener):
    def on_next(self, element):
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        threading.Thread(target=self.work_and_ask, args=(element,)).start()

    def work_and_ask(self, element):
        time.sleep(0.1)
        self.work(element)
        self.ask()  # one element is requested at a time, so that one thread runs at a time


class CancelsToBeSure(Listener):
    def on_complete(self):
        self.is_over = True
        self.subscription.cancel()


class LeavesItAtThat(Listener):
    def on_complete(self):
        self.is_over = True


class GoesOnAfterTheEnd(Listener):
    def on_complete(self):
        print("complete")


class RegardsItAsCancelled(Listener):
    def on_complete(self):
        print("complete")
        self.is_over = True  # on_next and ask look at it


class TakesTheNewOne(Listener):
    def on_subscribe(self, subscription):
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        self.subscription = subscription
        self.ask()


class KeepsTheFirstOne(Listener):
    def on_subscribe(self, subscription):
        if subscription is None:
            raise TypeError("§2.13: on_subscribe(None)")
        if self.subscription is not None:
            subscription.cancel()
            return
        self.subscription = subscription
        self.ask()


class LosesInterest(LimitedListener):
    def stop(self):
        self.is_over = True


class SaysThatItHasEnough(LimitedListener):
    def stop(self):
        self.is_over = True
        self.subscription.cancel()


class AsksFromEveryThread(Listener):
    def on_subscribe(self, subscription):
        super().on_subscribe(subscription)
        subscription.request(8)

    def ask(self):
        threading.Thread(target=self.subscription.request, args=(1,)).start()


class AsksInTurn(Listener):
    def __init__(self):
        super().__init__()
        self.turn = threading.Lock()

    def ask(self):
        threading.Thread(target=self.ask_in_turn).start()

    def ask_in_turn(self):
        with self.turn:
            if not self.is_over:
                self.subscription.request(1)


class ClosesTooEarly(LimitedListener):
    def stop(self):
        self.subscription.cancel()
        self.elements = None  # nothing comes any more. Or does it?

    def on_next(self, element):
        self.elements.append(element)
        self.ask()


class IgnoresLateElements(LimitedListener):
    def stop(self):
        self.subscription.cancel()
        self.is_over = True

    def on_next(self, element):
        if not self.is_over:
            self.elements.append(element)
            self.ask()


class AveragesSomething(Listener):
    def on_complete(self):
        self.average = sum(self.elements) / len(self.elements)


class AveragesNothingAsWell(Listener):
    def on_complete(self):
        self.is_over = True
        self.average = sum(self.elements) / len(self.elements) if self.elements else None


class NamesTheLastElement(Listener):
    def on_error(self, error):
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        print(f"failed after {self.elements[-1]}: {error}")


class NamesTheLastElementIfAny(Listener):
    def on_error(self, error):
        if error is None:
            raise TypeError("§2.13: on_error(None)")
        self.is_over = True
        print(f"failed after {self.elements[-1:] or 'nothing'}: {error}")


class HandsOverInAField(Listener):
    def on_subscribe(self, subscription):
        self.has_new = threading.Event()
        threading.Thread(target=self.process, daemon=True).start()
        super().on_subscribe(subscription)
        subscription.request(3)

    def on_next(self, element):
        self.newest = element  # and what if the one before has not been taken yet?
        self.has_new.set()
        self.ask()

    def process(self):
        while self.has_new.wait(timeout=1) and not self.is_over:
            self.has_new.clear()
            self.work(self.newest)


class HandsOverInAQueue(Listener):
    def on_subscribe(self, subscription):
        self.signals = queue.Queue(maxsize=8)
        threading.Thread(target=self.process, daemon=True).start()
        super().on_subscribe(subscription)
        subscription.request(3)

    def on_next(self, element):
        self.signals.put((self.work, element))
        self.ask()

    def on_complete(self):
        self.signals.put((self.finish,))

    def process(self):
        while not self.is_over:
            try:
                handler, *argument = self.signals.get(timeout=1)
            except queue.Empty:
                continue  # it may be over by now
            handler(*argument)


class SubscribesTwice(NumbersSubscription):
    def begin(self):
        self.call(self.subscriber.on_subscribe, self)
        self.call(self.subscriber_now().on_subscribe, self)
        self.send()


class SubscribesOnce(NumbersSubscription):
    def begin(self):
        self.call(self.subscriber.on_subscribe, self)
        self.send()


class RaisesToThePublisher(Listener):
    def on_next(self, element):
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        self.work(element)
        self.ask()


class CancelsInTrouble(Listener):
    def on_next(self, element):
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        try:
            self.work(element)
        except Exception as error:
            print("cannot go on:", error)
            self.stop()
        else:
            self.ask()
