"""Handles that hold other handles: several at once, one that comes later, one after the other, none."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.lifecycle.subscriptions.composite": ("CompositeSubscription",),
        "reactivestreams.lifecycle.subscriptions.dynamic_composite": ("DynamicCompositeSubscription",),
        "reactivestreams.lifecycle.subscriptions.future": ("FutureSubscription",),
        "reactivestreams.lifecycle.subscriptions.serial": ("SerialSubscription",),
        "reactivestreams.lifecycle.subscriptions.single_assignment": ("SingleAssignmentSubscription",),
        "reactivestreams.lifecycle.subscriptions.stable_composite": ("StableCompositeSubscription",),
        "reactivestreams.lifecycle.subscriptions.static_composite": ("StaticCompositeSubscription",),
        "rs_core.stream.nop_subscription": ("NOP", "NopSubscription"),
    },
)
