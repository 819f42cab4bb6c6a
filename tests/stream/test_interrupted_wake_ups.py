"""Interrupts, such as Ctrl-C, in the call by which a thread wakes an event loop that waits for an element."""

import asyncio
import selectors
import threading
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing

from reactivestreams import Stream
from reactivestreams.errors import ReactiveStreamsError, StreamCancelledError
from rs_core.ends.element_reader import ElementReader
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.sources.pushed_emitter import Pushed

LIMIT_SECONDS = 30
SIGNALS: dict[str, Callable[[Any], object]] = {
    "on_next": lambda emitter: emitter.emit(1),
    "on_complete": lambda emitter: emitter.complete(),
    "on_error": lambda emitter: emitter.fail(ValueError("why")),
}


class Interrupted:
    """Raises in its first calls, before or behind what it stands for."""

    def __init__(self, call: Callable[..., object], error: BaseException, times: int, *, is_late: bool) -> None:
        self.call, self.error, self.left, self.is_late = call, error, times, is_late

    def __call__(self, *arguments: Any, **options: Any) -> object:
        is_raising = self.left > 0
        self.left -= 1
        if self.is_late or not is_raising:
            self.call(*arguments, **options)
        if is_raising:
            raise self.error
        return None


class Thread(threading.Thread):
    """Signals; notes what that raised."""

    def __init__(self, signal: Callable[[Any], object], emitter: Any) -> None:
        super().__init__()
        self.signal, self.emitter = signal, emitter
        self.raised: BaseException | None = None

    def run(self) -> None:
        try:
            self.signal(self.emitter)
        except BaseException as error:  # what is under test
            self.raised = error


def ends_as(signal: str, outcome: object) -> bool:
    """Whether the wait has ended as it may where the wake-up was interrupted: with the signal, or with the news."""
    if isinstance(outcome, StreamCancelledError):
        return True
    expected: dict[str, object] = {"on_next": 1, "on_complete": "complete", "on_error": "why"}
    return expected[signal] == (str(outcome) if isinstance(outcome, ValueError) else outcome)


async def next_of(elements: Any) -> object:
    try:
        return await anext(elements)
    except StopAsyncIteration:
        return "complete"
    except (StreamCancelledError, ValueError) as error:
        return error


@pytest.mark.parametrize("is_late", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("signal", SIGNALS)
def test_interrupt_of_a_wake_up_of_asyncio_reaches_who_signals_and_the_task_goes_on(
    signal: str, times: int, is_late: bool
) -> None:
    interrupt = KeyboardInterrupt()
    loop = asyncio.SelectorEventLoop(selectors.DefaultSelector())

    async def main() -> tuple[object, BaseException | None]:
        callback = Pushed()
        elements = aiter(Stream.create(callback, on_overflow="error"))
        waiting = asyncio.ensure_future(next_of(elements))
        await asyncio.sleep(0)
        wake: Any = Interrupted(loop.call_soon_threadsafe, interrupt, times, is_late=is_late)
        loop.call_soon_threadsafe = wake  # type: ignore[method-assign]
        thread = Thread(SIGNALS[signal], callback.emitter)
        thread.start()
        outcome = await asyncio.wait_for(waiting, LIMIT_SECONDS)
        thread.join(LIMIT_SECONDS)
        return outcome, thread.raised

    try:
        outcome, raised = loop.run_until_complete(main())
    finally:
        loop.close()
    assert raised is interrupt
    assert ends_as(signal, outcome)


@pytest.mark.parametrize("is_late", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_interrupt_of_a_wake_up_of_trio_reaches_who_signals_and_the_task_goes_on(signal: str, is_late: bool) -> None:
    interrupt = KeyboardInterrupt()

    async def main() -> tuple[object, BaseException | None]:
        callback = Pushed()
        elements: Any = aiter(Stream.create(callback, on_overflow="error"))
        sleep = elements._sleep
        sleep._token = _Token(Interrupted(sleep._token.run_sync_soon, interrupt, 1, is_late=is_late))
        thread = Thread(SIGNALS[signal], callback.emitter)
        outcomes: list[object] = []

        async def wait() -> None:
            outcomes.append(await next_of(elements))

        with trio.fail_after(LIMIT_SECONDS):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await trio.testing.wait_all_tasks_blocked()
                thread.start()
        thread.join(LIMIT_SECONDS)
        return outcomes[0], thread.raised

    outcome, raised = trio.run(main)
    assert raised is interrupt
    assert ends_as(signal, outcome)


class _Token:
    def __init__(self, run_sync_soon: Callable[..., object]) -> None:
        self.run_sync_soon = run_sync_soon


def test_consumer_that_no_call_could_wake_is_told_of_the_end_when_it_looks_again() -> None:
    calls: list[bool] = []
    interrupts = [KeyboardInterrupt(), KeyboardInterrupt(), KeyboardInterrupt()]

    def on_news() -> None:
        calls.append(True)
        if interrupts:
            raise interrupts.pop(0)

    callback = Pushed()
    reader: ElementReader[int] = ElementReader(Stream.create(callback, on_overflow="error"), on_news, 4)
    assert reader.take(None) is None
    assert reader.must_wait()
    with pytest.raises(KeyboardInterrupt):
        callback.emitter.emit(1)
    assert len(calls) == 4  # the end of the stream has called once more
    assert reader.take(None) == 1
    with pytest.raises(StreamCancelledError):
        reader.take(None)


def test_loop_that_has_ended_is_told_once() -> None:
    def on_news() -> None:
        raise RuntimeError("closed")

    callback = Pushed()
    reader: ElementReader[int] = ElementReader(Stream.create(callback, on_overflow="error"), on_news, 4)
    assert (reader.take(None), reader.must_wait()) == (None, True)
    with recorded_drops() as drops:
        callback.emitter.emit(1)
    assert [(signal, str(value)) for signal, value, _ in drops] == [("wake-up", "closed")]
    assert callback.emitter.is_cancelled


@pytest.fixture
def interrupted_errors(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have a signal handler run, and raise, wherever the Python code of an error of this project would let it."""
    made: list[str] = []

    def interrupted(self: ReactiveStreamsError, message: str, *, rule: str | None = None) -> None:
        made.append(message)
        raise KeyboardInterrupt

    monkeypatch.setattr(ReactiveStreamsError, "__init__", interrupted)
    return made


def test_blocking_end_is_woken_where_the_thread_that_delivers_is_interrupted_twice(
    interrupted_errors: list[str],
) -> None:
    callback = Pushed()
    outcome: list[object] = []

    def run() -> None:
        try:
            Stream.create(callback, on_overflow="error").map(interrupt_first).to_list(timeout_seconds=LIMIT_SECONDS)
        except StreamCancelledError as error:
            outcome.append(str(error))
        except BaseException as error:  # what is under test
            outcome.append(error)

    def interrupt_first(element: int) -> int:
        raise KeyboardInterrupt

    waiting = threading.Thread(target=run)
    waiting.start()
    while not callback.emitters:
        threading.Event().wait(0.001)
    with pytest.raises(KeyboardInterrupt):
        callback.emitter.emit(1)
    waiting.join(LIMIT_SECONDS)
    assert outcome == [
        "the stream was cancelled while it ran, e.g. by an interrupt of the thread that delivered; run it again"
    ]


def test_interrupt_of_a_repr_in_the_message_of_a_failure_is_raised() -> None:
    class Key:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stream.from_iterable([Key(), Key()]).key_by(lambda key: key, max_keys=1).count().run()


def test_interrupt_while_a_task_of_map_async_is_cancelled_is_raised_and_the_others_are_cancelled() -> None:
    interrupt = KeyboardInterrupt()
    begun: list[int] = []
    cancelled: list[int] = []

    async def work(element: int) -> int:
        begun.append(element)
        try:
            await asyncio.sleep(LIMIT_SECONDS)
        except asyncio.CancelledError:
            cancelled.append(element)
            raise
        return element

    async def main() -> None:
        subscriber = RecordingSubscriber(first_request=9)
        Stream.range(3).map_async(work, concurrency=3).subscribe(subscriber)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        wake: Any = Interrupted(loop.call_soon_threadsafe, interrupt, 1, is_late=False)
        loop.call_soon_threadsafe = wake  # type: ignore[method-assign]
        thread = Thread(lambda subscription: subscription.cancel(), subscriber.subscription)
        thread.start()
        while thread.is_alive():
            await asyncio.sleep(0.001)
        assert thread.raised is interrupt
        for _ in range(3):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert (sorted(begun), sorted(cancelled)) == ([0, 1, 2], [0, 1, 2])
