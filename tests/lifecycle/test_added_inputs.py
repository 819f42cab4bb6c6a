"""Operators with several inputs that get more of them while they run."""

from collections.abc import Iterable
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.errors import ArgumentTypeError, StateError
from reactivestreams.lifecycle import DefaultOperatorContext, MultiInputNode, Subscribable, initialize_tree
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import SnapshotReader, has_tree_changed, load_nodes, save_tree, tree_was_saved
from rs_core.stream.tree_walk import nodes_with_paths
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.snapshot_records import VERSION, snapshot_of


class Following(MultiInputNode[str]):
    """Follows the accounts that its first input names: `+name` adds one, `-name` removes it."""

    name = "test/following"
    prefetch = 4

    def __init__(self, subscriber: Any, *commands: str, posts: int = 3) -> None:
        super().__init__(subscriber)
        self.commands = commands
        self.posts = posts
        self.followed: dict[str, int] = {}

    def sources(self) -> Iterable[Subscribable]:
        return [Stream.from_iterable(self.commands, recovery="skips")]

    def source(self, source_id: str, **arguments: Any) -> Subscribable:
        return Stream.range(1, 1 + self.posts).map(lambda number: f"{source_id}{arguments.get('mark', '')}{number}")

    def on_request(self, n: int) -> None:
        self.request_input(0, n)
        for index in self.followed.values():
            self.request_input(index, n)

    def on_next(self, index: int, element: str) -> None:
        if index:
            self.emit(element)
        elif element[0] == "+":
            index = self.followed[element[1:]] = self.add_input(element[1:], mark=":")
            self.request_input(index, max(1, self.wanted))
        else:
            self.cancel_input(self.followed.pop(element[1:]))

    def on_complete(self, index: int) -> None:
        self.followed = {name: each for name, each in self.followed.items() if each != index}
        super().on_complete(index)

    def save_fields(self, writer: Any) -> None:
        writer.write(self.followed)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.followed = reader.read(dict)


def running(*commands: str, requested: int = 0, posts: int = 3) -> tuple[Any, RecordingSubscriber]:
    subscriber = RecordingSubscriber(first_request=requested)
    node = Following(subscriber, *commands, posts=posts)
    initialize_tree(node, None)
    return node, subscriber


def test_input_that_is_added_sends_what_is_requested_of_it() -> None:
    node, subscriber = running("+a", "+b", requested=UNBOUNDED)
    assert sorted(subscriber.elements) == ["a:1", "a:2", "a:3", "b:1", "b:2", "b:3"]
    assert subscriber.is_complete
    assert subscriber.faults == []
    assert len(node.inputs) == 1  # those that were added are forgotten


def test_numbers_are_not_given_again_and_inputs_that_are_over_are_ignored() -> None:
    numbers: list[int] = []

    class Noting(Following):
        def on_next(self, index: int, element: str) -> None:
            if not index:
                numbers.append(self.add_input(element))
                self.cancel_input(numbers[-1])
                self.cancel_input(numbers[-1])
                self.request_input(numbers[-1], 1)
                assert not self.is_input_open(numbers[-1])
                with pytest.raises(IndexError, match=rf"has {numbers[-1] + 1} inputs and none of the number 99"):
                    self.request_input(99, 1)

    node = Noting(RecordingSubscriber(first_request=UNBOUNDED), *"abc")
    initialize_tree(node, None)
    assert numbers == [1, 2, 3]


def test_thousand_inputs_that_came_and_went_leave_nothing() -> None:
    subscriber = RecordingSubscriber(first_request=10_000)
    commands = [f"{sign}{name}" for name in range(1000) for sign in "+-"]
    node = Following(subscriber, *commands, "+last", posts=10**6)
    initialize_tree(node, None)
    assert len(node.inputs) == 2
    assert len(save_tree(node)) < 1000
    node.dispose()
    assert len(node.inputs) == 1


def test_added_inputs_are_visited_and_get_the_context() -> None:
    node = Following(RecordingSubscriber(first_request=1), "+a", posts=10**6)
    initialize_tree(node, DefaultOperatorContext("rx://query", ImmediateScheduler()))
    assert [str(path) for each, path in nodes_with_paths(node) if each.name == "rx://sources/range"] == ["/1/0/0"]
    with pytest.raises(StateError, match=r"add_input\(\) of .* outside its hooks"):
        node.add_input("b")
    node.dispose()


@pytest.mark.parametrize("requests", range(12))
def test_state_contains_the_inputs_that_were_added(requests: int) -> None:
    commands = ("+a", "+b", "-a", "+c", "+d")
    node, before = running(*commands, posts=4)
    for _ in range(requests):
        before.request(1)
    state = save_tree(node)
    after = RecordingSubscriber(first_request=0)
    again = Following(after, *commands, posts=4)
    initialize_tree(again, None, snapshot=SnapshotReader(state))
    assert save_tree(again) == state
    whole = running(*commands, posts=4)[1]
    for subscriber, most in ((whole, 40), (after, 40)):
        for _ in range(most):
            if not subscriber.has_ended:
                subscriber.request(1)
    assert sorted(before.elements + after.elements) == sorted(whole.elements)
    assert whole.is_complete
    assert after.is_complete


def test_added_input_makes_the_state_differ() -> None:
    node, subscriber = running("+a")
    save_tree(node)
    tree_was_saved(node)
    assert not has_tree_changed(node)
    subscriber.request(1)
    assert has_tree_changed(node)
    node.dispose()


def test_inputs_are_added_at_the_start() -> None:
    class Starting(Following):
        def on_start(self) -> None:
            self.followed["a"] = self.add_input("a")

    stream = Stream.from_publisher(Publishing(Starting))
    assert stream.to_list() == ["a1", "a2", "a3"]


def test_inputs_are_added_beside_publishers_in_threads() -> None:
    with WorkerScheduler() as worker:

        class Threads(Following):
            def source(self, source_id: str, **arguments: Any) -> Subscribable:
                return Stream.range(1000).observe_on(worker).map(lambda number: f"{source_id}{number}")

        stream = Stream.from_publisher(Publishing(lambda subscriber: Threads(subscriber, "+a", "+b", "+c")))
        elements = stream.to_list(timeout_seconds=60)
    assert sorted(elements) == sorted(f"{name}{number}" for name in "abc" for number in range(1000))


@pytest.mark.parametrize(
    ("source_id", "source", "message"),
    [
        (7, None, r"add_input\(source_id\) of .* needs a text, got 7 \(int\); pass the rest as arguments by name"),
        ("a", None, r"source\('a'\) of .* has to return streams, got None \(NoneType\); wrap it"),
    ],
)
def test_input_that_is_none_ends_the_operator(source_id: Any, source: Any, message: str) -> None:
    class Wrong(Following):
        def source(self, source_id: str, **arguments: Any) -> Any:
            return source

        def on_start(self) -> None:
            self.add_input(source_id)

    subscriber = RecordingSubscriber(first_request=1)
    initialize_tree(Wrong(subscriber), None)
    with pytest.raises(ArgumentTypeError, match=message):
        raise subscriber.error  # type: ignore[misc]


def test_operator_without_the_hook_is_told() -> None:
    class Plain(MultiInputNode[Any]):
        name = "test/plain"

        def on_start(self) -> None:
            self.add_input("a")

    subscriber = RecordingSubscriber(first_request=1)
    initialize_tree(Plain(subscriber), None)
    assert "Plain has to define source(self, source_id, **arguments)" in str(subscriber.error)


@pytest.mark.parametrize(
    "saved",
    [
        ([], [], 0),
        ([], [(1, "a", {})], 1),
        ([], [(0, "a", {})], 2),
        ([], [(1, "a", {}), (1, "b", {})], 3),
        ([], [(1, 7, {})], 2),
        ([], [(1, "a", {7: 8})], 2),
        ([], [[1, "a", {}]], 2),
        ([], [], 2**70),
        ([], {}, 2),
        ([], []),
    ],
)
def test_inputs_that_nobody_saved_are_refused(saved: Any) -> None:
    node = Following(RecordingSubscriber())
    with pytest.raises(StateError, match=r"cannot load .* as the inputs that it had; load an older checkpoint"):
        load_nodes(node, snapshot_of(("test/following", VERSION, [False, [], saved, [], None, {}])))
