"""Streams of groups and windows are saved with what waits in them, and go on where they were."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError, StateFormatError, StateTypeError
from reactivestreams.state import SnapshotReader, SnapshotWriter, load_tree, save_tree
from reactivestreams.stream.grouped import GroupedStream
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

ELEMENTS = 40
MOST_REQUESTS = 300

Described = Callable[[], Stream[Any]]


def remainder(number: int) -> int:
    return number % 3


def named(group: Stream[Any]) -> Stream[Any]:
    """The elements of a group, each with its key."""
    return group.map(lambda element: (group.key, element))  # type: ignore[attr-defined]


def total(group: GroupedStream[int, int]) -> Stream[Any]:
    return group.scan(lambda sum_, number: sum_ + number, 0).take_last(1).map(lambda sum_: (group.key, sum_))


def never(_: object) -> Stream[Any]:
    return Stream.never()


def numbers() -> Stream[int]:
    return Stream.range(ELEMENTS)


STREAMS: dict[str, Described] = {
    "group_by, flat_map": lambda: numbers().group_by(remainder, prefetch=4).flat_map(named, concurrency=5),
    "group_by, a result for each": lambda: numbers().group_by(remainder, prefetch=4).flat_map(total, concurrency=5),
    "group_by, some dropped": lambda: (
        numbers().group_by(remainder, prefetch=4).filter(lambda group: group.key != 1).flat_map(named, concurrency=5)
    ),
    "group_by, some cancelled": lambda: (
        numbers().group_by(remainder, prefetch=4).flat_map(lambda group: named(group.take(2)), concurrency=5)
    ),
    "group_by_until at once": lambda: numbers().group_by_until(remainder, Stream.just).concat_map(named),
    "group_by_until never": lambda: numbers().group_by_until(remainder, never).flat_map(total, concurrency=9),
    "window, concat_map": lambda: numbers().window(3).concat_map(named),
    "window, a result for each": lambda: numbers().window(3).flat_map(total),
    "window that overlaps": lambda: numbers().window(4, 2, prefetch=4).flat_map(named),
    "window with gaps": lambda: numbers().window(2, 5).flat_map(named),
    "window, the first of each": lambda: numbers().window(5).flat_map(lambda window: named(window.take(2))),
    "window, groups within": lambda: (
        numbers()
        .window(7)
        .flat_map(lambda window: window.group_by(lambda number: (window.key, number % 3)).flat_map(named))
    ),
    "window, groups of all": lambda: (
        numbers()
        .window(7)
        .flat_map(lambda window: window.group_by(lambda number: (window.key, number % 3)))
        .flat_map(named)
    ),
    "window, switch_map": lambda: numbers().window(3).switch_map(named),
    "window, exhaust_map": lambda: numbers().window(3).exhaust_map(named),
    "window, lists of windows": lambda: (
        numbers().window(3).buffer(2).flat_map(lambda windows: Stream.concat(*map(named, windows)))
    ),
    "window, beside another stream": lambda: (
        numbers().window(3).zip_with(Stream.range(100)).flat_map(lambda pair: named(pair[0]))
    ),
    "window, held back": lambda: numbers().window(3).skip_last(1).flat_map(named),
    "window_until": lambda: numbers().window_until(lambda n: n % 7 == 6).flat_map(named),
    "window_when": lambda: numbers().window_when(Stream.range(60).filter(lambda n: n % 7 == 6)).flat_map(named),
    "window_toggle": lambda: numbers().window_toggle(Stream.range(4), never).flat_map(named, concurrency=9),
}


def run_to_the_end(stream: Stream[Any], step: int, state: bytes | None = None) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=0)
    handle = stream.bind(subscriber)
    if state is not None:
        load_tree(handle, state)
    handle.initialize()
    for _ in range(MOST_REQUESTS):
        if subscriber.has_ended:
            break
        subscriber.request(step)
    assert subscriber.has_ended
    assert subscriber.error is None
    return subscriber


def of_each(elements: list[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """The elements of each group; how groups take turns is not saved."""
    found: dict[Any, list[Any]] = {}
    for key, element in elements:
        found.setdefault(key, []).append(element)
    return found


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("name", STREAMS)
def test_stream_goes_on_from_every_place(name: str, step: int) -> None:
    """Also from the state of a stream that was itself loaded, and had not gone on."""
    describe = STREAMS[name]
    whole = run_to_the_end(describe(), step).elements
    for place in range(MOST_REQUESTS):
        before = RecordingSubscriber(first_request=0)
        handle = describe().bind(before)
        handle.initialize()
        for _ in range(place):
            before.request(step)
        if before.has_ended:
            break
        state = save_tree(handle)
        loaded = describe().bind(RecordingSubscriber(first_request=0))
        load_tree(loaded, state)
        after = run_to_the_end(describe(), step, save_tree(loaded))
        assert of_each([*before.elements, *after.elements]) == of_each(whole), place
        handle.cancel()


def test_error_that_waits_behind_the_elements_of_a_group_is_saved() -> None:
    def described() -> Stream[Any]:
        failing = Stream.range(10).map(lambda number: 12 // (6 - number))
        return failing.window(4).concat_map(lambda window: named(window.on_error_return(-1)))

    def run(state: bytes | None, requests: int) -> tuple[Any, RecordingSubscriber]:
        subscriber = RecordingSubscriber(first_request=0)
        handle = described().bind(subscriber)
        if state is not None:
            load_tree(handle, state)
        handle.initialize()
        for _ in range(requests):
            if not subscriber.has_ended:
                subscriber.request(1)
        return handle, subscriber

    whole = run(None, 20)[1]
    assert whole.elements[-1] == (1, -1)
    for place in range(1, 7):
        handle, before = run(None, place)
        assert not before.has_ended
        after = run(save_tree(handle), 20)[1]
        assert [*before.elements, *after.elements] == whole.elements
        assert repr(after.error) == repr(whole.error)


def test_group_of_a_subscriber_outside_of_the_tree_is_refused() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(10).concat_with(Stream.never()).group_by(remainder).bind(subscriber)
    handle.initialize()
    message = "group 0 was passed to a subscriber that is not part of what is saved; subscribe to the groups by an"
    with pytest.raises(StateError, match=message):
        save_tree(handle)
    elsewhere = subscriber.elements[0].bind(RecordingSubscriber(first_request=1))
    elsewhere.initialize()
    with pytest.raises(StateError, match=message):
        save_tree(handle)
    with pytest.raises(StateError, match="the stream of groups that group 0 comes from is not part of what is saved"):
        save_tree(elsewhere)


def test_group_whose_elements_are_in_no_record_is_refused() -> None:
    groups = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(10).concat_with(Stream.never()).group_by(remainder).subscribe(groups)
    snapshot = SnapshotWriter()
    with snapshot.create("example/waiting", (1, 0, 0, 0)) as writer:
        writer.write(groups.elements)
    with pytest.raises(StateError, match="group 0 waits here, but the operator that sends its elements is not in the"):
        snapshot.finish()


def test_stream_that_was_built_on_a_group_cannot_wait() -> None:
    snapshot = SnapshotWriter()
    window = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).window(3).map(named).subscribe(window)
    message = "a stream that was built on window 0, waits to be subscribed to and cannot be saved; let the window its"
    with snapshot.create("example/waiting", (1, 0, 0, 0)) as writer, pytest.raises(StateError, match=message):
        writer.write(window.elements)


def test_row_of_a_table_contains_no_group() -> None:
    """Rows stay as they are in later snapshots, whose groups have other numbers."""
    groups = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).window(3).subscribe(groups)
    snapshot = SnapshotWriter(keeps_tables=True)
    with snapshot.create("example/rows", (1, 0, 0, 0)) as writer:
        table = writer.table("windows")
        assert table is not None
        with pytest.raises(StateTypeError, match="GroupedStream cannot be saved"):
            table.write(0, groups.elements[0])


def saved_window() -> bytes:
    """A snapshot with a window that has ended and waits, twice."""
    groups = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).window(3).subscribe(groups)
    snapshot = SnapshotWriter()
    with snapshot.create("example/waiting", (1, 0, 0, 0)) as writer:
        writer.write([*groups.elements, *groups.elements])
    return snapshot.finish()


def test_window_that_has_ended_is_a_value_of_its_own() -> None:
    snapshot = SnapshotReader(saved_window())
    first, second = snapshot.create("example/waiting").read(list)
    assert first is second
    assert first.key == 0
    assert first.to_list() == [0, 1, 2]


def test_forged_group_is_refused() -> None:
    """Whatever stands in the place of a group, no code runs, and the error names the place."""
    snapshot = SnapshotWriter()
    with snapshot.create("example/waiting", (1, 0, 0, 0)) as writer:
        writer.write((1, 2, "key"))
        writer.write((0, 0, 7, "window", [1], None))
        writer.write((0, 0, 7, "window", [1], "error"))
        writer.write((0, -1, 7))
    reader = SnapshotReader(snapshot.finish()).create("example/waiting")
    references = reader.references
    assert references is not None
    contents = [reader.read() for _ in range(4)]
    assert references.stream_at(contents[1]).to_list() == [1]
    assert references.stream_at(contents[1]) is None  # it was there before
    assert [references.stream_at(content) for content in (*contents[2:], None, (), (1,), ("", 2, 3))] == [None] * 6
    assert references.stream_at(contents[0]).key == "key"
    with pytest.raises(StateError, match="group 'key' waits here, but the operator that sends its elements is not in"):
        references.require_read()


def test_group_beside_a_value_is_damage() -> None:
    snapshot = SnapshotWriter()
    with snapshot.create("example/waiting", (1, 0, 0, 0)) as writer:
        writer.write("gN")
    forged = snapshot.finish()
    at = forged.index(b"s\x02gN")
    body = forged[:at] + b"gNNN" + forged[at + 4 :]
    with pytest.raises(StateFormatError):
        SnapshotReader(body).create("example/waiting").read()
