from reactivestreams.metrics.memory import MemoryMetrics
from reactivestreams.metrics.open_telemetry import OpenTelemetryMetrics
from reactivestreams.metrics.protocol import Metrics
from rs_core.operators.tap import TappedRun

__all__ = ["MemoryMetrics", "Metrics", "OpenTelemetryMetrics", "TappedRun"]
