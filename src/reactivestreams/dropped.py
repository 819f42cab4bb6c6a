"""The one hook for signals that can no longer be delivered.

Defined in `rs_core.dropped`, which says what comes here.
"""

from rs_core.dropped import DroppedHook, dropped, log_dropped, set_hook

__all__ = ["DroppedHook", "dropped", "log_dropped", "set_hook"]
