"""`DefaultPublisher`, `DefaultSubscriber`, `DefaultSubscription`: what users of the modules of `rsocket` rely on."""

import inspect

import pytest

import reactivestreams.processor
import reactivestreams.publisher
import reactivestreams.subscriber
import reactivestreams.subscription
from reactivestreams import spec
from reactivestreams.publisher import DefaultPublisher
from reactivestreams.subscriber import DefaultSubscriber
from reactivestreams.subscription import DefaultSubscription
from rs_core.errors import ArgumentTypeError, NullElementError


def test_the_modules_have_the_interfaces_of_the_specification() -> None:
    assert reactivestreams.publisher.Publisher is spec.Publisher
    assert reactivestreams.subscriber.Subscriber is spec.Subscriber
    assert reactivestreams.subscription.Subscription is spec.Subscription
    assert reactivestreams.processor.Processor is spec.Processor


def test_the_default_classes_conform_to_their_interfaces() -> None:
    assert isinstance(DefaultPublisher(), spec.Publisher)
    assert isinstance(DefaultSubscriber(), spec.Subscriber)
    assert isinstance(DefaultSubscription(), spec.Subscription)


def test_the_signatures_are_those_that_other_packages_call() -> None:
    def parameters(function: object) -> list[str]:
        return [str(p.replace(annotation=p.empty)) for p in inspect.signature(function).parameters.values()]  # type: ignore[arg-type]

    assert parameters(DefaultSubscriber) == ["on_next=None", "on_error=None", "on_complete=None", "on_subscribe=None"]
    assert parameters(DefaultSubscriber.on_next) == ["self", "value", "is_complete=False"]
    assert parameters(DefaultSubscriber.on_error) == ["self", "exception"]
    assert parameters(DefaultSubscriber.on_subscribe) == ["self", "subscription"]
    assert parameters(DefaultPublisher.subscribe) == ["self", "subscriber"]
    assert parameters(DefaultSubscription.request) == ["self", "n"]


def test_each_signal_reaches_its_function() -> None:
    seen: list[tuple[object, ...]] = []
    subscriber: DefaultSubscriber[str] = DefaultSubscriber(
        on_next=lambda value, is_complete: seen.append(("next", value, is_complete)),
        on_error=lambda exception: seen.append(("error", exception)),
        on_complete=lambda: seen.append(("complete",)),
        on_subscribe=lambda subscription: seen.append(("subscribe", subscription)),
    )
    subscription, failure = DefaultSubscription(), ValueError("no more")
    subscriber.on_subscribe(subscription)
    subscriber.on_next("a")
    subscriber.on_next("b", is_complete=True)
    subscriber.on_error(failure)
    subscriber.on_complete()
    assert seen == [
        ("subscribe", subscription),
        ("next", "a", False),
        ("next", "b", True),
        ("error", failure),
        ("complete",),
    ]


def test_signals_without_a_function_are_ignored() -> None:
    subscriber: DefaultSubscriber[int] = DefaultSubscriber()
    subscriber.on_subscribe(DefaultSubscription())
    subscriber.on_next(1)
    subscriber.on_error(ValueError())
    subscriber.on_complete()


def test_the_subscription_is_none_before_and_kept_before_its_function_runs() -> None:
    seen = []
    subscriber: DefaultSubscriber[int] = DefaultSubscriber(on_subscribe=lambda _: seen.append(subscriber.subscription))
    assert subscriber.subscription is None
    subscription = DefaultSubscription()
    subscriber.on_subscribe(subscription)
    assert seen == [subscription]


def test_a_subscriber_can_be_used_again() -> None:
    subscriber: DefaultSubscriber[int] = DefaultSubscriber()
    first, second = DefaultSubscription(), DefaultSubscription()
    subscriber.on_subscribe(first)
    subscriber.on_complete()
    subscriber.on_subscribe(second)
    assert subscriber.subscription is second


def test_a_subclass_need_not_call_the_constructor() -> None:
    class Own(DefaultSubscriber[int]):
        def __init__(self) -> None:
            self.total = 0

        def on_next(self, value: int, is_complete: bool = False) -> None:
            super().on_next(value, is_complete)
            self.total += value

    own = Own()
    assert own.subscription is None
    own.on_subscribe(DefaultSubscription())
    own.on_next(2)
    own.on_error(ValueError())
    own.on_complete()
    assert own.total == 2


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_none_is_refused_by_each_signal(signal: str) -> None:
    called: list[object] = []
    subscriber: DefaultSubscriber[int] = DefaultSubscriber(**{signal: called.append})  # type: ignore[arg-type]
    with pytest.raises(NullElementError, match=rf"§2\.13: {signal}") as caught:
        getattr(subscriber, signal)(None)
    assert caught.value.rule == "2.13"
    assert called == []
    assert subscriber.subscription is None


@pytest.mark.parametrize("name", ["on_next", "on_error", "on_complete", "on_subscribe"])
def test_a_function_that_cannot_be_called_is_refused_at_once(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"DefaultSubscriber\({name}=...\) needs a callable or None, got 'x'"):
        DefaultSubscriber(**{name: "x"})  # type: ignore[arg-type]


def test_the_default_publisher_remembers_the_subscriber_and_signals_nothing() -> None:
    seen: list[object] = []
    publisher: DefaultPublisher[int] = DefaultPublisher()
    subscriber: DefaultSubscriber[int] = DefaultSubscriber(on_subscribe=seen.append)
    publisher.subscribe(subscriber)
    assert publisher._subscriber is subscriber
    assert seen == []


def test_the_default_publisher_refuses_none() -> None:
    with pytest.raises(NullElementError, match=r"§1\.9") as caught:
        DefaultPublisher().subscribe(None)  # type: ignore[arg-type]
    assert caught.value.rule == "1.9"


def test_publisher_and_subscription_can_be_one_class() -> None:
    class Single(DefaultPublisher[str], DefaultSubscription):
        def subscribe(self, subscriber: spec.Subscriber[str]) -> None:
            super().subscribe(subscriber)
            subscriber.on_subscribe(self)

        def request(self, n: int) -> None:
            assert self._subscriber is not None
            self._subscriber.on_next("only")
            self._subscriber.on_complete()

    seen: list[object] = []
    subscriber: DefaultSubscriber[str] = DefaultSubscriber(
        on_next=lambda value, is_complete: seen.append(value), on_complete=lambda: seen.append("complete")
    )
    Single().subscribe(subscriber)
    assert subscriber.subscription is not None
    subscriber.subscription.request(1)
    assert seen == ["only", "complete"]


def test_the_default_subscription_ignores_everything() -> None:
    subscription = DefaultSubscription()
    for n in (1, 0, -1, 2**70):
        subscription.request(n)
    subscription.cancel()
    subscription.cancel()
