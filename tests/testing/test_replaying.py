"""replay: the same elements at the same times with the same requests, from a record; and what cannot be replayed."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.demo.flights_parsing import CorruptRowError
from reactivestreams.demo.flights_pipeline import flights_pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.utility.recorded import LEAST_BYTES
from reactivestreams.schedulers import VirtualTimeScheduler, WorkerScheduler
from reactivestreams.testing import ReplayError, replay
from rs_core.operators.recorded import MAGIC, OLDER
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.demo.flight_lines import elements as flights
from tests.demo.flight_lines import flight_line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.rsr"


def corrupt_flights() -> list[Any]:
    lines = [flight_line(dep_delay=number) for number in range(40)]
    lines[30] = flight_line(dep_delay="late")
    return list(flights(*lines))


def test_crash_of_the_flights_is_replayed_to_the_element_before_it_ten_times_the_same(path: Path) -> None:
    stream = Stream.from_iterable(corrupt_flights()).recorded(path).through(flights_pipeline())
    with pytest.raises(CorruptRowError) as raised:
        stream.to_list()
    whole = replay(path, stream)
    assert (whole.end, whole.elements, str(whole.error)) == ("failed", 31, str(raised.value))
    replays = [replay(path, stream, to=whole.elements) for _ in range(10)]
    assert [(each.end, each.elements, each.result_count) for each in replays] == [("stopped", 30, 30)] * 10
    assert all(each == replays[0] for each in replays)
    assert replays[0].next_element == corrupt_flights()[30]
    assert replays[0].results == whole.results


def failing_late(path: Path) -> Stream[Any]:
    """Return a stream that fails at its element 99,991, and of which the newest part is kept."""
    numbers = Stream.range(100_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest")
    return numbers.map(lambda n: 1 // (99_990 - n) if n >= 99_990 else n)


@pytest.mark.parametrize("end", [lambda stream: stream.run(), list], ids=["run", "for"])
def test_crash_after_many_elements_is_replayed_from_the_newest_part(path: Path, end: Callable[[Any], object]) -> None:
    stream = failing_late(path)
    with pytest.raises(ZeroDivisionError):
        end(stream)
    whole = replay(path, stream)
    assert (whole.end, whole.elements, whole.differs_at) == ("failed", 99_991, None)
    assert whole.results[-2:] == [99_988, 99_989]
    assert 1_000 < whole.result_count < 50_000
    for _ in range(3):
        stopped = replay(path, stream, to=99_991)
        assert (stopped.end, stopped.elements, stopped.next_element) == ("stopped", 99_990, 99_990)
        assert stopped.result_count == whole.result_count


def test_element_that_is_gone_is_none_to_stop_at(path: Path) -> None:
    stream = failing_late(path)
    with pytest.raises(ZeroDivisionError):
        stream.run()
    with pytest.raises(ArgumentError, match=r"replay\(to=5\) is before the beginning of .*, whose first element is"):
        replay(path, stream, to=5)


def test_operator_whose_state_is_gone_begins_without_it_only_where_that_is_allowed(path: Path) -> None:
    stream = Stream.range(40_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest").buffer(100)
    assert len(stream.to_list()) == 400
    with pytest.raises(ReplayError, match=r"begins after element \d+, and what buffer assembled at .* keep='oldest'"):
        replay(path, stream)
    report = replay(path, stream, allow_missing_state=True)
    assert (report.end, report.elements) == ("completed", 40_000)
    assert len(report.results[0]) == 100
    assert report.results[-1][-1] == 39_999


def test_result_of_what_is_gone_is_given_only_where_that_is_allowed(path: Path) -> None:
    stream = Stream.range(40_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest")
    assert stream.count() == 40_000
    with pytest.raises(ReplayError, match="what the end of the stream had from before is not in it"):
        replay(path, stream)
    assert replay(path, stream, allow_missing_state=True).end == "completed"


def test_parts_of_a_run_that_was_killed_between_them_or_of_another_run(path: Path) -> None:
    older = path.with_name(path.name + OLDER)
    stream = Stream.range(40_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest").map(str)
    stream.run()
    whole = replay(path, stream)
    newest = path.read_bytes()
    path.unlink()
    cut = replay(path, stream)
    assert cut.end == "cut off"
    assert cut.fault == f"after element {cut.elements}: its newest part is gone"
    kept = older.read_bytes()
    path.write_bytes(newest)
    older.unlink()
    alone = replay(path, stream)
    assert (alone.elements, alone.end) == (40_000, "completed")
    assert alone.result_count == whole.result_count - cut.result_count
    stream.run()  # another run, whose newest part stands beside the older one of the first
    older.write_bytes(kept)
    assert replay(path, stream).result_count < whole.result_count


ENDS: dict[str, Callable[[Stream[int]], Any]] = {
    "to_list": lambda stream: stream.to_list(),
    "for_each": lambda stream: stream.for_each(lambda _: None),
    "for": list,
    "to_list_async": lambda stream: asyncio.run(stream.to_list_async()),
    "reduce": lambda stream: stream.reduce(lambda total, n: total + n),
    "count": lambda stream: stream.count(),
    "one by one": lambda stream: stream.subscribe(RecordingSubscriber(first_request=1, then_request=1)),
}

PIPELINES: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "nothing": lambda stream: stream,
    "map, filter": lambda stream: stream.map(str).filter(lambda text: text != "3"),
    "buffer": lambda stream: stream.buffer(3),
    "flat_map": lambda stream: stream.flat_map(lambda n: [n] * n),
    "flat_map of streams": lambda stream: stream.flat_map(lambda n: Stream.range(n).map(str)),
    "sorted": lambda stream: stream.sorted(reverse=True),
    "zip_with": lambda stream: stream.zip_with("abcd"),
    "key_by": lambda stream: stream.key_by(lambda n: n % 2).scan(max, 0),
    "take": lambda stream: stream.take(4),
    "delay": lambda stream: stream.delay(0.001),
    "take_last": lambda stream: stream.take_last(2),
}


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("end", ENDS)
def test_replay_gives_what_the_run_has_given(path: Path, pipeline: str, end: str) -> None:
    stream = PIPELINES[pipeline](Stream.range(9).recorded(path))
    ENDS[end](stream)
    plain = PIPELINES[pipeline](Stream.range(9)).to_list(timeout_seconds=60)
    if pipeline == "delay" and end == "one by one":  # this end does not wait for the timer
        return
    first, second = replay(path, stream), replay(path, stream)
    assert (first.results, first.end) == (plain, "completed")
    assert first == second
    assert first.differs_at is None


@pytest.mark.parametrize("to", range(1, 7))
def test_replay_stops_before_the_element(path: Path, to: int) -> None:
    stream = Stream.range(9).recorded(path).map(lambda n: n * n)
    stream.run()
    stopped = replay(path, stream, to=to)
    assert stopped.results == [n * n for n in range(to - 1)]
    assert (stopped.end, stopped.elements, stopped.next_element) == ("stopped", to - 1, to - 1)


def test_element_after_the_end_is_not_reached(path: Path) -> None:
    stream = Stream.range(3).recorded(path).map(str)
    stream.run()
    assert replay(path, stream, to=4).end == "completed"


def test_function_is_called_before_the_element_and_the_rest_follows(path: Path) -> None:
    seen: list[Any] = []

    def seen_too(n: int) -> int:
        seen.append(n)
        return n

    stream = Stream.range(4).recorded(path).map(seen_too)
    stream.run()
    seen.clear()
    report = replay(path, stream, to=3, before=lambda element: seen.append(("before", element)))
    assert seen == [0, 1, ("before", 2), 2, 3]
    assert report.end == "completed"


def test_times_are_those_of_the_run(path: Path) -> None:
    stream = Stream.range(3).recorded(path).timestamp()
    stamped = stream.to_list()
    again = replay(path, stream).results
    assert [element for _, element in again] == [0, 1, 2]
    assert all(abs(time - was) < timedelta(minutes=1) for (time, _), (was, _) in zip(again, stamped, strict=True))


def test_operators_that_wait_get_their_elements_at_the_times_of_the_run(path: Path) -> None:
    root = VirtualTimeScheduler()

    source = Stream.interval(0.001).take(3).concat_with(Stream.interval(0.01).take(2))
    subscriber = RecordingSubscriber(first_request=2**63 - 1)
    stream = source.recorded(path).debounce(0.002)
    handle = stream.bind(subscriber)
    handle.initialize(_Context(root))
    root.clock.start()
    assert subscriber.elements == [2, 0, 1]
    assert replay(path, stream).results == [2, 0, 1]


class _Context:
    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler


def test_scheduler_among_the_parameters_is_replaced(path: Path) -> None:
    with WorkerScheduler(name="worker") as worker:
        stream = Stream.range(100).recorded(path).observe_on(worker).map(str)
        stream.to_list(timeout_seconds=60)
    report = replay(path, stream)  # the worker is gone
    assert (report.end, report.result_count) == ("completed", 100)
    assert replay(path, stream) == report


def test_last_results_are_kept(path: Path) -> None:
    stream = Stream.range(9).recorded(path)
    stream.run()
    for most in (0, 1, 4, 9, 20):
        report = replay(path, stream, max_results=most)
        assert (report.results, report.result_count) == (list(range(9))[9 - min(most, 9) :], 9)


def test_recorded_below_writes_nothing(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rsr"
    stream = Stream.range(3).recorded(path).map(str).recorded(other)
    stream.run()
    other.unlink()
    assert replay(path, stream).results == ["0", "1", "2"]
    assert not other.exists()


def test_error_of_the_source_arrives_again(path: Path) -> None:
    stream = Stream.just(1).concat_with(Stream.error(ValueError("of the source"))).recorded(path).map(str)
    with pytest.raises(ValueError, match="of the source"):
        stream.run()
    report = replay(path, stream)
    assert (report.results, repr(report.error)) == (["1"], "ValueError('of the source')")


# --- what cannot be replayed ----------------------------------------------------------------------------------------


def recorded_run(path: Path) -> Stream[int]:
    stream = Stream.range(100).recorded(path).map(lambda n: n + 1)
    stream.run()
    return stream


def test_every_cut_says_what_could_be_read(path: Path) -> None:
    stream = recorded_run(path)
    whole = path.read_bytes()
    head = whole.index(b"e", whole.index(b"loaded") + len("loaded"))
    least = 0
    for size in range(head, len(whole), 7):
        path.write_bytes(whole[:size])
        report = replay(path, stream)
        assert report.end == "cut off"
        assert report.fault is not None
        assert report.fault.startswith(f"after element {report.elements}: ")
        assert report.results == list(range(1, report.elements + 1))
        assert report.elements >= least
        least = report.elements
    assert least >= 95


@pytest.mark.parametrize("size", [len(MAGIC), len(MAGIC) + 1, 60])
def test_record_that_is_cut_off_within_its_head_is_refused(path: Path, size: int) -> None:
    stream = recorded_run(path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ReplayError, match=r"the record is cut off within its head: .*; record the run again"):
        replay(path, stream)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is no record; give a file that recorded"),
        (b"PAR1" * 20, "this is no record"),
        (MAGIC[:-1] + b"\x02abc", "is of version 2, and this release reads version 1; replay it with the release that"),
        (MAGIC + b"i\x02", "the head of the record is damaged"),
    ],
)
def test_what_is_no_record_of_this_version_is_refused(path: Path, content: bytes, message: str) -> None:
    stream = recorded_run(path)
    path.write_bytes(content)
    with pytest.raises(ReplayError, match=message):
        replay(path, stream)


def test_damage_in_the_middle_is_where_the_record_ends(path: Path) -> None:
    stream = recorded_run(path)
    content = bytearray(path.read_bytes())
    place = content.index(b"n", len(content) - 60)
    content[place] = ord("?")
    path.write_bytes(content)
    report = replay(path, stream)
    assert report.end == "cut off"
    assert 0 < report.elements < 100


def test_pipeline_that_has_changed_is_refused_with_the_difference(path: Path) -> None:
    recorded_run(path)
    changed = Stream.range(100).recorded(path).filter(bool).map(abs).take(3)
    with pytest.raises(ReplayError) as raised:
        replay(path, changed)
    lines = str(raised.value).splitlines()
    assert lines[0].endswith("is of a stream that had other operators below recorded():")
    assert lines[1].startswith("  operator 1 was  rx://operators/map(recorded_run.<locals>.<lambda>)")
    assert lines[2:5] == [
        "  operator 1 is   rx://operators/filter(bool)",
        "  operator 2 is   rx://operators/map(abs)",
        "  operator 3 is   rx://operators/take(3)",
    ]


def test_stream_without_a_border_is_refused(path: Path) -> None:
    recorded_run(path)
    with pytest.raises(ReplayError, match=r"was recorded at .*test_replaying\.py:\d+ in .* has no recorded\(\)"):
        replay(path, Stream.range(3).map(str))
    with pytest.raises(ArgumentTypeError, match="needs the stream that was recorded"):
        replay(path, [1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("add", "named"),
    [
        (lambda stream: stream.do(print), "do assembled at"),
        (lambda stream: stream.finally_(list), "finally_ assembled at"),
        (lambda stream: stream.merge_with(Stream.from_callable(list)), "from_callable assembled at"),
    ],
    ids=["do", "finally_", "other input"],
)
def test_side_effects_need_permission(path: Path, add: Callable[[Stream[int]], Stream[Any]], named: str) -> None:
    stream = add(Stream.just(1).recorded(path))
    stream.run()
    with pytest.raises(ReplayError, match=named) as raised:
        replay(path, stream)
    assert "pass allow_side_effects=True, or --allow-side-effects" in str(raised.value)
    assert replay(path, stream, allow_side_effects=True).end == "completed"


def test_calls_in_an_event_loop_are_refused_with_the_remedy(path: Path) -> None:
    async def doubled(n: int) -> int:
        return n * 2

    stream = Stream.range(3).recorded(path).map_async(doubled)
    asyncio.run(stream.to_list_async())
    with pytest.raises(ReplayError, match=r"map_async assembled at .*; put recorded\(\) below it"):
        replay(path, stream)


def test_stream_that_asks_for_less_than_in_the_run_is_told(path: Path) -> None:
    bounds = [9, 2]
    stream = Stream.range(9).recorded(path)
    stream = stream.flat_map(lambda n: [n] if n < bounds[0] else Stream.never(), concurrency=1, prefetch=1)
    stream.run()
    del bounds[0]
    with pytest.raises(ReplayError, match=r"element \d+ was sent in the run, and in this replay nobody has requested"):
        replay(path, stream)


@pytest.mark.parametrize("arguments", [{"to": 0}, {"max_results": -1}, {"before": print}])
def test_arguments_out_of_bounds_are_refused(path: Path, arguments: dict[str, Any]) -> None:
    stream = recorded_run(path)
    with pytest.raises(ArgumentError, match=r"replay\("):
        replay(path, stream, **arguments)
