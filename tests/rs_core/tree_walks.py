"""Walks over the tree of a subscription: what a host does with it, node by node."""

from typing import Any

Node = Any


class _Collector:
    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def visit(self, node: Node) -> None:
        self.nodes.append(node)


def nodes_of(handle: Node) -> list[Node]:
    """Return the nodes of a tree as visitors see them: from downstream to upstream."""
    collector = _Collector()
    handle.accept(collector)
    position = 0
    while position < len(collector.nodes):
        for below in collector.nodes[position].inputs:
            below.accept(collector)
        position += 1
    return collector.nodes


def subscribe_by_visits(handle: Node, context: object = None) -> list[Node]:
    """Run the phases subscribe and set_context node by node; return the nodes."""
    nodes = [handle]
    for node in nodes:  # grows while it is walked: a node has inputs once it was subscribed
        node.subscribe()
        nodes.extend(node.inputs)
    for node in nodes:
        node.set_context(context)
    return nodes


def start_by_visits(nodes: list[Node]) -> None:
    for node in nodes:
        node.start()


class ListWriter:
    """A state writer whose state is a list."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def write(self, value: Any) -> None:
        self.values.append(value)


class ListReader:
    """A state reader over such a list."""

    def __init__(self, values: list[Any]) -> None:
        self.left = list(values)

    def read(self, expected: Any = None) -> Any:
        value = self.left.pop(0)
        assert expected is None or isinstance(value, expected)
        return value

    def read_count(self, at_most: int = 2**63 - 1) -> int:
        count = self.read(int)
        assert 0 <= count <= at_most
        return int(count)


def saved_state(node: Node) -> list[Any]:
    writer = ListWriter()
    node.save_state(writer)
    return writer.values


def saved_tree(handle: Node) -> list[tuple[str, tuple[int, ...], list[Any]]]:
    """Return name, version and state of every node but the end, which belongs to its subscriber."""
    return [(node.name, node.version, saved_state(node)) for node in nodes_of(handle)[1:]]


def loaded_tree(handle: Node, records: list[tuple[str, tuple[int, ...], list[Any]]]) -> list[Node]:
    """Subscribe a fresh tree and load what `saved_tree` returned; return the nodes, ready to be started."""
    nodes = subscribe_by_visits(handle)
    assert [node.name for node in nodes[1:]] == [name for name, _, _ in records]
    for node, (_, version, values) in zip(nodes[1:], records, strict=True):
        reader = ListReader(values)
        node.load_state(reader, version)
        assert reader.left == []
    return nodes
