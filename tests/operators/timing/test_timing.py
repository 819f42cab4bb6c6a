"""Operators that wait, in virtual time: what they pass on at which tick, when they request, save and end."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing import Notification, Recorded, TestScheduler, on_complete, on_error, on_next

Build = Callable[[Any], Stream[Any]]

ERROR = ValueError("mine")


def ticks(number: int) -> timedelta:
    """Return the time of so many ticks."""
    return timedelta(microseconds=number)


def signals(text: str) -> list[Recorded[Notification]]:
    """Read `210:9 300:#`: ticks with an element, the completion or, X, the error."""
    read = []
    for tick, what in (signal.split(":") for signal in text.split()):
        kinds: dict[str, Any] = {"#": on_complete, "X": lambda at: on_error(at, ERROR)}
        read.append(kinds[what](int(tick)) if what in kinds else on_next(int(tick), int(what)))
    return read


def shown(messages: list[Recorded[Notification]]) -> str:
    """Write signals as they are read, lists as 1+2."""
    texts = []
    for message in messages:
        text = repr(message.value)
        if text.startswith("on_next("):
            text = text.removeprefix("on_next(").removesuffix(")").replace(", ", "+").strip("[]")
        else:
            text = "#" if text == "on_complete()" else "X" if "mine" in text else text
        texts.append(f"{message.tick}:{text}")
    return " ".join(texts)


def run(build: Build, source: str, **options: Any) -> tuple[str, list[tuple[int, int]]]:
    """Return what came of a hot stream, and when it was subscribed to and left."""
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    observer = scheduler.start(lambda: build(Stream.from_publisher(hot)), **options)
    return shown(observer.messages), [(span.subscribed, span.unsubscribed) for span in hot.subscriptions]


SOURCE = "210:1 220:2 270:3 300:4"

# An operator with a queue has its turn a tick after its input, and a tick after its alarm.
PASSED: list[tuple[str, Build, str, str]] = [
    ("delay", lambda s: s.delay(ticks(30)), "#", "242:1 252:2 301:3 332:4 432:#"),
    ("delay", lambda s: s.delay(ticks(30)), "X", "242:1 252:2 301:3 332:4 432:X"),
    ("debounce", lambda s: s.debounce(ticks(30)), "#", "252:2 332:4 401:#"),
    ("debounce", lambda s: s.debounce(ticks(150)), "#", "401:4 401:#"),
    ("debounce", lambda s: s.debounce(ticks(150)), "X", "401:X"),
    ("audit", lambda s: s.audit(ticks(30)), "#", "242:2 301:4 401:#"),
    ("audit", lambda s: s.audit(ticks(200)), "#", "401:4 401:#"),
    ("throttle_latest", lambda s: s.throttle_latest(ticks(30)), "#", "211:1 242:2 271:3 301:4 401:#"),
    ("throttle_latest", lambda s: s.throttle_latest(ticks(200)), "#", "211:1 401:4 401:#"),
    ("throttle_latest", lambda s: s.throttle_latest(ticks(200)), "X", "211:1 401:X"),
    ("throttle_first", lambda s: s.throttle_first(ticks(30)), "#", "210:1 270:3 300:4 400:#"),
    ("throttle_first", lambda s: s.throttle_first(ticks(31)), "#", "210:1 270:3 400:#"),
    ("sample", lambda s: s.sample(ticks(30)), "#", "232:2 292:3 322:4 412:#"),
    ("sample", lambda s: s.sample(ticks(30)), "X", "232:2 292:3 322:4 401:X"),
    ("sample", lambda s: s.sample(Stream.just("now")), "#", "401:4 401:#"),
    ("sample", lambda s: s.sample(Stream.error(ERROR)), "#", "202:X"),
    ("take_for", lambda s: s.take_for(ticks(40)), "#", "211:1 221:2 242:#"),
    ("skip_for", lambda s: s.skip_for(ticks(40)), "#", "271:3 301:4 401:#"),
    ("buffer_timeout", lambda s: s.buffer_timeout(2, ticks(40)), "#", "221:1+2 301:3+4 401:#"),
    ("buffer_timeout", lambda s: s.buffer_timeout(3, ticks(40)), "#", "252:1+2 312:3+4 401:#"),
    ("buffer_timeout", lambda s: s.buffer_timeout(3, ticks(150)), "#", "271:1+2+3 401:4 401:#"),
    ("buffer_timeout", lambda s: s.buffer_timeout(3, ticks(150)), "X", "271:1+2+3 401:X"),
    ("timeout", lambda s: s.timeout(ticks(101)), "#", "211:1 221:2 271:3 301:4 401:#"),
    ("timeout", lambda s: s.timeout(ticks(40), fallback=[7, 8]), "#", "211:1 221:2 264:7 264:8 264:#"),
    ("timeout", lambda s: s.timeout(ticks(40), first=ticks(5), fallback=[7]), "#", "209:7 209:#"),
    ("timeout", lambda s: s.timeout(first=ticks(20)), "X", "211:1 221:2 271:3 301:4 401:X"),
]


@pytest.mark.parametrize(("name", "build", "end", "expected"), PASSED)
def test_elements_pass_at_their_times(name: str, build: Build, end: str, expected: str) -> None:
    assert run(build, f"{SOURCE} 400:{end}")[0] == expected


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (lambda s: s.take_for(ticks(40)), 242),
        (lambda s: s.timeout(ticks(40), fallback=[]), 262),
        (lambda s: s.timeout(ticks(40)), 262),
        (lambda s: s.sample(Stream.error(ERROR)), 202),
    ],
)
def test_upstream_is_left_when_the_stream_ends_before_it(build: Build, left: int) -> None:
    assert run(build, f"{SOURCE} 400:#")[1] == [(200, left)]


def test_late_element_is_an_error_that_says_what_to_do() -> None:
    passed, _ = run(lambda s: s.timeout(ticks(40)), f"{SOURCE} 400:#")
    assert passed.startswith("211:1 221:2 262:on_error(TimeoutError(")
    assert "a requested element did not come within 4e-05 seconds; allow more, or pass fallback=" in passed


def test_time_in_which_nothing_is_requested_is_nobodys_fault() -> None:
    build: Build = lambda s: s.timeout(ticks(60), fallback=[7])  # noqa: E731
    assert run(build, "210:1 320:2 400:#", requests={200: 1, 300: 5})[0] == "211:1 321:2 384:7 384:#"


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda s: s.delay(ticks(10)), "251:1 351:2 351:3 351:4 412:#"),
        (lambda s: s.debounce(ticks(10)), "251:2 351:4 401:#"),
        (lambda s: s.audit(ticks(5)), "251:2 351:4 401:#"),
        (lambda s: s.throttle_latest(ticks(5)), "251:2 351:4 401:#"),
        (lambda s: s.sample(ticks(5)), "251:2 351:4 402:#"),
        (lambda s: s.buffer_timeout(10, ticks(5)), "251:1+2 351:3+4 401:#"),
    ],
)
def test_what_is_due_waits_until_it_is_requested(build: Build, expected: str) -> None:
    assert run(build, f"{SOURCE} 400:#", requests={250: 1, 350: 9})[0] == expected


@pytest.mark.parametrize(("name", "build", "end", "expected"), [row for row in PASSED if row[2] == "#"])
def test_nothing_that_was_not_requested_is_sent(name: str, build: Build, end: str, expected: str) -> None:
    got = run(build, f"{SOURCE} 400:#", requests={230: 1})[0].split()
    assert len([part for part in got if "#" not in part and "X" not in part]) <= 1


@pytest.mark.parametrize(
    ("unrequested", "expected"),
    [
        ("latest", "301:0 451:1 501:2 701:4"),
        ("keep", "301:0 451:1 501:2 701:3"),
        ("drop", "301:0 501:2 601:3 801:5"),
    ],
)
def test_ticks_that_nobody_requested_follow_the_policy(unrequested: Any, expected: str) -> None:
    observer = TestScheduler().start(
        lambda: Stream.interval(ticks(100), unrequested=unrequested), requests={200: 1, 450: 2, 700: 1}
    )
    assert shown(observer.messages) == expected


def at(tick: int) -> datetime:
    return datetime.min.replace(tzinfo=UTC) + ticks(tick)


@pytest.mark.parametrize("time", [timedelta.max, timedelta(days=365 * 9000)], ids=["max", "9000 years"])
@pytest.mark.parametrize(
    ("wait", "expected"),
    [
        (lambda s, time: s.delay(time), ""),
        (lambda s, time: s.debounce(time), ""),
        (lambda s, time: s.audit(time), ""),
        (lambda s, time: s.throttle_first(time), "210:1"),
        (lambda s, time: s.throttle_latest(time), "211:1"),
        (lambda s, time: s.timeout(time), "211:1 221:2 271:3 301:4"),
        (lambda s, time: s.buffer_timeout(9, time), ""),
        (lambda s, time: s.delay_subscription(time), ""),
        (lambda s, time: s.rate_limit(1, time), "211:1"),
        (lambda s, time: Stream.timer(time), ""),
        (lambda s, time: Stream.interval(time), ""),
    ],
)
def test_time_that_ends_after_the_year_9999_never_comes(wait: Any, expected: str, time: timedelta) -> None:
    assert run(lambda stream: wait(stream, time), SOURCE)[0] == expected


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Stream.timer(ticks(300)), "501:0 501:#"),
        (lambda: Stream.timer(0), "201:0 201:#"),
        (lambda: Stream.timer(at(300)), "301:0 301:#"),
        (lambda: Stream.timer(at(100)), "201:0 201:#"),
        (lambda: Stream.timer(ticks(300), ticks(200)), "501:0 701:1 901:2"),
        # From 150 on in steps of 100: the tick at 150 is late and counts, then 250.
        (lambda: Stream.timer(at(150), ticks(300)), "201:0 451:1 751:2"),
        # From 1 on: those at 1 and 101 were before the subscription, of which the later one counts; then 201.
        (lambda: Stream.timer(at(1), ticks(100), unrequested="keep").take(3), "201:0 201:1 302:2 302:#"),
        (lambda: Stream.timer(ticks(10), 0).take(3), "211:0 211:1 211:2 211:#"),
        (lambda: Stream.range(3).delay_subscription(ticks(30)), "234:0 234:1 234:2 234:#"),
        (lambda: Stream.range(2).delay_subscription(at(250)), "254:0 254:1 254:#"),
        (lambda: Stream.range(2).delay_subscription(Stream.timer(ticks(5))), "209:0 209:1 209:#"),
        (lambda: Stream.range(2).delay_subscription(Stream.error(ERROR)), "202:X"),
    ],
)
def test_timers_and_what_they_begin(make: Callable[[], Stream[Any]], expected: str) -> None:
    observer = TestScheduler().start(make)
    first = " ".join(shown(observer.messages).split())
    assert first == expected


def test_stream_above_is_not_subscribed_to_before_its_time() -> None:
    scheduler = TestScheduler()
    cold = scheduler.create_cold(*signals("10:1 20:#"))
    observer = scheduler.start(lambda: Stream.from_publisher(cold).delay_subscription(ticks(30)))
    assert shown(observer.messages) == "243:1 253:#"
    assert [(span.subscribed, span.unsubscribed) for span in cold.subscriptions] == [(232, 252)]


def test_stream_that_cannot_be_begun_when_its_time_has_come_fails() -> None:
    def begin() -> list[int]:
        raise ERROR

    observer = TestScheduler().start(lambda: Stream.defer(begin).delay_subscription(ticks(30)))
    assert shown(observer.messages) in {"233:X", "234:X"}


def test_sampler_says_when() -> None:
    def build(source: str, sampler: str) -> str:
        scheduler = TestScheduler()
        both = [scheduler.create_hot(*signals(text)) for text in (source, sampler)]
        sampled, moments = map(Stream.from_publisher, both)
        return shown(scheduler.start(lambda: sampled.sample(moments)).messages)

    assert build(f"{SOURCE} 400:#", "215:0 225:0 230:0 320:0 500:0") == "216:1 226:2 321:4 501:#"
    assert build(f"{SOURCE} 400:#", "215:0 225:#") == "216:1 226:2 401:4 401:#"
    assert build(f"{SOURCE} 310:#", "215:0 350:0") == "216:1 351:4 351:#"
    assert build(f"{SOURCE} 310:X", "215:0 350:0") == "216:1 311:X"
    assert build(f"{SOURCE} 400:#", "215:0 350:X") == "216:1 351:X"


@pytest.mark.parametrize("saved", [205, 215, 225, 245, 275, 305, 350])
def test_sampled_stream_is_saved(saved: int) -> None:
    source = f"{SOURCE} 400:#"
    whole = run(lambda s: s.sample(ticks(30)), source)[0].split()
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    result = scheduler.crash_and_recover(
        lambda: Stream.from_publisher(hot, recovery="exact").sample(ticks(30)),
        saved=saved,
        crashed=saved + 1,
        recovered=saved + 2,
    )
    assert shown(result.before.messages).split() + shown(result.after.messages).split() == whole


def test_times_stand_beside_the_elements() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals("210:1 225:2 400:#"))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).timestamp().map(lambda pair: pair[0] == at(210)))
    assert shown(observer.messages) == "210:True 225:False 400:#"
    again = TestScheduler()
    hot = again.create_hot(*signals("210:1 225:2 400:#"))
    got = again.start(lambda: Stream.from_publisher(hot).time_interval().map(lambda pair: pair[0] // ticks(1)))
    assert shown(got.messages) == "210:10 225:15 400:#"


# Not sample, whose sampler may be gone, and not a timeout whose time is over: it begins again.
RECOVERED = [
    row[:2] for row in PASSED if row[2] == "#" and row[0] != "sample" and (row[0] != "timeout" or ":4" in row[3])
]


@pytest.mark.parametrize(("name", "build"), RECOVERED)
@pytest.mark.parametrize("saved", [205, 215, 225, 245, 275, 305, 350])
def test_recovered_stream_goes_on_at_the_same_times(name: str, build: Build, saved: int) -> None:
    """Save, crash at once and recover in the same tick: what comes after it is what would have come."""
    source = f"{SOURCE} 400:#"
    whole = run(build, source)[0].split()
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    result = scheduler.crash_and_recover(
        lambda: build(Stream.from_publisher(hot, recovery="exact")), saved=saved, crashed=saved + 1, recovered=saved + 2
    )
    before, after = shown(result.before.messages).split(), shown(result.after.messages).split()
    if name in {"take_for", "skip_for", "timeout"}:  # each start of what waits takes a tick
        assert [part.split(":")[1] for part in before + after] == [part.split(":")[1] for part in whole]
    else:
        assert before + after == whole


def test_interval_goes_on_with_its_number() -> None:
    scheduler = TestScheduler()
    result = scheduler.crash_and_recover(
        lambda: Stream.interval(ticks(50)).take(7), saved=352, crashed=500, recovered=600
    )
    assert shown(result.before.messages) == "251:0 301:1 351:2 401:3 451:4"
    # Those at 401 to 551 were not sent by what was saved, and nobody requested them when they came.
    assert shown(result.after.messages).startswith("601:")
    numbers = [int(part.split(":")[1]) for part in shown(result.after.messages).split() if "#" not in part]
    assert numbers == sorted(numbers)
    assert numbers[0] >= 3


@pytest.mark.parametrize(
    "name", ["delay", "debounce", "audit", "throttle_latest", "throttle_first", "take_for", "skip_for"]
)
@pytest.mark.parametrize(
    ("duration", "error", "message"),
    [
        (-1, ArgumentError, "needs 0 or more, got -1; pass seconds or a timedelta"),
        ("1", ArgumentTypeError, "needs seconds or a timedelta, got '1' .str.; pass a number such as 0.5"),
        (True, ArgumentTypeError, "needs seconds or a timedelta, got True"),
        (None, ArgumentTypeError, "needs seconds or a timedelta, got None"),
        (float("nan"), ArgumentError, "needs at most 1,000,000,000 seconds, got nan; pass a shorter time"),
        (1e12, ArgumentError, "needs at most 1,000,000,000 seconds, got 1000000000000.0; pass a shorter time"),
    ],
)
def test_bad_time_is_refused(name: str, duration: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=rf"{name}\(duration\) {message}"):
        getattr(Stream.range(1), name)(duration)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda s: s.timeout(), ArgumentError, r"timeout\(\) needs a time, got None for both; pass between, first or"),
        (lambda s: s.timeout(1, fallback=7), ArgumentTypeError, r"timeout\(fallback\)"),
        (lambda s: s.sample(0), ArgumentError, r"sample\(sampler\) needs more than 0 seconds, got 0"),
        (lambda s: s.sample(None), ArgumentTypeError, r"sample\(sampler\)"),
        (lambda s: s.buffer_timeout(0, 1), ArgumentError, r"buffer_timeout\(count\) needs a count from 1"),
        (lambda s: s.buffer_timeout(2, -1), ArgumentError, r"buffer_timeout\(duration\) needs 0 or more"),
        (lambda s: Stream.interval(0), ArgumentError, r"interval\(period\) needs more than 0 seconds, got 0; pass"),
        (lambda s: Stream.interval(1, unrequested="lose"), ArgumentError, r"interval\(unrequested\) must be one of"),
        (lambda s: Stream.timer(at(0).replace(tzinfo=None)), ArgumentError, r"timer\(due\) needs a datetime with"),
        (lambda s: s.delay_subscription(None), ArgumentTypeError, r"delay_subscription\(delay\)"),
    ],
)
def test_bad_argument_is_refused(make: Build, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(Stream.range(1))


def test_calls_are_written_as_one_writes_them() -> None:
    assert repr(Stream.timer(1, 0.5, unrequested="keep")) == "Stream.timer(1, 0.5, unrequested='keep')"
    assert repr(Stream.interval(60).timeout(2, first=3, fallback=[1])) == (
        "Stream.interval(60).timeout(2, first=3, fallback=Stream.from_iterable([1]))"
    )
    assert repr(Stream.interval(1).debounce(0.5).buffer_timeout(3, timedelta(minutes=1))) == (
        "Stream.interval(1).debounce(0.5).buffer_timeout(3, 60)"
    )
