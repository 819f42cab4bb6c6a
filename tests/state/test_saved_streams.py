"""Streams: saved in the middle of a run, loaded into a new one, also by a later version of an operator."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from reactivestreams.state import Version, load_tree, save_tree
from rs_core.operators.python_operator import PythonStage
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.state.shop import Place, shop
from tests.state.written_records import record_names


class Mean(PythonStage):
    """Passes the mean so far on. Version 2 keeps the sum instead of the mean, and reads both."""

    name = "test/mean"

    def __init__(self) -> None:
        self.count, self.total = 0, 0.0

    def on_next(self, element: float) -> None:
        self.count += 1
        self.total += element
        self.emit(self.total / self.count)

    def save_fields(self, writer: Any) -> None:
        writer.write(self.count)
        writer.write(self.total)

    def load_fields(self, reader: Any, version: Version) -> None:
        self.count = reader.read(int)
        self.total = reader.read(float)


class MeanV2(Mean):
    version = (2, 0, 0, 0)
    loadable_versions = ((1, 0, 0, 0),)

    def save_fields(self, writer: Any) -> None:
        writer.write({"count": self.count, "total": self.total})

    def load_fields(self, reader: Any, version: Version) -> None:
        if version == (1, 0, 0, 0):
            super().load_fields(reader, version)
        else:
            fields = reader.read(dict)
            self.count, self.total = fields["count"], fields["total"]


def running(stage: type[Mean], requested: int) -> tuple[Any, RecordingSubscriber]:
    subscriber = RecordingSubscriber(first_request=requested)
    handle = Stream.range(1, 10).lift(stage).bind(subscriber)
    handle.initialize()
    return handle, subscriber


def continued(stage: type[Mean], data: bytes) -> list[Any]:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(1, 10).lift(stage).bind(subscriber)
    load_tree(handle, data)
    handle.initialize()
    return subscriber.elements


def test_stream_goes_on_where_it_was_saved() -> None:
    handle, subscriber = running(Mean, 4)
    assert subscriber.elements == [1.0, 1.5, 2.0, 2.5]
    assert continued(Mean, save_tree(handle)) == [3.0, 3.5, 4.0, 4.5, 5.0]


def test_operator_reads_the_layouts_that_it_names() -> None:
    handle, _ = running(Mean, 4)
    data = save_tree(handle)
    assert continued(MeanV2, data) == [3.0, 3.5, 4.0, 4.5, 5.0]
    newer, _ = running(MeanV2, 4)
    assert continued(MeanV2, save_tree(newer)) == [3.0, 3.5, 4.0, 4.5, 5.0]
    older = Stream.range(1, 10).lift(Mean).bind(RecordingSubscriber())
    said = r"^record 1 \(test/mean at /0\), field 0: .*reads state of version \(1, 0, 0, 0\), not \(2, 0, 0, 0\); use"
    with pytest.raises(StateError, match=said):
        load_tree(older, save_tree(newer))


def test_demand_is_no_state() -> None:
    handle, _ = running(Mean, 4)
    data = save_tree(handle)
    other = Stream.never().scan(lambda total, n: total + n, 0).bind(RecordingSubscriber())
    other.initialize()
    before = save_tree(other)
    other.request(5)
    assert save_tree(other) == before
    assert save_tree(handle) == data


def test_disposed_tree_is_saved_in_its_whole_shape_and_stays_disposed() -> None:
    handle, subscriber = running(Mean, UNBOUNDED)
    assert subscriber.is_complete
    data = save_tree(handle)
    assert record_names(data) == ["", "test/mean", "rx://sources/range"]
    again = RecordingSubscriber(first_request=UNBOUNDED)
    loaded = Stream.range(1, 10).lift(Mean).bind(again)
    load_tree(loaded, data)
    assert save_tree(loaded) == data
    loaded.initialize()
    assert (again.elements, again.has_ended) == ([], False)


def test_elements_of_registered_classes_are_saved_with_their_registry() -> None:
    places = [Place("A", 1), Place("B", 2), Place("A", 3)]

    def bound(publisher: ManualPublisher, subscriber: RecordingSubscriber) -> Any:
        return Stream.from_publisher(publisher, recovery="exact").buffer(2).bind(subscriber)

    publisher, before = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    handle = bound(publisher, before)
    handle.initialize()
    publisher.send(*places)
    data = save_tree(handle, registry=shop)
    again, after = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    loaded = bound(again, after)
    load_tree(loaded, data, registry=shop)
    assert save_tree(loaded, registry=shop) == data
    loaded.initialize()
    again.complete()
    assert (before.elements, after.elements) == ([places[:2]], [places[2:]])


def test_same_state_is_the_same_bytes_in_another_tree() -> None:
    first, _ = running(Mean, 4)
    second, _ = running(Mean, 4)
    assert save_tree(first) == save_tree(second)
