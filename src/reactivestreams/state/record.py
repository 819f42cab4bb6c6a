"""The record of one operator in a snapshot: saving it, and checking it when it is loaded."""

from collections.abc import Collection

from reactivestreams.errors import StateError, StateFormatError
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter, shown_name
from reactivestreams.state.stateful import Stateful, TransitioningOperator
from rs_core.state.records import StateReader

__all__ = ["load_record", "save_record"]


def save_record(node: Stateful, snapshot: SnapshotWriter, *, path: object = "") -> object:
    """Save the state of one operator as the next record. Runs user code: the operator's `save_fields`.

    Args:
        node: The operator, while no elements are sent.
        snapshot: The snapshot to which the record is added.
        path: Position of the operator in the tree, for errors.

    Returns:
        The result of its `save_state`: the token for its `on_state_saved`.

    Raises:
        StateError: The operator or one of its values cannot be saved; the record is removed again.
    """
    with snapshot.create(node.name, node.version, path=path) as writer:
        try:
            return node.save_state(writer)
        except StateError as error:
            if error.location is None:
                raise _located(str(writer), str(error)) from error
            raise
        except Exception as error:
            error.add_note(f"while the state was saved: {writer}")
            raise


def load_record(node: Stateful, snapshot: SnapshotReader, *, path: object = "", removed: Collection[str] = ()) -> bool:
    """Load the state of one operator from the next record. Runs user code: the operator's `load_fields`.

    The record must have the operator's name. A `TransitioningOperator` had no state in earlier releases: if its record
    is missing, it does not change, and the next operator gets the current record.

    Args:
        node: The operator, before it is started.
        snapshot: The snapshot that contains the record.
        path: Position of the operator in the tree, for errors.
        removed: Names of operators that were removed; their records are skipped.

    Returns:
        Whether there was a record for it.

    Raises:
        StateError: The record belongs to another operator, has a version that the operator does not read, or has values
            that do not fit.
        StateFormatError: There is no record left, or the record has other fields than the operator reads.
    """
    while True:
        with snapshot.create(node.name, path=path) as reader:
            if reader.is_present and reader.name != node.name and reader.name in removed:
                continue
            if not _is_for(node, reader):
                return False
            _load(node, reader)
            return True


def _is_for(node: Stateful, reader: StateReader) -> bool:
    if reader.is_present and reader.name == node.name:
        return True
    is_transitioning = isinstance(node, TransitioningOperator)
    if not reader.is_present:
        if is_transitioning:
            return False
        raise _located(
            str(reader),
            "there is no record left: the tree that loads has more operators than the one that was saved; build the "
            "same stream, or make operators that had no state before a TransitioningOperator",
            StateFormatError,
        )
    if is_transitioning:
        reader.reset()
        return False
    raise _located(
        str(reader),
        f"the record is that of {shown_name(reader)}, not of {node.name!r}; build the same stream as the one that was "
        f"saved, or name {shown_name(reader)} among the operators that were taken out",
    )


def _load(node: Stateful, reader: StateReader) -> None:
    assert reader.version is not None  # it is present
    try:
        node.load_state(reader, reader.version)
    except StateError as error:
        if error.location is None:
            raise _located(str(reader), str(error)) from error
        raise
    except Exception as error:
        raise _located(
            str(reader),
            f"{node.name!r} cannot take what it read: {type(error).__name__}: {error}; "
            f"where the layout has changed, raise the operator's version and read the old layout by its version",
        ) from error


def _located(location: str, message: str, kind: type[StateError] = StateError) -> StateError:
    error = kind(f"{location}: {message}")
    error.location = location
    return error
