"""Saved state: what an operator writes to go on after a restart, and how it is kept."""

from reactivestreams.state.changed import StateChanged

__all__ = ["StateChanged"]
