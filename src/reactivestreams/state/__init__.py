"""Saved state: the data with which an operator continues after a restart."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.state.codec": ("decode_value", "encode_value"),
        "reactivestreams.state.inspection": ("SavedRecord", "saved_records"),
        "reactivestreams.state.record": ("load_record", "save_record"),
        "reactivestreams.state.registry": ("StateRegistry", "default_registry"),
        "reactivestreams.state.snapshot": ("SnapshotReader", "SnapshotWriter"),
        "reactivestreams.state.stateful": ("Stateful", "TransitioningOperator", "Version", "Versioned"),
        "reactivestreams.state.tree": (
            "SaveToken",
            "has_tree_changed",
            "load_nodes",
            "load_tree",
            "save_nodes",
            "save_tree",
            "stateful_nodes",
            "tree_was_saved",
        ),
        "rs_core.state.changes": ("StateChanged",),
        "rs_core.state.limits": ("DEFAULT_LIMITS", "StateLimits"),
        "rs_core.state.records": ("StateReader", "StateWriter", "TableReader", "TableWriter", "is_sound_row"),
        "rs_core.state.table_changes": ("TableChanges",),
    },
)
