"""The wrong publishers that the standard's kit is tried on, and a few right ones that look wrong.

They have no base that is correct: each does just what its name says.
"""

import random
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from tests.tck.subjects import IdleSubscription, ScriptedPublisher

MOST_ASYNCHRONOUS_ELEMENTS = 100
"""How many elements one worker sends at most, so that a demand without bound does not fill the memory."""


class ExpectedFailure(Exception):  # noqa: N818 - nothing is wrong
    """An exception that says no more than that it was signalled."""

    def __init__(self) -> None:
        super().__init__("Test Exception: Boom!")


def boom(subscriber: Any, *ignored: Any) -> None:
    """Signal an error that says no more than that."""
    subscriber.on_error(ExpectedFailure())


class OnlySubscribing:
    """Do one thing to every subscriber, and nothing else."""

    def __init__(self, do: Callable[[Any], None]) -> None:
        self._do = do

    def subscribe(self, subscriber: Any, /) -> None:
        self._do(subscriber)


def idle() -> ScriptedPublisher:
    """Return a publisher that never sends anything."""
    return ScriptedPublisher()


def rejecting(error: Exception) -> OnlySubscribing:
    """Return a publisher that rejects every subscriber as it should."""

    def reject(subscriber: Any) -> None:
        subscriber.on_subscribe(IdleSubscription())
        subscriber.on_error(error)

    return OnlySubscribing(reject)


def one_too_many() -> ScriptedPublisher:
    """Return a publisher that sends n + 1 elements for each request, from 0 every time, and ignores `cancel`."""

    def request(subscriber: Any, n: int) -> None:
        for number in range(n + 1):
            subscriber.on_next(number)

    return ScriptedPublisher(request)


class OneTooManyFromPool:
    """Start two workers at the first request, which hand n + 1 elements each to a pool of threads; ignore the rest."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        started = threading.Lock()

        class Link(IdleSubscription):
            def request(link, n: int, /) -> None:  # noqa: N805 - self is the publisher
                if started.acquire(blocking=False):
                    self._start(subscriber, min(n + 1, MOST_ASYNCHRONOUS_ELEMENTS))

        subscriber.on_subscribe(Link())

    def _start(self, subscriber: Any, elements: int) -> None:
        numbers = iter([*range(elements), *range(elements)])
        taking = threading.Lock()

        def work() -> None:
            while True:
                with taking:
                    number = next(numbers, None)
                if number is None:
                    return
                try:
                    subscriber.on_next(number)
                except BaseException:  # it swallows whatever it is told
                    continue

        for _ in range(self._threads):
            threading.Thread(target=work, name="mutant-pool", daemon=True).start()


class FromTenThreadsAtOnce:
    """Start ten threads at the first request, which all call `on_next` n times."""

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        started = threading.Lock()
        together = threading.Barrier(10)

        def emit(n: int) -> None:
            together.wait()
            for number in range(n):
                subscriber.on_next(number)

        class Link(IdleSubscription):
            def request(self, n: int, /) -> None:
                if started.acquire(blocking=False):
                    for _ in range(10):
                        threading.Thread(target=emit, args=(n,), name="mutant-ten", daemon=True).start()

        subscriber.on_subscribe(Link())


def completing_each_request() -> ScriptedPublisher:
    """Return a publisher that sends n elements and the end for each request, so that it ends many times."""

    def request(subscriber: Any, n: int) -> None:
        for number in range(n):
            subscriber.on_next(number)
        subscriber.on_complete()

    return ScriptedPublisher(request)


class NeverCompleting:
    """Send n consecutive numbers for each request, and never the end; each subscriber has numbers of its own."""

    def __init__(self, numbers: Callable[[], Any] = count) -> None:
        self._numbers = numbers

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        numbers = self._numbers()

        class Link(IdleSubscription):
            def request(self, n: int, /) -> None:
                for _ in range(n):
                    subscriber.on_next(next(numbers))

        subscriber.on_subscribe(Link())


def with_one_counter() -> NeverCompleting:
    """Return a publisher whose subscribers share one counter, each getting what the others have not got."""
    shared = count()
    return NeverCompleting(lambda: shared)


def random_numbers() -> NeverCompleting:
    """Return a publisher that sends everybody other numbers."""
    return NeverCompleting(lambda: iter(random.Random().random, None))


class CompletingOnce:
    """Send 0 for each request, the end after the first, and go on."""

    def subscribe(self, subscriber: Any, /) -> None:
        first = [True]

        class Link(IdleSubscription):
            def request(self, n: int, /) -> None:
                subscriber.on_next(0)
                if first.pop() if first else False:
                    subscriber.on_complete()

        subscriber.on_subscribe(Link())


class RefusingTheSecond:
    """Serve one subscriber with numbers and signal an error to every other."""

    def __init__(self) -> None:
        self._first: Any = NeverCompleting()

    def subscribe(self, subscriber: Any, /) -> None:
        publisher, self._first = self._first, rejecting(RuntimeError("Unexpected additional subscriber"))
        publisher.subscribe(subscriber)


class KeepingItsSubscriber:
    """Send n elements for each request and keep the subscriber for ever."""

    def subscribe(self, subscriber: Any, /) -> None:
        self.subscriber = subscriber
        NeverCompleting().subscribe(subscriber)


class AddingUp:
    """Add requests up; say something special at a sum, else send 0 for each request, whatever its number.

    Args:
        is_too_much: Tells whether a sum is special.
        message: Of the error that is signalled then.
        also_sends: Whether 0 is sent even then.
    """

    def __init__(self, is_too_much: Callable[[int], bool], message: str, *, also_sends: bool) -> None:
        self._is_too_much = is_too_much
        self._message = message
        self._also_sends = also_sends

    def subscribe(self, subscriber: Any, /) -> None:
        mutant = self

        class Link(IdleSubscription):
            demand = 0

            def request(self, n: int, /) -> None:
                self.demand += n
                special = mutant._is_too_much(self.demand)
                if special:
                    subscriber.on_error(RuntimeError(mutant._message))
                if mutant._also_sends or not special:
                    subscriber.on_next(0)

        subscriber.on_subscribe(Link())


def erring_above_the_maximum() -> AddingUp:
    """Return a publisher that takes demand above 2**63 - 1 for an error."""
    return AddingUp(
        lambda demand: demand > MAX_DEMAND, "Illegally signalling on_error (violates rule 3.17)", also_sends=False
    )


def erring_at_the_maximum() -> AddingUp:
    """Return a publisher that takes demand of exactly 2**63 - 1 for an error."""
    return AddingUp(
        lambda demand: demand == MAX_DEMAND, "Illegally signalling on_error too soon! (rule 3.17)", also_sends=True
    )


class UntilCancelled:
    """Send numbers from the first request on until cancelled; count them."""

    def __init__(self) -> None:
        self.sent = 0

    def subscribe(self, subscriber: Any, /) -> None:
        publisher = self

        class Link:
            is_started = is_cancelled = False

            def request(self, n: int, /) -> None:
                if self.is_started:
                    return
                self.is_started = True
                while not self.is_cancelled:
                    publisher.sent += 1
                    subscriber.on_next(publisher.sent)

            def cancel(self) -> None:
                self.is_cancelled = True

        subscriber.on_subscribe(Link())
