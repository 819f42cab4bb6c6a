"""What holds for every operator with one result, besides what holds for all operators."""

import asyncio
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import InputFailedError, OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


class FoldContract(OperatorContract, StateContract, SerializableContract):
    """A test states the call of the method, and a model: from all elements to the result, or to the error."""

    method: ClassVar[str]
    arguments: ClassVar[tuple[Any, ...]] = ()
    options: ClassVar[dict[str, Any]] = {}
    requested: ClassVar[int] = UNBOUNDED
    """How many elements are requested upstream for a result."""

    def result(self, elements: list[Any]) -> Any:
        """Model: the result for a stream of these elements."""
        raise NotImplementedError

    def is_finished_by(self, elements: list[Any]) -> bool:
        """Model: whether these elements decide the result."""
        return False

    def subject(self) -> Pipeline[Any, Any]:
        subject: Pipeline[Any, Any] = getattr(pipeline(), self.method)(*self.arguments, **self.options)
        return subject

    def passed_on(self, elements: list[Any]) -> list[Any]:
        for count in range(len(elements) + 1):
            if self.is_finished_by(elements[:count]):
                return [self.result(elements[:count])]
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [] if self.passed_on(elements) else [self.result(elements)]

    def test_signals_after_the_end_are_not_passed_on(self) -> None:
        """Where the first elements decide the result, the publisher was cancelled, and what it sends is no fault."""
        if len(self.elements) > 2 and not self.passed_on(self.elements[:2]):
            super().test_signals_after_the_end_are_not_passed_on()

    def test_second_subscription_is_cancelled(self) -> None:
        if not self.passed_on(self.elements[:1]):
            super().test_second_subscription_is_cancelled()

    # --- the suite, where a result is owed for what is empty ----------------------------------------------------------

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        """It needs demand here: the result is an element."""
        subscriber = RecordingSubscriber()
        Stream.empty().through(self.subject()).subscribe(subscriber)
        assert subscriber.outcome == ([], "open")
        subscriber.request(1)
        assert subscriber.outcome == ([self.result([])], "complete")

    def test_publisher_is_asked_once(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber()
        Stream.from_publisher(publisher, prefetch=2**24).through(self.subject()).subscribe(subscriber)
        assert publisher.requests == []
        subscriber.request(1)
        subscriber.request(3)
        assert publisher.requests == [min(self.requested, 2**24)]

    def test_upstream_is_cancelled_by_the_element_that_decides(self) -> None:
        decides = [n for n in range(len(self.elements) + 1) if self.is_finished_by(self.elements[:n])][:1]
        source = CountedIterable(self.elements)
        subscriber = RecordingSubscriber(first_request=1)
        Stream.from_iterable(source).through(self.subject()).subscribe(subscriber)
        assert subscriber.outcome == (self.expected, "complete")
        assert source.taken == (decides or [len(self.elements)])[0]
        assert source.is_closed

    def test_completion_waits_for_demand(self) -> None:
        if self.passed_on(self.elements):
            pytest.skip("its result does not wait for the completion")
        publisher, subscriber = ManualPublisher(), RecordingSubscriber()
        Stream.from_publisher(publisher).through(self.subject()).subscribe(subscriber)
        publisher.complete()
        assert subscriber.outcome == ([], "open")
        subscriber.request(1)
        assert subscriber.outcome == ([self.result([])], "complete")

    def test_cancel_before_demand_gives_the_result_up(self) -> None:
        subscriber = RecordingSubscriber()
        Stream.empty().through(self.subject()).subscribe(subscriber)
        subscriber.cancel()
        subscriber.request(1)
        assert subscriber.outcome == ([], "open")

    # --- the other two faces ------------------------------------------------------------------------------------------

    def test_terminal_operation_returns_the_result(self) -> None:
        stream = Stream.from_iterable(self.elements)
        found = getattr(stream, self.method)(*self.arguments, **self.options, timeout_seconds=10)
        assert ([found], type(found)) == (self.expected, type(self.expected[0]))

    def test_terminal_operation_raises_what_the_stream_fails_with(self) -> None:
        stream = Stream.from_iterable(CountedIterable([], fails_with=InputFailedError("early")))
        with pytest.raises(InputFailedError, match="early"):
            getattr(stream, self.method)(*self.arguments, **self.options)

    def test_awaited_terminal_operation_returns_the_result(self) -> None:
        stream = Stream.from_iterable(self.elements)
        assert [asyncio.run(getattr(stream, f"{self.method}_async")(*self.arguments, **self.options))] == self.expected

    def test_text_names_the_call(self) -> None:
        assert f".{self.method}(" in repr(self.subject())


class FoldOfSomething(FoldContract):
    """One that needs an element: without it the stream ends with an error, which names the remedy."""

    remedy: ClassVar[str]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return super().left_over(elements) if elements else []

    def result(self, elements: list[Any]) -> Any:
        raise NotImplementedError

    def is_without_result(self, elements: list[Any]) -> bool:
        return not elements

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        subscriber = RecordingSubscriber()
        Stream.empty().through(self.subject()).subscribe(subscriber)
        self.assert_refused(subscriber)

    def test_completion_waits_for_demand(self) -> None:
        """There is no result that could wait."""

    def test_cancel_before_demand_gives_the_result_up(self) -> None:
        """There is none."""

    def assert_refused(self, subscriber: RecordingSubscriber) -> None:
        assert subscriber.elements == []
        assert str(subscriber.error) == (
            f"{self.method}(): the stream completed without the element that was wanted; {self.remedy}"
        )

    def test_completion_of_the_input_arrives_at_every_position(self) -> None:  # type: ignore[override]
        for position in range(len(self.elements) + 1):
            given = self.elements[:position]
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            self.subscribed(CountedIterable(given), subscriber)
            if self.is_without_result(given):
                self.assert_refused(subscriber)
            else:
                assert subscriber.outcome == (self.passed_on(given) + self.left_over(given), "complete")

    def test_none_is_refused_where_it_comes_in(self) -> None:
        """That it is, the folds that need no element show."""


def loaded(method: str, arguments: tuple[Any, ...], *fields: Any, **options: Any) -> Any:
    """Return a stream that was not started, whose operator has read a state with these fields."""
    handle = Stream.empty().through(getattr(pipeline(), method)(*arguments, **options)).bind(RecordingSubscriber())
    subscribe(handle)
    stage = handle.inputs[0]
    stage.load_state(reader_of(False, *fields), stage.version)
    return handle
