"""The life cycle of running operators: phases, visitors, context, and handles of subscriptions."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.lifecycle.context": ("ContextScheduler", "DefaultOperatorContext", "OperatorContext"),
        "reactivestreams.lifecycle.environment": ("ExecutionEnvironment", "LocalExecutionEnvironment"),
        "reactivestreams.lifecycle.errors": (
            "ArtifactKindError",
            "ArtifactNotReadyError",
            "LifecycleError",
            "UnknownArtifactError",
        ),
        "reactivestreams.lifecycle.optional_interfaces": ("DependencyOperator", "UnloadableOperator"),
        "reactivestreams.lifecycle.initialize_visitor": (
            "InitializeVisitor",
            "initialize_tree",
            "set_tree_context",
            "start_tree",
            "subscribe_tree",
        ),
        "reactivestreams.lifecycle.multi_input_node": ("MultiInputNode",),
        "reactivestreams.lifecycle.observer_node": ("ObserverNode",),
        "reactivestreams.lifecycle.operator": ("Operator", "UnaryOperator"),
        "reactivestreams.lifecycle.operator_node": ("OperatorNode",),
        "reactivestreams.lifecycle.operator_publisher": ("OperatorPublisher",),
        "reactivestreams.lifecycle.state_visitor": ("StateVisitor",),
        "reactivestreams.lifecycle.stateful": ("StatefulOperator",),
        "reactivestreams.lifecycle.stateful_node": ("StatefulNode",),
        "reactivestreams.lifecycle.subscribable": ("Subscribable",),
        "reactivestreams.lifecycle.subscription": ("NodeVisitor", "OperatorSubscription"),
        "reactivestreams.lifecycle.subscriptions": (
            "NOP",
            "CompositeSubscription",
            "DynamicCompositeSubscription",
            "FutureSubscription",
            "NopSubscription",
            "SerialSubscription",
            "SingleAssignmentSubscription",
            "StableCompositeSubscription",
            "StaticCompositeSubscription",
        ),
        "reactivestreams.lifecycle.trace": ("OperatorTrace",),
        "reactivestreams.lifecycle.visitor": ("SubscriptionVisitor", "TreeVisitor", "TypedVisitor"),
        "reactivestreams.state": ("StateReader", "StateWriter", "TransitioningOperator", "Version", "Versioned"),
    },
)
