"""merge_with, merge_sorted, zip_with and others of several inputs: what all of them promise, and what each does."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract

METHODS = ["merge_with", "merge_sorted", "zip_with", "zip_longest", "combine_latest", "with_latest_from"]


class TestMergeWithNothing(OperatorContract, StateContract):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().merge_with((), prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestZipWith(OperatorContract, StateContract):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().zip_with(Stream.range(100, 150), range(200, 300), prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(zip(elements, range(100, 150), range(200, 300), strict=False))


class TestZipLongest(OperatorContract, StateContract):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().zip_longest((), prefetch=3, filling="-")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(each, "-") for each in elements]


def test_longest_goes_on_until_all_are_over() -> None:
    zipped = Stream.range(3).zip_longest("ab", range(5), filling="-")
    assert zipped.to_list() == list(itertools.zip_longest(range(3), "ab", range(5), fillvalue="-"))


def of_manual(method: str, count: int, **arguments: Any) -> tuple[list[ManualPublisher], RecordingSubscriber]:
    inputs = [ManualPublisher() for _ in range(count)]
    first, *others = [Stream.from_publisher(each) for each in inputs]
    subscriber = RecordingSubscriber()
    getattr(first, method)(*others, **arguments).subscribe(subscriber)
    return inputs, subscriber


@pytest.mark.parametrize("method", METHODS)
def test_no_more_than_the_prefetch_is_requested_of_an_input(method: str) -> None:
    inputs, subscriber = of_manual(method, 3, prefetch=4)
    subscriber.request(1)
    assert [each.requested for each in inputs] == [4, 4, 4]


@pytest.mark.parametrize("method", METHODS)
def test_error_of_any_input_cancels_the_others(method: str) -> None:
    for failing in range(3):
        inputs, subscriber = of_manual(method, 3)
        subscriber.request(UNBOUNDED)
        inputs[failing].fail(ValueError("broken"))
        assert subscriber.outcome == ([], "ValueError('broken')")
        assert [each.cancels for each in inputs] == [int(index != failing) for index in range(3)]


@pytest.mark.parametrize("method", METHODS)
def test_cancel_reaches_every_input(method: str) -> None:
    inputs, subscriber = of_manual(method, 3)
    subscriber.request(1)
    subscriber.cancel()
    assert [each.cancels for each in inputs] == [1, 1, 1]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_comes_without_demand(method: str) -> None:
    inputs, subscriber = of_manual(method, 2)
    for each in inputs:
        each.send(1, 2)
    assert subscriber.elements == []
    subscriber.request(1)
    assert len(subscriber.elements) == 1


@pytest.mark.parametrize("method", METHODS)
def test_every_kind_of_source_is_an_input(method: str) -> None:
    async def numbers() -> AsyncIterator[int]:
        for number in range(4):
            await asyncio.sleep(0)
            yield number

    async def run(source: Any) -> list[Any]:
        return await getattr(Stream.range(4).map_async(later), method)(source).to_list_async()

    async def later(number: int) -> int:
        await asyncio.sleep(0)
        return number

    class Foreign:
        def subscribe(self, subscriber: Any) -> None:
            Stream.range(4).subscribe(subscriber)

    sources: list[Callable[[], Any]] = [lambda: range(4), lambda: Stream.range(4), Foreign, numbers]
    counts = [len(asyncio.run(run(source()))) for source in sources]
    if method in {"merge_with", "merge_sorted", "zip_with", "zip_longest"}:
        assert counts == [8 if method.startswith("merge") else 4] * 4
    else:
        assert min(counts) > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("request_size", [1, 3])
def test_state_is_saved_and_loaded_at_every_element(method: str, request_size: int) -> None:
    def assembled(subscriber: Any) -> Any:
        return getattr(Stream.range(9), method)(Stream.range(100, 112).map(int), prefetch=4).bind(subscriber)

    stepped = RecordingSubscriber()
    handle = assembled(stepped)
    handle.initialize()
    for _ in range(60):
        stepped.request(request_size)
        if stepped.outcome[1] == "complete":
            break
        after = RecordingSubscriber()
        recovered = assembled(after)
        load_tree(recovered, save_tree(handle))
        recovered.initialize()
        after.request(UNBOUNDED)
        together = stepped.elements + after.elements
        assert after.outcome[1] == "complete"
        if method.startswith("merge"):
            assert sorted(together) == [*range(9), *range(100, 112)]
            assert method == "merge_with" or together == sorted(together)
        elif method == "zip_with":
            assert together == list(zip(range(9), range(100, 112), strict=False))
        elif method == "zip_longest":
            assert together == list(itertools.zip_longest(range(9), range(100, 112)))
        else:
            assert together[-1] == (8, 111) or method == "with_latest_from"


@pytest.mark.parametrize("method", METHODS)
def test_state_with_another_number_of_inputs_is_refused(method: str) -> None:
    handle = getattr(Stream.range(9), method)(Stream.range(3)).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    state = save_tree(handle)
    other = getattr(Stream.range(9), method)().bind(RecordingSubscriber())
    with pytest.raises(StateError):
        load_tree(other, state)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", [None, 3, pipeline().map(str)], ids=repr)
def test_what_is_no_source_is_refused_when_the_stream_is_built(method: str, source: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"^{method}\(source 2\) needs a stream, a publisher, an iterable"):
        getattr(Stream.range(3), method)([], source)


@pytest.mark.parametrize("method", METHODS)
def test_prefetch_out_of_bounds_is_refused(method: str) -> None:
    with pytest.raises(ArgumentError, match=rf"{method}\(prefetch\)"):
        getattr(Stream.range(3), method)([], prefetch=0)


@pytest.mark.parametrize("method", METHODS)
def test_inputs_in_other_threads_lose_nothing(method: str) -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        first = Stream.range(5_000).observe_on(a, prefetch=32)
        stream = getattr(first, method)(Stream.range(5_000).observe_on(b, prefetch=32), prefetch=32)
        elements = stream.to_list(timeout_seconds=60)
    if method.startswith("merge"):
        assert sorted(elements) == sorted([*range(5_000)] * 2)
        assert method == "merge_with" or elements == sorted(elements)
    elif method in {"zip_with", "zip_longest"}:
        assert elements == [(number, number) for number in range(5_000)]
    else:
        assert elements == sorted(elements)
        assert method == "with_latest_from" or elements[-1][0] == 4_999


def test_merged_elements_come_as_they_come() -> None:
    inputs, subscriber = of_manual("merge_with", 3)
    subscriber.request(UNBOUNDED)
    for index in (2, 0, 1, 1, 2):
        inputs[index].send(index)
    for each in inputs:
        assert subscriber.outcome == ([2, 0, 1, 1, 2], "open")
        each.complete()
    assert subscriber.outcome == ([2, 0, 1, 1, 2], "complete")


def test_no_input_of_a_merge_waits_for_one_that_never_ends() -> None:
    merged = Stream.range(10**12).merge_with(Stream.range(10**6, 10**6 + 100))
    assert sorted(merged.take(2_000).to_list())[-100:] == list(range(10**6, 10**6 + 100))


def test_zip_ends_with_its_shortest_input_and_cancels_the_others() -> None:
    inputs, subscriber = of_manual("zip_with", 2)
    subscriber.request(UNBOUNDED)
    inputs[0].send(1, 2)
    inputs[1].send("a")
    inputs[1].complete()
    assert subscriber.outcome == ([(1, "a")], "complete")
    assert inputs[0].cancels == 1


def test_others_are_looked_up_for_each_element() -> None:
    inputs, subscriber = of_manual("with_latest_from", 2)
    subscriber.request(UNBOUNDED)
    inputs[0].send(1)
    inputs[1].send("a", "b")
    inputs[0].send(2, 3)
    inputs[1].complete()
    inputs[0].send(4)
    inputs[0].complete()
    assert subscriber.outcome == ([(2, "b"), (3, "b"), (4, "b")], "complete")
