from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber
from reactivestreams.tck.probes.misbehaving_publisher import BROKEN_RULES, MisbehavingPublisher
from reactivestreams.testing.cold_stream import ColdStream
from reactivestreams.testing.driven_publisher import TestPublisher
from reactivestreams.testing.equality import assert_equal
from reactivestreams.testing.hot_stream import HotStream
from reactivestreams.testing.marble_strings import DEFAULT_FRAME_TICKS, MarbleError, from_marbles, to_marbles
from reactivestreams.testing.marbles import MarbleDiagram, MarbleLine, marble_diagram
from reactivestreams.testing.observer import UNBOUNDED, TestObserver
from reactivestreams.testing.publisher_probe import PublisherProbe
from reactivestreams.testing.recorded import (
    Notification,
    OnComplete,
    OnError,
    OnErrorWhere,
    OnNext,
    OnNextWhere,
    Recorded,
    on_complete,
    on_error,
    on_error_where,
    on_next,
    on_next_where,
)
from reactivestreams.testing.replaying import DEFAULT_MAX_RESULTS, Replay, ReplayError, replay
from reactivestreams.testing.scheduler import CREATED, DISPOSED, SUBSCRIBED, Recovery, TestScheduler
from reactivestreams.testing.steps import DEFAULT_PATIENCE_TICKS, StepError, StepVerifier
from reactivestreams.testing.subscription_span import INFINITE, SubscriptionSpan

__all__ = [
    "BROKEN_RULES",
    "CREATED",
    "DEFAULT_FRAME_TICKS",
    "DEFAULT_MAX_RESULTS",
    "DEFAULT_PATIENCE_TICKS",
    "DISPOSED",
    "INFINITE",
    "SUBSCRIBED",
    "UNBOUNDED",
    "ColdStream",
    "HotStream",
    "ManualPublisher",
    "ManualSubscriber",
    "MarbleDiagram",
    "MarbleError",
    "MarbleLine",
    "MisbehavingPublisher",
    "Notification",
    "OnComplete",
    "OnError",
    "OnErrorWhere",
    "OnNext",
    "OnNextWhere",
    "PublisherProbe",
    "Recorded",
    "Recovery",
    "Replay",
    "ReplayError",
    "StepError",
    "StepVerifier",
    "SubscriptionSpan",
    "TestObserver",
    "TestPublisher",
    "TestScheduler",
    "assert_equal",
    "from_marbles",
    "marble_diagram",
    "on_complete",
    "on_error",
    "on_error_where",
    "on_next",
    "on_next_where",
    "replay",
    "to_marbles",
]
