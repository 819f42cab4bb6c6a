"""Parking a stream, and saving its state: only when nobody drains (core design, D2)."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError

UNBOUNDED = 2**63 - 1


class Recorder:
    def __init__(self, first_request: int) -> None:
        self.first_request = first_request
        self.signals: list[Any] = []

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        subscription.request(self.first_request)

    def on_next(self, element: Any) -> None:
        self.signals.append(element)

    def on_error(self, error: Exception) -> None:
        self.signals.append(error)

    def on_complete(self) -> None:
        self.signals.append("complete")


def nodes(handle: Any) -> list[Any]:
    found = [handle]
    while found[-1].inputs:
        found.append(found[-1].inputs[0])
    return found


def save(node: Any) -> list[Any]:
    written: list[Any] = []
    node.save_state(SimpleNamespace(write=written.append))
    return written


def test_paused_stream_stops_after_the_element_it_is_at_and_goes_on_where_it_stopped() -> None:
    recorder = Recorder(UNBOUNDED)

    def pause_at_three(element: int) -> None:
        if element == 3:
            nodes(recorder.subscription)[-1].pause()

    Stream.range(10).do(pause_at_three).subscribe(recorder)
    source = nodes(recorder.subscription)[-1]
    assert (recorder.signals, source.is_parked) == ([0, 1, 2, 3], True)
    recorder.subscription.request(1)
    assert (recorder.signals, source.is_parked) == ([0, 1, 2, 3], True)
    source.resume()
    assert recorder.signals == [*range(10), "complete"]
    assert not source.is_parked


def test_request_while_parked_is_served_on_resume() -> None:
    recorder = Recorder(1)
    Stream.range(10).subscribe(recorder)
    source = nodes(recorder.subscription)[-1]
    source.pause()
    recorder.subscription.request(3)
    assert recorder.signals == [0]
    source.resume()
    assert recorder.signals == [0, 1, 2, 3]


def test_parked_stream_can_be_cancelled_and_releases_its_source() -> None:
    closed: list[bool] = []

    class Numbers:
        def __iter__(self) -> Any:
            try:
                yield from range(10)
            finally:
                closed.append(True)

    recorder = Recorder(2)
    Stream.from_iterable(Numbers()).subscribe(recorder)
    source = nodes(recorder.subscription)[-1]
    source.pause()
    recorder.subscription.cancel()
    assert closed == [True]
    source.resume()
    recorder.subscription.request(1)
    assert recorder.signals == [0, 1]


def test_illegal_request_while_parked_is_signalled_on_resume() -> None:
    recorder = Recorder(1)
    Stream.range(10).subscribe(recorder)
    source = nodes(recorder.subscription)[-1]
    source.pause()
    recorder.subscription.request(0)
    assert recorder.signals == [0]
    source.resume()
    assert [type(signal).__name__ for signal in recorder.signals] == ["int", "InvalidRequestError"]


def test_state_of_a_stream_that_flows_is_not_saved() -> None:
    recorder = Recorder(UNBOUNDED)
    refused: list[str] = []

    def try_to_save(element: int) -> None:
        for node in nodes(recorder.subscription):
            with pytest.raises(StateError, match="while elements flow"):
                save(node)
            refused.append(node.name)

    Stream.range(1).do(try_to_save).map(str).subscribe(recorder)
    assert (len(refused), recorder.signals) == (4, ["0", "complete"])


def test_state_of_a_parked_and_of_an_ended_stream_is_saved() -> None:
    recorder = Recorder(UNBOUNDED)
    Stream.range(4).do(lambda one: nodes(recorder.subscription)[-1].pause() if one == 1 else None).skip(1).subscribe(
        recorder
    )
    skip, do, source = nodes(recorder.subscription)[1:]
    assert (save(skip), save(do), save(source)) == ([False, 0], [False], [False, 2, 2])
    source.resume()
    assert recorder.signals == [1, 2, 3, "complete"]
    assert (save(skip), save(source)) == ([True, 0], [True, 4, 0])


def test_parking_from_another_thread_keeps_every_element() -> None:
    for _ in range(20):
        recorder = Recorder(UNBOUNDED)
        started = threading.Event()
        ended = threading.Event()

        def park_and_resume(
            started: threading.Event = started, ended: threading.Event = ended, recorder: Recorder = recorder
        ) -> None:
            started.wait(20)
            source = nodes(recorder.subscription)[-1]
            while not ended.is_set():
                source.pause()
                source.resume()

        thread = threading.Thread(target=park_and_resume)
        thread.start()
        Stream.range(3000).do(lambda _, started=started: started.set()).do(
            on_complete=lambda ended=ended: ended.set()
        ).subscribe(recorder)
        assert ended.wait(20)
        thread.join(20)
        # The completion may be on its way in the other thread, which has ended by now.
        assert recorder.signals == [*range(3000), "complete"]


def test_three_flags_tell_whether_there_is_state_to_save() -> None:
    recorder = Recorder(1)
    Stream.range(10).scan(lambda total, one: total + one, 0).subscribe(recorder)
    scan = nodes(recorder.subscription)[1]
    assert scan.state_changed  # new: never saved
    save(scan)
    assert scan.state_changed  # the commit is pending
    scan.on_state_saved()
    assert not scan.state_changed
    recorder.subscription.request(1)
    assert scan.state_changed
    save(scan)
    recorder.subscription.request(1)
    scan.on_state_saved()
    assert scan.state_changed  # changed between the snapshot and the commit


def test_requests_alone_leave_a_clean_operator_clean() -> None:
    recorder = Recorder(1)
    Stream.never().scan(lambda total, one: total + one, 0).take(5).subscribe(recorder)
    for node in nodes(recorder.subscription)[1:]:
        save(node)
        node.on_state_saved()
    recorder.subscription.request(2)
    assert [node.state_changed for node in nodes(recorder.subscription)[1:]] == [False, False, False]


def test_state_of_another_version_or_after_the_start_is_refused() -> None:
    recorder = Recorder(1)
    handle = Stream.range(10).skip(2).bind(recorder)
    handle.subscribe()
    skip = handle.inputs[0]
    with pytest.raises(StateError, match=r"version \(1, 0, 0, 0\), not \(2, 0, 0, 0\)"):
        skip.load_state(SimpleNamespace(read=lambda expected: 0), (2, 0, 0, 0))
    handle.initialize()
    with pytest.raises(StateError, match="already started"):
        skip.load_state(SimpleNamespace(read=lambda expected: 0), (1, 0, 0, 0))


def test_node_that_was_disposed_when_it_was_saved_reads_nothing_after_it_was_loaded() -> None:
    read: list[int] = []
    recorder = Recorder(UNBOUNDED)
    handle = Stream.range(10).do(read.append).take(3).bind(recorder)
    handle.subscribe()
    take = handle.inputs[0]
    take.subscribe()
    values = iter([True, 0])
    reader = SimpleNamespace(read=lambda expected: next(values), read_count=lambda at_most: next(values))
    take.load_state(reader, take.version)
    handle.initialize()
    assert (read, take.is_disposed) == ([], True)
