"""map_in_executor: calls of a function in the workers of an executor, their results in order or as they come."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StreamCancelledError
from reactivestreams.operators import MapInExecutor
from reactivestreams.operators.transforming.map_in_executor import MAX_ELEMENTS
from reactivestreams.schedulers.delays import SHARED_NAME
from rs_core.operators.chunk_call import call_for_chunk
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.executors import WAIT_SECONDS, SteppedExecutor, settle_shared
from tests.contracts.operator_contract import OperatorContract, OperatorSubject
from tests.contracts.state_contract import StateContract
from tests.rs_core.recording_subscriber import RecordingSubscriber


def negated(number: int) -> int:
    return -number


def failing_at_five(number: int) -> int:
    if number == 5:
        raise OSError("lost")
    return -number


def process_of(_number: int) -> int:
    return os.getpid()


def dying_at_five(number: int) -> int:
    if number == 5:
        os._exit(1)
    return number


def unpicklable(_number: int) -> Any:
    return threading.Lock()


class SteppedCalls(OperatorSubject):
    """The operator, whose calls run when the test lets them."""

    executor: SteppedExecutor

    @pytest.fixture(autouse=True)
    def executor_of_the_test(self) -> None:
        self.executor = SteppedExecutor()

    def settle(self) -> None:
        self.executor.settle()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [-element for element in elements]

    def start_settling(self, stream: Stream[Any], subscriber: Any) -> None:
        stream.subscribe(subscriber)
        while not subscriber.ended.wait(0.001):
            self.settle()


class TestMapInExecutor(SteppedCalls, OperatorContract, StateContract):
    reads_ahead = 8  # half of them in the queue, half of them in calls

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_in_executor(negated, self.executor, concurrency=4)


class TestMapInExecutorOneByOne(SteppedCalls, OperatorContract, StateContract):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_in_executor(negated, self.executor, concurrency=1)


class TestMapInExecutorOfChunks(SteppedCalls, OperatorContract, StateContract):
    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_in_executor(negated, self.executor, concurrency=2, chunk=3)


class TestMapInExecutorAsTheyCome(SteppedCalls, OperatorContract, StateContract):
    """Calls run in the order in which they were begun, so that results come in order here, too."""

    reads_ahead = 8

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_in_executor(negated, self.executor, concurrency=2, chunk=2, ordered=False)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


def new_processes(workers: int = 2) -> ProcessPoolExecutor:
    """Return a pool whose processes begin without the threads of this one, which a fork would leave half."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with new_processes() as pool:
        yield pool


# --- what comes, and when calls begin ---------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 2, 16])
@pytest.mark.parametrize("chunk", [1, 3, 1000])
@pytest.mark.parametrize("elements", [0, 1, 50])
def test_results_come_in_the_order_of_the_elements(
    threads: ThreadPoolExecutor, elements: int, chunk: int, concurrency: int
) -> None:
    stream = Stream.range(elements).map_in_executor(negated, threads, concurrency=concurrency, chunk=chunk)
    assert stream.to_list() == [-number for number in range(elements)]


@pytest.mark.parametrize("chunk", [1, 7])
def test_results_as_they_come_are_the_same(threads: ThreadPoolExecutor, chunk: int) -> None:
    stream = Stream.range(500).map_in_executor(negated, threads, ordered=False, chunk=chunk)
    assert sorted(stream.to_list()) == [-number for number in range(499, -1, -1)]


def test_results_that_are_ready_wait_for_those_before_them_unless_order_is_waived() -> None:
    seen = {}
    for ordered in (True, False):
        executor, subscriber = SteppedExecutor(), RecordingSubscriber(demand=10)
        Stream.range(3).map_in_executor(negated, executor, ordered=ordered).subscribe(subscriber)
        settle_shared()
        executor.run_next(last=True)
        settle_shared()
        seen[ordered] = list(subscriber.elements)
        executor.settle()
        assert sorted(subscriber.elements) == [-2, -1, 0]
    assert seen == {True: [], False: [-2]}


def test_no_more_calls_are_begun_than_are_allowed_and_requested() -> None:
    executor, subscriber = SteppedExecutor(), RecordingSubscriber(demand=None)
    Stream.range(100).map_in_executor(negated, executor, concurrency=3).subscribe(subscriber)
    settle_shared()
    assert len(executor.calls) == 0
    subscriber.subscription.request(2)
    settle_shared()
    assert len(executor.calls) == 2
    subscriber.subscription.request(10)
    settle_shared()
    assert len(executor.calls) == 3
    executor.run_next(last=True)
    settle_shared()
    assert (subscriber.elements, len(executor.calls)) == ([], 2)  # its result waits for those before it
    executor.run_next()
    executor.run_next()
    settle_shared()
    assert (subscriber.elements, len(executor.calls)) == ([0, -1, -2], 3)
    subscriber.subscription.cancel()
    settle_shared()
    assert [future.cancelled() for future, _ in executor.calls] == [True] * 3


class ChunkSizes(ThreadPoolExecutor):
    """Notes how many elements each call gets."""

    def __init__(self) -> None:
        super().__init__(2)
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        if function is call_for_chunk:
            self.sizes.append(len(arguments[1]))
        return super().submit(function, *arguments, **named)


def test_chunks_of_a_ready_source_are_whole_but_for_the_last() -> None:
    with ChunkSizes() as executor:
        Stream.range(5_010).map_in_executor(negated, executor, concurrency=3, chunk=1_250).run()
    assert sorted(executor.sizes) == [10, 1_250, 1_250, 1_250, 1_250]


def test_element_that_comes_alone_does_not_wait_for_others() -> None:
    executor, subscriber = SteppedExecutor(), RecordingSubscriber(demand=10)
    emitters: list[Any] = []
    Stream.create(emitters.append, on_overflow="error").map_in_executor(negated, executor, chunk=4).subscribe(
        subscriber
    )
    emitters[0].emit(1)
    settle_shared()
    assert len(executor.calls) == 1  # nothing else could bring the rest of a chunk
    for number in (2, 3, 4):
        emitters[0].emit(number)
    settle_shared()
    assert len(executor.calls) == 1  # a call runs, so these wait for the rest of theirs
    executor.run_next()
    settle_shared()
    assert (subscriber.elements, len(executor.calls)) == ([-1], 1)
    emitters[0].emit(5)
    emitters[0].complete()
    settle_shared()
    assert len(executor.calls) == 2  # no more will come
    executor.settle()
    assert (subscriber.elements, subscriber.names[-1]) == ([-1, -2, -3, -4, -5], "on_complete")


def test_results_go_on_in_the_shared_thread_not_in_those_of_the_executor(threads: ThreadPoolExecutor) -> None:
    names: set[str] = set()
    Stream.range(50).map_in_executor(negated, threads).do(lambda _: names.add(threading.current_thread().name)).run()
    assert names == {SHARED_NAME}


def test_results_go_on_in_the_loop_that_runs_where_the_stream_is_subscribed(threads: ThreadPoolExecutor) -> None:
    passed: set[int] = set()

    async def main() -> list[int]:
        stream = Stream.range(50).map_in_executor(negated, threads, chunk=3)
        return await stream.do(lambda _: passed.add(threading.get_ident())).to_list_async()

    assert asyncio.run(main()) == [-number for number in range(50)]
    assert passed == {threading.get_ident()}


# --- processes --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 10])
def test_processes_call_the_function(processes: ProcessPoolExecutor, chunk: int) -> None:
    stream = Stream.range(100).map_in_executor(negated, processes, chunk=chunk)
    assert stream.to_list() == [-number for number in range(100)]
    assert os.getpid() not in Stream.range(100).map_in_executor(process_of, processes, chunk=chunk).to_list()


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 4])
def test_stop_iteration_of_the_function_is_an_error_like_any_other(threads: ThreadPoolExecutor, chunk: int) -> None:
    seen: list[int] = []

    def first_two(element: int) -> int:
        if element == 2:
            raise StopIteration("no more")
        return element

    with pytest.raises(StopIteration, match="no more"):
        Stream.range(4).map_in_executor(first_two, threads, chunk=chunk).for_each(seen.append)
    assert seen == [0, 1]


@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_error_in_a_process_comes_behind_the_results_before_it(processes: ProcessPoolExecutor, chunk: int) -> None:
    seen: list[int] = []
    with pytest.raises(OSError, match="lost") as raised:
        Stream.range(20).map_in_executor(failing_at_five, processes, chunk=chunk).do(seen.append).run()
    assert seen == [0, -1, -2, -3, -4]
    remote = "".join([*raised.value.__notes__, str(raised.value.__cause__)])
    assert 'raise OSError("lost")' in remote  # the line of the worker


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 4])
@pytest.mark.parametrize("ordered", [True, False])
def test_worker_that_dies_ends_the_stream_with_a_remedy(chunk: int, ordered: bool) -> None:
    with new_processes() as pool:
        stream = Stream.range(100).map_in_executor(dying_at_five, pool, chunk=chunk, ordered=ordered)
        with pytest.raises(BrokenProcessPool) as raised:
            stream.to_list(timeout_seconds=WAIT_SECONDS)
        with pytest.raises(BrokenProcessPool):  # at once
            stream.to_list(timeout_seconds=WAIT_SECONDS)
    assert "has lost a worker and runs nothing more" in "".join(raised.value.__notes__)
    assert "pass a function that makes the executor, and add retry()" in "".join(raised.value.__notes__)


@pytest.mark.slow
def test_retry_gets_a_new_pool_for_one_that_has_lost_a_worker(tmp_path: Any) -> None:
    made: list[ProcessPoolExecutor] = []

    def make() -> ProcessPoolExecutor:
        made.append(new_processes(1))
        return made[-1]

    died: list[Exception] = []
    stream = Stream.range(3, 7).map_in_executor(dying_at_five, make).retry(1, when=lambda e: not died.append(e))
    with pytest.raises(BrokenProcessPool):
        stream.to_list(timeout_seconds=WAIT_SECONDS)
    assert (len(made), len(died)) == (2, 1)


@pytest.mark.slow
def test_what_cannot_be_pickled_on_its_way_ends_the_stream_with_a_remedy(processes: ProcessPoolExecutor) -> None:
    for stream in (
        Stream.just(threading.Lock()).map_in_executor(str, processes),
        Stream.just(1).map_in_executor(unpicklable, processes),
    ):
        with pytest.raises(TypeError, match="pickle") as raised:
            stream.to_list(timeout_seconds=WAIT_SECONDS)
        assert "elements and results are pickled on their way to another process" in "".join(raised.value.__notes__)


def test_function_that_cannot_be_pickled_is_refused_for_processes() -> None:
    with new_processes() as pool:  # which begins none before its first call
        local: Callable[[int], int] = lambda number: number  # noqa: E731
        expected = r"map_in_executor\(function\) cannot send <function .* be pickled: .*; define it with def at the top"
        with pytest.raises(ArgumentTypeError, match=expected):
            Stream.range(3).map_in_executor(local, pool)
    with pytest.raises(ArgumentTypeError, match=expected):
        Stream.range(3).map_in_executor(local, new_processes).to_list()


def test_interpreters_get_one_element_at_a_time() -> None:
    interpreter = pytest.importorskip("concurrent.futures.interpreter")
    with interpreter.InterpreterPoolExecutor(2) as pool:
        assert Stream.range(5).map_in_executor(abs, pool).to_list() == [0, 1, 2, 3, 4]
        with pytest.raises(ArgumentError, match=r"map_in_executor\(chunk\) needs 1 for .* lists of elements, made by"):
            Stream.range(5).map_in_executor(abs, pool, chunk=2)


# --- whose the executor is --------------------------------------------------------------------------------------------


class Closing(ThreadPoolExecutor):
    """Notes how it was shut down."""

    closings: list[dict[str, bool]]

    def __init__(self, *, closings: list[dict[str, bool]]) -> None:
        super().__init__(2)
        self.closings = closings

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.closings.append({"wait": wait, "cancel_futures": cancel_futures})
        super().shutdown(wait=True)  # a test ends without its threads


def test_executor_that_was_passed_stays_open() -> None:
    closings: list[dict[str, bool]] = []
    pool = Closing(closings=closings)
    assert Stream.range(3).map_in_executor(negated, pool).to_list() == [0, -1, -2]
    assert closings == []
    pool.shutdown()


@pytest.mark.parametrize("elements", [[1, 2, 3], [1, "a", 3]])
def test_executor_that_was_made_for_the_stream_is_shut_down_with_it(elements: list[Any]) -> None:
    closings: list[dict[str, bool]] = []
    stream = Stream.from_iterable(elements).map_in_executor(negated, lambda: Closing(closings=closings))
    for _ in range(2):
        with suppress(TypeError):
            stream.run(timeout_seconds=WAIT_SECONDS)
        settle_shared()
    assert closings == [{"wait": False, "cancel_futures": True}] * 2


def test_class_of_an_executor_makes_one() -> None:
    before = threading.active_count()
    assert Stream.range(3).map_in_executor(negated, ThreadPoolExecutor).to_list() == [0, -1, -2]
    for thread in threading.enumerate():
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(WAIT_SECONDS)
    assert threading.active_count() <= before + 1  # that of the shared scheduler


def test_executor_that_is_shut_down_ends_the_stream_with_a_remedy() -> None:
    pool = ThreadPoolExecutor(1)
    stream = Stream.range(10).map_in_executor(negated, pool)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown") as raised:
        stream.to_list(timeout_seconds=WAIT_SECONDS)
    assert "was shut down: do that after the end of the stream" in "".join(raised.value.__notes__)


def test_executor_that_cancels_a_call_ends_the_stream() -> None:
    executor, subscriber = SteppedExecutor(), RecordingSubscriber(demand=10)
    Stream.range(3).map_in_executor(negated, executor).subscribe(subscriber)
    settle_shared()
    executor.calls[0][0].cancel()
    executor.settle()
    assert [type(error) for error in subscriber.errors] == [StreamCancelledError]
    assert "by other code or with its executor" in str(subscriber.errors[0])


# --- errors and cancellation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1, 2, 4, 100])
def test_error_comes_where_the_result_would_have_come(threads: ThreadPoolExecutor, chunk: int) -> None:
    seen: list[int] = []
    with pytest.raises(OSError, match="lost"):
        Stream.range(20).map_in_executor(failing_at_five, threads, chunk=chunk).do(seen.append).run()
    assert seen == [0, -1, -2, -3, -4]


def test_error_of_the_upstream_comes_behind_the_results(threads: ThreadPoolExecutor) -> None:
    seen: list[int] = []
    with pytest.raises(OSError, match="lost"):
        Stream.range(20).map(failing_at_five).map_in_executor(negated, threads, chunk=2).do(seen.append).run()
    assert seen == [0, 1, 2, 3, 4]


def test_interrupt_of_a_function_ends_the_whole_subscription() -> None:
    def interrupting(_number: int) -> int:
        raise KeyboardInterrupt

    executor, subscriber = SteppedExecutor(), RecordingSubscriber(demand=10)
    with recorded_drops() as drops:
        handle = Stream.range(3).map_in_executor(interrupting, executor).bind(subscriber)
        handle.initialize()
        executor.settle()
    assert handle.is_disposed
    assert (subscriber.elements, subscriber.errors) == ([], [])
    assert [type(value) for _, value, _ in drops] == [KeyboardInterrupt]  # of the task of the shared scheduler


def test_error_of_a_call_that_outlives_the_stream_is_dropped_with_a_word(threads: ThreadPoolExecutor) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def fail_later(_number: int) -> int:
        begun.set()
        assert may_end.wait(WAIT_SECONDS)
        raise OSError("late")

    subscriber = RecordingSubscriber(demand=10)
    with recorded_drops() as drops:
        Stream.just(1).map_in_executor(fail_later, threads).subscribe(subscriber)
        assert begun.wait(WAIT_SECONDS)
        subscriber.subscription.cancel()
        settle_shared()
        may_end.set()
        threads.shutdown()
    assert [str(value) for _, value, _ in drops] == ["late"]
    assert subscriber.errors == []


def test_leaving_the_loop_early_begins_nothing_more(threads: ThreadPoolExecutor) -> None:
    called: list[int] = []

    def noted(number: int) -> int:
        called.append(number)
        return number

    for _ in Stream.range(10**9).map_in_executor(noted, threads).iterate(prefetch=4):
        break
    settle_shared()
    threads.shutdown()
    assert len(called) <= 40  # what had been begun


# --- bad input --------------------------------------------------------------------------------------------------------

NO_EXECUTOR: Any = 3


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s, pool: s.map_in_executor(3, pool), r"map_in_executor\(function\) needs a callable, got 3"),
        (lambda s, pool: s.map_in_executor(asyncio.sleep, pool), "the coroutine function .*; call it with map_async"),
        (lambda s, pool: s.map_in_executor(abs, 3), r"\(executor\) needs an executor, got 3 \(int\); pass one of"),
        (lambda s, pool: s.map_in_executor(abs, asyncio.sleep), r"\(executor\) needs a function that returns"),
        (lambda s, pool: s.map_in_executor(abs, pool, concurrency=0), r"\(concurrency\) needs a count from 1 to 65536"),
        (lambda s, pool: s.map_in_executor(abs, pool, concurrency=2**16 + 1), "from 1 to 65536, got 65537"),
        (lambda s, pool: s.map_in_executor(abs, pool, concurrency="2"), r"\(concurrency\) needs an integer"),
        (lambda s, pool: s.map_in_executor(abs, pool, chunk=0), r"\(chunk\) needs a count from 1 to 1048576, got 0"),
        (
            lambda s, pool: s.map_in_executor(abs, pool, concurrency=2**16, chunk=257),
            r"\(chunk\) needs a count from 1 to 256, got 257",
        ),
    ],
)
def test_bad_argument_is_refused(threads: ThreadPoolExecutor, build: Callable[..., object], message: str) -> None:
    with pytest.raises((ArgumentError, ArgumentTypeError), match=message):
        build(Stream.range(1), threads)
    with pytest.raises((ArgumentError, ArgumentTypeError), match=message):
        build(pipeline(), threads)


@pytest.mark.parametrize("made", [3, None, ThreadPoolExecutor])
def test_function_that_makes_no_executor_ends_the_stream_with_a_remedy(made: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"has to return an executor, but returned .*; return e\.g\. Thread"):
        Stream.range(1).map_in_executor(negated, lambda: made).to_list()


def test_function_that_fails_to_make_an_executor_ends_the_stream() -> None:
    def make() -> Executor:
        raise OSError("no threads left")

    with pytest.raises(OSError, match="no threads left"):
        Stream.range(1).map_in_executor(negated, make).to_list()


def test_description_shows_what_was_given() -> None:
    stream = Stream.range(1).map_in_executor(negated, ThreadPoolExecutor, concurrency=2, ordered=False, chunk=3)
    assert repr(stream).endswith(".map_in_executor(negated, ThreadPoolExecutor, concurrency=2, ordered=False, chunk=3)")
    assert repr(Stream.range(1).map_in_executor(negated, ThreadPoolExecutor)).endswith("(negated, ThreadPoolExecutor)")


def test_elements_of_all_calls_are_bounded() -> None:
    assert MapInExecutor.parameters(abs, ThreadPoolExecutor, concurrency=16, chunk=MAX_ELEMENTS // 16)
