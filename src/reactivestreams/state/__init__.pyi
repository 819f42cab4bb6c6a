from reactivestreams.state.codec import decode_value, encode_value
from reactivestreams.state.inspection import SavedRecord, saved_records
from reactivestreams.state.record import load_record, save_record
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter
from reactivestreams.state.stateful import Stateful, TransitioningOperator, Version, Versioned
from reactivestreams.state.tree import (
    SaveToken,
    has_tree_changed,
    load_nodes,
    load_tree,
    save_nodes,
    save_tree,
    stateful_nodes,
    tree_was_saved,
)
from rs_core.state.changes import StateChanged
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits
from rs_core.state.records import StateReader, StateWriter, TableReader, TableWriter, is_sound_row
from rs_core.state.table_changes import TableChanges

__all__ = [
    "DEFAULT_LIMITS",
    "SaveToken",
    "SavedRecord",
    "SnapshotReader",
    "SnapshotWriter",
    "StateChanged",
    "StateLimits",
    "StateReader",
    "StateRegistry",
    "StateWriter",
    "Stateful",
    "TableChanges",
    "TableReader",
    "TableWriter",
    "TransitioningOperator",
    "Version",
    "Versioned",
    "decode_value",
    "default_registry",
    "encode_value",
    "has_tree_changed",
    "is_sound_row",
    "load_nodes",
    "load_record",
    "load_tree",
    "save_nodes",
    "save_record",
    "save_tree",
    "saved_records",
    "stateful_nodes",
    "tree_was_saved",
]
