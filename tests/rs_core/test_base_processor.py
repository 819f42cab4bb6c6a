"""BaseProcessor: the hooks that an author writes, and what becomes of what they emit."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import BaseProcessor, Stream
from reactivestreams.errors import ArgumentTypeError, CapacityError, NullElementError, StateError
from reactivestreams.spec import Processor, Publisher, Subscriber
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.author_processors import Repeating, connected


class Hooked(BaseProcessor[Any, Any]):
    """Calls functions in its hooks."""

    def __init__(self, **hooks: Callable[..., object]) -> None:
        self.given = hooks

    def hook_on_subscribe(self) -> None:
        self.given.get("subscribe", lambda _: None)(self)

    def hook_on_next(self, element: Any) -> None:
        self.given.get("next", Hooked.emit)(self, element)

    def hook_on_error(self, error: Exception) -> None:
        self.given.get("error", lambda *_: None)(self, error)

    def hook_on_complete(self) -> None:
        self.given.get("complete", lambda _: None)(self)

    def hook_on_cancel(self) -> None:
        self.given.get("cancel", lambda _: None)(self)


def test_processor_is_a_subscriber_and_a_publisher() -> None:
    processor = Repeating()
    assert [isinstance(processor, kind) for kind in (Subscriber, Publisher, Processor)] == [True, True, True]


def test_elements_are_answered_by_none_one_or_many() -> None:
    processor = Repeating()
    Stream.just(0, 1, 3, 0, 2).subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == [1, 3, 3, 3, 2, 2]
    assert processor.hooks == ["subscribe", "next 0", "next 1", "next 3", "next 0", "next 2", "complete"]


def test_processors_chain_through_streams() -> None:
    first, second = Repeating(), Repeating()
    Stream.range(4).subscribe(first)
    Stream.from_publisher(first).map(lambda element: element - 1).subscribe(second)
    assert Stream.from_publisher(second).map(str).to_list() == ["1", "1", "2", "2", "2", "2", "2", "2"]


def test_processors_chain_directly() -> None:
    chain = [Repeating() for _ in range(5)]
    for above, below in itertools.pairwise(chain):
        above.subscribe(below)
    Stream.just(1, 2).subscribe(chain[0])
    assert Stream.from_publisher(chain[-1]).to_list() == [1, *[2] * 32]


def test_first_and_last_hook_may_emit() -> None:
    processor = Hooked(
        subscribe=lambda self: self.emit("first"), complete=lambda self: (self.emit("last"), self.complete())
    )
    Stream.just("between").subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == ["first", "between", "last"]


def test_what_is_emitted_at_the_end_waits_for_demand() -> None:
    publisher, subscriber = connected(Hooked(complete=lambda self: (self.emit("a"), self.emit("b"))))
    publisher.complete()
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == (["a"], "open")
    subscriber.request(1)
    assert subscriber.outcome == (["a", "b"], "complete")


def test_element_that_answers_with_nothing_needs_no_further_request_of_the_downstream() -> None:
    publisher, subscriber = connected(Repeating(), first_request=1)
    publisher.send(0, 0, 0)
    assert (subscriber.outcome, publisher.requests) == (([], "open"), [4, 3])


def test_end_that_a_hook_wants_cancels_the_upstream() -> None:
    publisher, subscriber = connected(
        Hooked(next=lambda self, element: (self.emit(element), self.complete())), first_request=5
    )
    publisher.send(7, 8)
    assert (subscriber.outcome, publisher.cancels) == (([7], "complete"), 1)


def test_failure_that_a_hook_wants_comes_after_what_was_emitted() -> None:
    error = ValueError("enough")
    publisher, subscriber = connected(
        Hooked(next=lambda self, element: (self.emit(1), self.emit(2), self.fail(error))), first_request=1
    )
    publisher.send(7)
    assert subscriber.outcome == ([1], "open")
    subscriber.request(1)
    assert (subscriber.elements, subscriber.error, publisher.cancels) == ([1, 2], error, 1)


def test_end_is_decided_once() -> None:
    publisher, subscriber = connected(
        Hooked(next=lambda self, element: (self.complete(), self.fail(ValueError("late")), self.complete())),
        first_request=1,
    )
    publisher.send(7)
    assert subscriber.outcome == ([], "complete")


@pytest.mark.parametrize("hook", ["subscribe", "next", "complete", "error"])
def test_exception_of_a_hook_cancels_the_upstream_and_goes_down(hook: str) -> None:
    def fail(self: Any, *_: Any) -> None:
        raise KeyError(hook)

    publisher, subscriber = connected(Hooked(**{hook: fail}), first_request=5)
    if hook == "next":
        publisher.send(1)
    elif hook == "complete":
        publisher.complete()
    elif hook == "error":
        publisher.fail(ValueError("why"))
    assert subscriber.outcome == ([], f"KeyError('{hook}')")
    assert publisher.cancels == (1 if hook in {"subscribe", "next"} else 0)  # §1.6: an ended upstream needs no cancel


def test_what_a_failing_hook_emitted_is_sent_before_its_error() -> None:
    def emit_and_fail(self: Any, element: int) -> None:
        self.emit(element)
        raise ValueError("half done")

    publisher, subscriber = connected(Hooked(next=emit_and_fail), first_request=5)
    publisher.send(1)
    assert subscriber.outcome == ([1], "ValueError('half done')")


def test_exception_of_the_cancel_hook_goes_to_the_dropped_hook() -> None:
    def fail(self: Any) -> None:
        raise KeyError("cancel")

    publisher, subscriber = connected(Hooked(cancel=fail))
    with recorded_drops() as drops:
        subscriber.cancel()
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("on_dispose", "KeyError('cancel')", "Hooked")
    ]
    assert publisher.cancels == 1


def test_interrupt_in_a_hook_reaches_the_publisher_and_cancels_it() -> None:
    def interrupt(self: Any, element: Any) -> None:
        raise KeyboardInterrupt

    publisher, subscriber = connected(Hooked(next=interrupt), first_request=5)
    with pytest.raises(KeyboardInterrupt):
        publisher.send(1)
    assert (subscriber.outcome, publisher.cancels) == (([], "open"), 1)


def test_error_is_passed_on_unless_the_hook_recovers() -> None:
    error = ValueError("why")
    for hooks, outcome in (
        ({}, ([], repr(error))),
        ({"error": lambda self, error: self.emit("seen")}, (["seen"], repr(error))),
        ({"error": lambda self, error: (self.emit("instead"), self.complete())}, (["instead"], "complete")),  # §4.2
        ({"error": lambda self, error: self.fail(KeyError("other"))}, ([], "KeyError('other')")),
    ):
        publisher, subscriber = connected(Hooked(**hooks), first_request=5)
        publisher.fail(error)
        assert subscriber.outcome == outcome


def test_error_is_passed_on_at_once_without_demand() -> None:
    error = ValueError("why")
    publisher, subscriber = connected(Repeating())
    publisher.fail(error)
    assert subscriber.error is error  # §4.2


def test_error_comes_after_the_elements_before_it() -> None:
    publisher, subscriber = connected(Repeating(), first_request=1)
    publisher.send(1, 2)
    publisher.fail(ValueError("why"))
    assert subscriber.outcome == ([1], "open")
    subscriber.request(5)
    assert subscriber.outcome == ([1, 2, 2], "ValueError('why')")


def test_cancel_hook_tells_that_the_downstream_cancelled() -> None:
    processor = Repeating()
    publisher, subscriber = connected(processor, first_request=1)
    publisher.send(3)
    subscriber.cancel()
    subscriber.subscription.cancel()
    publisher.send(3)
    assert (processor.hooks, publisher.cancels) == (["subscribe", "next 3", "cancel"], 1)
    assert subscriber.outcome == ([3], "open")


@pytest.mark.parametrize("end", ["complete", "fail", "complete()"])
def test_cancel_hook_is_not_called_after_an_end(end: str) -> None:
    seen: list[str] = []
    publisher, _ = connected(
        Hooked(cancel=lambda self: seen.append("cancel"), next=lambda self, element: self.complete()), first_request=1
    )
    if end == "complete":
        publisher.complete()
    elif end == "fail":
        publisher.fail(ValueError("why"))
    else:
        publisher.send(1)
    assert seen == []


def test_cancel_inside_a_hook_is_heeded() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=2)
    processor = Repeating()
    processor.subscribe(subscriber)
    Stream.range(1, 100).subscribe(processor)
    assert (subscriber.outcome, processor.hooks) == (([1, 2], "open"), ["subscribe", "next 1", "next 2", "cancel"])


def test_none_cannot_be_emitted() -> None:
    publisher, subscriber = connected(Hooked(next=lambda self, element: self.emit(None)), first_request=1)
    publisher.send(1)
    assert (type(subscriber.error), publisher.cancels) == (NullElementError, 1)
    assert str(subscriber.error).startswith("§2.13: emit(None)")


def test_more_than_the_capacity_cannot_be_emitted_by_one_hook() -> None:
    publisher, subscriber = connected(Repeating(), first_request=UNBOUNDED)
    publisher.send(8)
    assert subscriber.outcome == ([8] * 8, "open")
    publisher.send(9)
    assert (type(subscriber.error), publisher.cancels) == (CapacityError, 1)
    assert str(subscriber.error) == (
        "Repeating emitted 9 while 8 elements wait for demand; emit fewer in one hook, or raise the class attribute "
        "capacity"
    )


def test_hook_for_the_end_has_the_whole_capacity() -> None:
    class Small(Hooked):
        capacity = 2

    twice = Small(
        next=lambda self, element: (self.emit(1), self.emit(2)), complete=lambda self: (self.emit(3), self.emit(4))
    )
    publisher, subscriber = connected(twice, first_request=1)
    publisher.send("a")
    publisher.complete()
    assert subscriber.outcome == ([1], "open")
    subscriber.request(5)
    assert subscriber.outcome == ([1, 2, 3, 4], "complete")


def test_author_may_go_on_after_a_refused_emission() -> None:
    refused: list[Exception] = []

    def emit_what_fits(self: Any, element: int) -> None:
        for number in range(element):
            try:
                self.emit(number)
            except CapacityError as error:
                refused.append(error)

    class Small(Hooked):
        capacity = 2

    publisher, subscriber = connected(Small(next=emit_what_fits), first_request=5)
    publisher.send(3)
    assert (subscriber.outcome, len(refused)) == (([0, 1], "open"), 1)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda processor: processor.emit(1), "emit()"),
        (lambda processor: processor.complete(), "complete()"),
        (lambda processor: processor.fail(ValueError()), "fail()"),
    ],
)
def test_author_calls_belong_into_hooks(call: Callable[[Any], None], name: str) -> None:
    processor = Repeating()
    for _ in range(2):
        with pytest.raises(StateError) as raised:
            call(processor)
        assert str(raised.value).startswith(f"§1.3: {name} of Repeating outside its hooks; call it in a hook")
        assert raised.value.rule == "1.3"
        connected(processor)


def test_nothing_can_be_emitted_after_the_end() -> None:
    raised: list[Exception] = []

    def end_and_emit(self: Any, element: int) -> None:
        self.complete()
        try:
            self.emit(element)
        except StateError as error:
            raised.append(error)

    publisher, subscriber = connected(Hooked(next=end_and_emit), first_request=5)
    publisher.send(1)
    assert (subscriber.outcome, [error.rule for error in raised]) == (([], "complete"), ["1.7"])  # type: ignore[attr-defined]


def test_nothing_can_be_emitted_in_the_cancel_hook() -> None:
    raised: list[Exception] = []

    def emit(self: Any) -> None:
        try:
            self.emit(1)
        except StateError as error:
            raised.append(error)

    _, subscriber = connected(Hooked(cancel=emit), first_request=5)
    subscriber.cancel()
    assert (subscriber.outcome, len(raised)) == (([], "open"), 1)


@pytest.mark.parametrize("error", [None, "why", ValueError, KeyboardInterrupt()])
def test_failing_needs_an_exception_instance(error: Any) -> None:
    publisher, subscriber = connected(Hooked(next=lambda self, element: self.fail(error)), first_request=5)
    publisher.send(1)
    assert (type(subscriber.error), publisher.cancels) == (ArgumentTypeError, 1)


def test_missing_hook_is_reported_to_the_downstream() -> None:
    class Nothing(BaseProcessor[int, int]):
        pass

    publisher, subscriber = connected(Nothing(), first_request=1)
    publisher.send(1)
    assert subscriber.outcome == (
        [],
        "NotImplementedError('Nothing has to define hook_on_next(self, element)')",
    )


def test_long_chain_of_processors_needs_little_stack() -> None:
    class Passing(BaseProcessor[int, int]):
        prefetch = 2

        def hook_on_next(self, element: int) -> None:
            self.emit(element)

    chain = [Passing() for _ in range(300)]
    for above, below in itertools.pairwise(chain):
        above.subscribe(below)
    Stream.range(3).subscribe(chain[0])
    assert Stream.from_publisher(chain[-1]).to_list() == [0, 1, 2]
