"""Saved state: a stream that was saved at any position and loaded into a fresh tree goes on exactly there."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Stream
from reactivestreams.errors import StateError
from tests.rs_core.callback_points import HERE, LAYOUTS, OPERATOR_POINTS
from tests.rs_core.random_streams import Chain, Link, chain_of, links, replayable_sources
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import loaded_tree, nodes_of, saved_tree, start_by_visits, subscribe_by_visits

Records = list[tuple[str, tuple[int, ...], list[Any]]]


def run_until_saved(
    stream: Stream[Any], elements: int, records: Records | None, *, parks: bool
) -> tuple[RecordingSubscriber, Records]:
    """Run a stream, from its saved state if there is one, until so many elements have come; save it and drop it."""
    subscriber = RecordingSubscriber(demand=None)
    handle = stream.bind(subscriber)
    nodes = subscribe_by_visits(handle) if records is None else loaded_tree(handle, records)

    def park_at_the_last() -> None:
        if len(subscriber.elements) == elements:
            for node in nodes:
                if hasattr(node, "pause"):
                    node.pause()

    if parks:
        subscriber.actions["on_next"] = park_at_the_last
    start_by_visits(nodes)
    if elements:
        handle.request(UNBOUNDED if parks else elements)
    saved = saved_tree(handle)
    handle.cancel()
    return subscriber, saved


def finish(stream: Stream[Any], records: Records) -> RecordingSubscriber:
    """Run a stream from its saved state to its end."""
    subscriber = RecordingSubscriber()
    start_by_visits(loaded_tree(stream.bind(subscriber), records))
    return subscriber


def check(chain: Chain, *parts: RecordingSubscriber) -> None:
    assert [element for part in parts for element in part.elements] == chain.sent.elements
    ends = [signal for part in parts for signal in part.signals if signal[0] in {"on_error", "on_complete"}]
    expected = ["on_complete" if chain.sent.error is None else "on_error"]
    assert [name for name, *_ in ends] == expected
    assert [str(error) for _, *errors in ends for error in errors] == [chain.sent.error][: len(ends[0]) - 1]


@given(replayable_sources, st.lists(links, max_size=6), st.integers(0, 12), st.booleans())
def test_stream_goes_on_where_it_was_saved(
    source: tuple[str, list[int]], chain_links: list[Link], elements: int, parks: bool
) -> None:
    chain = chain_of(source, chain_links)
    first, records = run_until_saved(chain.stream, elements, None, parks=parks)
    check(chain, first, finish(chain.stream, records))


@given(
    replayable_sources,
    st.lists(links, max_size=5),
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=4),
)
def test_stream_may_be_saved_again_and_again(
    source: tuple[str, list[int]], chain_links: list[Link], positions: list[tuple[int, bool]]
) -> None:
    chain = chain_of(source, chain_links)
    parts = []
    records = None
    for elements, parks in positions:
        part, records = run_until_saved(chain.stream, elements, records, parks=parks)
        parts.append(part)
    assert records is not None
    check(chain, *parts, finish(chain.stream, records))


@given(replayable_sources, st.lists(links, max_size=6), st.integers(0, 12), st.booleans(), st.integers(1, 7))
def test_prefetch_may_change_while_the_stream_is_stored(
    source: tuple[str, list[int]], chain_links: list[Link], elements: int, parks: bool, prefetch: int
) -> None:
    chain = chain_of(source, chain_links)
    changed = [link.with_prefetch(prefetch) if link.with_prefetch is not None else link for link in chain_links]
    first, records = run_until_saved(chain.stream, elements, None, parks=parks)
    check(chain, first, finish(chain_of(source, changed).stream, records))


@given(replayable_sources, st.lists(links, max_size=6), st.integers(0, 12))
def test_loaded_stream_sends_nothing_that_is_not_requested(
    source: tuple[str, list[int]], chain_links: list[Link], elements: int
) -> None:
    chain = chain_of(source, chain_links)
    first, records = run_until_saved(chain.stream, elements, None, parks=True)
    subscriber = RecordingSubscriber(demand=None)
    handle = chain.stream.bind(subscriber)
    start_by_visits(loaded_tree(handle, records))
    assert subscriber.elements == []
    for count in range(1, 8):
        handle.request(1)
        assert len(subscriber.elements) <= count
    assert first.elements + subscriber.elements == chain.sent.elements[: len(first.elements) + 7]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("end", ["on_complete", "on_error", "cancel"])
def test_tree_that_was_saved_after_its_end_reads_and_sends_nothing(layout: str, end: str) -> None:
    stream = LAYOUTS[layout](Stream.range(3), lambda stream: stream)
    if end == "on_error":
        stream = stream.map(lambda element: 1 // (1 - element))
    subscriber = RecordingSubscriber()
    if end == "cancel":
        subscriber.actions["on_next"] = subscriber.cancel
    handle = stream.bind(subscriber)
    handle.initialize()
    records = saved_tree(handle)
    assert {values[0] for _, _, values in records} == {True}
    after = finish(stream, records)
    after.subscription.request(-1)
    assert after.names == ["on_subscribe"]
    assert all(node.is_disposed for node in nodes_of(after.subscription))


@pytest.mark.parametrize("source", [Stream.range(3), Stream.just(1), Stream.empty(), Stream.error(ValueError())])
def test_source_that_was_saved_after_its_end_does_not_begin_again(source: Stream[Any]) -> None:
    subscriber = RecordingSubscriber()
    handle = source.bind(subscriber)
    handle.initialize()
    assert finish(source, saved_tree(handle)).names == ["on_subscribe"]


def test_end_that_waits_in_a_queue_is_saved_with_it() -> None:
    error = ValueError("behind the queue")

    def fail_at_two(element: int) -> int:
        if element == 2:
            raise error
        return element

    stream = Stream.range(5).map(fail_at_two).observe_on(HERE, prefetch=8)
    first, records = run_until_saved(stream, 1, None, parks=False)
    second = finish(stream, records)
    assert (first.elements, second.elements, second.errors) == ([0], [1], [error])


@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_every_operator_refuses_what_it_cannot_load(point: str) -> None:
    stream = OPERATOR_POINTS[point](Stream.range(3), dict)
    nodes = subscribe_by_visits(stream.bind(RecordingSubscriber()))
    for node in nodes:
        refusal = re.escape(f"reads state of version {node.version}, not (2, 0, 0, 0)")
        with pytest.raises(StateError, match=refusal):
            node.load_state(UnusedReader(), (2, 0, 0, 0))
        assert not node.is_disposed
    start_by_visits(nodes)
    for node in nodes:
        with pytest.raises(StateError, match="was already started"):
            node.load_state(UnusedReader(), node.version)


class UnusedReader:
    def read(self) -> Any:
        raise AssertionError("refused before anything is read")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_state_that_cannot_be_written_leaves_the_node_unsaved(layout: str) -> None:
    class FullError(Exception):
        pass

    class FullWriter:
        def write(self, value: Any) -> None:
            raise FullError

    handle = LAYOUTS[layout](Stream.range(3), lambda stream: stream).bind(RecordingSubscriber(demand=None))
    handle.initialize()
    for node in nodes_of(handle):
        with pytest.raises(FullError):
            node.save_state(FullWriter())
        node.on_state_saved()
        assert node.state_changed


def test_source_that_has_become_shorter_is_reported() -> None:
    elements = [1, 2, 3, 4]
    stream = Stream.from_iterable(elements).map(str)
    _, records = run_until_saved(stream, 3, None, parks=False)
    del elements[1:]
    subscriber = finish(stream, records)
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert "stands after element 3, but the iterable has only 1" in str(subscriber.errors[0])


def test_flat_map_whose_function_returns_fewer_elements_than_before_is_reported() -> None:
    parts = [1, 2, 3, 4]
    stream = Stream.just("one").flat_map(lambda _: list(parts))
    _, records = run_until_saved(stream, 3, None, parks=False)
    del parts[1:]
    subscriber = finish(stream, records)
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert "is 3 elements into 'one', but the function returned only 1" in str(subscriber.errors[0])


@pytest.mark.parametrize("kind", ["source", "flat_map"])
def test_iterable_that_fails_while_it_is_skipped_sends_nothing(kind: str) -> None:
    class Fresh:
        fails = False

        def __iter__(self) -> Any:
            yield 1
            if self.fails:
                raise ValueError("fails")
            yield 2
            yield 3

    fresh = Fresh()
    stream = Stream.from_iterable(fresh) if kind == "source" else Stream.just(0).flat_map(lambda _: fresh)
    first, records = run_until_saved(stream, 2, None, parks=False)
    fresh.fails = True
    subscriber = finish(stream, records)
    assert (first.elements, subscriber.names) == ([1, 2], ["on_subscribe", "on_error"])


@pytest.mark.parametrize("kind", ["source", "flat_map"])
def test_pause_while_a_loaded_iterable_is_skipped_loses_nothing(kind: str) -> None:
    class Pausing:
        pause = staticmethod(lambda: None)

        def __iter__(self) -> Any:
            for element in range(6):
                if element == 2:
                    self.pause()
                yield element

    pausing = Pausing()
    stream = Stream.from_iterable(pausing) if kind == "source" else Stream.just(0).flat_map(lambda _: pausing)
    first, records = run_until_saved(stream, 4, None, parks=False)
    subscriber = RecordingSubscriber()
    handle = stream.bind(subscriber)
    nodes = loaded_tree(handle, records)
    owner = nodes[1]
    pausing.pause = owner.pause
    start_by_visits(nodes)
    assert (subscriber.elements, owner.is_parked) == ([], True)
    pausing.pause = lambda: None
    owner.resume()
    assert (first.elements + subscriber.elements, subscriber.is_complete) == ([0, 1, 2, 3, 4, 5], True)


def test_saving_a_queue_leaves_it_as_it_was() -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = Stream.range(20).observe_on(HERE, prefetch=5).bind(subscriber)
    handle.initialize()
    handle.request(2)
    records = [saved_tree(handle) for _ in range(3)]
    assert records[0] == records[1] == records[2]
    assert records[0][0][2] == [False, [2, 3, 4], False, None]
    handle.request(UNBOUNDED)
    assert subscriber.elements == list(range(20))
