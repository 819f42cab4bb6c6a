"""The refusals to save or load a node's state, for stages and for nodes written in Python."""

from typing import Any

from rs_core.errors import ArgumentTypeError, StateError

__all__ = ["check_loading", "check_saving", "still_flowing"]


def check_saving(node: Any, writer: Any, is_flowing: bool) -> None:
    """Raise unless the state of a node can be written now.

    Args:
        node: The node of the state; shown in the error.
        writer: The writer, with `write(value)`.
        is_flowing: Whether elements are passing through the node at this moment.

    Raises:
        ArgumentTypeError: The writer is None, or not a writer.
        StateError: Elements are passing.
    """
    if not callable(getattr(writer, "write", None)):
        raise ArgumentTypeError(
            f"save_state(writer) needs a StateWriter, got {writer!r} ({type(writer).__name__}); "
            f"pass an object with write(value)"
        )
    if is_flowing:
        raise still_flowing(node)


def still_flowing(node: Any, location: str | None = None) -> StateError:
    """Return the error for a node that cannot be saved now.

    Args:
        node: The node, which is shown.
        location: The location of the record; if it is known, the message begins with it.
    """
    said = f"cannot save {node!r} while elements flow; pause its stream or wait until it is idle"
    error = StateError(said if location is None else f"{location}: {said}")
    error.location = location
    return error


def check_loading(node: Any, reader: Any, version: Any, has_started: bool) -> None:
    """Raise unless a state of a version can be read into a node now.

    Args:
        node: The node of the state, with `version`, the layout that it writes, and `loadable_versions`, older ones that
            it reads.
        reader: The reader, with `read(expected)`.
        version: The version before the state.
        has_started: Whether the node was started.

    Raises:
        ArgumentTypeError: The reader is None, or not a reader.
        StateError: The node was started, or does not read the version.
    """
    if not callable(getattr(reader, "read", None)):
        raise ArgumentTypeError(
            f"load_state(reader, version) needs a StateReader, got {reader!r} ({type(reader).__name__}); "
            f"pass an object with read(expected)"
        )
    if has_started:
        raise StateError(f"{node!r} was already started; load its state between set_context() and start()")
    if tuple(version) != node.version and tuple(version) not in node.loadable_versions:
        raise StateError(
            f"{node!r} reads state of version {node.version}, not {tuple(version)}; "
            f"use the release that wrote it, or drop the state of this operator"
        )
