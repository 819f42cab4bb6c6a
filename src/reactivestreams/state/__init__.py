"""Saved state: what an operator writes to go on after a restart, and how it is kept."""

from reactivestreams.state.changed import StateChanged
from reactivestreams.state.codec import decode_value, encode_value
from reactivestreams.state.record import Stateful, load_record, save_record
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter, Version
from reactivestreams.state.tree import Handle, TreePath, load_tree, save_tree, stateful_nodes
from rs_core.state_limits import DEFAULT_LIMITS, StateLimits
from rs_core.state_reader import StateReader
from rs_core.state_writer import StateWriter

__all__ = [
    "DEFAULT_LIMITS",
    "Handle",
    "SnapshotReader",
    "SnapshotWriter",
    "StateChanged",
    "StateLimits",
    "StateReader",
    "StateRegistry",
    "StateWriter",
    "Stateful",
    "TreePath",
    "Version",
    "decode_value",
    "default_registry",
    "encode_value",
    "load_record",
    "load_tree",
    "save_record",
    "save_tree",
    "stateful_nodes",
]
