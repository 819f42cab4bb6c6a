"""subscribe with functions: signals are calls, demand is a window, and what it returns cancels."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, NullElementError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber


class Calls:
    def __init__(self) -> None:
        self.elements: list[Any] = []
        self.errors: list[Exception] = []
        self.completions = 0

    def complete(self) -> None:
        self.completions += 1

    def subscribe(self, stream: Stream[Any], **arguments: Any) -> Any:
        return stream.subscribe(
            on_next=self.elements.append, on_error=self.errors.append, on_complete=self.complete, **arguments
        )


def test_functions_are_called_with_the_signals() -> None:
    calls = Calls()
    calls.subscribe(Stream.range(1000))
    assert (calls.elements, calls.errors, calls.completions) == (list(range(1000)), [], 1)


def test_error_is_given_to_its_function() -> None:
    calls, error = Calls(), OSError("lost")
    calls.subscribe(Stream.just(1).concat_with(Stream.error(error)))
    assert (calls.elements, calls.errors, calls.completions) == ([1], [error], 0)


@pytest.mark.parametrize("missing", ["on_next", "on_error", "on_complete"])
def test_each_function_may_be_left_out(missing: str) -> None:
    calls = Calls()
    functions: dict[str, Any] = {
        "on_next": calls.elements.append,
        "on_error": calls.errors.append,
        "on_complete": calls.complete,
    }
    del functions[missing]
    Stream.range(3).subscribe(**functions)
    assert len(calls.elements) == (0 if missing == "on_next" else 3)
    assert calls.completions == (0 if missing == "on_complete" else 1)


def test_error_without_a_function_goes_to_the_hook() -> None:
    error = OSError("lost")
    with recorded_drops() as drops:
        Stream.error(error).subscribe(on_next=print)
    assert drops == [("on_error", error, "CallbackSubscriber")]


def test_without_functions_the_stream_runs_for_its_effects() -> None:
    seen: list[int] = []
    Stream.range(3).do(on_next=seen.append).subscribe()
    assert seen == [0, 1, 2]


@pytest.mark.parametrize(("prefetch", "requests"), [(1, [1] * 9), (4, [4, 3, 3]), (128, [128])])
def test_demand_is_a_window(prefetch: int, requests: list[int]) -> None:
    publisher = ManualPublisher()
    Stream.from_publisher(publisher).subscribe(on_next=lambda _: None, prefetch=prefetch)
    for number in range(8):
        publisher.send(number)
    assert publisher.requests == requests


def test_default_is_bounded() -> None:
    publisher = ManualPublisher()
    Stream.from_publisher(publisher).subscribe()
    assert publisher.requested == 128


@pytest.mark.parametrize("position", range(4))
def test_what_it_returns_cancels_at_any_position(position: int) -> None:
    publisher, calls = ManualPublisher(), Calls()
    subscription = calls.subscribe(Stream.from_publisher(publisher))
    publisher.send(*range(position))
    subscription.cancel()
    subscription.cancel()
    publisher.send("late")
    assert (calls.elements, calls.completions, publisher.cancels) == (list(range(position)), 0, 1)
    assert subscription.is_cancelled


def test_leaving_its_block_cancels() -> None:
    publisher = ManualPublisher()
    with Stream.from_publisher(publisher).subscribe(on_next=print):
        assert publisher.cancels == 0
    assert publisher.cancels == 1


@pytest.mark.parametrize("position", range(3))
def test_failing_function_cancels_and_is_given_to_on_error(position: int) -> None:
    calls = Calls()

    def failing(number: int) -> None:
        calls.elements.append(number)
        if number == position:
            raise OSError("full")

    Stream.range(3).subscribe(on_next=failing, on_error=calls.errors.append, on_complete=calls.complete)
    assert calls.elements == list(range(position + 1))
    assert [str(error) for error in calls.errors] == ["full"]
    assert calls.completions == 0


@pytest.mark.parametrize("name", ["on_next", "on_error", "on_complete"])
def test_what_cannot_be_called_is_refused_before_anything_runs(name: str) -> None:
    wrong: Any = {name: 3}
    seen: list[int] = []
    with pytest.raises(ArgumentTypeError, match=rf"subscribe\({name}\) needs a callable, got 3"):
        Stream.range(3).do(on_next=seen.append).subscribe(**wrong)
    assert seen == []


def test_coroutine_function_is_refused() -> None:
    async def take(element: int) -> None: ...

    with pytest.raises(ArgumentTypeError, match=r"subscribe\(on_next\) needs a function that returns its result"):
        Stream.range(3).subscribe(on_next=take)


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=r"subscribe\(prefetch\) needs a count from 1 to 16777216"):
        Stream.range(3).subscribe(prefetch=prefetch)


def test_subscriber_and_functions_together_are_refused() -> None:
    both: Any = RecordingSubscriber()
    with pytest.raises(ArgumentTypeError, match=r"subscribe\(\) got both .* and functions"):
        Stream.range(3).subscribe(both, on_next=print)  # type: ignore[call-overload]


def test_subscriber_is_served_as_before() -> None:
    subscriber = RecordingSubscriber(first_request=3)
    assert Stream.range(3).subscribe(subscriber) is None  # type: ignore[func-returns-value]
    assert subscriber.outcome == ([0, 1, 2], "complete")
    nobody: Any = None
    with pytest.raises(NullElementError):
        Stream.range(3).subscribe(nobody)


# --- through ------------------------------------------------------------------------------------------------------


def test_function_of_a_stream_is_called_at_once_with_it() -> None:
    from reactivestreams import pipeline

    def in_pairs(numbers: Any) -> Any:
        return numbers.zip_with(numbers.skip(1))

    assert Stream.range(4).through(in_pairs).to_list() == [(0, 1), (1, 2), (2, 3)]
    doubled = pipeline().map(str).through(lambda texts: texts.map(len))
    assert Stream.range(9, 11).through(doubled).to_list() == [1, 2]
    assert repr(doubled) == "pipeline().map(str).map(len)"


@pytest.mark.parametrize("wrong", [3, None, [1]])
def test_what_is_neither_pipeline_nor_function_is_refused(wrong: Any) -> None:
    from reactivestreams import pipeline

    for subject in (Stream.range(3), pipeline()):
        with pytest.raises(ArgumentTypeError, match=r"through\(pipeline\) needs a Pipeline or a function, got"):
            subject.through(wrong)


@pytest.mark.parametrize("wrong", [3, None, [1]])
def test_function_that_returns_something_else_is_refused(wrong: Any) -> None:
    from reactivestreams import pipeline

    with pytest.raises(ArgumentTypeError, match=r"has to return a Stream, and returned"):
        Stream.range(3).through(lambda _: wrong)
    with pytest.raises(ArgumentTypeError, match=r"has to return a Pipeline, and returned"):
        pipeline().through(lambda _: wrong)


def test_coroutine_function_is_refused_by_through() -> None:
    async def asynchronous(stream: Any) -> Any: ...

    wrong: Any = asynchronous
    with pytest.raises(ArgumentTypeError, match=r"through\(function\) needs a function that returns its result"):
        Stream.range(3).through(wrong)


@pytest.mark.parametrize("end", ["complete", "error", "cancel"])
def test_notebook_shows_the_run_until_it_ends(end: str) -> None:
    publisher = ManualPublisher()
    subscription = (
        Stream.from_publisher(publisher).filter(lambda text: text != "<&>").subscribe(on_error=lambda _: None)
    )
    rows = list(ET.fromstring(subscription._repr_html_()))  # type: ignore[attr-defined]  # what a notebook calls
    assert rows[1][0].text == "subscriber CallbackSubscriber"
    assert len(rows) == 4
    assert repr(subscription).startswith("<subscription to Stream.from_publisher(")
    if end == "cancel":
        subscription.cancel()
    elif end == "error":
        publisher.fail(OSError("lost"))
    else:
        publisher.complete()
    assert repr(subscription).startswith("<ended subscription to Stream.from_publisher(")
    assert subscription._repr_html_().startswith("<pre>&lt;ended subscription")  # type: ignore[attr-defined]
