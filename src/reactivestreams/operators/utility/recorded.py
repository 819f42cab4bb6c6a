"""recorded: write what passes to a file, from which the run can be replayed."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from reactivestreams.arguments import Kept, checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.definition import Checked, FoldingDefinition, OperatorDefinition, T
from reactivestreams.operators.digest import operator_lines
from reactivestreams.state import default_registry
from rs_core.operators.recorded import MOST_BYTES, RecordStage
from rs_core.stream.description import Description
from rs_core.version import __version__

DEFAULT_MAX_BYTES = 67_108_864
"""How large a record may become unless it is told otherwise."""

LEAST_BYTES = 65_536
"""The least bound of a record: one block."""


def head_of(below: list[Description], border: Description) -> dict[str, Any]:
    """Return the head of a record: when, with what, where, and the operators below."""
    # A terminal operation with one result, such as reduce(), is an operator that the stream itself does not have.
    folds = bool(below) and issubclass(below[-1].definition, FoldingDefinition)
    return {
        "release": __version__,
        "started": datetime.now(UTC),
        "border": str(border.assembly),
        "operators": operator_lines(below),
        "end": operator_lines(below[-1:]) if folds else [],
    }


class Recorded(OperatorDefinition):
    """Write all signals that pass here, and the requests, to a file, and pass them on unchanged.

    `reactivestreams.testing.replay`, and the command `replay`, run what is below here again from that record, in
    virtual time: the same elements, at the same times, with the same requests of the end; as often as one likes, up to
    the element before the one that fails. So it belongs next to the source, or after operators that are not replayed,
    such as `map_async`.

    Each subscription replaces the file when it starts; of several at a time it is that which has started last. What is
    not yet written, at most 64 KiB, is lost if the process is killed. What to do when the record is full is a choice:
    operators with state can be replayed only from the beginning; what happened last is what one looks for in a stream
    that runs for long.

    Args:
        path: The file, a path. With `keep="newest"` also a file with `.1` behind that name, the part before it.
        max_bytes: How large the record may become, from 65,536 to 1,073,741,824; by default 64 MiB. An integer takes
            two bytes and more, and three for the time.
        keep: What a full record keeps: `"oldest"`, so that it ends there, and the stream goes on; or `"newest"`, in two
            files of half the size, of which the older one is replaced: the last half at least.

    Demand: n requested are n requested upstream.
    Errors: upstream's are recorded and passed on. An element that cannot be part of saved state is a StateTypeError, a
        file that cannot be made an ArgumentError; both cancel the upstream. A file that cannot be written to any more
        is closed, the error goes to the hook for dropped signals, and the stream goes on.
    State: none; a stream that loads its state begins a record that says so, and cannot be replayed; version 1.0.0.0.
    Threads: as upstream; the file is written in the thread of the signals, 64 KiB at a time.
    Rules: §1.3, §3.16.
    Elsewhere: none.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from reactivestreams import Stream
        >>> from reactivestreams.testing import replay
        >>> folder = tempfile.TemporaryDirectory()
        >>> numbers = Stream.just(1, 2, 3).recorded(Path(folder.name, "numbers.rsr")).map(lambda n: n * n)
        >>> numbers.to_list()
        [1, 4, 9]
        >>> replay(Path(folder.name, "numbers.rsr"), numbers, to=3).results
        [1, 4]
        >>> folder.cleanup()
    """

    id = "rx://operators/recorded"
    method = "recorded"
    serializable = False

    @staticmethod
    def parameters(
        path: str | os.PathLike[str],
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        keep: Kept = "oldest",
    ) -> Checked[T]:
        """Return the checked parameters."""
        given: object = path
        name = os.fspath(given) if isinstance(given, os.PathLike) else given
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"recorded(path) needs the path of a file, got {path!r} ({type(path).__name__}); pass a string or a "
                f"Path, such as 'orders.rsr'"
            )
        max_bytes = checked_count(
            max_bytes, operator="recorded", name="max_bytes", at_least=LEAST_BYTES, at_most=MOST_BYTES
        )
        if keep not in get_args(Kept):
            raise ArgumentError(
                f"recorded(keep) must be one of {', '.join(get_args(Kept))}, got {keep!r}; pass 'newest' to have the "
                f"last signals of a long run, or 'oldest' to replay operators that have state"
            )
        return Checked((str(Path(name)), max_bytes, keep))

    @staticmethod
    def stage(path: str, max_bytes: int, keep: str) -> RecordStage:
        """Return a new live stage."""
        return RecordStage(path, max_bytes, keep == "newest", head_of, dict(default_registry.by_class))
