"""Tracks whether there is state that is not yet stored durably."""

from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["StateChanged"]


class StateChanged:
    """Track whether an artifact has state that is not yet stored durably, through save, commit and failure.

    One flag is not enough: a change between a snapshot and its commit must not be lost when the commit succeeds, and
    the state of a failed commit must be saved again without a new change. So there are three facts: whether it was ever
    saved or loaded, whether it changed since the last snapshot, and whether the last snapshot still waits for its
    commit. It counts as changed while the first is false or one of the others is true.

    Each snapshot has a number. A report of a commit names the stored snapshot, so that a late commit never counts for a
    newer snapshot.

    Threads: `save_state` and `load_state` are called while the host has paused the artifact. `on_state_saved` may run
        at the same time as events: it writes a field that no other method writes, and events write only whether there
        was a change. So no lock is needed.

    Example:
        >>> from reactivestreams.state import StateChanged
        >>> count_state = StateChanged()
        >>> first = count_state.save_state()
        >>> count_state.state_changed = True  # an element came while the snapshot was being stored
        >>> count_state.on_state_saved(first)
        >>> count_state
        StateChanged(changed)
        >>> count_state.on_state_saved(count_state.save_state())
        >>> count_state.state_changed
        False
    """

    # I1: each field has one writer: events `changed`, on_state_saved() `_stored_generation`, save_state() and
    # load_state() the others; save_state() also resets `changed`, so it needs the artifact paused.
    # I2: the last snapshot waits for its commit if and only if _stored_generation < _generation.
    __slots__ = ("__weakref__", "_changed", "_generation", "_saved_once", "_stored_generation")

    def __init__(self) -> None:
        self._saved_once = False
        self._changed = False
        self._generation = 0
        self._stored_generation = 0

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not stored durably; set it to True at each change. Never runs user code."""
        return not self._saved_once or self._changed or self.commit_pending

    @state_changed.setter
    def state_changed(self, changed: bool) -> None:
        self._changed = changed

    @property
    def commit_pending(self) -> bool:
        """Whether the last snapshot is not stored yet, because its commit is running or has failed."""
        return self._stored_generation < self._generation

    @property
    def generation(self) -> int:
        """The number of the last snapshot, or 0."""
        return self._generation

    def save_state(self) -> int:
        """Record that a snapshot is taken; later changes are not part of it. Never runs user code.

        Call it before the state is read, so that no change is lost in between; if reading or writing it fails, set
        `state_changed`: then the number is void, and everything is saved again.

        Returns:
            The number of the snapshot, for `on_state_saved`.
        """
        self._saved_once = True
        self._generation += 1
        self._changed = False
        return self._generation

    def load_state(self) -> None:
        """Record that stored state was loaded. A change made by loading remains a change. Never runs user code."""
        self._saved_once = True

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot was stored durably; harmless if nothing is pending. Never runs user code.

        Args:
            generation: The number of the snapshot from `save_state`, from 1 to the last one; None means the last one,
                for hosts that never take a snapshot while another commit is running.

        Raises:
            ArgumentError: There is no snapshot of this number.
            ArgumentTypeError: The number is not an integer.
        """
        if generation is None:
            generation = self._generation
        else:
            self._require_snapshot(generation)
        if generation > self._stored_generation:
            self._stored_generation = generation

    def _require_snapshot(self, generation: int) -> None:
        if type(generation) is not int:
            raise ArgumentTypeError(
                f"on_state_saved(generation) needs an integer, got {generation!r} ({type(generation).__name__}); "
                f"pass the result of save_state()"
            )
        if not 1 <= generation <= self._generation:
            raise ArgumentError(
                f"on_state_saved({generation}): there are snapshots 1 to {self._generation} only; "
                f"pass the result of save_state()"
                if self._generation
                else f"on_state_saved({generation}): no snapshot was taken yet; pass the result of save_state()"
            )

    def __repr__(self) -> str:
        if not self._saved_once:
            return "StateChanged(never saved)"
        facts = ["changed"] * self._changed + ["commit pending"] * self.commit_pending
        return f"StateChanged({', '.join(facts) or 'clean'})"
