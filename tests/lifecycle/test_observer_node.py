"""Subscribers that are nodes of the tree: the end, disposal, state."""

from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.lifecycle import ObserverNode, StaticCompositeSubscription, initialize_tree, start_tree
from reactivestreams.state import SnapshotReader, save_tree
from tests.lifecycle.counted_subscription import visited
from tests.lifecycle.snapshot_records import saved_records


class Listening(ObserverNode):
    name = "test/listening"

    def __init__(self, *, at_most: int | None = None) -> None:
        self.log: list[Any] = []
        self.at_most = at_most

    def on_start(self) -> None:
        self.log.append("start")

    def on_dispose(self) -> None:
        self.log.append("dispose")

    def hook_on_next(self, element: Any) -> None:
        self.mark_changed()
        self.log.append(element)
        if self.at_most is not None and len(self.log) > self.at_most:
            self.dispose()

    def hook_on_error(self, error: Exception) -> None:
        self.log.append(repr(error))

    def hook_on_complete(self) -> None:
        self.log.append("complete")

    def hook_on_cancel(self) -> None:
        self.log.append("cancel")

    def save_fields(self, writer: Any) -> None:
        writer.write(self.log)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.log = ["loaded", *reader.read(list)]


def observed(stream: Stream[Any], observer: Listening) -> StaticCompositeSubscription:
    return StaticCompositeSubscription(observer, stream.bind(observer))


@pytest.mark.parametrize(
    ("stream", "last"),
    [(Stream.just(1, 2), "complete"), (Stream.just(1, 2).map(lambda n: n // (2 - n)), "ZeroDivisionError")],
)
def test_observer_gets_elements_and_the_end_and_is_disposed_once(stream: Stream[Any], last: str) -> None:
    observer = Listening()
    tree = observed(stream, observer)
    initialize_tree(tree, None)
    start_tree(tree)
    tree.dispose()
    assert observer.log[:2] == ["start", 1]
    assert observer.log[-2].startswith(last)
    assert observer.log[-1] == "dispose"
    assert observer.log.count("dispose") == 1


def test_observer_that_is_disposed_inside_a_signal_cancels_its_stream() -> None:
    observer = Listening(at_most=2)
    tree = observed(Stream.range(100), observer)
    initialize_tree(tree, None)
    assert observer.log == ["start", 0, 1, "cancel", "dispose"]
    assert all(node.is_disposed for node in visited(tree))


def test_observer_that_cancels_is_disposed() -> None:
    observer = Listening()
    tree = observed(Stream.never(), observer)
    initialize_tree(tree, None)
    observer.cancel()
    assert (observer.log, observer.is_disposed) == (["start", "cancel", "dispose"], True)
    assert all(node.is_disposed for node in visited(tree))


def test_observer_is_saved_and_goes_on() -> None:
    observer = Listening()
    tree = observed(Stream.just(1, 2).observe_on(ImmediateScheduler()).take(9), observer)
    initialize_tree(tree, None)
    assert [name for name, _, _ in saved_records(tree)][:2] == ["test/listening", "rx://operators/take"]
    again = Listening()
    initialize_tree(
        observed(Stream.just(1, 2).observe_on(ImmediateScheduler()).take(9), again),
        None,
        snapshot=SnapshotReader(save_tree(tree)),
    )
    assert again.log == ["loaded", "start", 1, 2, "complete", "dispose", "cancel", "dispose"]
    assert again.is_disposed
