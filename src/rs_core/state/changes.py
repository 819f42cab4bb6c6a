"""Whether there is state that is not yet stored safely."""

from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["StateChanged"]


class StateChanged:
    """Tell whether an artifact has state that is not yet stored safely, through save, commit and failure.

    One flag would not do: what changes between a snapshot and its commit must not be forgotten when the commit
    succeeds, and what a failed commit should have stored must be saved again without anybody saying so. So there are
    three facts: whether it was ever saved or loaded, whether it changed since the last snapshot, and whether the last
    snapshot still waits for its commit. It counts as changed while the first is false or one of the others is true.

    Each snapshot has a number. Whoever tells of a commit names the snapshot it stored, so that a commit that comes late
    never passes for that of a newer snapshot.

    Threads: `save_state` and `load_state` while nothing else happens to the artifact, as its host has paused it.
        `on_state_saved` may run beside events: it writes a field that nobody else writes, and events write only whether
        there was a change. So no lock is needed.

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
    # load_state() the others; save_state() also resets `changed`, which is why it wants the artifact paused.
    # I2: the last snapshot waits for its commit if and only if _stored_generation < _generation.
    __slots__ = ("__weakref__", "_changed", "_generation", "_saved_once", "_stored_generation")

    def __init__(self) -> None:
        self._saved_once = False
        self._changed = False
        self._generation = 0
        self._stored_generation = 0

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not yet stored safely; set it to True at each change. Never runs user code."""
        return not self._saved_once or self._changed or self.commit_pending

    @state_changed.setter
    def state_changed(self, changed: bool) -> None:
        self._changed = changed

    @property
    def commit_pending(self) -> bool:
        """Whether the last snapshot was not yet stored, because its commit runs or has failed."""
        return self._stored_generation < self._generation

    @property
    def generation(self) -> int:
        """The number of the last snapshot; 0: there was none."""
        return self._generation

    def save_state(self) -> int:
        """Take notice that a snapshot is taken; changes from now on are not part of it. Never runs user code.

        Call it before what is saved is read, so that no change falls between the two; where reading or writing it
        fails, set `state_changed`: then the number stands for nothing, and all is saved again.

        Returns:
            The number of the snapshot, for `on_state_saved`.
        """
        self._saved_once = True
        self._generation += 1
        self._changed = False
        return self._generation

    def load_state(self) -> None:
        """Take notice that stored state was loaded. A change that loading made stays one. Never runs user code."""
        self._saved_once = True

    def on_state_saved(self, generation: int | None = None) -> None:
        """Take notice that a snapshot was stored safely; harmless when nothing is pending. Never runs user code.

        Args:
            generation: Which snapshot, as `save_state` returned it, from 1 to the last one; None means the last one,
                for hosts that never take a snapshot while the commit of another one runs.

        Raises:
            ArgumentError: There is no snapshot of this number.
            ArgumentTypeError: The number is no integer.
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
                f"pass what save_state() returned"
            )
        if not 1 <= generation <= self._generation:
            raise ArgumentError(
                f"on_state_saved({generation}): there are snapshots 1 to {self._generation} only; "
                f"pass what save_state() returned"
                if self._generation
                else f"on_state_saved({generation}): no snapshot was taken yet; pass what save_state() returned"
            )

    def __repr__(self) -> str:
        if not self._saved_once:
            return "StateChanged(never saved)"
        facts = ["changed"] * self._changed + ["commit pending"] * self.commit_pending
        return f"StateChanged({', '.join(facts) or 'clean'})"
