"""Nodes written by hand, without any base class, that note what is done to them."""

from typing import Any

from reactivestreams.lifecycle import OperatorSubscription

Log = list[tuple[str, str]]


class PlainNode:
    """A node that notes each call as (name of the node, call); its inputs exist once it was subscribed."""

    def __init__(self, name: str, *inputs: OperatorSubscription, log: Log) -> None:
        self.name = name
        self.log = log
        self.context: Any = None
        self._inputs = inputs
        self._is_subscribed = False

    @property
    def inputs(self) -> tuple[OperatorSubscription, ...]:
        return self._inputs if self._is_subscribed else ()

    def subscribe(self) -> None:
        if not self._is_subscribed:
            self._is_subscribed = True
            self.log.append((self.name, "subscribe"))

    def set_context(self, context: Any, /) -> None:
        self.context = context
        self.log.append((self.name, "set_context"))

    def start(self) -> None:
        self.log.append((self.name, "start"))

    def dispose(self) -> None:
        self.log.append((self.name, "dispose"))

    def accept(self, visitor: Any, /) -> None:
        visitor.visit(self)


class SpecialNode(PlainNode):
    """A node of another type."""


class StatefulNode(PlainNode):
    """A node with one value as its state."""

    version = (1, 0, 0, 0)

    def __init__(self, name: str, *inputs: OperatorSubscription, log: Log, value: Any = 0) -> None:
        super().__init__(name, *inputs, log=log)
        self.value = value
        self.is_changed = True

    # A name in the class, so that it can be seen to be versioned.
    name = ""

    @property
    def state_changed(self) -> bool:
        self.log.append((self.name, "state_changed"))
        return self.is_changed

    def save_state(self, writer: Any, /) -> None:
        self.log.append((self.name, "save_state"))
        writer.write(self.value)

    def load_state(self, reader: Any, version: Any, /) -> None:
        self.log.append((self.name, "load_state"))
        assert version == self.version
        self.value = reader.read()

    def on_state_saved(self) -> None:
        self.log.append((self.name, "on_state_saved"))
        self.is_changed = False


def subscribed(node: PlainNode) -> PlainNode:
    """Let a node and all its inputs have been subscribed, without a note."""
    node._is_subscribed = True
    for each in node.inputs:
        if isinstance(each, PlainNode):
            subscribed(each)
    return node
