"""recorded: what passes, in a file."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError, StateTypeError
from reactivestreams.operators.utility.recorded import LEAST_BYTES
from reactivestreams.state import default_registry
from reactivestreams.state.codec import encode_value
from rs_core.operators.recorded import MAGIC, MOST_BYTES, OLDER, RecordReader
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestRecorded(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().recorded(os.devnull)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.rsr"


def frames(path: Path) -> list[tuple[str, int]]:
    """Return the frames of a record: the kind, and the count of a request or how many elements have passed."""
    reader = RecordReader(path.read_bytes(), dict(default_registry.by_name))
    found: list[tuple[str, int]] = []
    while reader.kind not in ("", "cut"):
        kind, count = reader.kind, reader.count
        reader.skip()
        found.append((kind, count if kind in "re" else reader.passed))
    return [*found, ("cut", reader.passed)] if reader.kind == "cut" else found


def test_signals_and_requests_stand_in_their_order(path: Path) -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.range(3).recorded(path).subscribe(subscriber)
    assert subscriber.elements == [0, 1]
    subscriber.request(5)
    expected = [("e", 2), ("r", 2), ("n", 1), ("n", 2), ("e", 5), ("r", 5), ("n", 3), (".", 3)]
    assert frames(path) == expected


def test_requests_of_the_end_are_told_from_those_at_the_border(path: Path) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(4).recorded(path).buffer(2).subscribe(subscriber)
    subscriber.cancel()
    assert frames(path) == [("e", 1), ("r", 2), ("n", 1), ("n", 2), ("c", 2)]


def test_requests_of_the_end_are_recorded_through_a_queue(path: Path) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(2).recorded(path).flat_map(lambda n: [n, n]).subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    kinds = frames(path)
    assert next(count for kind, count in kinds if kind == "e") == 1
    assert [kind for kind, _ in kinds if kind in "n."] == ["n", "n", "."]


@pytest.mark.parametrize(("fails", "kind"), [(None, "."), (OSError("gone"), "x")], ids=["completed", "failed"])
def test_end_stands_last(path: Path, fails: Exception | None, kind: str) -> None:
    source = CountedIterable([1, 2], fails_with=fails) if fails else [1, 2]
    Stream.from_iterable(source).recorded(path).on_error_return(0).run()
    assert frames(path)[-1] == (kind, 2)


def test_stream_that_never_started_leaves_the_file_alone(path: Path) -> None:
    Stream.range(3).recorded(path).bind(RecordingSubscriber()).cancel()
    assert not path.exists()


def test_subscription_that_starts_last_has_the_file(path: Path) -> None:
    first, second = RecordingSubscriber(first_request=1), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.range(3).recorded(path)
    stream.subscribe(first)
    stream.subscribe(second)
    first.request(UNBOUNDED)
    assert (first.elements, second.elements) == ([0, 1, 2], [0, 1, 2])
    assert frames(path)[0] == ("e", UNBOUNDED)


def test_record_that_is_full_ends_and_the_stream_goes_on(path: Path) -> None:
    assert Stream.range(100_000).recorded(path, max_bytes=LEAST_BYTES).count() == 100_000
    kind, passed = frames(path)[-1]
    assert kind == "f"
    assert LEAST_BYTES / 8 < passed < LEAST_BYTES / 2
    assert path.stat().st_size <= LEAST_BYTES


def newest_frames(path: Path) -> tuple[int, list[tuple[str, int]]]:
    """Return after how many elements a record in two parts begins, and its frames."""
    older = path.with_name(path.name + OLDER)
    reader = RecordReader(older.read_bytes(), dict(default_registry.by_name), path.read_bytes())
    gone, found = reader.passed, list[tuple[str, int]]()
    while reader.kind not in ("", "cut"):
        kind = reader.kind
        reader.skip()
        found.append((kind, reader.passed))
    return gone, found


@pytest.mark.parametrize("count", [40_000, 100_000])
def test_record_keeps_the_newest_in_two_parts(path: Path, count: int) -> None:
    assert Stream.range(count).recorded(path, max_bytes=LEAST_BYTES, keep="newest").count() == count
    gone, found = newest_frames(path)
    assert 0 < gone < count - LEAST_BYTES / 20
    assert found == [*(("n", number) for number in range(gone + 1, count + 1)), (".", count)]
    for part in (path, path.with_name(path.name + OLDER)):
        assert part.stat().st_size <= LEAST_BYTES / 2


def test_requests_before_the_newest_part_are_in_its_head(path: Path) -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    Stream.range(20_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest").map(str).subscribe(subscriber)
    head = RecordReader(path.read_bytes(), dict(default_registry.by_name)).head
    assert head["passed"] == head["given"]
    assert head["passed"] + 1 == head["requested"] == head["end_requested"]


def test_record_that_fits_into_a_part_has_no_other(path: Path) -> None:
    older = path.with_name(path.name + OLDER)
    older.write_bytes(b"of an earlier run")
    assert Stream.range(3).recorded(path, keep="newest").to_list() == [0, 1, 2]
    assert not older.exists()
    assert frames(path)[-1] == (".", 3)


def test_element_that_is_larger_than_a_part_ends_the_record_and_the_stream_goes_on(path: Path) -> None:
    sent = ["a" * 20_000, "b" * 20_000, "c" * 40_000, "d"]
    assert Stream.from_iterable(sent).recorded(path, max_bytes=LEAST_BYTES, keep="newest").to_list() == sent
    assert newest_frames(path) == (1, [("n", 2), ("f", 2)])


def test_part_that_cannot_be_replaced_ends_the_record_and_the_stream_goes_on(path: Path) -> None:
    stream = Stream.range(40_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest")
    path.with_name(path.name + OLDER).mkdir()
    with recorded_drops() as drops:
        assert stream.count() == 40_000
    ((signal, error),) = [drop[:2] for drop in drops]
    assert signal == "record"
    assert isinstance(error, OSError)


def test_earlier_run_leaves_the_parts_of_a_later_one_alone(path: Path) -> None:
    stream = Stream.range(40_000).recorded(path, max_bytes=LEAST_BYTES, keep="newest")
    earlier = RecordingSubscriber(first_request=1)
    stream.subscribe(earlier)
    assert stream.count() == 40_000
    written = newest_frames(path)
    earlier.request(UNBOUNDED)
    assert len(earlier.elements) == 40_000
    assert newest_frames(path) == written


@pytest.mark.parametrize("count", ["passed", "requested", "end_requested", "given", "time"])
@pytest.mark.parametrize("value", [-1, 2**63, "1", True])
def test_head_with_a_count_that_is_none_is_refused(count: str, value: Any) -> None:
    head = encode_value({"started": None, count: value})
    with pytest.raises(StateError, match="the head of the record is damaged"):
        RecordReader(MAGIC + head, dict(default_registry.by_name))


def test_word_for_what_is_kept_is_checked_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentError, match=r"recorded\(keep\) must be one of oldest, newest, got 'last'; pass"):
        Stream.just(1).recorded("run.rsr", keep="last")  # type: ignore[arg-type]


class NoState:
    pass


def test_element_that_is_no_state_is_refused_with_operator_and_remedy(path: Path) -> None:
    stream = Stream.just(1, NoState(), 3).recorded(path)
    with pytest.raises(StateTypeError) as raised:
        stream.run()
    assert str(raised.value).startswith(f"element 2 of recorded({str(path)!r}): a value of class ")
    assert "register the class" in str(raised.value)
    assert raised.value.__notes__[0].startswith(f"in rx://operators/recorded, assembled at {stream.assembly}, for")
    assert frames(path)[-1] == ("c", 1)


@default_registry.register(name="tests/recorded/pear")
@dataclass
class Pear:
    weight: int


def test_registered_class_is_recorded(path: Path) -> None:
    assert Stream.just(Pear(3)).recorded(path).to_list() == [Pear(3)]
    assert frames(path)[-2:] == [("n", 1), (".", 1)]


def test_file_that_cannot_be_made_ends_the_stream(tmp_path: Path) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(3).recorded(tmp_path / "nowhere" / "run.rsr").subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ArgumentError)
    assert "cannot write this file: No such file or directory; give one in a folder" in str(subscriber.error)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_file_that_is_full_is_given_up_and_the_stream_goes_on() -> None:
    with recorded_drops() as drops:
        assert Stream.range(3).recorded("/dev/full").to_list() == [0, 1, 2]
    assert [(signal, type(error).__name__) for signal, error, _ in drops] == [("record", "OSError")]


def test_requests_without_elements_take_bounded_memory(path: Path) -> None:
    subscriber = RecordingSubscriber()
    Stream.never().recorded(path).subscribe(subscriber)
    for _ in range(5_000):
        subscriber.request(1)
    subscriber.cancel()
    found = frames(path)
    assert len(found) < 1_100
    assert sum(count for kind, count in found if kind == "r") == 5_000
    assert sum(count for kind, count in found if kind == "e") == 5_000


@pytest.mark.parametrize("path", [None, 3, b"run", ["run"]])
def test_path_that_is_none_is_refused_when_the_stream_is_built(path: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"recorded\(path\) needs the path of a file, got .* pass a string"):
        Stream.just(1).recorded(path)


@pytest.mark.parametrize("max_bytes", [LEAST_BYTES - 1, MOST_BYTES + 1])
def test_bound_out_of_bounds_is_refused_when_the_stream_is_built(max_bytes: int) -> None:
    with pytest.raises(ArgumentError, match=r"recorded\(max_bytes\)"):
        Stream.just(1).recorded("run.rsr", max_bytes=max_bytes)


def test_repr_is_the_call() -> None:
    assert repr(pipeline().recorded("run.rsr")) == "pipeline().recorded('run.rsr')"
    assert repr(pipeline().recorded("r", max_bytes=70_000)) == "pipeline().recorded('r', max_bytes=70000)"
