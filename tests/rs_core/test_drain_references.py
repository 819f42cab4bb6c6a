"""What a running stream refers to, and what it lets go when it has ended (§3.13)."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.authors.base_classes import BasePublisher, BaseSubscription
from rs_core.debug_checks import set_debug_checks
from tests.rs_core.callback_points import HERE, LAYOUTS
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber


class Element:
    """Something that can be watched."""


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    """Do without the collector, and without checks of signals, which wait for it."""
    are_checked = set_debug_checks(False)
    gc.disable()
    yield
    gc.enable()
    set_debug_checks(are_checked)


def end_by(end: str, subscriber: RecordingSubscriber) -> None:
    match end:
        case "cancel":
            subscriber.subscription.request(1)
            subscriber.cancel()
        case "cancel inside on_next":
            subscriber.actions["on_next"] = subscriber.cancel
            subscriber.subscription.request(2)
            subscriber.actions.clear()
        case "illegal request":
            subscriber.subscription.request(0)
            subscriber.signals.clear()  # the error refers to the frames of this test
        case "completion":
            subscriber.subscription.request(UNBOUNDED)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("end", ["cancel", "cancel inside on_next", "illegal request", "completion"])
def test_handle_that_is_kept_does_not_keep_the_subscriber(end: str, layout: str) -> None:
    subscriber = RecordingSubscriber(demand=None)
    LAYOUTS[layout](Stream.range(5), lambda stream: stream.map(str)).subscribe(subscriber)
    end_by(end, subscriber)
    handle, watched = subscriber.subscription, weakref.ref(subscriber)
    del subscriber
    assert watched() is None
    handle.request(1)
    handle.cancel()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_subscriber_that_is_kept_does_not_keep_a_cancelled_tree(layout: str) -> None:
    subscriber = RecordingSubscriber(demand=None)
    LAYOUTS[layout](Stream.range(5), lambda stream: stream).subscribe(subscriber)
    end_by("cancel", subscriber)
    source = subscriber.subscription
    while source.inputs:
        source = source.inputs[0]
    watched = weakref.ref(source)
    del source
    subscriber.subscription = None
    assert watched() is None


def test_elements_in_a_queue_are_dropped_by_cancel() -> None:
    elements = [Element() for _ in range(4)]
    watched = [weakref.ref(element) for element in elements]
    subscriber = RecordingSubscriber(demand=None)
    Stream.from_iterable(elements.pop(0) for _ in range(4)).observe_on(HERE, prefetch=4).subscribe(subscriber)
    subscriber.subscription.request(1)
    assert elements == []
    subscriber.cancel()
    assert [reference() is None for reference in watched] == [False, True, True, True]  # the first one was delivered
    subscriber.signals.clear()
    assert watched[0]() is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_element_dies_as_soon_as_the_subscriber_lets_it_go(layout: str) -> None:
    alive: list[int] = []
    watched: list[weakref.ref[Element]] = []

    def make(_: int) -> Element:
        element = Element()
        watched.append(weakref.ref(element))
        return element

    def count() -> None:
        subscriber.signals.clear()
        alive.append(sum(reference() is not None for reference in watched))

    subscriber = RecordingSubscriber(demand=1, actions={"on_next": count})
    LAYOUTS[layout](Stream.range(6), lambda stream: stream.map(make).filter(lambda _: True)).subscribe(subscriber)
    in_the_queue = 2 if layout == "above a queue" else 0
    assert max(alive) <= 1 + in_the_queue
    assert [reference() for reference in watched] == [None] * 6


def test_iterator_that_is_dropped_in_the_middle_frees_its_stream_at_once() -> None:
    element = Element()
    watched = weakref.ref(element)
    elements = iter(Stream.from_iterable(iter([element, element, element])))
    del element
    assert next(elements) is watched()
    elements.close()
    del elements
    assert watched() is None


def test_cycle_through_a_subscription_that_was_left_in_the_middle_is_collected() -> None:
    subscriber = RecordingSubscriber(demand=None)
    Stream.range(9).map(str).observe_on(HERE).buffer(2).flat_map(list).subscribe(subscriber)
    subscriber.subscription.request(1)
    watched = weakref.ref(subscriber)
    del subscriber
    assert watched() is not None
    gc.collect()
    assert watched() is None


def test_cycle_through_an_element_in_a_queue_is_collected() -> None:
    subscriber = RecordingSubscriber(demand=None)
    holder = Element()
    holder.subscriber = subscriber  # type: ignore[attr-defined]
    Stream.just(holder, holder).observe_on(HERE).subscribe(subscriber)
    watched = weakref.ref(subscriber)
    del subscriber, holder
    gc.collect()
    assert watched() is None


def test_subscription_of_a_library_author_is_freed_at_once() -> None:
    class Nothing(BaseSubscription):
        pass

    class Publisher(BasePublisher):
        def create_subscription(self, subscriber: Any) -> BaseSubscription:
            subscription = Nothing(subscriber)
            watched.append(weakref.ref(subscription))
            return subscription

    watched: list[weakref.ref[BaseSubscription]] = []
    subscriber = RecordingSubscriber()
    Publisher().subscribe(subscriber)
    subscriber.cancel()
    del subscriber
    assert [reference() for reference in watched] == [None]


def test_error_of_a_description_does_not_collect_tracebacks() -> None:
    error = ValueError("again and again")
    stream: Stream[int] = Stream.error(error)

    def entries() -> int:
        with pytest.raises(ValueError, match="again"):
            stream.to_list()
        traceback, count = error.__traceback__, 0
        while traceback is not None:
            traceback, count = traceback.tb_next, count + 1
        return count

    assert entries() == entries() == entries()
