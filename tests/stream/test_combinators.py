"""The combinators: methods of the class that make one stream of several; what they are given, and what they make."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

Combinator = Callable[..., Stream[Any]]

COMBINATORS: dict[str, Combinator] = {
    "concat": Stream.concat,
    "merge": Stream.merge,
    "zip": Stream.zip,
    "combine_latest": Stream.combine_latest,
    "amb": Stream.amb,
    "when_all": Stream.when_all,
}
OF_RANGES: dict[str, list[Any]] = {
    "concat": [0, 1, 2, 10, 11, 12],
    "merge": [0, 1, 2, 10, 11, 12],
    "zip": [(0, 10), (1, 11), (2, 12)],
    "combine_latest": [(2, 10), (2, 11), (2, 12)],
    "amb": [0, 1, 2],
    "when_all": [(2, 12)],
}
named = pytest.mark.parametrize("name", COMBINATORS)


def arranged(name: str, elements: list[Any]) -> list[Any]:
    """Return elements in an order that is promised: inputs that run beside each other have none."""
    if name == "combine_latest":
        return OF_RANGES[name] if elements[-1] == (2, 12) else elements
    return sorted(elements) if name == "merge" else elements


class Foreign:
    """A publisher of another origin."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def subscribe(self, subscriber: Any, /) -> None:
        Stream.from_iterable(self.numbers).subscribe(subscriber)


@named
def test_streams_iterables_and_publishers_are_sources(name: str) -> None:
    combined = COMBINATORS[name]
    for sources in (
        (Stream.range(3), [10, 11, 12]),
        (range(3), Stream.range(10, 13)),
        (range(3), Foreign(10, 11, 12)),
    ):
        assert arranged(name, combined(*sources).to_list()) == OF_RANGES[name]


@named
def test_asynchronous_iterables_are_sources(name: str) -> None:
    async def numbers(start: int) -> AsyncIterator[int]:
        for number in range(start, start + 3):
            yield number

    async def main() -> list[Any]:
        return await COMBINATORS[name](numbers(0), numbers(10)).to_list_async()

    came = asyncio.run(main())
    assert arranged(name, came) == OF_RANGES[name] or (name, came) == ("amb", [10, 11, 12])


@named
@pytest.mark.parametrize("kind", [list, tuple])
def test_one_list_is_as_its_elements_as_arguments(name: str, kind: Callable[[Any], Any]) -> None:
    combined = COMBINATORS[name](kind([Stream.range(3), range(10, 13)]))
    assert arranged(name, combined.to_list()) == OF_RANGES[name]


@named
def test_one_stream_of_sources_is_taken_as_their_stream(name: str) -> None:
    combined = COMBINATORS[name]
    for sources in (Stream.just(Stream.range(3), range(10, 13)), Stream.just(range(3), Foreign(10, 11, 12))):
        assert arranged(name, combined(sources).to_list()) == OF_RANGES[name]


@named
def test_one_generator_of_sources_is_read_when_the_stream_runs(name: str) -> None:
    def sources() -> Iterator[Stream[int]]:
        yield Stream.range(3)
        yield Stream.range(10, 13)

    assert arranged(name, COMBINATORS[name](sources()).to_list()) == OF_RANGES[name]


@named
@pytest.mark.parametrize("sources", [(), ([],), ((),), (Stream.empty(),)], ids=repr)
def test_no_sources_are_an_empty_stream(name: str, sources: tuple[Any, ...]) -> None:
    assert COMBINATORS[name](*sources).to_list() == []


@named
def test_list_of_one_source_is_that_one(name: str) -> None:
    alone = [0, 1, 2] if name in ("concat", "merge", "amb") else [(0,), (1,), (2,)]
    assert COMBINATORS[name]([Stream.range(3)]).to_list() == (alone if name != "when_all" else [(2,)])
    assert COMBINATORS[name](Stream.just([0, 1, 2])).to_list() == (alone if name != "when_all" else [(2,)])


@named
@pytest.mark.parametrize("position", [1, 2, 3])
def test_what_is_no_source_is_refused_with_its_place(name: str, position: int) -> None:
    sources: list[Any] = [[1], Stream.just(1), (2,)]
    sources[position - 1] = 7
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(source {position}\) needs a stream, .* got 7 \(int\)"):
        COMBINATORS[name](*sources)
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(source {position}\)"):
        COMBINATORS[name](sources)


@named
def test_single_argument_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(sources\) needs a stream, .* got 7 \(int\)"):
        COMBINATORS[name](7)


@named
def test_element_that_is_no_source_is_an_error_of_the_stream(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(source") as raised:
        COMBINATORS[name](Stream.range(3)).to_list()
    assert "got 0 (int)" in str(raised.value)


@named
@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(name: str, prefetch: int) -> None:
    if name == "concat":
        return
    for sources in ((Stream.range(3), [1]), (Stream.just([1]),), ()):
        with pytest.raises(ArgumentError, match=r"\(prefetch\) needs a count from 1 to 16777216"):
            COMBINATORS[name](*sources, prefetch=prefetch)


def test_concurrency_bounds_what_runs_of_one_stream() -> None:
    running: list[int] = []
    most: list[int] = []

    def made(number: int) -> Stream[int]:
        def begin() -> Stream[int]:
            running.append(number)
            most.append(len(running))
            return Stream.just(number, number).do(on_complete=lambda: running.remove(number))

        return Stream.defer(begin)

    assert sorted(Stream.merge(Stream.range(6).map(made), concurrency=2).to_list()) == sorted([*range(6)] * 2)
    assert max(most) <= 2


@named
def test_description_stands_on_the_operators_that_exist(name: str) -> None:
    text = repr(COMBINATORS[name](Stream.range(3), [1]))
    expected = {
        "concat": "Stream.range(0, 3).concat_with(",
        "merge": "Stream.range(0, 3).merge_with(",
        "zip": "Stream.range(0, 3).zip_with(",
        "combine_latest": "Stream.range(0, 3).combine_latest(",
        "amb": "Stream.amb(",
        "when_all": "Stream.when_all(",
    }
    assert text.startswith(expected[name])


def test_operator_of_a_stream_has_the_name_of_the_combinator_and_its_own_meaning() -> None:
    assert Stream.just(1).combine_latest([2]).to_list() == [(1, 2)]
    assert Stream.combine_latest([1], [2]).to_list() == [(1, 2)]
    assert Stream.combine_latest.__doc__ == Stream.just(1).combine_latest.__doc__


@pytest.mark.parametrize("name", ["concat", "merge", "zip", "amb", "when_all"])
def test_call_on_a_stream_is_refused_as_it_would_leave_the_stream_out(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(\) is called on the class") as raised:
        getattr(Stream.range(3), name)([1], [2])
    assert f"call Stream.{name}() with this stream as an argument" in str(raised.value)
    assert (f"this stream has {name}_with()" in str(raised.value)) == (name in ("concat", "merge", "zip"))


# --- amb ----------------------------------------------------------------------------------------------------------


def manual(combined: Combinator, count: int, **arguments: Any) -> tuple[list[ManualPublisher], RecordingSubscriber]:
    inputs = [ManualPublisher() for _ in range(count)]
    subscriber = RecordingSubscriber(**arguments)
    combined(*(Stream.from_publisher(each) for each in inputs)).subscribe(subscriber)
    return inputs, subscriber


@pytest.mark.parametrize("winner", range(3))
def test_first_element_wins_and_cancels_the_others(winner: int) -> None:
    inputs, subscriber = manual(Stream.amb, 3, first_request=2)
    assert [each.requested for each in inputs] == [2, 2, 2]
    inputs[winner].send("first")
    assert [each.cancels for each in inputs] == [int(index != winner) for index in range(3)]
    inputs[(winner + 1) % 3].send("late")
    subscriber.request(3)
    inputs[winner].send("second")
    inputs[winner].complete()
    assert subscriber.outcome == (["first", "second"], "complete")
    assert [each.requested for each in inputs] == [5 if index == winner else 2 for index in range(3)]


@pytest.mark.parametrize("winner", range(3))
@pytest.mark.parametrize("first_request", [0, 1])
def test_end_or_error_that_is_first_wins(winner: int, first_request: int) -> None:
    inputs, subscriber = manual(Stream.amb, 3, first_request=first_request)
    inputs[winner].complete()
    assert subscriber.outcome == ([], "complete")
    assert sum(each.cancels for each in inputs) == 2
    inputs, subscriber = manual(Stream.amb, 3, first_request=first_request)
    inputs[winner].fail(OSError("lost"))
    assert subscriber.outcome == ([], "OSError('lost')")
    assert sum(each.cancels for each in inputs) == 2


def test_cancel_before_the_first_signal_cancels_all() -> None:
    inputs, subscriber = manual(Stream.amb, 3, first_request=1)
    subscriber.cancel()
    assert [each.cancels for each in inputs] == [1, 1, 1]


def test_later_sources_are_not_read_when_an_earlier_one_sends_at_once() -> None:
    read: list[int] = []
    assert Stream.amb(Stream.range(3), Stream.range(9).do(on_next=read.append)).to_list() == [0, 1, 2]
    assert read == []


# --- when_all -----------------------------------------------------------------------------------------------------


def test_last_elements_come_when_all_have_completed_and_are_requested() -> None:
    inputs, subscriber = manual(Stream.when_all, 2)
    for number, each in enumerate(inputs):
        assert each.requested == 128
        each.send(number, number + 10)
    inputs[1].complete()
    inputs[0].complete()
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([(10, 11)], "complete")


def test_source_without_an_element_leaves_no_tuple_and_is_waited_for_as_the_others() -> None:
    inputs, subscriber = manual(Stream.when_all, 2, first_request=1)
    inputs[0].complete()
    assert subscriber.outcome == ([], "open")
    inputs[1].send(1)
    inputs[1].complete()
    assert subscriber.outcome == ([], "complete")


def test_error_of_one_cancels_the_others() -> None:
    inputs, subscriber = manual(Stream.when_all, 3, first_request=1)
    inputs[0].send(1)
    inputs[1].fail(OSError("lost"))
    assert subscriber.outcome == ([], "OSError('lost')")
    assert [each.cancels for each in inputs] == [1, 0, 1]


def test_all_elements_are_taken_whatever_is_requested() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.when_all(Stream.range(5000), Stream.range(7000)).subscribe(subscriber)
    assert subscriber.outcome == ([(4999, 6999)], "complete")
    assert Stream.when_all(Stream.range(5000), Stream.range(7000)).take(1).to_list() == [(4999, 6999)]


@pytest.mark.parametrize("window", [1, UNBOUNDED])
def test_none_is_an_element(window: int) -> None:
    assert Stream.when_all([None], [1]).to_list() == [(None, 1)]


def ends_at_once() -> Iterator[int]:
    return
    yield


def fails_at_once() -> Iterator[int]:
    raise ValueError("broken")
    yield


@pytest.mark.parametrize("prefetch", [1, 2, 128])
def test_amb_is_won_by_an_input_that_ends_before_the_next_one_is_asked(prefetch: int) -> None:
    assert list(Stream.amb(ends_at_once(), [1, 2]).iterate(prefetch=prefetch)) == []
    with pytest.raises(ValueError, match="broken"):
        list(Stream.amb(fails_at_once(), Stream.never(), [1, 2]).iterate(prefetch=prefetch))
