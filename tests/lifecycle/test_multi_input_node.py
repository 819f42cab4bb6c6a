"""Operators with several inputs: demand, ends, disposal, refusals."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    CapacityError,
    InvalidRequestError,
    NullElementError,
    StateError,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing, Zipping, zipped
from tests.lifecycle.merging_node import Action, Merging, bound
from tests.rs_core.tree_walks import nodes_of

LEFT, RIGHT = Stream.just("a", "b", "c"), Stream.just(1, 2)


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_operator_with_two_inputs_is_the_source_of_a_stream() -> None:
    assert zipped(LEFT, RIGHT).map(lambda pair: f"{pair[0]}{pair[1]}").to_list() == ["a1", "b2"]


def test_operators_with_several_inputs_stand_behind_each_other() -> None:
    inner = zipped(LEFT, Stream.range(9))
    assert zipped(inner, RIGHT, inner).to_list() == [(("a", 0), 1, ("a", 0)), (("b", 1), 2, ("b", 1))]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_each_request_brings_as_many_elements(size: int) -> None:
    subscriber = RecordingSubscriber()
    zipped(Stream.range(10), Stream.range(10)).subscribe(subscriber)
    for requested in range(size, 10, size):
        subscriber.request(size)
        assert (len(subscriber.elements), subscriber.faults) == (requested, [])
    subscriber.request(UNBOUNDED)
    assert subscriber.outcome == ([(number, number) for number in range(10)], "complete")


def test_inputs_are_asked_for_no_more_than_the_operator_wants() -> None:
    publishers = [ManualPublisher(), ManualPublisher()]
    streams = [Stream.from_publisher(publisher) for publisher in publishers]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    zipped(*streams).subscribe(subscriber)
    assert [publisher.requested for publisher in publishers] == [2, 2]
    publishers[0].send("a", "b")
    assert ([publisher.requested for publisher in publishers], subscriber.elements) == ([2, 2], [])
    publishers[1].send(1)
    assert ([publisher.requested for publisher in publishers], subscriber.elements) == ([3, 3], [("a", 1)])


def test_requests_made_before_the_start_are_served() -> None:
    subscriber = RecordingSubscriber()
    node = Zipping(subscriber, LEFT, RIGHT)
    node.request(1)
    node.subscribe()
    node.request(1)
    subscriber.requested = 2
    bound(node)
    assert subscriber.outcome == ([("a", 1), ("b", 2)], "complete")


def test_requests_inside_on_next_do_not_nest() -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    zipped(Stream.range(3000), Stream.range(3000)).subscribe(subscriber)
    assert (len(subscriber.elements), subscriber.is_complete, subscriber.faults) == (3000, True, [])


def test_operator_learns_of_demand_that_is_new() -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber()
    bound(Zipping(subscriber, Stream.never(), log=log))
    subscriber.request(2)
    subscriber.request(3)
    subscriber.request(UNBOUNDED)
    subscriber.request(1)
    assert log == ["start", ("request", 2), ("request", 3), ("request", UNBOUNDED)]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_operator_completes_with_its_last_input_unless_it_says_otherwise(count: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, *[Stream.just(number) for number in range(count)], actions={"on_start": lambda: None}))
    expected = (list(range(count)), "complete") if count else ([], "open")
    assert subscriber.outcome == expected


def test_error_of_an_input_is_passed_on_and_cancels_the_others() -> None:
    error = LookupError("no")
    other = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    node = bound(Merging(subscriber, Stream.from_publisher(other), Stream.just(1).map(lambda _: _raise(error))))
    assert (subscriber.outcome, other.cancels, node.is_disposed) == (([], repr(error)), 1, True)


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize("hook", ["on_start", "on_next", "on_request", "on_complete"])
def test_exception_of_a_hook_becomes_the_error_and_cancels_the_inputs(hook: str) -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    actions = {hook: lambda: _raise(ValueError(hook))}
    node = Merging(subscriber, Stream.from_publisher(publisher), Stream.just(7), actions=actions)
    bound(node)
    has_started = hook != "on_start"  # the inputs had
    assert (publisher.subscriber is not None, publisher.cancels) == (has_started, int(has_started))
    assert (repr(subscriber.error), node.disposals) == (f"ValueError('{hook}')", 1)


@pytest.mark.parametrize("hook", ["on_start", "on_next", "on_request", "on_complete"])
def test_operator_may_be_disposed_inside_every_hook(hook: str) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.just(7), Stream.never(), actions=actions)
    actions[hook] = node.dispose
    bound(node)
    assert (subscriber.has_ended, node.disposals, node.is_disposed) == (False, 1, True)
    assert [each.is_disposed for each in nodes_of(node)] == [True] * 5


@pytest.mark.parametrize("position", [0, 1, 2])
def test_subscriber_may_cancel_in_every_signal(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
    node = bound(Merging(subscriber, Stream.range(9), Stream.never()))
    assert (subscriber.outcome, node.disposals) == ((list(range(position)), "open"), 1)


def test_subscriber_that_raises_is_cancelled_and_signalled_nothing_more() -> None:
    class Raising(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            raise ValueError(element)

    raising = Raising(first_request=UNBOUNDED)
    with recorded_drops() as drops:
        node = bound(Merging(raising, Stream.range(9)))
    assert (raising.outcome, node.disposals) == (([0], "open"), 1)
    assert [(signal, repr(error), origin) for signal, error, origin in drops] == [
        ("on_next", "ValueError(0)", "Raising.on_next")
    ]


def test_interrupt_of_a_hook_comes_out_where_the_program_called() -> None:
    class Interrupt(KeyboardInterrupt):
        pass

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    node = Merging(subscriber, Stream.range(9), actions={"on_next": lambda: _raise(Interrupt())})
    with pytest.raises(Interrupt):
        bound(node)
    assert (subscriber.has_ended, node.disposals) == (False, 1)


# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "after"])
def test_illegal_request_ends_the_stream_with_its_error(when: str) -> None:
    subscriber = RecordingSubscriber()
    node = Merging(subscriber, Stream.never())
    if when == "before":
        node.request(0)
    bound(node)
    if when == "after":
        node.request(-1)
    assert isinstance(subscriber.error, InvalidRequestError)
    assert (node.disposals, subscriber.faults) == (1, [])


def test_requests_after_cancel_are_ignored() -> None:
    subscriber = RecordingSubscriber()
    bound(Merging(subscriber, Stream.range(3)))
    subscriber.cancel()
    subscriber.subscription.request(3)
    subscriber.subscription.request(-1)
    assert subscriber.outcome == ([], "open")


def test_more_elements_of_one_hook_than_may_wait_are_an_error() -> None:
    subscriber = RecordingSubscriber()
    node = Merging(
        subscriber, Stream.range(1), actions={"on_next": lambda: [node.emit(number) for number in range(1, 9)]}
    )
    bound(node)
    assert isinstance(subscriber.error, CapacityError)
    assert "emitted 4 while 4 elements wait for demand; emit fewer in one hook" in str(subscriber.error)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [("emit", (1,)), ("complete", ()), ("fail", (ValueError(),)), ("request_input", (0, 1)), ("cancel_input", (0,))],
)
def test_what_hooks_call_is_refused_outside_of_hooks(call: str, arguments: tuple[Any, ...]) -> None:
    node = bound(Merging(RecordingSubscriber(), Stream.never()))
    with pytest.raises(StateError, match=rf"{call}\(\) of .* outside its hooks; call it in a hook"):
        getattr(node, call)(*arguments)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda node: node.request_input(0, 0), ArgumentError, "request_input(index, n) needs n > 0, got 0; "),
        (lambda node: (node.complete(), node.emit(1)), StateError, "§1.7: emit() of <"),
        (lambda node: node.emit(None), NullElementError, "§2.13: emit(None) of <"),
        (lambda node: node.fail(None), ArgumentTypeError, "fail(error) of <"),
        (lambda node: node.fail("text"), ArgumentTypeError, "fail(error) of <"),
        (lambda node: node.fail(LookupError), ArgumentTypeError, "fail(error) of <"),
    ],
)
def test_calls_that_hooks_may_not_make_are_errors_of_the_stream(
    act: Callable[[Any], object], error: type, message: str
) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.never(), actions=actions)
    actions["on_start"] = lambda: act(node)
    bound(node)
    assert isinstance(subscriber.error, error)
    assert str(subscriber.error).startswith(message)
    assert (subscriber.elements, subscriber.faults) == ([], [])


@pytest.mark.parametrize("refused", [None, print])
def test_what_is_no_subscriber_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"Merging\(subscriber\) needs a Subscriber, got"):
        Merging(refused)
    for method in (Publishing(Merging).bind, Publishing(Merging).subscribe):
        with pytest.raises(TypeError, match=r"needs a Subscriber, got|§1\.9"):
            method(refused)


def test_operator_without_a_name_is_refused() -> None:
    nameless = type("Nameless", (Merging,), {"name": ""})
    with pytest.raises(ArgumentError, match=r"Nameless\.name is ''; set it to the id"):
        nameless(RecordingSubscriber())


def test_operator_whose_constructor_forgets_the_base_is_refused_where_it_is_used() -> None:
    class Forgetful(Merging):
        def __init__(self) -> None:
            self.streams = ()

    node = Forgetful()
    with pytest.raises(StateError, match="belongs to no stream"):
        node.start()
    assert (node.wanted, node.inputs, node.is_disposed) == (0, (), False)
    node.dispose()


@pytest.mark.parametrize("source", [ManualPublisher(), [1, 2], None])
def test_source_that_is_no_stream_is_refused_with_the_remedy(source: Any) -> None:
    node = Merging(RecordingSubscriber(), LEFT, source)
    with pytest.raises(ArgumentTypeError) as refused:
        node.subscribe()
    assert str(refused.value).startswith(f"sources() of {node!r} has to return streams, got {source!r} ")
    assert "Stream.from_publisher(...)" in str(refused.value)


@pytest.mark.parametrize("sources", [None, LEFT, 7])
def test_sources_that_are_no_list_of_streams_are_refused_and_nothing_runs(sources: Any) -> None:
    class Forgetful(Merging):
        def sources(self) -> Any:
            return sources

    node = Forgetful(RecordingSubscriber())
    with pytest.raises(ArgumentTypeError) as refused:
        node.subscribe()
    assert str(refused.value).startswith(f"sources() of {node!r} has to return the streams, got {sources!r} ")
    assert node.inputs == ()


def test_publisher_whose_operator_cannot_be_made_tells_its_subscriber() -> None:
    error = LookupError("no")
    subscriber = RecordingSubscriber()
    Publishing(lambda _: _raise(error)).subscribe(subscriber)
    assert subscriber.outcome == ([], repr(error))
    through = RecordingSubscriber()
    Stream.from_publisher(Publishing(lambda _: _raise(error))).subscribe(through)
    assert through.outcome == ([], repr(error))
