"""The heading of a record: what may stand in it, in both directions, and that reading it runs no code."""

import enum
from dataclasses import dataclass
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, StateError, StateFormatError, StateLimitError
from reactivestreams.state import (
    SnapshotReader,
    SnapshotWriter,
    StateLimits,
    StateReader,
    StateRegistry,
    encode_value,
    save_tree,
)
from rs_core.operators.python_operator import PythonStage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.state.test_snapshot import by_hand, heading

calls: list[str] = []


@dataclass
class Talking:
    """Tells when any of its code runs."""

    number: int

    def __hash__(self) -> int:
        calls.append("__hash__")
        return 1

    def __eq__(self, other: object) -> bool:
        calls.append("__eq__")
        return self is other

    def __repr__(self) -> str:
        calls.append("__repr__")
        return "Talking"


def migrate(version: int, fields: dict[str, Any]) -> dict[str, Any]:
    calls.append("migrate")
    return fields


old, new = StateRegistry(), StateRegistry()
old.register(name="talking")(Talking)
new.register(name="talking", version=2, migrate=migrate)(Talking)
OLDER = encode_value(Talking(1), registry=old)
VERSION = encode_value((1, 0, 0, 0))
HEADINGS = [
    OLDER + VERSION,
    encode_value("a") + OLDER,
    b"(\x02" + OLDER + OLDER + VERSION,
    b"<\x01" + OLDER + VERSION,
    b"{\x01" + OLDER + OLDER + VERSION,
    encode_value("a") + b"(\x04" + OLDER + encode_value(0) * 3,
]


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", HEADINGS)
def test_heading_runs_no_code_of_registered_classes(payload: bytes) -> None:
    calls.clear()
    with pytest.raises(StateFormatError, match=r"^record 0 \(take at /\), field 0, byte \d+: .*name"):
        SnapshotReader(by_hand(payload), registry=new).create("take", path="/")
    with pytest.raises(StateFormatError, match="name"):
        SnapshotReader(by_hand(payload), registry=new).finish(removed={"a", "take"})
    assert calls == []


def test_name_without_end_is_cut_in_messages() -> None:
    name = "\x00" * 1_000_000
    for payload, wanted in (
        (encode_value(name) + encode_value((1, 0)), "no version of an operator stands after the name"),
        (encode_value("a") + VERSION + b"o" + encode_value(name)[1:] + b"\x01\x00", "is not registered"),
    ):
        with pytest.raises(StateError, match=wanted) as refused:
            SnapshotReader(by_hand(payload)).create("take").read()
        assert len(str(refused.value)) < 500
    with pytest.raises(StateFormatError, match="was not read") as refused:
        SnapshotReader(by_hand(heading(name))).finish()
    assert len(str(refused.value)) < 1000


def test_object_is_not_shown_where_a_member_should_stand() -> None:
    calls.clear()
    with pytest.raises(StateError, match="a Talking is no member of it"):
        SnapshotReader(by_hand(heading("a") + b"e\x05color\x01" + OLDER), registry=with_color()).create("a").read()
    assert calls == ["migrate"]


def with_color() -> StateRegistry:
    class Color(enum.Enum):
        RED = 1

    registry = StateRegistry()
    registry.register(name="talking", version=2, migrate=migrate)(Talking)
    registry.register(name="color")(Color)
    return registry


def test_next_record_cannot_be_begun_from_inside_of_a_read() -> None:
    refusals: list[str] = []
    readers: list[StateReader] = []

    def meddle(version: int, fields: dict[str, Any]) -> dict[str, Any]:
        readers[0].dispose()
        with pytest.raises(StateError) as refused:
            snapshot.create("next")
        refusals.append(str(refused.value))
        return fields

    registry = StateRegistry()
    registry.register(name="talking", version=2, migrate=meddle)(Talking)
    payload = heading("a") + b"[\x02" + OLDER + encode_value("behind")
    snapshot = SnapshotReader(by_hand(payload, heading("b")), registry=registry)
    readers.append(snapshot.create("a"))
    made, behind = readers[0].read(list)
    assert (made.number, behind) == (1, "behind")
    assert ["by two at once" in refusal for refusal in refusals] == [True]


def test_values_of_the_heading_are_counted() -> None:
    data = by_hand(heading("a"))
    assert SnapshotReader(data, limits=StateLimits(max_values=6)).create("a").name == "a"
    with pytest.raises(StateLimitError, match=r"record 0 \(a\), field 0, byte \d+: more than max_values=5 values"):
        SnapshotReader(data, limits=StateLimits(max_values=5)).create("a")


# --- writing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, 1, b"a", ("a",)], ids=repr)
def test_name_that_is_no_text_is_not_saved(name: Any) -> None:
    snapshot = SnapshotWriter()
    with pytest.raises(
        ArgumentTypeError, match=r"^record 0 \(.* at /0\): the name of an operator needs a str, got \w+; name"
    ):
        snapshot.create(name, (1, 0, 0, 0), path="/0")
    assert snapshot.finish() == SnapshotWriter().finish()


VERSIONS = [None, 1, "1.0.0.0", (1, 0), (1, 0, 0, 0, 0), [1, 0, 0, 0], (1, 0, 0, -1), (1, 0, 0, 2**63), (True, 0, 0, 0)]


@pytest.mark.parametrize("version", VERSIONS, ids=repr)
def test_version_that_could_not_be_loaded_is_not_saved(version: Any) -> None:
    snapshot = SnapshotWriter()
    with pytest.raises(ArgumentTypeError) as refused:
        snapshot.create("mean", version, path="/0")
    assert str(refused.value) == (
        f"record 0 (mean at /0): the version of an operator needs a tuple of four ints from 0 to 2**63 - 1, got "
        f"{version!r}; give its class one such as (1, 0, 0, 0)"
    )
    assert snapshot.finish() == SnapshotWriter().finish()


def test_highest_version_is_saved_and_loaded() -> None:
    snapshot, highest = SnapshotWriter(), (2**63 - 1, 0, 0, 2**63 - 1)
    snapshot.create("a", highest).dispose()
    assert SnapshotReader(snapshot.finish()).create("a").version == highest


def test_operator_with_a_wrong_version_is_told_when_its_stream_is_saved() -> None:
    class Mean(PythonStage):
        name = "example/mean"
        version = (1, 0)  # type: ignore[assignment]

    handle = Stream.range(3).lift(Mean).bind(RecordingSubscriber())
    handle.initialize()
    with pytest.raises(ArgumentTypeError, match=r"^record 1 \(example/mean at /0\): the version of an operator needs"):
        save_tree(handle)
