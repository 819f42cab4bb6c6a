"""The node that checks what an operator written in Python signals, in debug mode."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import (
    AlreadySubscribedError,
    DemandExceededError,
    InvalidRequestError,
    NullElementError,
    SchedulerFullError,
    SignalAfterEndError,
    SignalOverlapError,
)
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    LifecycleError,
    OperatorNode,
    StatefulOperator,
    SubscriptionVisitor,
    initialize_tree,
)
from reactivestreams.lifecycle.signal_checker import SignalChecker
from rs_core.debug_checks import set_debug_checks
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing, zipped
from tests.lifecycle.merging_node import Merging
from tests.rs_core.tree_walks import nodes_of


@pytest.fixture(autouse=True)
def checks_are_on() -> Iterator[None]:
    previous = set_debug_checks(True)
    yield
    set_debug_checks(previous)


class Manual(OperatorNode):
    """An operator whose signals the test sends."""

    def __init__(self, output: Any) -> None:
        self.output = output
        self.requests: list[Any] = []

    def on_start(self) -> None:
        self.output.on_subscribe(self)

    def request(self, n: Any, /) -> None:
        self.requests.append(n)

    def cancel(self) -> None:
        self.dispose()


def bound(subscriber: Any, context: Any = None) -> tuple[Any, Manual]:
    """Return the handle of a checked operator, and the operator."""
    operators: list[Manual] = []

    def create(output: Any) -> Manual:
        operators.append(Manual(output))
        return operators[0]

    handle = Publishing(create).bind(subscriber)
    initialize_tree(handle, context)
    return handle, operators[0]


SIGNALS: dict[str, Callable[[Any], None]] = {
    "on_next": lambda output: output.on_next(1),
    "on_error": lambda output: output.on_error(LookupError("no")),
    "on_complete": lambda output: output.on_complete(),
}


@pytest.mark.parametrize("end", ["on_complete", "on_error"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_after_the_end_raises(end: str, signal: str) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    _, operator = bound(subscriber)
    SIGNALS[end](operator.output)
    with pytest.raises(SignalAfterEndError, match=rf"§1\.7: Publishing called {signal}, and has terminated .*{end}"):
        SIGNALS[signal](operator.output)
    assert (subscriber.elements, subscriber.has_ended, subscriber.faults) == ([], True, [])


class Nesting(RecordingSubscriber):
    """Has its operator signal again from inside of a signal."""

    def __init__(self, signal: str) -> None:
        super().__init__(first_request=UNBOUNDED)
        self.signal = signal
        self.refusals: list[str] = []
        self.output: Any = None

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        with pytest.raises(SignalOverlapError) as refused:
            SIGNALS[self.signal](self.output)
        self.refusals.append(str(refused.value))


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_while_another_one_is_running_raises(signal: str) -> None:
    nesting = Nesting(signal)
    _, operator = bound(nesting)
    nesting.output = operator.output
    operator.output.on_next(1)
    (refusal,) = nesting.refusals
    assert refusal == (
        f"§1.3: Publishing called {signal} while its subscriber is still processing a signal; "
        f"signal one at a time, never inside a signal"
    )
    assert (nesting.elements, nesting.faults) == ([1], [])
    operator.output.on_complete()
    assert nesting.is_complete


def test_signal_of_another_thread_while_one_is_running_raises() -> None:
    refusals: list[type] = []

    def signal_elsewhere() -> None:
        def run() -> None:
            try:
                operator.output.on_next(2)
            except SignalOverlapError as refused:
                refusals.append(type(refused))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join(10)

    class Signalling(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            signal_elsewhere()

    subscriber = Signalling(first_request=UNBOUNDED)
    _, operator = bound(subscriber)
    operator.output.on_next(1)
    assert (subscriber.elements, refusals) == ([1], [SignalOverlapError])


def test_element_that_was_not_requested_raises() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    _, operator = bound(subscriber)
    operator.output.on_next("a")
    with pytest.raises(DemandExceededError, match=r"§1\.1: Publishing sent 'b' as element 2, 1 were requested"):
        operator.output.on_next("b")
    subscriber.request(1)
    operator.output.on_next("b")
    assert (subscriber.elements, subscriber.faults) == (["a", "b"], [])


@pytest.mark.parametrize("signal", ["on_next", "on_error", "on_subscribe"])
def test_signal_with_none_raises(signal: str) -> None:
    _, operator = bound(RecordingSubscriber(first_request=1))
    with pytest.raises(NullElementError, match=rf"§2\.13: Publishing called {signal}\(None\)"):
        getattr(operator.output, signal)(None)


def test_second_subscription_raises() -> None:
    subscriber = RecordingSubscriber()
    _, operator = bound(subscriber)
    with pytest.raises(AlreadySubscribedError, match=r"§2\.12: Publishing called on_subscribe a second time"):
        operator.output.on_subscribe(operator)
    assert subscriber.faults == []


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_before_on_subscribe_raises(signal: str) -> None:
    checker = SignalChecker(RecordingSubscriber(), "an operator")
    with pytest.raises(LifecycleError, match=rf"an operator called {signal} before on_subscribe \(§1\.9\)"):
        SIGNALS[signal](checker)


def test_signal_outside_of_the_hosts_scheduler_raises() -> None:
    refusals: list[str] = []
    done = threading.Event()
    with WorkerScheduler(name="reactivestreams-host") as host:
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        bound_in_host: list[Any] = []

        def run() -> None:
            bound_in_host.append(bound(subscriber, DefaultOperatorContext("rx://query", host))[1])
            bound_in_host[0].output.on_next(1)
            done.set()

        host.schedule(run)
        assert done.wait(10)
        with pytest.raises(LifecycleError) as refused:
            bound_in_host[0].output.on_next(2)
        refusals.append(str(refused.value))
    assert subscriber.elements == [1]
    assert refusals[0].startswith("Publishing called on_next in a thread that is none of ")


def test_requests_reach_the_operator_those_before_the_subscription_in_one() -> None:
    operator: list[Manual] = []

    def create(output: Any) -> Manual:
        operator.append(Manual(output))
        return operator[0]

    handle: Any = Publishing(create).bind(RecordingSubscriber())
    handle.request(2)
    handle.request(3)
    handle.request(0)
    handle.request(-1)
    initialize_tree(handle, None)
    handle.request(4)
    assert operator[0].requests == [5, 0, 4]  # the first illegal one ends the stream


def test_request_before_the_subscription_is_answered_after_it() -> None:
    class Answering(Manual):
        def request(self, n: int, /) -> None:
            self.output.on_next(n)

    subscriber = RecordingSubscriber()
    handle: Any = Publishing(Answering).bind(subscriber)
    handle.request(7)
    subscriber.requested = 7
    initialize_tree(handle, None)
    assert subscriber.outcome == ([7], "open")  # no element came before on_subscribe


def test_error_of_a_scheduler_that_takes_no_task_is_passed_on() -> None:
    class Full(ManualScheduler):
        def schedule(self, task: Any, **due: Any) -> None:
            raise SchedulerFullError("full")

    subscriber = RecordingSubscriber(first_request=1)
    node = Publishing(Merging).bind(subscriber)
    initialize_tree(node, DefaultOperatorContext("rx://query", Full()))
    assert subscriber.outcome == ([], "SchedulerFullError('full')")


def test_illegal_request_is_answered_by_the_operator() -> None:
    subscriber = RecordingSubscriber()
    handle: Any = zipped(Stream.range(9), Stream.range(9)).bind(subscriber)
    initialize_tree(handle, None)
    handle.request(0)
    assert isinstance(subscriber.error, InvalidRequestError)


def test_checker_is_a_node_without_state_between_the_operator_and_its_subscriber() -> None:
    handle = zipped(Stream.range(2), Stream.range(2)).bind(RecordingSubscriber(first_request=9))
    handle.initialize()
    kinds = [type(node).__name__ for node in nodes_of(handle)]
    assert kinds[:4] == ["SubscriberStage", "PublisherSource", "SignalChecker", "Zipping"]
    stateful: list[str] = []
    SubscriptionVisitor.do(StatefulOperator, lambda node: stateful.append(type(node).__name__)).apply(handle)
    assert "SignalChecker" not in stateful


def test_checker_is_disposed_with_its_operator() -> None:
    handle, operator = bound(RecordingSubscriber())
    handle.cancel()
    assert (handle.is_disposed, operator.is_disposed) == (True, True)


def test_without_debug_checks_the_operator_is_the_handle() -> None:
    set_debug_checks(False)
    handle, operator = bound(RecordingSubscriber())
    assert handle is operator
