"""generate: a function makes elements of a state, step by step."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start

COUNT = 6


def step(number: int) -> tuple[str, int] | None:
    return (str(number), number + 1) if number < COUNT else None


ALL = [str(number) for number in range(COUNT)]


@pytest.mark.parametrize("window", [1, 2, 5, COUNT, UNBOUNDED])
def test_elements_come_as_they_are_requested(window: int) -> None:
    subscriber = RecordingSubscriber(first_request=window, then_request=1)
    Stream.generate(0, step).subscribe(subscriber)
    assert subscriber.outcome == (ALL, "complete")


def test_no_step_is_made_without_demand() -> None:
    seen: list[int] = []
    subscriber = RecordingSubscriber()
    Stream.generate(0, lambda number: seen.append(number) or (number, number + 1)).subscribe(subscriber)
    assert seen == []
    subscriber.request(2)
    assert (seen, subscriber.elements) == ([0, 1], [0, 1])


def test_every_subscription_begins_with_the_seed() -> None:
    stream = Stream.generate(0, step)
    assert (stream.take(2).to_list(), stream.to_list()) == (ALL[:2], ALL)


def test_none_at_first_is_an_empty_stream() -> None:
    assert Stream.generate(None, lambda _: None).to_list() == []


@pytest.mark.parametrize("position", range(COUNT))
def test_exception_at_any_position_is_the_streams(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.generate(0, lambda n: (n, n + 1) if n < position else 1 // 0).subscribe(subscriber)  # type: ignore[arg-type]
    assert subscriber.elements == list(range(position))
    assert isinstance(subscriber.error, ZeroDivisionError)


@pytest.mark.parametrize("position", range(1, COUNT + 1))
def test_cancel_at_any_position_ends_the_steps(position: int) -> None:
    seen: list[int] = []
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
    Stream.generate(0, lambda n: seen.append(n) or (n, n + 1)).subscribe(subscriber)
    assert subscriber.outcome == (list(range(position)), "open")
    assert seen == subscriber.elements


@pytest.mark.parametrize("wrong", [3, (), (1,), (1, 2, 3), [1, 2], "ab"])
def test_result_that_is_no_pair_fails_with_the_state_and_the_result(wrong: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Stream.generate("seed", lambda _: wrong).to_list()
    assert "has to return a tuple (element, next state), or None at the end" in str(raised.value)
    assert "'seed'" in str(raised.value)
    assert repr(wrong) in str(raised.value)


@pytest.mark.parametrize("position", range(COUNT + 1))
def test_recovered_stream_goes_on_exactly(position: int) -> None:
    before, after = RecordingSubscriber(first_request=position or 0), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.generate(0, step)
    handle = stream.bind(before)
    handle.initialize()
    start(stream.bind(after), save(handle))
    assert before.elements + after.elements == ALL
    assert after.is_complete


@pytest.mark.parametrize("wrong", [3, None, "name"])
def test_step_that_cannot_be_called_is_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"generate\(step\) needs a callable, got "):
        Stream.generate(0, wrong)


def test_coroutine_function_is_refused() -> None:
    async def asynchronous(state: int) -> None: ...

    wrong: Any = asynchronous
    with pytest.raises(ArgumentTypeError, match=r"generate\(step\) needs a function that returns its result"):
        Stream.generate(0, wrong)
