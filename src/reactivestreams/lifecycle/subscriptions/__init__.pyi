from reactivestreams.lifecycle.subscriptions.composite import CompositeSubscription
from reactivestreams.lifecycle.subscriptions.dynamic_composite import DynamicCompositeSubscription
from reactivestreams.lifecycle.subscriptions.future import FutureSubscription
from reactivestreams.lifecycle.subscriptions.serial import SerialSubscription
from reactivestreams.lifecycle.subscriptions.single_assignment import SingleAssignmentSubscription
from reactivestreams.lifecycle.subscriptions.stable_composite import StableCompositeSubscription
from reactivestreams.lifecycle.subscriptions.static_composite import StaticCompositeSubscription
from rs_core.stream.nop_subscription import NOP, NopSubscription

__all__ = [
    "NOP",
    "CompositeSubscription",
    "DynamicCompositeSubscription",
    "FutureSubscription",
    "NopSubscription",
    "SerialSubscription",
    "SingleAssignmentSubscription",
    "StableCompositeSubscription",
    "StaticCompositeSubscription",
]
