"""The dirty flag: the table of its states and transitions, who writes what, and a model of snapshots and commits."""

from collections.abc import Callable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.state import StateChanged


def new() -> StateChanged:
    return StateChanged()


def pending() -> StateChanged:
    flag = StateChanged()
    flag.save_state()
    return flag


def clean() -> StateChanged:
    flag = pending()
    flag.on_state_saved()
    return flag


def dirty() -> StateChanged:
    flag = clean()
    flag.state_changed = True
    return flag


def pending_and_dirty() -> StateChanged:
    flag = pending()
    flag.state_changed = True
    return flag


def change(flag: StateChanged) -> None:
    flag.state_changed = True


STATES = {
    "never saved": new,
    "clean": clean,
    "changed": dirty,
    "commit pending": pending,
    "changed, commit pending": pending_and_dirty,
}
EVENTS: dict[str, Callable[[StateChanged], object]] = {
    "change": change,
    "save": StateChanged.save_state,
    "commit succeeds": StateChanged.on_state_saved,
    "commit fails": lambda flag: None,  # nobody calls anything
    "load": StateChanged.load_state,
}
# From each state, by each event, to which.
TRANSITIONS = {
    ("never saved", "change"): "never saved",
    ("never saved", "save"): "commit pending",
    ("never saved", "commit succeeds"): "never saved",
    ("never saved", "commit fails"): "never saved",
    ("never saved", "load"): "clean",
    ("clean", "change"): "changed",
    ("clean", "save"): "commit pending",
    ("clean", "commit succeeds"): "clean",
    ("clean", "commit fails"): "clean",
    ("clean", "load"): "clean",
    ("changed", "change"): "changed",
    ("changed", "save"): "commit pending",
    ("changed", "commit succeeds"): "changed",
    ("changed", "commit fails"): "changed",
    ("changed", "load"): "changed",
    ("commit pending", "change"): "changed, commit pending",
    ("commit pending", "save"): "commit pending",
    ("commit pending", "commit succeeds"): "clean",
    ("commit pending", "commit fails"): "commit pending",
    ("commit pending", "load"): "commit pending",
    ("changed, commit pending", "change"): "changed, commit pending",
    ("changed, commit pending", "save"): "commit pending",
    ("changed, commit pending", "commit succeeds"): "changed",
    ("changed, commit pending", "commit fails"): "changed, commit pending",
    ("changed, commit pending", "load"): "changed, commit pending",
}


def test_table_has_every_state_and_event() -> None:
    assert set(TRANSITIONS) == {(state, event) for state in STATES for event in EVENTS}


@pytest.mark.parametrize("state", STATES)
def test_state_is_what_its_name_says_and_only_clean_is_unchanged(state: str) -> None:
    flag = STATES[state]()
    assert repr(flag) == f"StateChanged({state})"
    assert flag.state_changed == (state != "clean")
    assert flag.commit_pending == ("commit pending" in state)


@pytest.mark.parametrize(("state", "event"), TRANSITIONS)
def test_event_leads_where_the_table_says(state: str, event: str) -> None:
    flag = STATES[state]()
    EVENTS[event](flag)
    assert repr(flag) == f"StateChanged({TRANSITIONS[state, event]})"


def test_change_before_the_first_snapshot_is_in_it() -> None:
    flag = StateChanged()
    flag.state_changed = True
    flag.on_state_saved(flag.save_state())
    assert not flag.state_changed


def test_change_made_while_loading_stays_one() -> None:
    flag = StateChanged()
    flag.state_changed = True
    flag.load_state()
    assert repr(flag) == "StateChanged(changed)"


def test_change_can_be_taken_back_but_not_a_pending_commit() -> None:
    flag = pending_and_dirty()
    flag.state_changed = False
    assert repr(flag) == "StateChanged(commit pending)"


def test_late_commit_of_an_older_snapshot_does_not_clean_a_newer_one() -> None:
    flag = StateChanged()
    first, second = flag.save_state(), flag.save_state()
    flag.on_state_saved(first)
    assert (flag.state_changed, flag.commit_pending) == (True, True)
    flag.on_state_saved(second)
    assert (flag.state_changed, flag.commit_pending) == (False, False)
    flag.on_state_saved(first)
    assert (flag.state_changed, flag.commit_pending) == (False, False)


def test_commit_of_a_later_snapshot_makes_up_for_a_failed_one() -> None:
    flag = StateChanged()
    flag.save_state()
    flag.on_state_saved(flag.save_state())
    assert not flag.state_changed


def test_snapshots_are_numbered_from_one() -> None:
    flag = StateChanged()
    assert flag.generation == 0
    assert [flag.save_state(), flag.save_state()] == [1, 2]
    assert flag.generation == 2


@pytest.mark.parametrize("generation", [-1, 0, 3])
def test_commit_of_a_snapshot_that_was_not_taken_is_refused(generation: int) -> None:
    flag = StateChanged()
    flag.save_state()
    flag.save_state()
    with pytest.raises(ArgumentError) as refused:
        flag.on_state_saved(generation)
    assert str(refused.value) == (
        f"on_state_saved({generation}): there are snapshots 1 to 2 only; pass the result of save_state()"
    )
    assert flag.commit_pending


def test_commit_before_any_snapshot_is_refused_when_it_names_one() -> None:
    with pytest.raises(
        ArgumentError, match=r"on_state_saved\(1\): no snapshot was taken yet; pass the result of save_state"
    ):
        StateChanged().on_state_saved(1)


@pytest.mark.parametrize("generation", [True, 1.0, "1"])
def test_number_of_a_snapshot_is_an_integer(generation: object) -> None:
    with pytest.raises(ArgumentTypeError, match="needs an integer, got"):
        pending().on_state_saved(generation)  # type: ignore[arg-type]


class _Watched(StateChanged):
    """Notes which fields are written."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if hasattr(self, "writes"):
            self.writes.add(name)

    def writes_of(self, event: Callable[[StateChanged], object]) -> set[str]:
        self.__dict__["writes"] = set()
        event(self)
        return self.__dict__["writes"]


def test_each_field_is_written_by_one_side_only() -> None:
    flag = _Watched()
    by_event = flag.writes_of(change) - {"state_changed"}
    by_save = flag.writes_of(StateChanged.save_state)
    by_commit = flag.writes_of(StateChanged.on_state_saved)
    assert (by_event, by_commit) == ({"_changed"}, {"_stored_generation"})
    assert by_save.isdisjoint(by_commit)


class SnapshotsAndCommits(RuleBasedStateMachine):
    """An artifact whose content changes, is saved, stored late, out of order or never, and lost and loaded again.

    What must hold: whenever it says that nothing changed, the newest stored snapshot has exactly its content.
    """

    @initialize()
    def begin(self) -> None:
        self.flag = StateChanged()
        self.content = 0
        self.snapshots: dict[int, int] = {}
        self.newest_stored = 0
        self.loaded: int | None = None

    @rule()
    def change(self) -> None:
        self.content += 1
        self.flag.state_changed = True

    @rule()
    def save(self) -> None:
        self.snapshots[self.flag.save_state()] = self.content

    @precondition(lambda self: self.snapshots)
    @rule(data=st.data())
    def commit_succeeds(self, data: st.DataObject) -> None:
        generation = data.draw(st.sampled_from(sorted(self.snapshots)))
        self.flag.on_state_saved(generation)
        self.newest_stored = max(self.newest_stored, generation)

    @precondition(lambda self: self.newest_stored)
    @rule()
    def crash_and_load(self) -> None:
        self.content = self.loaded = self.snapshots[self.newest_stored]
        self.snapshots, self.newest_stored = {}, 0
        self.flag = StateChanged()
        self.flag.load_state()

    @invariant()
    def clean_means_stored(self) -> None:
        stored = self.snapshots.get(self.newest_stored, self.loaded)
        newest = max(self.snapshots, default=0)
        assert self.flag.commit_pending == (self.newest_stored < newest)
        if not self.flag.state_changed:
            assert stored == self.content
        elif self.newest_stored == newest and stored is not None:
            assert stored != self.content  # it does not say so for nothing either


TestSnapshotsAndCommits = SnapshotsAndCommits.TestCase
