"""The one hook for signals that can no longer be delivered. See `rs_core.dropped`, where it is defined, for what comes
here."""

from rs_core.dropped import DroppedHook, dropped, log_dropped, set_hook

__all__ = ["DroppedHook", "dropped", "log_dropped", "set_hook"]
