"""Metrics of streams: what the operator `tap` counts, in memory and for OpenTelemetry."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.metrics.memory": ("MemoryMetrics",),
        "reactivestreams.metrics.open_telemetry": ("OpenTelemetryMetrics",),
        "reactivestreams.metrics.protocol": ("Metrics",),
        "rs_core.operators.tap": ("TappedRun",),
    },
)
