"""Saved state: what an operator writes to go on after a restart, and how it is kept."""

from reactivestreams.state.changed import StateChanged
from reactivestreams.state.codec import decode_value, encode_value
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter, Version
from rs_core.state_limits import DEFAULT_LIMITS, StateLimits
from rs_core.state_reader import StateReader
from rs_core.state_writer import StateWriter

__all__ = [
    "DEFAULT_LIMITS",
    "SnapshotReader",
    "SnapshotWriter",
    "StateChanged",
    "StateLimits",
    "StateReader",
    "StateRegistry",
    "StateWriter",
    "Version",
    "decode_value",
    "default_registry",
    "encode_value",
]
