"""When state counts as changed: one suite over compiled stages, nodes written in Python, whole trees and the mark."""

import operator
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import MultiInputNode, StateVisitor
from reactivestreams.state import (
    DEFAULT_LIMITS,
    SnapshotWriter,
    StateChanged,
    default_registry,
    has_tree_changed,
    save_nodes,
    save_record,
    stateful_nodes,
    tree_was_saved,
)
from reactivestreams.subjects import BroadcastSubject, buffer
from rs_core.operators.python_operator import PythonStage
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.stepped_loop import SteppedLoop
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.noting_node import Noting
from tests.state.golden_streams import Echo


class FullError(Exception):
    pass


class FullWriter:
    """Takes so many values."""

    registry = default_registry
    limits = DEFAULT_LIMITS

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, value: Any) -> None:
        if self.room == 0:
            raise FullError
        self.room -= 1


class Summing(PythonStage):
    """Passes sums on."""

    name = "test/summing"

    def __init__(self) -> None:
        self.total = 0

    def on_next(self, element: int) -> None:
        self.total += element
        self.emit(self.total)

    def save_fields(self, writer: Any) -> None:
        writer.write(self.total)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.total = reader.read(int)


class Repeating(Echo):
    """Sends each element three times, in the mode "own"."""

    def save_fields(self, writer: Any) -> None:
        writer.write("echo")


class Passing(MultiInputNode[Any]):
    """Passes on what one input sends."""

    name = "test/passing"

    def __init__(self, subscriber: Any, publisher: ManualPublisher) -> None:
        super().__init__(subscriber)
        self.publisher = publisher

    def sources(self) -> Iterable[Stream[Any]]:
        return [Stream.from_publisher(self.publisher, recovery="exact")]

    def on_request(self, n: int) -> None:
        self.request_input(0, n)

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)


Build = Callable[[Stream[Any], ManualScheduler, SteppedLoop], Stream[Any]]

OPERATORS: dict[str, Build] = {
    "take": lambda stream, *_: stream.take(1000),
    "skip": lambda stream, *_: stream.skip(1000),
    "scan": lambda stream, *_: stream.scan(operator.add, 0),
    "keyed_scan": lambda stream, *_: stream.key_by(lambda n: n % 3).scan(operator.add, 0),
    "keyed": lambda stream, *_: stream.key_by(lambda n: n % 3).distinct(),
    "buffer": lambda stream, *_: stream.buffer(1000),
    "flat_map": lambda stream, *_: stream.flat_map(lambda n: [n] * 3),
    "observe_on": lambda stream, scheduler, _: stream.observe_on(scheduler),
    "map_async": lambda stream, _, stepped: stream.map_async(_later, loop=stepped.loop),
    "per element": lambda stream, *_: stream.lift(Summing),
    "own demand": lambda stream, *_: stream.lift(Repeating),
}


async def _later(element: Any) -> Any:
    return element


class Tree:
    """The tree of a stream that is fed by hand.

    Args:
        build: Adds the operator.
        demand: What is requested at first.
    """

    def __init__(self, build: Build, *, demand: int) -> None:
        self.publisher = ManualPublisher()
        self.scheduler = ManualScheduler()
        self.stepped = SteppedLoop().__enter__()
        self.sent = 0
        stream = build(
            Stream.from_publisher(self.publisher, prefetch=512, recovery="exact"), self.scheduler, self.stepped
        )
        self.start(stream, demand)

    def start(self, stream: Stream[Any], demand: int) -> None:
        self.subscriber = RecordingSubscriber(first_request=demand)
        self.handle = stream.bind(self.subscriber)
        self.handle.initialize()
        self.settle()

    def settle(self) -> None:
        for _ in range(3):
            self.scheduler.run_waiting()
            self.stepped.settle()

    def send(self) -> None:
        self.sent += 1
        self.publisher.send(self.sent)
        self.settle()

    def request(self, n: int) -> None:
        self.handle.request(n)
        self.settle()

    def complete(self) -> None:
        self.publisher.complete()
        self.settle()

    def close(self) -> None:
        self.handle.cancel()
        self.settle()
        self.stepped.__exit__(None, None, None)

    @property
    def nodes(self) -> list[Any]:
        return [node for node, _ in stateful_nodes(self.handle)]


class Hosted:
    """What the suite does to one who has state: the mark itself."""

    def __init__(self) -> None:
        self.target: Any = StateChanged()

    def change(self) -> None:
        self.target.state_changed = True

    def save(self) -> Any:
        return self.target.save_state()

    def fail_to_save(self) -> None:
        self.target.save_state()
        self.target.state_changed = True

    def was_saved(self, *token: Any) -> None:
        self.target.on_state_saved(*token)

    @property
    def is_dirty(self) -> bool:
        return bool(self.target.state_changed)

    def close(self) -> None:
        pass


class Node(Hosted):
    """A node written in Python."""

    def __init__(self) -> None:
        self.target = Noting()

    def change(self) -> None:
        self.target.mark_changed()

    def save(self) -> Any:
        return self.target.save_state(FullWriter(1000))

    def fail_to_save(self) -> None:
        with pytest.raises(FullError):
            self.target.save_state(FullWriter(1))


class Stage(Node):
    """A node of a stream that gets elements."""

    def __init__(self, build: Build, position: int) -> None:
        self.tree = Tree(build, demand=UNBOUNDED)
        self.target = self.tree.nodes[position]

    def change(self) -> None:
        self.tree.send()

    def close(self) -> None:
        self.tree.close()


class Requested(Node):
    """A source that makes its elements."""

    def __init__(self, stream: Stream[Any]) -> None:
        self.handle = stream.bind(RecordingSubscriber())
        self.handle.initialize()
        self.target = [node for node, _ in stateful_nodes(self.handle)][-1]

    def change(self) -> None:
        self.handle.request(1)

    def close(self) -> None:
        self.handle.cancel()


class Subject(Requested):
    """The source of a subscription to a subject."""

    def __init__(self, demand: int) -> None:
        self.subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(64))
        super().__init__(Stream.from_publisher(self.subject))
        if demand:
            self.handle.request(demand)

    def change(self) -> None:
        self.subject.on_next(1)


class SeveralInputs(Stage):
    """A node with inputs, written in Python."""

    def __init__(self, demand: int) -> None:
        self.tree = Tree(lambda stream, *_: stream, demand=1)
        publisher = self.tree.publisher
        self.tree.start(Stream.from_publisher(Publishing(lambda subscriber: Passing(subscriber, publisher))), demand)
        [self.target] = [node for node in self.tree.nodes if isinstance(node, Passing)]


class WholeTree(Stage):
    """All nodes of a subscription, by the functions for trees."""

    def __init__(self) -> None:
        super().__init__(OPERATORS["scan"], 0)

    def save(self) -> Any:
        return save_nodes(self.tree.handle, SnapshotWriter())

    def fail_to_save(self) -> None:
        with pytest.raises(RuntimeError, match="cannot be saved"):
            save_nodes(self.tree.handle, Unwilling())

    def was_saved(self, *token: Any) -> None:
        tree_was_saved(self.tree.handle, *token)

    @property
    def is_dirty(self) -> bool:
        return has_tree_changed(self.tree.handle)


class Unwilling(SnapshotWriter):
    """A snapshot that takes nothing but the first two records."""

    records = 0

    def create(self, name: str, version: Any, *, path: object = "") -> Any:
        self.records += 1
        if self.records > 2:
            raise RuntimeError(f"{name} cannot be saved")
        return super().create(name, version, path=path)


class Visited(WholeTree):
    """All nodes of a subscription, by the visitor."""

    def save(self) -> Any:
        return StateVisitor(self.tree.handle).save_state(SnapshotWriter())

    def was_saved(self, *token: Any) -> None:
        StateVisitor(self.tree.handle).on_state_saved(*token)


SUBJECTS: dict[str, Callable[[], Hosted]] = {
    "mark": Hosted,
    "node": Node,
    "several inputs": lambda: SeveralInputs(UNBOUNDED),
    "several inputs, nothing requested": lambda: SeveralInputs(3),
    "tree": WholeTree,
    "visitor": Visited,
    "subject": lambda: Subject(UNBOUNDED),
    "subject, nothing requested": lambda: Subject(0),
    "range": lambda: Requested(Stream.range(100)),
    "from_iterable": lambda: Requested(Stream.from_iterable(list(range(100)))),
    "from_publisher": lambda: Stage(lambda stream, *_: stream, 1),
    **{name: lambda build=build: Stage(build, 1) for name, build in OPERATORS.items()},  # type: ignore[misc]
}
walked = pytest.mark.parametrize("name", SUBJECTS)


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Iterable[Callable[[str], Hosted]]:
    subjects: list[Hosted] = []

    def make(name: str) -> Hosted:
        subjects.append(SUBJECTS[name]())
        return subjects[-1]

    yield make
    for subject in subjects:
        subject.close()


def clean(subject: Hosted) -> Hosted:
    subject.change()
    subject.was_saved(subject.save())
    assert not subject.is_dirty
    return subject


@walked
def test_state_is_dirty_until_a_snapshot_of_it_is_stored(name: str, made: Callable[[str], Hosted]) -> None:
    subject = made(name)
    assert subject.is_dirty
    subject.change()
    saved = subject.save()
    assert subject.is_dirty
    subject.was_saved(saved)
    assert not subject.is_dirty
    subject.change()
    assert subject.is_dirty


@walked
def test_change_between_a_snapshot_and_its_commit_stays(name: str, made: Callable[[str], Hosted]) -> None:
    subject = clean(made(name))
    subject.change()
    saved = subject.save()
    subject.change()
    subject.was_saved(saved)
    assert subject.is_dirty


@walked
def test_late_commit_of_an_older_snapshot_leaves_the_newer_one_to_be_stored(
    name: str, made: Callable[[str], Hosted]
) -> None:
    subject = clean(made(name))
    subject.change()
    first = subject.save()
    subject.change()
    second = subject.save()
    subject.was_saved(first)
    assert subject.is_dirty
    subject.was_saved(second)
    assert not subject.is_dirty
    subject.was_saved(first)
    assert not subject.is_dirty


@walked
def test_snapshot_whose_commit_failed_is_made_up_for_by_the_next(name: str, made: Callable[[str], Hosted]) -> None:
    subject = clean(made(name))
    subject.change()
    subject.save()  # never stored
    assert subject.is_dirty
    subject.was_saved(subject.save())
    assert not subject.is_dirty


@walked
def test_commit_without_a_token_is_that_of_the_last_snapshot(name: str, made: Callable[[str], Hosted]) -> None:
    subject = clean(made(name))
    subject.change()
    subject.save()
    subject.save()
    subject.was_saved()
    assert not subject.is_dirty


@walked
def test_snapshot_that_could_not_be_written_leaves_all_to_be_saved(name: str, made: Callable[[str], Hosted]) -> None:
    subject = clean(made(name))
    subject.change()
    saved = subject.save()
    subject.fail_to_save()
    subject.was_saved(saved)
    assert subject.is_dirty
    subject.was_saved(subject.save())
    assert not subject.is_dirty


SINGLE = [name for name in SUBJECTS if name not in ("tree", "visitor")]


@pytest.mark.parametrize("name", SINGLE)
def test_commit_without_a_token_is_not_that_of_a_snapshot_that_failed(name: str, made: Callable[[str], Hosted]) -> None:
    subject = clean(made(name))
    subject.fail_to_save()
    subject.was_saved()
    assert subject.is_dirty


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("token", [0, -1, 2])
def test_commit_of_a_snapshot_that_was_not_taken_is_refused(
    name: str, token: int, made: Callable[[str], Hosted]
) -> None:
    subject = made(name)
    with pytest.raises(ArgumentError, match="no snapshot was taken yet"):
        subject.was_saved(1)
    subject.save()
    with pytest.raises(ArgumentError, match="there are snapshots 1 to 1 only"):
        subject.was_saved(token)
    with pytest.raises(ArgumentTypeError, match="needs an integer"):
        subject.was_saved("1")
    assert subject.is_dirty


@pytest.mark.parametrize("name", ["tree", "visitor"])
def test_token_of_another_tree_is_refused(name: str, made: Callable[[str], Hosted]) -> None:
    subject, other = made(name), made(name)
    subject.save()
    with pytest.raises(ArgumentError, match="is the token of another tree"):
        subject.was_saved(other.save())
    with pytest.raises(ArgumentTypeError, match="needs what save_nodes"):
        subject.was_saved(1)
    assert subject.is_dirty


# --- nothing changes unnoticed ----------------------------------------------------------------------------------------


def record_of(node: Any) -> bytes:
    """Return the record of a node; to be saved leaves the mark of a change behind, so it is set again."""
    snapshot = SnapshotWriter()
    save_record(node, snapshot)
    return snapshot.finish()


TREES: dict[str, Callable[[], Tree]] = {
    **{name: lambda build=build: Tree(build, demand=0) for name, build in OPERATORS.items()},  # type: ignore[misc]
    "several inputs": lambda: SeveralInputs(1).tree,
}
STEPS: list[tuple[str, tuple[int, ...]]] = [
    ("request", (1,)), ("send", ()), ("send", ()), ("request", (1,)), ("request", (2,)), ("send", ()), ("send", ()),
    ("request", (3,)), ("send", ()), ("complete", ()), ("request", (2,)), ("request", (90,)),
]  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_state_that_is_another_than_the_saved_one_counts_as_changed(name: str) -> None:
    tree = TREES[name]()
    stored: dict[Any, bytes] = {}
    for step, arguments in [("settle", ()), *STEPS]:
        if step == "send" and tree.publisher.requested <= tree.sent:
            continue
        getattr(tree, step)(*arguments)
        for node in tree.nodes:
            was_dirty = node.state_changed
            record = record_of(node)
            assert was_dirty or record == stored[node], (step, node)
            node.on_state_saved()
            stored[node] = record
    tree.close()
