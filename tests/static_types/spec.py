"""Types of the interfaces, the default classes and the rules; read by the type checker only."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar, assert_type

from reactivestreams.dropped import DroppedHook, set_hook
from reactivestreams.errors import InvalidRequestError, ReactiveStreamsError
from reactivestreams.publisher import DefaultPublisher
from reactivestreams.spec import MAX_DEMAND, Processor, Publisher, Subscriber, Subscription
from reactivestreams.spec.rules import RULES, Obligation, Party, Rule, rule
from reactivestreams.subscriber import DefaultSubscriber
from reactivestreams.subscription import DefaultSubscription

T = TypeVar("T")


class Animal: ...


class Dog(Animal): ...


class Structural:
    """Derives from nothing, and names its parameters as it likes."""

    def subscribe(self, who: Subscriber[Dog]) -> None: ...


class Sink:
    def on_subscribe(self, s: Subscription) -> None: ...
    def on_next(self, value: Animal, is_complete: bool = False) -> None: ...
    def on_error(self, exception: BaseException) -> None: ...
    def on_complete(self) -> None: ...


class Gate:
    def request(self, count: int) -> None: ...
    def cancel(self) -> None: ...


class Several(Publisher[T], Iterable[T], Generic[T]):
    def subscribe(self, subscriber: Subscriber[T]) -> None: ...
    def __iter__(self) -> Iterator[T]:
        return iter(())


class Lengths(Processor[str, int]):
    def subscribe(self, subscriber: Subscriber[int]) -> None: ...
    def on_subscribe(self, subscription: Subscription) -> None: ...
    def on_next(self, element: str) -> None: ...
    def on_error(self, error: Exception) -> None: ...
    def on_complete(self) -> None: ...


def take_publisher(publisher: Publisher[Animal]) -> None: ...
def take_subscriber(subscriber: Subscriber[Dog]) -> None: ...
def take_subscription(subscription: Subscription) -> None: ...


# A publisher of dogs publishes animals; a subscriber to animals accepts dogs.
take_publisher(Structural())
take_publisher(Several[Dog]())
take_publisher(DefaultPublisher[Dog]())
take_subscriber(Sink())
take_subscriber(DefaultSubscriber[Animal]())
take_subscription(Gate())
take_subscription(DefaultSubscription())

# Not the other way round.
take_publisher(Several[object]())  # type: ignore[arg-type]
take_subscriber(DefaultSubscriber[str]())  # type: ignore[arg-type]
take_subscription(Sink())  # type: ignore[arg-type]

# A processor is both.
numbers: Publisher[int] = Lengths()
texts: Subscriber[str] = Lengths()
wrong: Publisher[str] = Lengths()  # type: ignore[assignment]


class Unfinished(Subscription):
    def request(self, n: int) -> None: ...


Unfinished()  # type: ignore[abstract]


def narrow(value: object) -> None:
    if isinstance(value, Subscription):
        assert_type(value.request(1), None)


subscriber = DefaultSubscriber[int](on_next=lambda value, is_complete: assert_type(value, int))
assert_type(subscriber.subscription, Subscription | None)

assert_type(RULES, Mapping[str, Rule])
assert_type(rule("3.9").obligation, tuple[Obligation, ...])
assert_type(rule("3.9").bound, Party)
assert_type(rule("3.9").chapter, int)
assert_type(MAX_DEMAND, int)

assert_type(ReactiveStreamsError("what happened").rule, str | None)


def hook(signal: str, value: object, /, *, origin: str) -> None: ...
def short_hook(signal: str) -> None: ...


assert_type(set_hook(hook), DroppedHook)
set_hook(short_hook)  # type: ignore[arg-type]
factory: Callable[..., Exception] = InvalidRequestError
