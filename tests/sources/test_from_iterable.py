"""from_iterable: the elements of an iterable, read for demand only."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, SourceUsedTwiceError, StateError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of, save, stages_of, start


class Counter:
    """An iterator that counts `next()` calls and may be closed."""

    def __init__(self, stop: int) -> None:
        self.position, self.stop, self.closes = 0, stop, 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.position == self.stop:
            raise StopIteration
        self.position += 1
        return self.position - 1

    def close(self) -> None:
        self.closes += 1


@pytest.mark.parametrize(
    ("iterable", "expected"),
    [
        ([1, 2], [1, 2]),
        ((1, None), [1, None]),
        ("ab", ["a", "b"]),
        (b"ab", [97, 98]),
        ({"a": 1}, ["a"]),
        ({1}, [1]),
        (range(3), [0, 1, 2]),
        (dict.fromkeys("ab").items(), [("a", None), ("b", None)]),
        ([], []),
        ("", []),
    ],
)
def test_iterable_is_read_anew_by_every_subscription(iterable: Any, expected: list[Any]) -> None:
    stream = Stream.from_iterable(iterable)
    assert stream.to_list() == stream.to_list() == expected


def test_object_with_item_access_alone_is_iterable() -> None:
    class Squares:
        def __getitem__(self, index: int) -> int:
            if index == 3:
                raise IndexError
            return index * index

    assert Stream.from_iterable(Squares()).to_list() == [0, 1, 4]  # type: ignore[arg-type]


def test_next_is_called_for_demand_only() -> None:
    counter, subscriber = Counter(10), RecordingSubscriber()
    Stream.from_iterable(counter).subscribe(subscriber)
    assert counter.position == 0
    for requested in (1, 2, 3):
        subscriber.request(1)
        assert (counter.position, subscriber.elements) == (requested, list(range(requested)))
    subscriber.cancel()
    assert counter.position == 3


def test_iter_is_called_for_demand_only() -> None:
    called: list[str] = []

    class Lazy:
        def __iter__(self) -> Iterator[int]:
            called.append("iter")
            return iter([1])

    subscriber = RecordingSubscriber()
    Stream.from_iterable(Lazy()).subscribe(subscriber)
    assert called == []
    subscriber.request(1)
    assert (called, subscriber.elements) == (["iter"], [1])


@pytest.mark.parametrize(
    "sized", [[1, 2], (1, 2), range(1, 3), "12", b"\x01\x02"], ids=lambda sized: type(sized).__name__
)
def test_end_of_a_sized_iterable_comes_with_its_last_element(sized: Any) -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.from_iterable(sized).subscribe(subscriber)
    assert subscriber.outcome == (list(sized), "complete")


@pytest.mark.parametrize("empty", [[], (), range(0), ""], ids=lambda empty: type(empty).__name__)
def test_empty_sized_iterable_completes_without_demand(empty: Any) -> None:
    subscriber = RecordingSubscriber()
    Stream.from_iterable(empty).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_end_of_any_other_iterable_is_seen_by_the_next_request() -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.from_iterable(Counter(2)).subscribe(subscriber)
    assert subscriber.outcome == ([0, 1], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([0, 1], "complete")


def test_iterator_serves_one_subscription_and_the_second_gets_an_error_with_a_remedy() -> None:
    iterator = iter([1, 2])
    stream = Stream.from_iterable(iterator)
    assert stream.to_list() == [1, 2]
    subscriber = RecordingSubscriber(first_request=1)
    stream.subscribe(subscriber)
    assert isinstance(subscriber.error, SourceUsedTwiceError)
    assert (subscriber.elements, subscriber.faults, subscriber.error.rule) == ([], [], "1.10")
    assert str(subscriber.error) == (
        f"§1.10: {iterator!r} is an iterator and was used by an earlier subscription; pass an iterable that can be "
        "read again, such as a list or a class with __iter__"
    )


def test_iterator_is_served_once_to_all_streams_made_from_it() -> None:
    stream = Stream.from_iterable(iter([1, 2]))
    assert stream.map(str).to_list() == ["1", "2"]
    with pytest.raises(SourceUsedTwiceError):
        stream.map(float).to_list()


def test_iterator_that_raises_half_way_ends_the_stream_after_its_elements() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(CountedIterable([1, 2], fails_with=OSError("disk"))).subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "OSError('disk')")
    assert subscriber.error is not None
    assert "in rx://sources/from_iterable, assembled at" in subscriber.error.__notes__[0]


def test_iter_that_raises_ends_the_stream() -> None:
    class Broken:
        def __iter__(self) -> Iterator[int]:
            raise OSError("cannot open")

    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_iterable(Broken()).subscribe(subscriber)
    assert subscriber.outcome == ([], "OSError('cannot open')")


def test_generator_is_closed_by_cancel_at_once() -> None:
    closed: list[str] = []

    def numbers() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            closed.append("closed")

    generator, subscriber = numbers(), RecordingSubscriber(first_request=2)
    Stream.from_iterable(generator).subscribe(subscriber)
    assert closed == []
    subscriber.cancel()
    assert closed == ["closed"]


def test_generator_made_by_the_iterable_is_closed_by_cancel() -> None:
    source, subscriber = CountedIterable([1, 2, 3]), RecordingSubscriber(first_request=1, cancel_after=1)
    Stream.from_iterable(source).subscribe(subscriber)
    assert source.is_closed


def test_file_of_the_user_stays_open() -> None:
    file = io.StringIO("a\nb\nc\n")
    assert Stream.from_iterable(file).first() == "a\n"
    assert not file.closed
    assert file.readline() == "b\n"


def test_iterator_of_the_user_is_not_closed() -> None:
    counter = Counter(5)
    assert Stream.from_iterable(counter).take(2).to_list() == [0, 1]
    assert counter.closes == 0


def test_iterator_made_for_the_subscription_is_closed() -> None:
    made: list[Counter] = []

    class Countable:
        def __iter__(self) -> Iterator[int]:
            made.append(Counter(5))
            return made[-1]

    assert Stream.from_iterable(Countable()).take(2).to_list() == [0, 1]
    assert [counter.closes for counter in made] == [1]


def test_close_that_raises_is_reported_to_the_hook() -> None:
    def numbers() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            raise ValueError("cannot close")

    with recorded_drops() as drops:
        assert Stream.from_iterable(numbers()).first() == 0
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("close", "ValueError('cannot close')", "rx://sources/from_iterable")
    ]


def test_generator_that_asks_for_more_of_its_own_stream_does_not_nest() -> None:
    subscriber = RecordingSubscriber()

    def numbers() -> Iterator[int]:
        for number in range(3):
            subscriber.request(1)
            yield number

    Stream.from_iterable(numbers()).subscribe(subscriber)
    subscriber.request(1)
    assert subscriber.outcome == ([0, 1, 2], "complete")


def test_iterator_that_cancels_its_own_stream_ends_it() -> None:
    subscriber = RecordingSubscriber()

    def numbers() -> Iterator[int]:
        yield 0
        subscriber.subscription.cancel()
        yield 1
        raise AssertionError("read on")

    Stream.from_iterable(numbers()).subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    # §2.8: the element that the cancelling call was to give may still arrive.
    assert subscriber.outcome in [([0], "open"), ([0, 1], "open")]


def test_loaded_source_skips_what_was_taken() -> None:
    before = RecordingSubscriber(first_request=2)
    handle = Stream.from_iterable("abcd").bind(before)
    handle.initialize()
    after = RecordingSubscriber(first_request=UNBOUNDED)
    start(Stream.from_iterable("abcd").bind(after), save(handle))
    assert (before.elements, after.outcome) == (["a", "b"], (["c", "d"], "complete"))


def test_loaded_source_refuses_a_shorter_iterable() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.from_iterable("ab").bind(subscriber)
    handle.subscribe()
    source = stages_of(handle)[-1]
    source.load_state(reader_of(False, 3), source.version)
    handle.initialize()
    assert isinstance(subscriber.error, StateError)
    assert "stands after element 3, but the iterable has only 2; load the state with the source" in str(
        subscriber.error
    )


def test_stream_is_refused_since_it_is_one_already() -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Stream.from_iterable(Stream.range(3))
    assert str(raised.value) == (
        "from_iterable(iterable) got Stream.range(0, 3), which is already a stream, and would be read by a second one "
        "that blocks; use it as it is, or from_publisher(stream)"
    )


@pytest.mark.parametrize("value", [3, None, 2.5, len])
def test_what_is_not_iterable_is_refused_when_the_stream_is_built(value: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Stream.from_iterable(value)
    assert str(raised.value) == (
        f"from_iterable(iterable) needs an iterable, got {value!r} ({type(value).__name__}); "
        "use just(...) for single elements"
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda numbers: numbers.append(9), [0, 1, 2, 9]),
        (lambda numbers: numbers.clear(), [0, 1]),
        (lambda numbers: numbers.pop(), [0, 1]),
    ],
)
@pytest.mark.parametrize("requested", [1, 2, UNBOUNDED])
def test_list_that_changes_is_read_as_a_for_loop_reads_it(change: Any, expected: list[int], requested: int) -> None:
    """It is known of a list that nothing is left, without a further request; but not from what it was at the start."""
    numbers = [0, 1, 2]
    subscriber = RecordingSubscriber(first_request=requested)
    Stream.from_iterable(numbers).do(lambda n: change(numbers) if n == 1 else None).subscribe(subscriber)
    while not subscriber.is_complete:
        left = len(expected) - len(subscriber.elements)
        assert left > 0
        subscriber.request(min(requested, left))
    assert subscriber.elements == expected
