"""group_by: a stream of streams, one for each key, whose queues are bounded, and which says so where it stalls."""

import asyncio
import gc
import threading
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    CapacityError,
    SourceUsedTwiceError,
    StateError,
    WouldDeadlockError,
)
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.stream.grouped import GroupedStream
from rs_core.sources.emitter import StreamEmitter
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

WAIT_SECONDS = 10.0


def remainder(number: int) -> int:
    return number % 3


def named(group: GroupedStream[int, int]) -> Stream[tuple[int, int]]:
    return group.map(lambda number: (group.key, number))


class TestGroupBy(OperatorContract):
    """A group passes for each key; the groups are dropped here."""

    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().group_by(lambda number: number // 3).map(lambda group: group.key)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(dict.fromkeys(element // 3 for element in elements))


def subscribed(stream: Stream[Any], first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    return subscriber


def test_group_has_its_key_also_where_more_was_built_on_it() -> None:
    groups = subscribed(Stream.range(4).group_by(remainder)).elements
    assert [group.key for group in groups] == [0, 1, 2]
    assert [group.map(str).filter(bool).key for group in groups] == [0, 1, 2]
    assert [group.map(str).to_list() for group in groups] == [["0", "3"], ["1"], ["2"]]


@given(
    st.lists(st.integers(0, 99), max_size=60), st.integers(1, 7), st.integers(1, 5), st.sampled_from([1, 2, 2**63 - 1])
)
def test_every_element_reaches_its_group_in_order(numbers: list[int], keys: int, prefetch: int, requested: int) -> None:
    """Whatever the room and the demand, where all groups are consumed at a time."""
    stream = (
        Stream.from_iterable(numbers).group_by(lambda n: n % keys, prefetch=prefetch).flat_map(named, concurrency=7)
    )
    subscriber = subscribed(stream, 0)
    while not subscriber.has_ended:
        subscriber.request(requested)
    assert subscriber.outcome[1] == "complete"
    for key in range(keys):
        passed_on = [number for of, number in subscriber.elements if of == key]
        assert passed_on == [number for number in numbers if number % keys == key]


def test_groups_that_are_iterated_one_after_the_other_give_what_fits_into_the_queues() -> None:
    groups = Stream.range(9).group_by(remainder, prefetch=3)
    assert [(group.key, list(group)) for group in groups] == [(0, [0, 3, 6]), (1, [1, 4, 7]), (2, [2, 5, 8])]


def test_groups_wait_for_a_request_and_keep_what_came() -> None:
    groups = subscribed(Stream.range(9).group_by(remainder), 1)
    [first] = groups.elements
    assert first.to_list() == [0, 3, 6]
    assert not groups.has_ended
    groups.request(1)
    groups.request(1)
    assert [group.to_list() for group in groups.elements[1:]] == [[1, 4, 7], [2, 5, 8]]
    assert groups.is_complete


def test_nothing_is_taken_in_before_the_first_request() -> None:
    publisher = ManualPublisher()
    keys: list[int] = []
    groups = subscribed(Stream.from_publisher(publisher, prefetch=8).group_by(keys.append), 0)
    publisher.send(1, 2)
    assert keys == []
    groups.request(1)
    assert keys == [1, 2]


# --- backpressure ----------------------------------------------------------------------------------------------------


def test_upstream_is_read_as_far_as_the_queue_of_a_slow_group_has_room() -> None:
    """A group that was subscribed to and requests nothing is slow: everything waits for it, and nobody complains."""
    source = CountedIterable(range(1000))
    groups = subscribed(Stream.from_iterable(source).group_by(remainder, prefetch=4))
    slow, *others = (subscribed(group, 0 if group.key == 0 else UNBOUNDED) for group in groups.elements)
    assert source.taken < 30
    assert not groups.has_ended
    before = source.taken
    slow.request(4)
    assert before < source.taken < 60
    slow.request(UNBOUNDED)
    assert [len(each.elements) for each in (slow, *others)] == [334, 333, 333]
    assert all(each.is_complete for each in (slow, *others, groups))


def test_queue_of_one_element_is_enough() -> None:
    stream = Stream.range(100).group_by(remainder, prefetch=1).flat_map(named)
    assert sorted(stream.to_list()) == sorted((number % 3, number) for number in range(100))


# --- stalls ----------------------------------------------------------------------------------------------------------

MANY = Stream.range(1000).group_by(remainder, prefetch=8)
NOBODY_SUBSCRIBED = (
    r"^group [012] has 8 elements waiting and no subscriber, and nothing that this stream does can make room for the "
    r"next one; subscribe to all groups at a time, as flat_map\(concurrency=\) does where that is at least the number "
    r"of groups, or use key_by\(\)"
)


@pytest.mark.parametrize(
    ("flattened", "message"),
    [
        (lambda groups: groups.flat_map(named, concurrency=2), NOBODY_SUBSCRIBED),
        (lambda groups: groups.flat_map(named, concurrency=1), NOBODY_SUBSCRIBED),
        (lambda groups: groups.flat_map(lambda group: group.buffer(500), concurrency=2), NOBODY_SUBSCRIBED),
        (lambda groups: groups.concat_map(named), NOBODY_SUBSCRIBED),
        (lambda groups: groups.filter(lambda group: True).flat_map(named, concurrency=2), NOBODY_SUBSCRIBED),
        (lambda groups: groups.map(named).flat_map(lambda stream: stream, concurrency=2), NOBODY_SUBSCRIBED),
        (lambda groups: groups.flat_map(named, concurrency=2, prefetch=1), NOBODY_SUBSCRIBED),
        (
            lambda groups: groups.flat_map_ordered(named),
            r"^group [12] has 8 elements waiting and a subscriber that does not request them, and nothing that",
        ),
    ],
)
def test_stall_that_nobody_can_end_ends_the_stream_with_key_and_remedy(flattened: Any, message: str) -> None:
    with pytest.raises(WouldDeadlockError, match=message) as failed:
        flattened(MANY).to_list()
    assert failed.value.__notes__[0].startswith("in rx://operators/group_by, assembled at")
    subscriber = subscribed(flattened(MANY))
    assert isinstance(subscriber.error, WouldDeadlockError)


def test_stall_of_a_stream_that_is_requested_element_by_element_is_seen() -> None:
    subscriber = subscribed(MANY.flat_map(named, concurrency=2), 0)
    for _ in range(1000):
        subscriber.request(1)
    assert isinstance(subscriber.error, WouldDeadlockError)


def test_stream_without_demand_is_slow_and_does_not_stall() -> None:
    subscriber = subscribed(MANY.flat_map(named, concurrency=2), 3)
    assert len(subscriber.elements) == 3
    assert not subscriber.has_ended
    subscriber.subscription.cancel()


def test_enough_concurrency_or_groups_that_end_leave_no_stall() -> None:
    assert len(MANY.flat_map(named, concurrency=3).to_list()) == 1000
    firsts = Stream.range(1000).group_by(lambda n: n % 100, prefetch=2).flat_map(lambda g: g.take(1), concurrency=2)
    assert sorted(firsts.to_list()) == list(range(100))


def test_thread_that_iterates_over_one_group_before_the_next_is_told() -> None:
    with pytest.raises(WouldDeadlockError, match=NOBODY_SUBSCRIBED):
        list(map(list, MANY))


def test_thread_that_waits_for_the_end_of_groups_that_nobody_consumes_is_warned() -> None:
    """Another one may have got them, and consumes them when it hears of it."""
    handed: list[GroupedStream[int, int]] = []
    totals: list[int] = []

    def run(told: pytest.WarningsRecorder) -> None:
        consumer = in_thread(lambda: (until(lambda: told), consume_at_a_time(handed, totals.append)))
        MANY.for_each(handed.append)
        consumer.join(WAIT_SECONDS)

    with pytest.warns(RuntimeWarning, match=r"^group 0 has 8 elements waiting and no subscriber, and the next") as told:
        run(told)
    assert sorted(totals) == sorted(sum(range(key, 1000, 3)) for key in range(3))


def test_stream_that_flat_map_runs_with_a_queue_of_its_own_gives_a_warning() -> None:
    """Nobody knows what may come of the queue, in a thread of a scheduler or at a time."""
    scheduler = ManualScheduler()
    with pytest.warns(RuntimeWarning, match=r"^group 2 has 8 elements waiting and no subscriber, and the next one"):
        passed_on = subscribed(MANY.flat_map(lambda group: group.take(8).observe_on(scheduler), concurrency=2))
    scheduler.run_waiting()
    assert [sum(number % 3 == key for number in passed_on.elements) for key in range(3)] == [8, 8, 8]
    assert passed_on.is_complete


# --- no stalls: somebody makes room, and nobody is told anything ------------------------------------------------------


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def until(condition: Callable[[], object]) -> None:
    """Wait for what another thread does."""
    while not condition():
        threading.Event().wait(0.001)


def consume_at_a_time(groups: list[GroupedStream[int, int]], report: Callable[[int], object]) -> None:
    threads = [in_thread(lambda group=group: report(sum(group))) for group in groups]  # type: ignore[misc]
    for each in threads:
        each.join(WAIT_SECONDS)


def many_of(source: CountedIterable) -> Stream[GroupedStream[int, int]]:
    return Stream.from_iterable(source).group_by(remainder, prefetch=8)


def test_thread_that_waits_for_the_groups_is_not_told_of_a_slow_consumer() -> None:
    source = CountedIterable(range(1000))
    consumers: list[RecordingSubscriber] = []

    def hurry() -> None:
        until(lambda: source.taken >= 25 and len(consumers) == 3)
        consumers[0].request(UNBOUNDED)

    thread = in_thread(hurry)
    many_of(source).for_each(lambda group: consumers.append(subscribed(group, UNBOUNDED if group.key else 0)))
    thread.join(WAIT_SECONDS)
    assert [len(each.elements) for each in consumers] == [334, 333, 333]


def test_group_that_somebody_keeps_may_be_subscribed_to_later() -> None:
    kept: list[GroupedStream[int, int]] = []
    passed_on = subscribed(
        MANY.flat_map(lambda group: named(group) if group.key else kept.append(group) or [], concurrency=3)
    )
    assert len(passed_on.elements) == 16
    later = subscribed(kept[0])
    assert (len(passed_on.elements), len(later.elements)) == (666, 334)
    assert passed_on.is_complete


@pytest.mark.parametrize("another", [False, True], ids=["of a publisher", "of another stream of groups"])
@pytest.mark.parametrize("method", ["concat_map", "flat_map_ordered"])
def test_stream_that_flat_map_runs_may_end_and_make_room(method: str, another: bool) -> None:
    publisher = ManualPublisher()
    running: Stream[int] = Stream.from_publisher(publisher)
    if another:
        outer = subscribed(running.group_by(remainder))
        publisher.send(0)
        [running] = outer.elements
    groups = Stream.range(1000).group_by(lambda number: number > 0, prefetch=8)
    passed_on = subscribed(getattr(groups, method)(lambda group: group if group.key else running))
    assert not passed_on.has_ended
    publisher.complete()
    assert passed_on.elements == [*([0] if another else []), *range(1, 1000)]
    assert passed_on.is_complete


def test_streams_with_queues_are_slow_where_all_groups_run() -> None:
    scheduler = ManualScheduler()
    passed_on = subscribed(MANY.flat_map(lambda group: group.observe_on(scheduler, prefetch=4), concurrency=3))
    assert passed_on.elements == []
    scheduler.run_waiting()
    assert len(passed_on.elements) == 1000
    assert passed_on.is_complete


def test_flat_map_may_wait_for_its_next_turn_in_an_event_loop() -> None:
    def slow(number: int) -> int:
        return max(range(10_000), key=lambda each: -abs(each - number))

    async def main() -> list[int]:
        groups = Stream.range(300).group_by(remainder, prefetch=2)
        return [number async for number in groups.flat_map(lambda group: group.map(slow), concurrency=3, prefetch=2)]

    assert sorted(asyncio.run(main())) == list(range(300))


def test_flat_map_that_is_paused_goes_on_later() -> None:
    emitters: list[StreamEmitter[int]] = []
    passed_on = RecordingSubscriber(first_request=UNBOUNDED)
    groups = Stream.create(emitters.append, on_overflow="error", capacity=8).group_by(remainder, prefetch=1)
    handle = groups.flat_map(lambda group: group, concurrency=3, prefetch=1).bind(passed_on)
    handle.initialize()
    for number in (0, 1, 2):
        emitters[0].emit(number)
    [flat_map] = handle.inputs
    flat_map.pause()
    for number in (3, 6, 9):  # the last one is held
        emitters[0].emit(number)
    assert passed_on.outcome == ([0, 1, 2], "open")
    flat_map.resume()
    assert passed_on.elements == [0, 1, 2, 3, 6, 9]
    handle.cancel()


def test_groups_may_wait_in_a_queue_before_they_are_subscribed_to() -> None:
    with WorkerScheduler() as worker:
        passed_on = MANY.observe_on(worker).flat_map(named, concurrency=3).to_list(timeout_seconds=WAIT_SECONDS)
        assert len(passed_on) == 1000
    groups = Stream.range(1000).group_by(lambda n: n and 1 + n % 2, prefetch=8)
    delayed = groups.delay(0.001, prefetch=1).flat_map(named, concurrency=3).to_list(timeout_seconds=WAIT_SECONDS)
    assert len(delayed) == 1000


def test_thread_may_be_about_to_take_out_elements_of_a_full_group() -> None:
    """flat_map is idle while the thread is in a function of a stream that it runs."""
    emitters: list[StreamEmitter[int]] = []
    entered, leave = threading.Event(), threading.Event()

    def slowly(number: int) -> int:
        if number == 2:
            entered.set()
            leave.wait(WAIT_SECONDS)
        return number

    groups = Stream.create(emitters.append, on_overflow="error", capacity=8).group_by(lambda n: n % 2, prefetch=1)
    passed_on = subscribed(groups.flat_map(lambda group: group.take(3).map(slowly), concurrency=1))
    thread = in_thread(lambda: [emitters[0].emit(number) for number in (0, 2)])
    entered.wait(WAIT_SECONDS)
    for number in (4, 1, 3):  # the last one is held
        emitters[0].emit(number)
    leave.set()
    thread.join(WAIT_SECONDS)
    assert passed_on.elements == [0, 2, 4, 1, 3]
    passed_on.subscription.cancel()


def test_thread_that_iterates_over_a_group_may_wait_for_who_consumes_another_one() -> None:
    source = CountedIterable(range(1000))
    groups = iter(many_of(source))
    first, *others = (next(groups) for _ in range(3))
    totals: list[int] = []

    def consume() -> None:
        until(lambda: source.taken > 27)
        consume_at_a_time(others, totals.append)

    thread = in_thread(consume)
    assert sum(first) == sum(range(0, 1000, 3))
    thread.join(WAIT_SECONDS)
    assert sorted(totals) == [sum(range(key, 1000, 3)) for key in (1, 2)]


def test_thread_that_iterates_over_the_groups_may_be_late() -> None:
    """Meanwhile another one waits for an element of the first."""
    source = CountedIterable(range(1000))
    groups = iter(many_of(source))
    totals: list[int] = []
    first = next(groups)
    threads = [in_thread(lambda: totals.append(sum(first)))]
    until(lambda: source.taken > 25)
    second = next(groups).iterate(prefetch=1)
    firsts = [next(second) for _ in range(4)]
    third = next(groups)
    threads += [in_thread(lambda: totals.append(sum(second))), in_thread(lambda: totals.append(sum(third)))]
    for each in threads:
        each.join(WAIT_SECONDS)
    assert sum(totals) + sum(firsts) == sum(range(1000))


def test_thread_that_iterates_over_the_groups_may_have_subscribed_to_them() -> None:
    consumers = [subscribed(group) for group in MANY]
    assert [len(each.elements) for each in consumers] == [334, 333, 333]


# --- callbacks that wait ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "waiting",
    [
        lambda groups: groups.map(lambda group: group.to_list()),
        lambda groups: groups.map(sum),
        lambda groups: groups.flat_map(lambda group: [sum(group)]),
        lambda groups: groups.do(lambda group: group.run()),
    ],
)
def test_callback_that_waits_for_its_own_stream_is_told(waiting: Any) -> None:
    with pytest.raises(WouldDeadlockError, match=r"^a callback of the stream of groups waits for group 0, whose elem"):
        waiting(MANY).to_list()


def test_callback_in_which_an_element_is_handed_out_is_told_whoever_sends_it() -> None:
    emitters: list[StreamEmitter[int]] = []
    source = Stream.create(emitters.append, on_overflow="error", capacity=8)
    totals = subscribed(source.group_by(remainder).map(sum))
    emitters[0].emit(0)
    assert isinstance(totals.error, WouldDeadlockError)


def test_callback_may_wait_for_what_another_thread_sends() -> None:
    emitters: list[StreamEmitter[int]] = []
    entered = threading.Event()

    def waiting(group: GroupedStream[int, int]) -> list[int]:
        entered.set()
        return group.take(2).to_list(timeout_seconds=WAIT_SECONDS)

    source = Stream.create(emitters.append, on_overflow="error", capacity=8)
    passed_on = subscribed(source.group_by(remainder).flat_map(waiting))
    thread = in_thread(lambda: emitters[0].emit(0))
    entered.wait(WAIT_SECONDS)
    emitters[0].emit(3)
    thread.join(WAIT_SECONDS)
    assert passed_on.elements == [0, 3]


@pytest.mark.parametrize("number", [12, 1000])
def test_callback_may_read_of_a_group_what_waits_there_and_its_end(number: int) -> None:
    """The first group is dropped, and the others wait for a request until their queues are full, or have ended."""
    groups = Stream.range(number).group_by(remainder, prefetch=8)
    firsts = groups.map(lambda group: group.key and list(islice(group.iterate(prefetch=1), 2 if number > 12 else None)))
    assert list(firsts.iterate(prefetch=1)) == [
        0,
        *([key, *range(key + 3, number, 3)][: 2 if number > 12 else None] for key in (1, 2)),
    ]


# --- groups that nobody wants any more -------------------------------------------------------------------------------


def test_group_that_is_dropped_is_closed() -> None:
    assert MANY.map(lambda group: group.key).to_list() == [0, 1, 2]
    assert len(MANY.filter(lambda group: group.key == 1).flat_map(named).to_list()) == 333


def test_group_that_is_cancelled_stays_closed_and_its_elements_are_dropped_and_counted() -> None:
    assert MANY.flat_map(lambda group: group.take(1)).to_list() == [0, 1, 2]

    groups = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(1000).concat_with(Stream.never()).group_by(remainder, prefetch=8).bind(groups)
    handle.initialize()
    zero, one, two = groups.elements
    cancelled = subscribed(zero, 1)
    cancelled.subscription.cancel()
    rest = [subscribed(one), subscribed(two)]
    assert [len(each.elements) for each in rest] == [333, 333]
    [stage] = handle.inputs
    assert stage.dropped == 334 - 1 - 8  # one was passed on, and eight waited
    handle.cancel()


def live_queues() -> int:
    gc.collect()
    return sum(type(each).__name__ == "_GroupQueue" for each in gc.get_objects())


def test_group_that_is_closed_leaves_its_key_alone() -> None:
    """Neither one that was dropped nor one that was cancelled keeps its queue."""
    before = live_queues()
    groups = RecordingSubscriber(first_request=UNBOUNDED)
    source = ManualPublisher()
    Stream.from_publisher(source).group_by(abs).flat_map(lambda g: g.take(1) if g.key % 2 else []).subscribe(groups)
    source.send(*range(100), 100)
    assert groups.elements == list(range(1, 100, 2))
    assert live_queues() - before < 3
    source.send(*range(-100, 0))
    assert len(groups.elements) == 50
    groups.subscription.cancel()


def test_second_subscription_of_a_group_is_refused() -> None:
    [group] = subscribed(Stream.just(3).group_by(remainder)).elements
    assert group.to_list() == [3]
    with pytest.raises(
        SourceUsedTwiceError, match=r"^§1.10: group 0 was used by an earlier subscription; .* share\(\)"
    ):
        group.to_list()
    second = subscribed(group)
    second.request(1)
    assert isinstance(second.error, SourceUsedTwiceError)


# --- the end ---------------------------------------------------------------------------------------------------------


def test_groups_complete_after_what_waits_in_them() -> None:
    groups = subscribed(Stream.range(5).group_by(remainder))
    assert groups.is_complete
    subscriber = subscribed(groups.elements[0], 1)
    assert subscriber.outcome == ([0], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([0, 3], "complete")


def test_error_of_upstream_goes_to_the_groups_and_to_the_subscriber() -> None:
    publisher = ManualPublisher()
    groups = subscribed(Stream.from_publisher(publisher).group_by(remainder))
    publisher.send(0, 1)
    consumed = subscribed(groups.elements[0])
    publisher.fail(OSError("gone"))
    assert consumed.outcome == ([0], "OSError('gone')")
    assert subscribed(groups.elements[1]).outcome == ([1], "OSError('gone')")
    assert groups.outcome[1] == "OSError('gone')"


@pytest.mark.parametrize(
    ("key", "error", "element"),
    [(lambda number: 12 // (3 - number), ZeroDivisionError, 3), (lambda number: [number], TypeError, 0)],
)
def test_error_of_the_key_goes_to_the_groups_and_to_the_subscriber(
    key: Any, error: type[Exception], element: int
) -> None:
    source = CountedIterable(range(9))
    stream = Stream.from_iterable(source).group_by(key)
    groups = subscribed(stream)
    assert isinstance(groups.error, error)
    note = f"in rx://operators/group_by, assembled at {stream.assembly}, for element {element}"
    assert groups.error.__notes__[0] == note
    assert len(groups.error.__notes__) == (2 if error is TypeError else 1)  # the other one is about hashable keys
    assert all(subscribed(group).error is groups.error for group in groups.elements)
    assert source.is_closed


def test_group_too_many_ends_the_stream() -> None:
    groups = subscribed(Stream.range(9).group_by(remainder, max_groups=2))
    assert isinstance(groups.error, CapacityError)
    assert str(groups.error) == (
        "group 2 would be number 3, and group_by(max_groups=2) allows 2; raise max_groups, use a coarser key, let "
        "groups end by group_by_until(), or use key_by()"
    )


def test_groups_of_a_cancelled_stream_get_nothing_more_and_are_told() -> None:
    publisher = ManualPublisher()
    groups = subscribed(Stream.from_publisher(publisher).group_by(remainder))
    publisher.send(0)
    consumed = subscribed(groups.elements[0])
    groups.subscription.cancel()
    assert publisher.cancels == 1
    assert consumed.elements == [0]
    assert isinstance(consumed.error, StateError)
    assert "the stream of groups was cancelled, so that group 0 gets nothing more" in str(consumed.error)


@pytest.mark.parametrize("between", [lambda groups: groups, lambda groups: groups.merge_with(Stream.never())])
def test_cancel_of_what_runs_the_groups_takes_no_more_elements(between: Any) -> None:
    """It cancels the groups before the stream of groups, which has room then."""
    source = CountedIterable(range(20_000))
    passed_on = subscribed(between(Stream.from_iterable(source).group_by(remainder, prefetch=8)).flat_map(named), 1)
    before = source.taken
    passed_on.subscription.cancel()
    assert source.taken == before < 100
    assert source.is_closed


# --- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefetch", [1, 4, 128])
def test_each_group_may_be_consumed_in_a_thread_of_its_own(prefetch: int) -> None:
    with WorkerScheduler() as one, WorkerScheduler() as two:
        workers = [one, two]
        stream = (
            Stream.range(2000)
            .group_by(remainder, prefetch=prefetch)
            .flat_map(lambda group: group.observe_on(workers[group.key % 2]).map(lambda n: (group.key, n)))
        )
        passed_on = stream.to_list(timeout_seconds=WAIT_SECONDS)
    for key in range(3):
        numbers = [number for of, number in passed_on if of == key]
        assert numbers == list(range(key, 2000, 3))


def test_groups_that_are_iterated_in_threads_of_their_own() -> None:
    totals: dict[int, int] = {}
    threads = []

    def total(group: GroupedStream[int, int]) -> None:
        totals[group.key] = sum(group)

    groups = iter(Stream.range(300).group_by(remainder, prefetch=128))
    for group in groups:
        thread = threading.Thread(target=total, args=(group,))
        threads.append(thread)
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert totals == {key: sum(range(key, 300, 3)) for key in range(3)}


# --- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda s: s.group_by(1), ArgumentTypeError, r"group_by\(key\) needs a callable, got 1"),
        (lambda s: s.group_by(remainder, prefetch=0), ArgumentError, r"group_by\(prefetch\) needs a count from 1"),
        (lambda s: s.group_by(remainder, max_groups=0), ArgumentError, r"group_by\(max_groups\) needs a count from 1"),
    ],
)
def test_bad_argument_is_refused_when_the_stream_is_built(build: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build(Stream.range(1))


def test_description_is_written_as_it_was_built() -> None:
    assert repr(pipeline().group_by(remainder)) == "pipeline().group_by(remainder)"
    built = pipeline().group_by(remainder, prefetch=2, max_groups=3)
    assert repr(built) == "pipeline().group_by(remainder, prefetch=2, max_groups=3)"
