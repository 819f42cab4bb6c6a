from reactivestreams.lifecycle.context import ContextScheduler, DefaultOperatorContext, OperatorContext
from reactivestreams.lifecycle.environment import ExecutionEnvironment, LocalExecutionEnvironment
from reactivestreams.lifecycle.errors import (
    ArtifactKindError,
    ArtifactNotReadyError,
    LifecycleError,
    UnknownArtifactError,
)
from reactivestreams.lifecycle.initialize_visitor import (
    InitializeVisitor,
    initialize_tree,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from reactivestreams.lifecycle.multi_input_node import MultiInputNode
from reactivestreams.lifecycle.observer_node import ObserverNode
from reactivestreams.lifecycle.operator import Operator, UnaryOperator
from reactivestreams.lifecycle.operator_node import OperatorNode
from reactivestreams.lifecycle.operator_publisher import OperatorPublisher
from reactivestreams.lifecycle.optional_interfaces import DependencyOperator, UnloadableOperator
from reactivestreams.lifecycle.state_visitor import StateVisitor
from reactivestreams.lifecycle.stateful import StatefulOperator
from reactivestreams.lifecycle.stateful_node import StatefulNode
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription
from reactivestreams.lifecycle.subscriptions import (
    NOP,
    CompositeSubscription,
    DynamicCompositeSubscription,
    FutureSubscription,
    NopSubscription,
    SerialSubscription,
    SingleAssignmentSubscription,
    StableCompositeSubscription,
    StaticCompositeSubscription,
)
from reactivestreams.lifecycle.trace import OperatorTrace
from reactivestreams.lifecycle.visitor import SubscriptionVisitor, TreeVisitor, TypedVisitor
from reactivestreams.state import StateReader, StateWriter, TransitioningOperator, Version, Versioned

__all__ = [
    "NOP",
    "ArtifactKindError",
    "ArtifactNotReadyError",
    "CompositeSubscription",
    "ContextScheduler",
    "DefaultOperatorContext",
    "DependencyOperator",
    "DynamicCompositeSubscription",
    "ExecutionEnvironment",
    "FutureSubscription",
    "InitializeVisitor",
    "LifecycleError",
    "LocalExecutionEnvironment",
    "MultiInputNode",
    "NodeVisitor",
    "NopSubscription",
    "ObserverNode",
    "Operator",
    "OperatorContext",
    "OperatorNode",
    "OperatorPublisher",
    "OperatorSubscription",
    "OperatorTrace",
    "SerialSubscription",
    "SingleAssignmentSubscription",
    "StableCompositeSubscription",
    "StateReader",
    "StateVisitor",
    "StateWriter",
    "StatefulNode",
    "StatefulOperator",
    "StaticCompositeSubscription",
    "Subscribable",
    "SubscriptionVisitor",
    "TransitioningOperator",
    "TreeVisitor",
    "TypedVisitor",
    "UnaryOperator",
    "UnknownArtifactError",
    "UnloadableOperator",
    "Version",
    "Versioned",
    "initialize_tree",
    "set_tree_context",
    "start_tree",
    "subscribe_tree",
]
