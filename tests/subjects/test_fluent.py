"""Subjects have the operators and terminal operations of streams."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, UnicastSubject
from rs_core.stream.description import Description
from tests.contracts.recording_subscriber import RecordingSubscriber

SUBJECTS: list[Callable[[], Any]] = [BroadcastSubject, lambda: ReplaySubject(9), UnicastSubject, SimpleSubject]


@pytest.mark.parametrize("make", SUBJECTS)
def test_operators_get_what_the_subject_sends(make: Callable[[], Any]) -> None:
    subject, seen = make(), []
    with subject.filter(lambda n: n % 2).map(str).subscribe(on_next=seen.append):
        for n in range(5):
            subject.on_next(n)
    assert seen == ["1", "3"]


@pytest.mark.parametrize("make", SUBJECTS)
def test_functions_get_the_signals(make: Callable[[], Any]) -> None:
    subject, seen = make(), []
    subject.subscribe(on_next=seen.append, on_complete=lambda: seen.append("complete"))
    subject.on_next("first")
    subject.on_complete()
    assert seen == ["first", "complete"]


def test_terminal_operations_wait_for_the_end() -> None:
    replay: ReplaySubject[int] = ReplaySubject(3)
    for n in range(5):
        replay.on_next(n)
    replay.on_complete()
    assert (replay.to_list(), replay.sum(), replay.map(str).last()) == ([2, 3, 4], 9, "4")


def test_coroutine_gets_elements_that_are_pushed_in_its_loop() -> None:
    subject: UnicastSubject[int] = UnicastSubject()

    async def sums() -> list[int]:
        return [n async for n in subject.scan(lambda total, n: total + n, 0)]

    async def main() -> list[int]:
        task = asyncio.create_task(sums())
        for n in range(4):
            await asyncio.sleep(0)
            subject.on_next(n)
        subject.on_complete()
        return await task

    assert asyncio.run(main()) == [0, 1, 3, 6]


def test_every_method_of_a_stream_is_there_and_none_that_ignores_the_subject() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    names = {name for name in dir(subject) if not name.startswith("_")}
    of_class = {name for name in dir(Stream) if getattr(getattr(Stream, name), "__self__", None) is Stream}
    assert {name for name in dir(Stream) if not name.startswith("_")} - set(dir(Description)) - of_class <= names
    assert names & of_class == set()


@pytest.mark.parametrize(
    ("name", "message"), [("mapping", "did you mean .*map"), ("selectMany", "it is "), ("_map", "has no '_map'")]
)
def test_missing_name_is_an_error_with_a_remedy(name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message):
        getattr(BroadcastSubject(), name)


def test_subscriber_and_functions_together_are_refused() -> None:
    subject: Any = BroadcastSubject()
    with pytest.raises(ArgumentTypeError, match="subscribe"):
        subject.subscribe(RecordingSubscriber(), on_next=print)
    with pytest.raises(TypeError, match="on_nxt"):
        subject.subscribe(on_nxt=print)
