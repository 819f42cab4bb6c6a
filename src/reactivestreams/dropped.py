"""The hook for signals that can no longer be delivered.

It is defined in `rs_core.dropped`, which describes these signals.
"""

from rs_core.dropped import DroppedHook, dropped, log_dropped, set_hook

__all__ = ["DroppedHook", "dropped", "log_dropped", "set_hook"]
