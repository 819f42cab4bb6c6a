"""Saved state: what an operator writes to go on after a restart, and how it is kept."""

from reactivestreams.state.changed import StateChanged
from reactivestreams.state.codec import decode_value, encode_value
from reactivestreams.state.registry import StateRegistry, default_registry
from rs_core.state_limits import DEFAULT_LIMITS, StateLimits

__all__ = [
    "DEFAULT_LIMITS",
    "StateChanged",
    "StateLimits",
    "StateRegistry",
    "decode_value",
    "default_registry",
    "encode_value",
]
