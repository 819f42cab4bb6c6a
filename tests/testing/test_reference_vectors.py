"""The reference's numbers for the operators that there are: the same elements at the same ticks, the same spans.

An operator with a queue of its own has its turn one tick after its input. Where one stands in between, ticks are later
than the reference's by one for each queue, and the tests say so.
"""

import operator
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import EmptyStreamError
from reactivestreams.testing import (
    Notification,
    Recorded,
    Recovery,
    SubscriptionSpan,
    TestScheduler,
    assert_equal,
    on_complete,
    on_error,
    on_error_where,
    on_next,
)

ERROR = ValueError("mine")

Build = Callable[..., Stream[Any]]
Source = tuple[str, list[Recorded[Notification]]]


def signals(text: str, *, later: int = 0) -> list[Recorded[Notification]]:
    """Read `210:9 220:b 300:#`: ticks with a number, a word, the completion; X is the error.

    Args:
        text: What and when.
        later: How many ticks are added to each.
    """
    read = []
    for tick, what in (signal.split(":") for signal in text.split()):
        at = int(tick) + later
        if what == "#":
            read.append(on_complete(at))
        elif what == "X":
            read.append(on_error(at, ERROR))
        else:
            read.append(on_next(at, int(what) if what.lstrip("-").isdigit() else what))
    return read


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


def spans(*ticks: tuple[int, int]) -> list[SubscriptionSpan]:
    return [SubscriptionSpan(*both) for both in ticks]


def hot(*messages: Recorded[Notification]) -> Source:
    return "create_hot", list(messages)


def cold(*messages: Recorded[Notification]) -> Source:
    return "create_cold", list(messages)


def run(
    build: Build, *sources: Source, **ticks: Any
) -> tuple[list[Recorded[Notification]], list[list[SubscriptionSpan]]]:
    """Return what came, and the spans of each source."""
    scheduler = TestScheduler()
    made = [getattr(scheduler, kind)(*messages) for kind, messages in sources]
    observer = scheduler.start(lambda: build(*map(Stream.from_publisher, made)), **ticks)
    return observer.messages, [source.subscriptions for source in made]


def recovered(build: Build, *sources: Source, **ticks: Any) -> tuple[Recovery, list[list[SubscriptionSpan]]]:
    """Save, crash and recover; return what came, and the spans of each source."""
    scheduler = TestScheduler()
    made = [getattr(scheduler, kind)(*messages) for kind, messages in sources]
    result = scheduler.crash_and_recover(lambda: build(*map(Stream.from_publisher, made)), **ticks)
    return result, [source.subscriptions for source in made]


def fail(*_: object) -> Any:
    raise ERROR


LONG = signals(
    "210:9 230:13 270:7 280:1 300:-1 310:3 340:8 370:11 410:15 415:16 460:72 510:76 560:32 570:-100 580:-3 590:5 630:10"
)

NINE = signals("210:1 220:2 230:3 240:4 250:5 260:6 270:7 280:8 290:9 300:#")


# --- take and skip ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "expected", "end"),
    [
        (lambda source: source.take(20), [*LONG, on_complete(690)], 690),
        (lambda source: source.take(17), [*LONG, on_complete(630)], 630),
        (lambda source: source.take(10), [*LONG[:10], on_complete(415)], 415),
        (lambda source: source.take(3), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.take(3).take(4), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.take(4).take(3), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.skip(20), [on_complete(690)], 690),
        (lambda source: source.skip(17), [on_complete(690)], 690),
        (lambda source: source.skip(10), [*LONG[10:], on_complete(690)], 690),
        (lambda source: source.skip(3).skip(2), [*LONG[5:], on_complete(690)], 690),
    ],
    ids=[
        "take(20)",
        "take(17)",
        "take(10)",
        "take(3)",
        "take(3).take(4)",
        "take(4).take(3)",
        "skip(20)",
        "skip(17)",
        "skip(10)",
        "skip(3).skip(2)",
    ],
)
def test_take_and_skip_of_a_long_stream(build: Build, expected: list[Any], end: int) -> None:
    messages, seen = run(build, hot(*LONG, on_complete(690)))
    assert_equal(messages, *expected)
    assert seen == [spans((200, end))]


def test_take_of_all_elements_does_not_see_the_error_after_them() -> None:
    messages, seen = run(lambda source: source.take(17), hot(*LONG, on_error(690, ERROR)))
    assert_equal(messages, *LONG, on_complete(630))
    assert seen == [spans((200, 630))]


def test_take_of_nothing_is_complete_at_its_turn_and_never_subscribes() -> None:
    messages, seen = run(lambda source: source.take(0), hot(*LONG))
    assert_equal(messages, on_complete(201))
    assert seen == [[]]


def test_take_that_was_complete_when_it_was_saved_stays_so() -> None:
    result, seen = recovered(lambda source: source.take(3), hot(*LONG), saved=290, crashed=300, recovered=310)
    assert_equal(result.before.messages, *LONG[:3], on_complete(270))
    assert_equal(result.after.messages)
    assert seen == [spans((200, 270))]


def test_take_goes_on_counting_from_where_it_was_saved() -> None:
    source = hot(*LONG[:8], on_complete(400))
    result, _ = recovered(lambda source: source.take(6), source, saved=290, crashed=305, recovered=305)
    assert_equal(result.before.messages, *LONG[:5])
    assert_equal(result.after.messages, *LONG[5:7], on_complete(340))


@pytest.mark.parametrize(
    ("count", "before", "after"), [(3, "", "320:4 400:#"), (2, "290:2", "320:4 400:#")], ids=["skip(3)", "skip(2)"]
)
def test_skip_goes_on_counting_after_a_recovery(count: int, before: str, after: str) -> None:
    source = hot(
        *signals("230:0 270:1 280:2 310:3 320:4 400:#" if count == 3 else "230:0 280:1 290:2 310:3 320:4 400:#")
    )
    result, _ = recovered(lambda source: source.skip(count), source, saved=275, crashed=305, recovered=305)
    assert_equal(result.before.messages, *signals(before))
    assert_equal(result.after.messages, *signals(after))


# --- elements that are dropped, and streams that end or begin with another one ----------------------------------------


@pytest.mark.parametrize(
    ("build", "source", "expected"),
    [
        (
            lambda source: source.distinct_until_changed(),
            "210:2 220:3 230:3 240:2 250:2 260:1 270:2",
            "210:2 220:3 240:2 260:1 270:2",
        ),
        (lambda source: source.distinct(lambda n: n // 2 % 3), "210:2 220:8 230:2 240:5", "210:2 240:5"),
    ],
    ids=["until changed", "by key"],
)
def test_distinct_elements(build: Build, source: str, expected: str) -> None:
    messages, _ = run(build, hot(*signals(source)))
    assert_equal(messages, *signals(expected))


def test_distinct_forgets_what_came_after_the_save() -> None:
    source = hot(*signals("230:1 270:1 280:2 310:1 320:3 400:#"))
    result, _ = recovered(lambda source: source.distinct(), source, saved=275, crashed=305, recovered=305)
    assert_equal(result.before.messages, *signals("230:1 280:2"))
    assert_equal(result.after.messages, *signals("320:3 400:#"))


FOUR = "210:2 220:3 230:4 240:5 250:#"


@pytest.mark.parametrize(
    ("source", "trigger", "expected", "seen"),
    [
        (FOUR, "225:99", "210:2 220:3 225:#", [(200, 226), (200, 226)]),
        (FOUR, "225:X", "210:2 220:3 225:X", [(200, 226), (200, 225)]),
        (FOUR, "225:#", FOUR, [(200, 250), (200, 225)]),
        (FOUR, "", FOUR, [(200, 250), (200, 251)]),
        (FOUR, "205:99", "205:#", [(200, 206), (200, 206)]),
        ("210:2 220:X", "", "210:2 220:X", [(200, 220), (200, 221)]),
        ("", "225:99", "225:#", [(200, 226), (200, 226)]),
        ("", "225:X", "225:X", [(200, 226), (200, 225)]),
        ("", "225:#", "", [(200, 1000), (200, 225)]),
        ("", "", "", [(200, 1000), (200, 1000)]),
    ],
)
def test_take_until_another_stream_sends(source: str, trigger: str, expected: str, seen: list[tuple[int, int]]) -> None:
    """What has ended is left at once, the other one a tick later."""
    messages, found = run(lambda source, other: source.take_until(other), hot(*signals(source)), hot(*signals(trigger)))
    assert_equal(messages, *signals(expected, later=1))
    assert found == [spans(each) for each in seen]


@pytest.mark.parametrize(
    ("source", "trigger", "expected", "seen"),
    [
        (FOUR, "225:99", "230:4 240:5 250:#", [(200, 250), (200, 226)]),
        (FOUR, "225:X", "225:X", [(200, 226), (200, 225)]),
        (FOUR, "225:#", "250:#", [(200, 250), (200, 225)]),
        (FOUR, "300:X", "250:#", [(200, 250), (200, 251)]),
        (FOUR, "", "250:#", [(200, 250), (200, 251)]),
        ("210:2 220:X", "230:99", "220:X", [(200, 220), (200, 221)]),
        ("", "225:99", "", [(200, 1000), (200, 226)]),
        ("", "225:X", "225:X", [(200, 226), (200, 225)]),
        ("", "225:#", "", [(200, 1000), (200, 225)]),
        ("", "", "", [(200, 1000), (200, 1000)]),
    ],
)
def test_skip_until_another_stream_sends(source: str, trigger: str, expected: str, seen: list[tuple[int, int]]) -> None:
    """A stream that can pass nothing any more completes with its source; the reference stays silent."""
    messages, found = run(lambda source, other: source.skip_until(other), hot(*signals(source)), hot(*signals(trigger)))
    assert_equal(messages, *signals(expected, later=1))
    assert found == [spans(each) for each in seen]


# --- folds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fold",
    [
        pipeline().reduce(operator.add),
        pipeline().reduce(operator.add, 0),
        pipeline().reduce(operator.add, 0).map(int),
        pipeline().sum(),
    ],
    ids=str,
)
def test_fold_goes_on_from_where_it_was_saved(fold: Any) -> None:
    source = hot(*signals("210:2 230:3 270:5 280:7 300:11 310:13 340:17 370:19 400:#"))
    result, _ = recovered(lambda source: source.through(fold), source, saved=290, crashed=305, recovered=305)
    assert_equal(result.before.messages)
    assert_equal(result.after.messages, *signals("400:66 400:#"))


@pytest.mark.parametrize(
    ("other", "tick", "answer"),
    [
        (range(1, 10), 300, True),
        ([1, 2, 3, 4, 0, 6, 7, 8, 9], 250, False),
        (range(1, 5), 250, False),
        (range(1, 12), 300, False),
    ],
    ids=["equal", "another fifth", "shorter", "longer"],
)
def test_sequence_equal_answers_with_the_element_that_decides(other: Any, tick: int, answer: bool) -> None:
    messages, seen = run(lambda source: source.through(pipeline().sequence_equal(other)), hot(*NINE))
    assert_equal(messages, on_next(tick, answer), on_complete(tick))
    assert seen == [spans((200, tick))]


def test_sequence_equal_passes_the_error_on() -> None:
    source = hot(*NINE[:4], on_error(300, ERROR))
    messages, seen = run(lambda source: source.through(pipeline().sequence_equal(range(1, 10))), source)
    assert_equal(messages, on_error(300, ERROR))
    assert seen == [spans((200, 300))]


# --- start_with and retry, which run one stream after the other -------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "sources", "expected", "seen"),
    [
        (
            lambda source: source.start_with(2, 4, 6),
            [hot(*signals("220:8 250:#"))],
            "202:2 202:4 202:6 221:8 251:#",
            [(200, 250)],
        ),
        (lambda: Stream.error(ERROR).start_with(42), [], "202:42 202:X", []),
        (lambda: Stream.empty().start_with("hello", "you"), [], "202:hello 202:you 202:#", []),
        (lambda: Stream.empty().start_with(0).take(1), [], "202:0 202:#", []),
    ],
    ids=["values, then the source", "then its error", "then its end", "taken"],
)
def test_values_come_in_one_turn_before_the_source(
    build: Build, sources: list[Source], expected: str, seen: list[tuple[int, int]]
) -> None:
    messages, found = run(build, *sources)
    assert_equal(messages, *signals(expected))
    assert found == [spans(each) for each in seen]


@pytest.mark.parametrize(
    ("source", "ticks", "before", "after"),
    [
        ("210:1 400:#", (201, 201, 206), "", "208:1 208:2 208:3 208:4 208:5 211:1 401:#"),
        (
            "210:1 400:#",
            (202, 204, 204),
            "202:1 202:2 202:3 202:4 202:5",
            "205:1 205:2 205:3 205:4 205:5 211:1 401:#",
        ),
        ("250:6 350:7 400:#", (210, 220, 225), "202:1 202:2 202:3 202:4 202:5", "251:6 351:7 401:#"),
    ],
    ids=["saved before their turn", "and crashed after it", "saved after their turn"],
)
def test_values_come_again_unless_they_had_come_when_it_was_saved(
    source: str, ticks: tuple[int, int, int], before: str, after: str
) -> None:
    saved, crashed, again = ticks
    result, _ = recovered(
        lambda source: source.start_with(1, 2, 3, 4, 5),
        hot(*signals(source)),
        saved=saved,
        crashed=crashed,
        recovered=again,
    )
    assert_equal(result.before.messages, *signals(before))
    assert_equal(result.after.messages, *signals(after))


def quotient(number: int) -> int:
    return 1806 // number if number else fail()


DIVISORS = signals("210:42 220:43 230:0 240:42 250:43 260:0 270:42 280:43 290:0 300:#")


@pytest.mark.parametrize(
    ("build", "source", "disposed", "expected", "seen"),
    [
        (
            lambda source: source.retry(2),
            cold(*signals("5:1 10:2 15:3 20:X")),
            1000,
            "206:1 211:2 216:3 227:1 232:2 237:3 248:1 253:2 258:3 263:X",
            spans((200, 220), (221, 241), (242, 262)),
        ),
        (
            lambda source: source.retry(2),
            cold(*signals("5:1 10:2 15:3 20:X")),
            231,
            "206:1 211:2 216:3 227:1",
            spans((200, 220), (221, 231)),
        ),
        (
            lambda source: source.retry(for_ever=True),
            cold(*signals("100:1 150:2 200:3 250:X")),
            1100,
            "301:1 351:2 401:3 552:1 602:2 652:3 803:1 853:2 903:3 1054:1",
            spans((200, 450), (451, 701), (702, 952), (953, 1100)),
        ),
        (
            lambda source: source.retry(for_ever=True).take(5),
            cold(*signals("10:42 20:43 30:X")),
            1000,
            "211:42 221:43 242:42 252:43 273:42 273:#",
            spans((200, 230), (231, 261), (262, 273)),
        ),
        (
            lambda source: source.retry(for_ever=True),
            cold(*signals("100:1 200:2")),
            1000,
            "301:1 401:2",
            spans((200, 1000)),
        ),
        (lambda source: source.retry(2), cold(*signals("100:1 200:2")), 1000, "301:1 401:2", spans((200, 1000))),
        (
            lambda source: source.map(quotient).retry(for_ever=True),
            hot(*DIVISORS),
            1000,
            "211:43 221:42 241:43 251:42 271:43 281:42 301:#",
            spans((200, 230), (231, 260), (261, 290), (291, 300)),
        ),
        (
            lambda source: source.map(quotient).retry(1),
            hot(*DIVISORS),
            1000,
            "211:43 221:42 241:43 251:42 261:X",
            spans((200, 230), (231, 260)),
        ),
    ],
    ids=[
        "three attempts",
        "disposed in the second",
        "for ever",
        "taken",
        "for ever, of what never ends",
        "three attempts, of what never ends",
        "a function that raises",
        "a function that raises, twice",
    ],
)
def test_each_attempt_begins_one_tick_after_the_error(
    build: Build, source: Source, disposed: int, expected: str, seen: list[SubscriptionSpan]
) -> None:
    messages, found = run(build, source, disposed=disposed)
    assert_equal(messages, *signals(expected))
    assert found == [seen]


# --- several inputs: one tick after them -----------------------------------------------------------------------------

FIRST, SECOND = signals("215:2 225:4 230:#"), signals("220:3 230:5 235:6 240:7 250:#")


def totals(first: Stream[int], second: Stream[int]) -> Stream[int]:
    return second.combine_latest(first).map(sum)


@pytest.mark.parametrize(
    ("second", "plain", "before", "after"),
    [
        (SECOND, "220:5 225:7 230:9 235:10 240:11 250:#", "220:5 225:7", "230:7 235:8 240:9 250:#"),
        (SECOND[2:], "235:10 240:11 250:#", "", "235:8 240:9 250:#"),
    ],
    ids=["interleaved", "consecutive"],
)
def test_latest_elements_are_saved(second: list[Recorded[Notification]], plain: str, before: str, after: str) -> None:
    messages, seen = run(totals, hot(*FIRST), hot(*second))
    assert_equal(messages, *signals(plain, later=1))
    assert seen == [spans((200, 230)), spans((200, 250))]
    result, seen = recovered(totals, hot(*FIRST), hot(*second), saved=222, crashed=228, recovered=228)
    assert_equal(result.before.messages, *signals(before, later=1))
    assert_equal(result.after.messages, *signals(after, later=1))
    assert seen == [spans((200, 228), (228, 230)), spans((200, 228), (228, 250))]


def latest(first: Stream[int], *others: Stream[int]) -> Stream[tuple[int, ...]]:
    return first.combine_latest(*others)


@pytest.mark.parametrize("count", range(2, 17))
def test_each_element_gives_a_tuple_once_all_inputs_have_one(count: int) -> None:
    inputs = [signals(f"{210 + 10 * n}:{n} {410 + 10 * n}:{100 + n} 800:#") for n in range(count)]
    later = [on_next(411 + 10 * n, (*range(100, 101 + n), *range(n + 1, count))) for n in range(count)]
    messages, seen = run(latest, *(hot(*each) for each in inputs))
    assert_equal(messages, on_next(201 + 10 * count, tuple(range(count))), *later, on_complete(801))
    assert seen == [spans((200, 800))] * count


@pytest.mark.parametrize("count", range(2, 17))
def test_latest_elements_of_all_inputs_are_saved(count: int) -> None:
    inputs = [signals(f"{210 + 10 * n}:{n} {410 + 10 * n}:{100 + n} 800:#") for n in range(count)]
    result, seen = recovered(latest, *(hot(*each) for each in inputs), saved=405, crashed=405, recovered=405)
    later = [on_next(411 + 10 * n, (*range(100, 101 + n), *range(n + 1, count))) for n in range(count)]
    assert_equal(result.before.messages, on_next(201 + 10 * count, tuple(range(count))))
    assert_equal(result.after.messages, *later, on_complete(801))
    assert seen == [spans((200, 405), (405, 800))] * count


@pytest.mark.parametrize("count", range(2, 17))
def test_inputs_that_never_send_leave_silence(count: int) -> None:
    messages, seen = run(latest, *[hot()] * count)
    assert_equal(messages)
    assert seen == [spans((200, 1000))] * count


@pytest.mark.parametrize("count", range(2, 17))
def test_first_input_that_ends_without_an_element_ends_the_stream(count: int) -> None:
    """The reference waits for an element of all others; that no tuple will come is known here already."""
    messages, seen = run(latest, *(hot(on_complete(210 + 10 * n)) for n in range(count)))
    assert_equal(messages, on_complete(211))
    assert seen == [spans((200, 210)), *[spans((200, 211))] * (count - 1)]


@pytest.mark.parametrize("count", range(2, 17))
def test_function_that_raises_for_the_first_tuple_leaves_all_inputs(count: int) -> None:
    inputs = (hot(*signals(f"{210 + 10 * n}:{n} 800:#")) for n in range(count))
    messages, seen = run(lambda *streams: latest(*streams).map(fail), *inputs)
    assert_equal(messages, on_error(201 + 10 * count, ERROR))
    assert seen == [spans((200, 201 + 10 * count))] * count


EMPTY, ONE, THROW = "230:#", "215:2 230:#", "230:X"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (EMPTY, "215:3 240:#", "231:#"),
        (EMPTY, "240:X", "231:#"),
        (THROW, "240:#", "231:X"),
        ("", EMPTY, "231:#"),
        ("", ONE, ""),
        ("", THROW, "231:X"),
        (ONE, "220:3 240:#", "221:(2,3) 241:#"),
        (ONE, "220:X", "221:X"),
        (ONE, "240:X", "241:X"),
        (THROW, "240:X", "231:X"),
        ("215:2 230:X", "240:X", "231:X"),
        ("215:2 230:X", "220:3 240:#", "221:(2,3) 231:X"),
    ],
    ids=[
        "empty and one",
        "empty and an error after it",
        "an error and empty",
        "never and empty",
        "never and one",
        "never and an error",
        "one and one",
        "one and an error",
        "an error after the end of the other",
        "two errors",
        "an error after an element, and another",
        "an error after a tuple",
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_two_inputs_end_in_all_ways(left: str, right: str, expected: str, swapped: bool) -> None:
    both = [hot(*signals(left)), hot(*signals(right))]
    messages, _ = run(
        lambda *streams: latest(*streams).map(lambda pair: f"({min(pair)},{max(pair)})"), *both[:: -1 if swapped else 1]
    )
    assert_equal(messages, *signals(expected))


@pytest.mark.parametrize("failing", [0, 1])
def test_error_of_a_merged_stream_leaves_the_other(failing: int) -> None:
    inputs = ["210:a 230:b 310:X", "220:u 240:v 340:w 450:#"]
    messages, seen = run(
        lambda left, right: left.merge_with(right), *(hot(*signals(each)) for each in inputs[:: 1 - 2 * failing])
    )
    assert_equal(messages, *signals("210:a 220:u 230:b 240:v 310:X", later=1))
    assert seen[failing] == spans((200, 310))
    assert seen[1 - failing] == spans((200, 311))


def test_merged_elements_are_interleaved() -> None:
    messages, seen = run(
        lambda left, right: left.merge_with(right),
        hot(*signals("210:a 230:b 310:c 320:d 410:e 420:f 430:#")),
        hot(*signals("220:u 240:v 340:w 450:#")),
    )
    assert_equal(messages, *signals("210:a 220:u 230:b 240:v 310:c 320:d 340:w 410:e 420:f 450:#", later=1))
    assert seen == [spans((200, 430)), spans((200, 450))]


# --- streams of streams: the outer element waits one tick, and so does the inner one ----------------------------------

INNER = {
    "A": "10:a1 90:a2 110:a3 190:a4 440:a5 460:#",
    "B": "180:b1 190:b2 205:#",
    "C": "10:c1 50:c2 70:c3 260:c4 310:c5 410:#",
    "D": "40:#",
    "E": "80:e1 90:e2 100:#",
}
OUTER = "300:A 400:B 550:C 750:D 850:E"
ALL = "310:a1 390:a2 410:a3 490:a4 560:c1 580:b1 590:b2 600:c2 620:c3 740:a5 810:c4 860:c5 930:e1 940:e2 960:#"
ALL_SPANS = {"A": (301, 761), "B": (401, 606), "C": (551, 961), "D": (751, 791), "E": (851, 951)}


def up_to(tick: int) -> str:
    return " ".join(signal for signal in ALL.split() if int(signal.partition(":")[0]) <= tick)


def flattened(
    outer: str, inner: dict[str, str], function: Callable[[str], str] = str, **ticks: Any
) -> tuple[list[Recorded[Notification]], list[SubscriptionSpan], dict[str, tuple[int, int]]]:
    scheduler = TestScheduler()
    inputs = {name: scheduler.create_cold(*signals(messages)) for name, messages in inner.items()}
    source = scheduler.create_hot(*signals(outer))
    observer = scheduler.start(
        lambda: Stream.from_publisher(source).flat_map(lambda name: inputs[function(name)]), **ticks
    )
    found = {name: (span.subscribed, span.unsubscribed) for name, each in inputs.items() for span in each.subscriptions}
    return observer.messages, source.subscriptions, found


@pytest.mark.parametrize(
    ("outer", "inner", "ticks", "expected", "seen"),
    [
        (f"{OUTER} 900:#", {}, {}, ALL, ALL_SPANS),
        (OUTER, {}, {}, up_to(940), ALL_SPANS),
        (f"{OUTER} 900:#", {"B": "180:b1 190:b2"}, {}, up_to(940), ALL_SPANS | {"B": (401, 1000)}),
        (f"{OUTER} 900:#", {}, {"disposed": 700}, up_to(620), {"A": (301, 700), "B": (401, 606), "C": (551, 700)}),
        (
            f"{OUTER} 900:#",
            {"A": "10:a1 90:a2 110:a3 190:a4 440:a5 460:X"},
            {},
            f"{up_to(740)} 760:X",
            {"A": (301, 761), "B": (401, 606), "C": (551, 762), "D": (751, 762)},
        ),
    ],
    ids=["all", "the outer one never ends", "an inner one never ends", "disposed", "an error inside"],
)
def test_inner_streams_are_flattened(
    outer: str,
    inner: dict[str, str],
    ticks: dict[str, Any],
    expected: str,
    seen: dict[str, tuple[int, int]],
) -> None:
    messages, _, found = flattened(outer, INNER | inner, **ticks)
    assert_equal(messages, *signals(expected, later=2))
    assert found == seen


def test_error_of_the_outer_stream_leaves_the_inner_ones() -> None:
    messages, source, found = flattened(f"{OUTER} 900:X", INNER)
    assert_equal(messages, *signals(up_to(860), later=2), on_error(901, ERROR))
    assert source == spans((200, 900))
    assert found == ALL_SPANS | {"C": (551, 901), "E": (851, 901)}


def test_function_that_raises_leaves_the_outer_stream_and_the_inner_ones() -> None:
    messages, source, found = flattened(f"{OUTER} 900:#", INNER, lambda name: fail() if name == "C" else name)
    assert_equal(messages, *signals(up_to(490), later=2), on_error(551, ERROR))
    assert source == spans((200, 551))
    assert found == {"A": (301, 551), "B": (401, 551)}


THREE = {
    "P": "10:p1 20:p2 110:p3 120:p4 210:p5 220:p6 230:#",
    "Q": "10:q1 20:q2 30:q3 40:q4 50:#",
    "R": "10:r1 20:r2 30:r3 40:r4 120:r5 150:#",
}


def test_streams_of_a_stream_are_merged() -> None:
    messages, source, found = flattened("300:P 400:Q 500:R 600:#", THREE)
    expected = (
        "310:p1 320:p2 410:p3 410:q1 420:p4 420:q2 430:q3 440:q4 510:p5 510:r1 520:p6 520:r2 530:r3 540:r4 620:r5 650:#"
    )
    assert_equal(messages, *signals(expected, later=2))
    assert source == spans((200, 600))
    assert found == {"P": (301, 531), "Q": (401, 451), "R": (501, 651)}


# --- buffers, windows and keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "later", "expected"),
    [
        ((3,), 0, "230:6 260:15 290:24 300:#"),
        ((3, 2), 1, "230:6 250:12 270:18 290:24 300:9 300:#"),
        ((3, 5), 0, "230:6 280:21 300:#"),
    ],
    ids=["(3)", "(3, 2)", "(3, 5)"],
)
def test_sums_of_buffers(counts: tuple[int, ...], later: int, expected: str) -> None:
    messages, seen = run(lambda source: source.buffer(*counts).map(sum), hot(*NINE))
    assert_equal(messages, *signals(expected, later=later))
    assert seen == [spans((200, 300))]


def sum_of(window: Stream[int]) -> Stream[int]:
    return window.through(pipeline().sum())


WINDOWS: list[tuple[Build, str, str]] = [
    (lambda source: source.window(3), "233:6 263:15 293:24", ""),
    (lambda source: source.window(3, 2), "233:6 253:12 273:18 293:24", "302:9"),
    (lambda source: source.window(3, 5), "233:6 283:21", ""),
    (lambda source: source.window(3, 4), "233:6 273:18", "302:9"),
    (lambda source: source.window_timeout(3, ticks(50)), "233:6 263:15 293:24", ""),
    (lambda source: source.window_timeout(5, ticks(25)), "239:6 269:15 299:24", ""),
    (lambda source: source.window_when(Stream.interval(ticks(30))), "234:6 264:15 294:24", ""),
]
KINDS = ["(3)", "(3, 2)", "(3, 5)", "(3, 4)", "(3, time)", "(more, time)", "when"]


@pytest.mark.parametrize(("cut", "closed", "rest"), WINDOWS, ids=KINDS)
def test_sums_of_windows(cut: Build, closed: str, rest: str) -> None:
    """A window, its elements and their sum each go through a queue. No window is empty: it passes with an element."""
    messages, seen = run(lambda source: cut(source).flat_map(sum_of), hot(*NINE))
    assert_equal(messages, *signals(f"{closed} {rest} 302:#"))
    assert seen == [spans((200, 300))]


@pytest.mark.parametrize(("cut", "closed", "rest"), WINDOWS, ids=KINDS)
def test_windows_that_are_over_keep_their_sums_at_an_error(cut: Build, closed: str, rest: str) -> None:
    messages, _ = run(lambda source: cut(source).flat_map(sum_of), hot(*NINE[:-1], on_error(300, ERROR)))
    assert_equal(messages, *signals(f"{closed} 302:X"))


def test_texts_of_windows() -> None:
    texts = pipeline().map(str).reduce(operator.add)
    messages, _ = run(lambda source: source.window(3).flat_map(lambda window: window.through(texts)), hot(*NINE))
    assert_equal(messages, on_next(233, "123"), on_next(263, "456"), on_next(293, "789"), on_complete(302))


def test_several_operators_over_one_window() -> None:
    def first_and_sum(window: Stream[int]) -> Stream[tuple[int, int]]:
        both = window.publish().auto_connect(2)
        return both.take(1).combine_latest(both.take(2).through(pipeline().sum()))

    messages, _ = run(lambda source: source.window(3).flat_map(first_and_sum), hot(*NINE))
    assert_equal(messages, on_next(225, (1, 3)), on_next(255, (4, 9)), on_next(285, (7, 15)), on_complete(302))


def test_source_is_left_when_the_last_window_that_is_wanted_is_done() -> None:
    def second(window: Stream[int]) -> Stream[int]:
        return sum_of(window.skip(1).take(1))

    messages, seen = run(lambda source: source.window(3).flat_map(second).skip(1).take(1), hot(*NINE))
    assert_equal(messages, *signals("253:5 253:#"))
    assert seen == [spans((200, 253))]


@pytest.mark.parametrize(
    ("inside", "odd", "even"),
    [(pipeline().sum(), 25, 20), (pipeline().map(str).reduce(operator.add), "13579", "2468")],
    ids=["sums", "texts"],
)
def test_each_key_gives_its_result_at_the_end(inside: Any, odd: Any, even: Any) -> None:
    messages, _ = run(lambda source: source.key_by(lambda n: n % 2).through(inside), hot(*NINE))
    assert_equal(messages, on_next(301, odd), on_next(301, even), on_complete(301))


def test_keys_are_counted_at_the_end_in_the_order_of_their_first_elements() -> None:
    words = "210:bar 220:foo 230:bar 240:qux 250:no 260:qux 270:qux 280:foo 290:no 300:#"
    messages, _ = run(
        lambda source: source.key_by(lambda word: None if word == "no" else word).count(), hot(*signals(words))
    )
    counts = [("bar", 2), ("foo", 2), ("qux", 3), (None, 2)]
    assert_equal(messages, *(on_next(301, each) for each in counts), on_complete(301))


def failing_at_four(number: int) -> int:
    return fail() if number == 4 else number


@pytest.mark.parametrize(
    "build",
    [
        lambda source: source.key_by(failing_at_four).through(pipeline().sum()),
        lambda source: source.key_by(lambda n: n % 2).through(pipeline().map(failing_at_four).sum()),
    ],
    ids=["key", "element"],
)
def test_function_of_keys_or_elements_that_raises_leaves_no_partial_results(build: Build) -> None:
    messages, seen = run(build, hot(*NINE))
    assert_equal(messages, on_error(241, ERROR))
    assert seen == [spans((200, 241))]


# --- the smallest sources have their turn one tick after the subscription ---------------------------------------------


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (Stream.empty(), "201:#"),
        (Stream.just(5), "201:5 201:#"),
        (Stream.error(ERROR), "201:X"),
        (Stream.never(), ""),
    ],
    ids=["empty", "just", "error", "never"],
)
def test_smallest_source_has_its_turn(stream: Stream[Any], expected: str) -> None:
    messages, _ = run(lambda: stream)
    assert_equal(messages, *signals(expected))


# --- what comes from outside -----------------------------------------------------------------------------------------


def test_foreign_elements_come_at_their_ticks() -> None:
    expected = signals("230:1 240:2 310:3 470:4 530:#")
    messages, seen = run(lambda source: source, hot(*expected))
    assert_equal(messages, *expected)
    assert seen == [spans((200, 530))]


def test_many_foreign_elements_of_one_tick_keep_their_order() -> None:
    expected = [on_next(210, number) for number in range(256)]
    messages, _ = run(lambda source: source, hot(*expected))
    assert_equal(messages, *expected)


# --- crash and recovery: a cold source replays what it had not sent at the save ---------------------------------------


CRASH = {"created": 10, "subscribed": 10, "saved": 510, "crashed": 600, "recovered": 800, "disposed": 3000}


@pytest.mark.parametrize(
    ("source", "before", "after", "seen"),
    [
        ("900:1", "", "1700:1 1700:#", [(10, 600), (800, 1700)]),
        ("100:1", "110:1 110:#", "", [(10, 110)]),
        ("490:X", "500:X", "", [(10, 500)]),
        ("550:X", "560:X", "1350:X", [(10, 560), (800, 1350)]),
    ],
    ids=["after the crash", "before the save", "an error before the save", "an error before the crash"],
)
def test_first_element_survives_a_crash(source: str, before: str, after: str, seen: list[tuple[int, int]]) -> None:
    result, found = recovered(
        lambda source: source.through(pipeline().first()),
        cold(*signals(source)),
        **CRASH,
    )
    assert_equal(result.before.messages, *signals(before))
    assert_equal(result.after.messages, *signals(after))
    assert found == [spans(*seen)]


@pytest.mark.parametrize(("tick", "before", "after"), [(490, 500, 0), (550, 560, 1350)])
def test_first_of_nothing_survives_a_crash(tick: int, before: int, after: int) -> None:
    def is_empty(error: BaseException) -> bool:
        return isinstance(error, EmptyStreamError)

    result, _ = recovered(
        lambda source: source.through(pipeline().first()),
        cold(on_complete(tick)),
        **CRASH,
    )
    assert_equal(result.before.messages, on_error_where(before, is_empty))
    assert_equal(result.after.messages, *([on_error_where(after, is_empty)] if after else []))


SENT = "100:1 200:2 300:3 400:4 490:5 900:9"
SENT_MORE = "100:1 200:2 300:3 400:4 490:5 550:6 900:9"


@pytest.mark.parametrize(
    ("method", "source", "trigger", "before", "after"),
    [
        ("skip_until", SENT, "520:0", "", "1700:9"),
        ("skip_until", SENT, "450:1 490:#", "500:5", "1700:9"),
        ("skip_until", SENT_MORE, "520:0", "560:6", "1350:6 1700:9"),
        ("skip_until", SENT, "490:#", "", ""),
        ("skip_until", "100:1 490:X", "510:0", "500:X", ""),
        ("skip_until", "100:1 400:4 510:X", "310:0", "410:4 520:X", "1310:X"),
        ("skip_until", "100:1 400:4 510:#", "310:0", "410:4 520:#", "1310:#"),
        ("skip_until", SENT, "490:X", "500:X", ""),
        ("skip_until", SENT, "510:X", "520:X", "1310:X"),
        ("take_until", SENT, "520:0", "110:1 210:2 310:3 410:4 500:5 530:#", "1320:#"),
        ("take_until", SENT, "450:0", "110:1 210:2 310:3 410:4 460:#", ""),
        ("take_until", SENT_MORE, "560:0", "110:1 210:2 310:3 410:4 500:5 560:6 570:#", "1350:6 1360:#"),
        ("take_until", SENT_MORE, "490:#", "110:1 210:2 310:3 410:4 500:5 560:6", "1350:6 1700:9"),
        ("take_until", SENT_MORE, "510:#", "110:1 210:2 310:3 410:4 500:5 560:6", "1350:6 1700:9"),
        ("take_until", "100:1 490:X", "520:0", "110:1 500:X", ""),
        ("take_until", "100:1 490:#", "520:0", "110:1 500:#", ""),
        ("take_until", "100:1", "490:X", "110:1 500:X", ""),
        ("take_until", "100:1", "510:X", "110:1 520:X", "1310:X"),
    ],
)
def test_stream_that_another_one_opens_or_ends_survives_a_crash(
    method: str, source: str, trigger: str, before: str, after: str
) -> None:
    result, _ = recovered(
        lambda source, other: getattr(source, method)(other), cold(*signals(source)), cold(*signals(trigger)), **CRASH
    )
    assert_equal(result.before.messages, *signals(before, later=1))
    assert_equal(result.after.messages, *signals(after, later=1))


def below(bound: int) -> Callable[[int], bool]:
    return lambda n: n < bound


@pytest.mark.parametrize(
    ("predicate", "source", "before", "after", "seen"),
    [
        (
            below(6),
            "100:1 200:2 300:3 400:4 490:5 540:6",
            "110:1 210:2 310:3 410:4 500:5 550:#",
            "1340:#",
            [(10, 550), (800, 1340)],
        ),
        (below(5), "100:1 200:2 300:3 400:4 490:5", "110:1 210:2 310:3 410:4 500:#", "", [(10, 500)]),
        (fail, "100:1", "110:X", "", [(10, 110)]),
        (fail, "540:1", "550:X", "1340:X", [(10, 550), (800, 1340)]),
    ],
    ids=["ends after the save", "ends before the save", "raises before the save", "raises after the save"],
)
def test_take_while_survives_a_crash(
    predicate: Callable[[int], bool], source: str, before: str, after: str, seen: list[tuple[int, int]]
) -> None:
    result, found = recovered(lambda source: source.take_while(predicate), cold(*signals(source)), **CRASH)
    assert_equal(result.before.messages, *signals(before))
    assert_equal(result.after.messages, *signals(after))
    assert found == [spans(*seen)]


@pytest.mark.parametrize(
    ("saved", "again", "before", "after", "seen"),
    [
        (102, 200, "", "201:-3 201:-2 201:-1 211:1 221:2 231:3 241:4 251:#", [(100, 102), (200, 250)]),
        (130, 200, "102:-3 102:-2 102:-1 111:1 121:2", "231:3 241:4 251:#", [(100, 130), (200, 250)]),
        (200, 220, "102:-3 102:-2 102:-1 111:1 121:2 131:3 141:4 151:#", "", [(100, 150)]),
    ],
    ids=["before the values", "after some elements", "after the end"],
)
def test_values_before_a_cold_source_survive_a_crash(
    saved: int, again: int, before: str, after: str, seen: list[tuple[int, int]]
) -> None:
    result, found = recovered(
        lambda source: source.start_with(-3, -2, -1),
        cold(*signals("10:1 20:2 30:3 40:4 50:#")),
        subscribed=100,
        saved=saved,
        crashed=saved,
        recovered=again,
    )
    assert_equal(result.before.messages, *signals(before))
    assert_equal(result.after.messages, *signals(after))
    assert found == [spans(*seen)]
