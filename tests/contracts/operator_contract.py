"""What holds for every operator, whatever it does with the elements: a suite that each operator's test inherits.

A test names its subject, an input, and a model of the operator: plain Python from a list to a list.
"""

import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream
from reactivestreams.errors import DemandExceededError, NullElementError
from reactivestreams.schedulers import WorkerScheduler
from rs_core.ends.subscriber import SubscriberStage
from tests.conftest import Depth
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

WAIT_SECONDS = 60.0


class InputFailedError(Exception):
    """What the input of a contract test fails with."""


class OperatorSubject:
    """The operator under test and its model."""

    elements: ClassVar[list[Any]] = list(range(12))
    """The input; no element is None."""

    reads_ahead: ClassVar[int] = 0
    """How many elements the operator may take from its input beyond what demand needs: its prefetch."""

    def subject(self) -> Pipeline[Any, Any]:
        raise NotImplementedError

    def passed_on(self, elements: list[Any]) -> list[Any]:
        """Model: what goes out for these elements, while the input may go on."""
        raise NotImplementedError

    def left_over(self, elements: list[Any]) -> list[Any]:
        """Model: what goes out besides, when the input completes after these elements."""
        return []

    def is_finished_by(self, elements: list[Any]) -> bool:
        """Model: whether the operator completes after these elements by itself."""
        return False

    def settle(self) -> None:
        """Let everything that waits run; overridden where a scheduler waits for the test."""

    # --- what follows from the model ------------------------------------------------------------------------------

    @property
    def expected(self) -> list[Any]:
        return self.passed_on(self.elements) + self.left_over(self.elements)

    def needed_for(self, count: int) -> int:
        """Return how many elements of the input `count` outgoing ones need."""
        for taken in range(len(self.elements) + 1):
            if len(self.passed_on(self.elements[:taken])) >= count:
                return taken
        return len(self.elements)

    def stream(self, source: Any) -> Stream[Any]:
        return Stream.from_iterable(source).through(self.subject())

    def subscribed(self, source: Any, subscriber: RecordingSubscriber) -> SubscriberStage:
        handle = self.stream(source).bind(subscriber)
        handle.initialize()
        self.settle()
        return handle

    def request(self, subscriber: RecordingSubscriber, n: int) -> None:
        subscriber.request(n)
        self.settle()


class OperatorContract(OperatorSubject):
    """The suite. Besides: `StateContract`, for saving and loading."""

    @pytest.fixture(autouse=True)
    def nothing_is_dropped(self) -> Iterator[None]:
        with recorded_drops() as drops:
            yield
        assert drops == []

    # --- demand -----------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("at_first", [1, 2, 5])
    def test_demand_from_inside_on_next_is_served(self, at_first: int) -> None:
        subscriber = RecordingSubscriber(first_request=at_first, then_request=1)
        self.subscribed(self.elements, subscriber)
        assert subscriber.outcome == (self.expected, "complete")

    @pytest.mark.parametrize("unbounded", [UNBOUNDED, UNBOUNDED + 1, 2**70])
    def test_unbounded_demand_is_served(self, unbounded: int) -> None:
        subscriber = RecordingSubscriber(first_request=unbounded)
        self.subscribed(self.elements, subscriber)
        assert subscriber.outcome == (self.expected, "complete")

    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    def test_each_request_brings_as_many_elements(self, size: int) -> None:
        subscriber = RecordingSubscriber()
        self.subscribed(CountedIterable(self.elements), subscriber)
        for requested in range(size, len(self.expected) + size, size):
            self.request(subscriber, size)
            assert subscriber.elements == self.expected[:requested]
        self.request(subscriber, 1)
        assert subscriber.outcome == (self.expected, "complete")

    def test_input_is_read_as_far_as_demand_needs(self) -> None:
        source = CountedIterable(self.elements)
        subscriber = RecordingSubscriber()
        self.subscribed(source, subscriber)
        assert source.taken <= self.reads_ahead
        for requested in range(1, len(self.expected) + 1):
            self.request(subscriber, 1)
            assert source.taken <= self.needed_for(requested) + self.reads_ahead
            assert source.taken >= self.needed_for(requested)

    def test_without_demand_nothing_flows(self) -> None:
        subscriber = RecordingSubscriber()
        self.subscribed(self.elements, subscriber)
        assert subscriber.elements == []

    def test_demand_of_another_thread_is_served(self) -> None:
        subscriber = RecordingSubscriber()
        self.subscribed(self.elements, subscriber)

        def request_all() -> None:
            for _ in range(len(self.expected) + 1):
                subscriber.request(1)

        requester = threading.Thread(target=request_all)
        requester.start()
        requester.join(WAIT_SECONDS)
        self.settle()
        assert subscriber.outcome == (self.expected, "complete")

    # --- cancel -----------------------------------------------------------------------------------------------------

    def test_cancel_inside_on_next_stops_at_every_position(self, depth: Depth) -> None:
        for position in depth.sample(list(range(1, len(self.expected) + 1))):
            source = CountedIterable(self.elements)
            subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
            handle = self.subscribed(source, subscriber)
            assert subscriber.outcome == (self.expected[:position], "open")
            assert source.is_closed
            assert handle.is_disposed
            assert source.taken <= self.needed_for(position) + self.reads_ahead

    def test_cancel_between_requests_stops_at_every_position(self, depth: Depth) -> None:
        for position in depth.sample(list(range(1, len(self.expected) + 1))):
            source = CountedIterable(self.elements)
            subscriber = RecordingSubscriber()
            self.subscribed(source, subscriber)
            self.request(subscriber, position)
            subscriber.cancel()
            subscriber.cancel()  # §3.7
            self.request(subscriber, UNBOUNDED)  # §3.6
            delivered, end = subscriber.outcome
            assert delivered == self.expected[:position]
            assert source.is_closed
            # The last element may bring the end with it, in which case there was nothing left to cancel.
            assert end == "open" or position == len(self.expected)

    def test_cancel_inside_on_subscribe_reads_nothing(self) -> None:
        source = CountedIterable(self.elements)
        subscriber = RecordingSubscriber(cancel_after=0)
        self.subscribed(source, subscriber)
        assert subscriber.outcome == ([], "open")
        assert source.taken == 0

    # --- the end ----------------------------------------------------------------------------------------------------

    def test_error_of_the_input_arrives_at_every_position(self, depth: Depth) -> None:
        for position in depth.sample(list(range(len(self.elements) + 1))):
            error = InputFailedError(f"at {position}")
            given = self.elements[:position]
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            self.subscribed(CountedIterable(given, fails_with=error), subscriber)
            end = "complete" if self.is_finished_by(given) else repr(error)
            assert subscriber.outcome == (self.passed_on(given), end)

    def test_completion_of_the_input_arrives_at_every_position(self, depth: Depth) -> None:
        for position in depth.sample(list(range(len(self.elements) + 1))):
            given = self.elements[:position]
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            self.subscribed(CountedIterable(given), subscriber)
            assert subscriber.outcome == (self.passed_on(given) + self.left_over(given), "complete")

    def test_input_that_fails_at_once_needs_no_demand(self) -> None:
        subscriber = RecordingSubscriber()
        handle = Stream.error(InputFailedError("at once")).through(self.subject()).bind(subscriber)
        handle.initialize()
        self.settle()
        assert subscriber.outcome == ([], "InputFailedError('at once')")

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        subscriber = RecordingSubscriber()
        handle = Stream.empty().through(self.subject()).bind(subscriber)
        handle.initialize()
        self.settle()
        assert subscriber.outcome == (self.left_over([]), "complete")

    def test_input_that_never_sends_leaves_silence(self) -> None:
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        handle = Stream.never().through(self.subject()).bind(subscriber)
        handle.initialize()
        self.settle()
        assert subscriber.outcome == ([], "open")
        subscriber.cancel()
        assert handle.is_disposed

    def test_each_subscription_runs_anew(self) -> None:
        stream = self.stream(self.elements)
        for _ in range(2):
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            stream.subscribe(subscriber)
            self.settle()
            assert subscriber.outcome == (self.expected, "complete")

    # --- an upstream of another origin -------------------------------------------------------------------------------

    def over(self, publisher: ManualPublisher, subscriber: RecordingSubscriber) -> None:
        Stream.from_publisher(publisher).through(self.subject()).bind(subscriber).initialize()
        self.settle()

    def test_publisher_that_sends_inside_request_does_not_nest(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
        publisher.during_request = [lambda: publisher.send(*self.elements[: publisher.requested]), publisher.complete]
        self.over(publisher, subscriber)
        given = self.elements[: publisher.requests[0]]
        assert subscriber.outcome == (self.passed_on(given) + self.left_over(given), "complete")

    def test_publisher_that_sends_without_demand_is_cancelled(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber()
        self.over(publisher, subscriber)
        publisher.send(*self.elements[:1] * (publisher.requested + 1))
        self.request(subscriber, UNBOUNDED)  # an operator with a queue passes that on before the error
        assert isinstance(subscriber.error, DemandExceededError)
        assert subscriber.faults == []
        assert publisher.cancels == 1

    def test_signals_after_the_end_are_not_passed_on(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
        self.over(publisher, subscriber)
        given = self.elements[:2]
        for element in given:
            publisher.send(element)
            self.settle()
        publisher.complete()
        late = InputFailedError("late")
        with recorded_drops() as drops:
            publisher.send(self.elements[2])
            publisher.fail(late)
            publisher.complete()
        self.settle()
        assert subscriber.outcome == (self.passed_on(given) + self.left_over(given), "complete")
        assert [(signal, value) for signal, value, _ in drops] == [("on_next", self.elements[2]), ("on_error", late)]
        assert publisher.cancels == 0

    def test_second_subscription_is_cancelled(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
        self.over(publisher, subscriber)
        second = ManualPublisher()
        second.subscribe(publisher.subscriber)
        given = self.elements[:1]
        publisher.send(*given)
        publisher.complete()
        self.settle()
        assert (second.cancels, second.requests) == (1, [])
        assert subscriber.outcome == (self.passed_on(given) + self.left_over(given), "complete")

    def test_none_is_refused_where_it_comes_in(self) -> None:
        publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
        self.over(publisher, subscriber)
        with pytest.raises(NullElementError, match=r"§2\.13: on_next\(None\)"):
            publisher.send(None)
        publisher.complete()
        self.settle()
        assert subscriber.outcome == (self.left_over([]), "complete")

    # --- threads ------------------------------------------------------------------------------------------------------

    def test_boundaries_around_change_nothing(self) -> None:
        with (
            WorkerScheduler(name="reactivestreams-above") as above,
            WorkerScheduler(name="reactivestreams-below") as below,
        ):
            stream = Stream.from_iterable(self.elements).observe_on(above, prefetch=3).through(self.subject())
            subscriber = RecordingSubscriber(first_request=1, then_request=1)
            self.start_settling(stream.observe_on(below, prefetch=2), subscriber)
            assert subscriber.outcome == (self.expected, "complete")

    def start_settling(self, stream: Stream[Any], subscriber: RecordingSubscriber) -> None:
        stream.subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
