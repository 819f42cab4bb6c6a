"""using: a resource is opened for each subscription, and closed once, whatever happens."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, stages_of, start

COUNT = 4


class Log:
    """Notes what becomes of a resource; it may fail to close."""

    def __init__(self, *, closing_fails: BaseException | None = None, suppresses: bool = False) -> None:
        self.notes: list[Any] = []
        self.closing_fails = closing_fails
        self.suppresses = suppresses

    def __enter__(self) -> int:
        self.notes.append("open")
        return COUNT

    def __exit__(self, kind: object, error: object, traceback: object) -> bool:
        assert (kind is None) == (error is None)
        self.notes.append(("close", error))
        if self.closing_fails is not None:
            raise self.closing_fails
        return self.suppresses

    def numbers(self, count: int) -> Iterator[int]:
        try:
            yield from range(count)
        finally:
            self.notes.append("stream closed")


def subscribed(stream: Stream[Any], **arguments: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(**arguments)
    stream.subscribe(subscriber)
    return subscriber


@pytest.mark.parametrize("window", [1, 3, UNBOUNDED])
def test_resource_is_closed_behind_the_stream_and_before_the_end(window: int) -> None:
    log = Log()
    stream = Stream.using(lambda: log, log.numbers).do(on_complete=lambda: log.notes.append("complete"))
    assert subscribed(stream, first_request=window, then_request=1).outcome == ([0, 1, 2, 3], "complete")
    assert log.notes == ["open", "stream closed", ("close", None), "complete"]


@pytest.mark.parametrize("position", range(COUNT))
def test_cancel_at_any_position_closes_once(position: int) -> None:
    log = Log()
    subscriber = subscribed(Stream.using(lambda: log, log.numbers), first_request=position)
    subscriber.cancel()
    subscriber.cancel()
    assert log.notes == ["open", *(["stream closed"] if position else []), ("close", None)]


@pytest.mark.parametrize("position", range(1, COUNT + 1))
def test_cancel_inside_of_an_element_closes_once(position: int) -> None:
    log = Log()
    subscriber = subscribed(Stream.using(lambda: log, log.numbers), first_request=UNBOUNDED, cancel_after=position)
    assert subscriber.outcome == (list(range(position)), "open")
    assert log.notes == ["open", "stream closed", ("close", None)]


@pytest.mark.parametrize("position", range(COUNT))
def test_error_at_any_position_is_told_to_the_resource(position: int) -> None:
    log = Log()

    def failing(count: int) -> Stream[int]:
        return Stream.from_iterable(log.numbers(count)).map(lambda number: number if number < position else 1 // 0)

    subscriber = subscribed(Stream.using(lambda: log, failing), first_request=UNBOUNDED)
    assert subscriber.elements == list(range(position))
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert log.notes == ["open", "stream closed", ("close", subscriber.error)]


def test_error_below_closes_as_a_cancellation_does() -> None:
    log = Log()
    with pytest.raises(ZeroDivisionError):
        Stream.using(lambda: log, log.numbers).map(lambda number: 1 // number).to_list()
    assert log.notes == ["open", "stream closed", ("close", None)]


def test_context_manager_that_suppresses_the_error_lets_the_stream_complete() -> None:
    log = Log(suppresses=True)
    failing = Stream.using(lambda: log, lambda _: Stream.just(1).concat_with(Stream.error(OSError("lost"))))
    assert subscribed(failing, first_request=UNBOUNDED).outcome == ([1], "complete")
    assert Stream.using(lambda: suppress(OSError), lambda _: Stream.error(OSError("lost"))).to_list() == []


def test_generator_as_a_context_manager_sees_the_error() -> None:
    notes: list[str] = []

    @contextmanager
    def transaction() -> Iterator[str]:
        try:
            yield "transaction"
        except OSError:
            notes.append("rolled back")
            raise
        else:
            notes.append("committed")

    assert Stream.using(transaction, lambda name: [name]).to_list() == ["transaction"]
    with pytest.raises(OSError, match="lost"):
        Stream.using(transaction, lambda _: Stream.error(OSError("lost"))).to_list()
    assert notes == ["committed", "rolled back"]


def test_close_is_called_with_the_resource() -> None:
    notes: list[Any] = []
    stream = Stream.using(lambda: "resource", lambda _: range(3), notes.append)
    assert stream.to_list() == [0, 1, 2]
    assert stream.take(1).to_list() == [0]
    assert notes == ["resource", "resource"]


@pytest.mark.parametrize("first_request", [0, UNBOUNDED])
def test_failing_stream_factory_closes_and_fails(first_request: int) -> None:
    log = Log()
    stream = Stream.using(lambda: log, lambda count: 1 // (count - COUNT))  # type: ignore[arg-type, return-value]
    subscriber = subscribed(stream, first_request=first_request)
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert subscriber.error.__notes__ == [f"in rx://sources/using, assembled at {stream.assembly}"]
    assert log.notes == ["open", ("close", subscriber.error)]


def test_failing_resource_factory_fails_and_closes_nothing() -> None:
    notes: list[Any] = []
    subscriber = subscribed(Stream.using(lambda: 1 // 0, lambda _: [1], notes.append))
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert notes == []


def test_interrupt_of_the_stream_factory_closes_and_is_raised() -> None:
    log = Log()

    def interrupted(_: int) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stream.using(lambda: log, interrupted).subscribe(RecordingSubscriber())
    assert log.notes == ["open", ("close", None)]


def test_close_that_raises_behind_the_last_element_is_the_error() -> None:
    log = Log(closing_fails=OSError("disk full"))
    subscriber = subscribed(Stream.using(lambda: log, log.numbers), first_request=UNBOUNDED)
    assert subscriber.outcome == ([0, 1, 2, 3], "OSError('disk full')")


def test_close_that_raises_behind_an_error_goes_to_the_hook() -> None:
    trouble = OSError("disk full")
    with recorded_drops() as drops:
        subscriber = subscribed(
            Stream.using(lambda: Log(closing_fails=trouble), lambda _: Stream.error(ValueError("first")))
        )
    assert subscriber.outcome == ([], "ValueError('first')")
    assert drops == [("close", trouble, "rx://sources/using")]


def test_close_that_raises_at_a_cancellation_goes_to_the_hook() -> None:
    trouble = OSError("disk full")
    log = Log(closing_fails=trouble)
    with recorded_drops() as drops:
        assert Stream.using(lambda: log, log.numbers).take(1).to_list() == [0]
    assert drops == [("close", trouble, "rx://sources/using")]


def test_interrupt_of_close_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        Stream.using(lambda: Log(closing_fails=KeyboardInterrupt()), range).to_list()


def test_stream_in_another_thread_is_closed_as_well() -> None:
    log = Log()
    with WorkerScheduler() as worker:
        stream = Stream.using(lambda: log, lambda count: Stream.from_iterable(log.numbers(count)).observe_on(worker))
        assert stream.to_list() == [0, 1, 2, 3]
    assert log.notes == ["open", "stream closed", ("close", None)]


def test_resource_without_a_close_has_to_be_a_context_manager() -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"using\(resource_factory\) without close has to return a context mana"
    ):
        Stream.using(object, lambda _: [1]).to_list()


@pytest.mark.parametrize("position", range(COUNT + 1))
def test_recovered_stream_opens_anew_and_goes_on(position: int) -> None:
    logs: list[Log] = []

    def opened() -> Log:
        logs.append(Log())
        return logs[-1]

    before, after = RecordingSubscriber(first_request=position), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.using(opened, Stream.range)
    handle = stream.bind(before)
    handle.initialize()
    state = save(handle)
    handle.cancel()
    start(stream.bind(after), state)
    assert before.elements + after.elements == [0, 1, 2, 3]
    assert [log.notes for log in logs] == [["open", ("close", None)]] * 2


def test_nodes_of_the_stream_are_part_of_the_tree() -> None:
    handle = Stream.using(Log, Stream.range).bind(RecordingSubscriber())
    handle.initialize()
    assert [node.name.rpartition("/")[2] for node in stages_of(handle)] == ["", "using", "range"]
    handle.cancel()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((3, range), "resource_factory"), ((int, 3), "stream_factory"), ((int, range, 3), "close")],
)
def test_what_cannot_be_called_is_refused(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"using\({name}\) needs a callable, got 3"):
        Stream.using(*arguments)


def test_call_is_shown_as_it_was_written() -> None:
    assert repr(Stream.using(dict, list)) == "Stream.using(dict, list)"
    assert repr(Stream.using(dict, list, dict.clear)) == "Stream.using(dict, list, dict.clear)"
