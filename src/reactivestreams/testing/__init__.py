"""For tests of streams: virtual time, test streams and observers, steps, and misbehaving publishers and subscribers."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.tck.probes.manual_publisher": ("ManualPublisher",),
        "reactivestreams.tck.probes.manual_subscriber": ("ManualSubscriber",),
        "reactivestreams.tck.probes.misbehaving_publisher": ("BROKEN_RULES", "MisbehavingPublisher"),
        "reactivestreams.testing.cold_stream": ("ColdStream",),
        "reactivestreams.testing.driven_publisher": ("TestPublisher",),
        "reactivestreams.testing.equality": ("assert_equal",),
        "reactivestreams.testing.hot_stream": ("HotStream",),
        "reactivestreams.testing.marble_strings": ("DEFAULT_FRAME_TICKS", "MarbleError", "from_marbles", "to_marbles"),
        "reactivestreams.testing.marbles": ("MarbleDiagram", "MarbleLine", "marble_diagram"),
        "reactivestreams.testing.observer": ("UNBOUNDED", "TestObserver"),
        "reactivestreams.testing.publisher_probe": ("PublisherProbe",),
        "reactivestreams.testing.recorded": (
            "Notification",
            "OnComplete",
            "OnError",
            "OnErrorWhere",
            "OnNext",
            "OnNextWhere",
            "Recorded",
            "on_complete",
            "on_error",
            "on_error_where",
            "on_next",
            "on_next_where",
        ),
        "reactivestreams.testing.replaying": ("DEFAULT_MAX_RESULTS", "Replay", "ReplayError", "replay"),
        "reactivestreams.testing.scheduler": ("CREATED", "DISPOSED", "SUBSCRIBED", "Recovery", "TestScheduler"),
        "reactivestreams.testing.steps": ("DEFAULT_PATIENCE_TICKS", "StepError", "StepVerifier"),
        "reactivestreams.testing.subscription_span": ("INFINITE", "SubscriptionSpan"),
    },
)
