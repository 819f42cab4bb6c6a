"""The optional interfaces of operators: which classes conform, by what they have."""

from collections.abc import Iterable
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.lifecycle import (
    NOP,
    DependencyOperator,
    MultiInputNode,
    NodeVisitor,
    ObserverNode,
    Operator,
    OperatorContext,
    OperatorNode,
    OperatorSubscription,
    StatefulNode,
    StatefulOperator,
    Subscribable,
    TransitioningOperator,
    TreeVisitor,
    UnaryOperator,
    UnloadableOperator,
    Versioned,
)
from reactivestreams.spec import Publisher, Subscriber, Subscription
from reactivestreams.state import Stateful
from rs_core.ends.subscriber import SubscriberStage
from rs_core.operators.python_operator import PythonStage
from rs_core.stream.subscription import DemandOwner, Stage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

MEMBERS = {
    NodeVisitor: {"visit"},
    OperatorSubscription: {"accept", "dispose"},
    Operator: {"accept", "dispose", "subscribe", "set_context", "start", "inputs"},
    UnaryOperator: {"accept", "dispose", "subscribe", "set_context", "start", "inputs", "input"},
    Versioned: {"name", "version"},
    StatefulOperator: {
        *("accept", "dispose", "subscribe", "set_context", "start", "inputs", "name", "version"),
        *("state_changed", "save_state", "load_state", "on_state_saved"),
    },
    UnloadableOperator: {"unload"},
    DependencyOperator: {"dependencies"},
    Stateful: {"name", "version", "state_changed", "save_state", "load_state", "on_state_saved"},
    OperatorContext: {
        *("instance_id", "scheduler", "reactive_service", "trace", "execution_environment", "try_get_element"),
    },
}
PROPERTIES = {
    *("inputs", "input", "name", "version", "state_changed", "dependencies"),
    *("instance_id", "scheduler", "reactive_service", "trace", "execution_environment"),
}
MISSING_ONE = [(interface, name) for interface, names in MEMBERS.items() for name in sorted(names)]


def accept_anything(self: object, *arguments: object) -> None:
    pass


def class_with(names: Iterable[str]) -> type:
    members: dict[str, Any] = {
        name: property(accept_anything) if name in PROPERTIES else accept_anything for name in names
    }
    return type("Candidate", (), members)


@pytest.mark.parametrize("interface", MEMBERS)
def test_class_with_the_members_conforms(interface: type) -> None:
    assert issubclass(class_with(MEMBERS[interface]), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_class_that_lacks_one_member_does_not_conform(interface: type, name: str) -> None:
    assert not issubclass(class_with(MEMBERS[interface] - {name}), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_member_that_is_none_is_not_implemented(interface: type, name: str) -> None:
    candidate = class_with(MEMBERS[interface])
    assert not issubclass(type("Without", (candidate,), {name: None}), interface)


@pytest.mark.parametrize(("interface", "name"), [entry for entry in MISSING_ONE if entry[1] not in PROPERTIES])
def test_attribute_that_cannot_be_called_is_no_method(interface: type, name: str) -> None:
    candidate = class_with(MEMBERS[interface])
    assert not issubclass(type("Without", (candidate,), {name: 7}), interface)


@pytest.mark.parametrize("stage", [Stage, DemandOwner, PythonStage, SubscriberStage])
@pytest.mark.parametrize(
    "interface", [OperatorSubscription, Operator, UnaryOperator, Versioned, StatefulOperator, Subscription]
)
def test_stages_conform(stage: type, interface: type) -> None:
    assert issubclass(stage, interface)


@pytest.mark.parametrize("stage", [Stage, PythonStage])
@pytest.mark.parametrize("interface", [UnloadableOperator, DependencyOperator, TransitioningOperator])
def test_stages_have_no_interface_that_they_did_not_ask_for(stage: type, interface: type) -> None:
    assert not issubclass(stage, interface)


def test_every_live_node_of_a_stream_is_a_unary_operator_with_state() -> None:
    handle = Stream.range(3).map(str).observe_on(ImmediateScheduler()).take(2).bind(RecordingSubscriber())
    handle.initialize()
    assert [isinstance(node, UnaryOperator) and isinstance(node, StatefulOperator) for node in nodes_of(handle)] == [
        True
    ] * 5
    handle.dispose()


def test_operator_written_in_python_may_have_more_interfaces() -> None:
    class Feeding(PythonStage, TransitioningOperator):
        name = "test/feeding"
        dependencies = ("rx://bridge/1", None)

        def unload(self) -> None:
            pass

        def on_next(self, element: Any) -> None:
            self.emit(element)

    handle = Stream.just(1).lift(Feeding).bind(RecordingSubscriber())
    handle.initialize()
    _, feeding, _ = nodes_of(handle)
    assert isinstance(feeding, UnloadableOperator)
    assert isinstance(feeding, DependencyOperator)
    assert isinstance(feeding, TransitioningOperator)
    assert list(feeding.dependencies) == ["rx://bridge/1", None]
    handle.dispose()


def test_input_of_a_stage_is_never_none() -> None:
    handle = Stream.range(3).map(str).bind(RecordingSubscriber())
    assert (handle.inputs, handle.input) == ((), NOP)
    handle.initialize()
    _, mapping, source = nodes_of(handle)
    assert (mapping.input, mapping.inputs) == (source, (source,))
    assert (source.input, source.inputs) == (NOP, ())
    handle.dispose()
    assert (mapping.input, source.input) == (source, NOP)


@pytest.mark.parametrize(
    ("kind", "interfaces"),
    [
        (OperatorNode, {OperatorSubscription, Operator}),
        (StatefulNode, {OperatorSubscription, Operator, Versioned, StatefulOperator}),
        (ObserverNode, {OperatorSubscription, Operator, Versioned, StatefulOperator, Subscriber}),
        (MultiInputNode, {OperatorSubscription, Operator, Versioned, StatefulOperator, Subscription}),
        (TreeVisitor, {NodeVisitor}),
        (Stream, {Subscribable, Publisher}),
    ],
)
def test_bases_conform_to_what_they_are_bases_of(kind: type, interfaces: set[type]) -> None:
    assert [interface for interface in interfaces if not issubclass(kind, interface)] == []


def test_method_named_bind_alone_makes_nothing_subscribable() -> None:
    class Socket:
        def bind(self, address: object) -> None: ...

        def subscribe(self, subscriber: object) -> None: ...

    assert not isinstance(Socket(), Subscribable)
