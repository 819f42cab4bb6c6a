"""What a type checker says of the life cycle: hosts, visitors and nodes of one's own. It is checked and never run."""

from collections.abc import Iterable
from typing import Any, assert_type

from reactivestreams import Stream
from reactivestreams.lifecycle import (
    NOP,
    DefaultOperatorContext,
    InitializeVisitor,
    MultiInputNode,
    ObserverNode,
    Operator,
    OperatorContext,
    OperatorPublisher,
    OperatorSubscription,
    OperatorTrace,
    StatefulOperator,
    StaticCompositeSubscription,
    Subscribable,
    SubscriptionVisitor,
    TypedVisitor,
    initialize_tree,
)
from reactivestreams.schedulers import ImmediateScheduler
from reactivestreams.spec import Subscriber
from reactivestreams.subscriber import DefaultSubscriber

stream: Stream[int] = Stream.range(3)
handle: OperatorSubscription = stream.bind(DefaultSubscriber())
node: Operator = stream.bind(DefaultSubscriber())
stateful: StatefulOperator = stream.bind(DefaultSubscriber())

# A node's type is known to its action, also where it is an interface.
assert_type(SubscriptionVisitor.do(Operator, lambda node: node.start()), TypedVisitor[Operator])
SubscriptionVisitor.do(StatefulOperator, lambda node: node.state_changed).do(Operator, lambda node: node.inputs)
SubscriptionVisitor.do(Operator, lambda node: node.state_changed)  # type: ignore[attr-defined]
SubscriptionVisitor.do(Operator, print).apply(handle)
SubscriptionVisitor.do(Operator, print).apply(3)  # type: ignore[arg-type]

context: OperatorContext = DefaultOperatorContext("rx://example", ImmediateScheduler())
DefaultOperatorContext("rx://example", 3)  # type: ignore[arg-type]
initialize_tree(handle, context)
InitializeVisitor(NOP).subscribe()


def traced(context: OperatorContext) -> None:
    assert_type(context.trace, OperatorTrace | None)


class Total(ObserverNode):
    """A subscriber that is a node."""

    name = "example/total"


total = Total()
consumer: Subscriber[int] = total
stream.subscribe(total)
StaticCompositeSubscription(total, stream.bind(total))
StaticCompositeSubscription(total, 3)  # type: ignore[arg-type]


class Joined(MultiInputNode[str]):
    """An operator with two inputs."""

    name = "example/joined"

    def sources(self) -> Iterable[Subscribable]:
        return [stream, stream.map(str)]

    def on_next(self, index: int, element: Any) -> None:
        self.emit(str(element))
        self.emit(index)  # type: ignore[arg-type]


class Joining(OperatorPublisher[str]):
    """What publishes it."""

    def create_operator(self, subscriber: Subscriber[str]) -> OperatorSubscription:
        return Joined(subscriber)


assert_type(Stream.from_publisher(Joining()), Stream[str])
