"""The ingress from a folder of files that come whole, such as those that another engine writes."""

import os
import threading
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO

from reactivestreams.arguments import checked_count
from reactivestreams.engine.appended_file import MAX_LINE_BYTES
from reactivestreams.engine.errors import IngressGapError
from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL, Ingress
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["LinesFolder"]


class LinesFolder(Ingress):
    r"""Send the lines of the files in a folder, one file after the other in the order of their names.

    Whoever writes makes each file whole: under another name that is not taken, or in another folder, and renames it.
    Each new name comes after those before, as those with a growing number of fixed width or a time do; so the results
    of a `JsonLinesFolder` can be read. A file whose name comes before one that was read, or one that is gone before it
    was read to its end, ends the ingress with IngressGapError, since nobody knows what is lost.

    Args:
        folder: The folder; it may be made later.
        pattern: Which names are taken, as in `*.jsonl`.
        follow: Whether to wait for more files; False: the ingress ends behind the last one.
        deletes: Whether a file is deleted when a stored checkpoint contains all of its lines and one of a later file.
        max_line_bytes: How long a line may be, from 1.
        poll_interval: After how long the folder is looked at again.

    Raises:
        ArgumentTypeError: The folder is no path, the pattern no text, or the interval no timedelta.
        ArgumentError: The interval is not positive, or a number out of its bounds.

    State: the name of the file, the offset after the last line that was read, and how many files came before.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> _ = (Path(folder.name) / "batch-1.jsonl").write_text("1\n2\n")
        >>> _ = (Path(folder.name) / "batch-2.jsonl").write_text("3\n")
        >>> numbers = LinesFolder(folder.name, pattern="*.jsonl")
        >>> numbers.open(0, None)
        >>> numbers.read(9)
        [(1, '1'), (2, '2'), (3, '3')]
        >>> numbers.close()
        >>> folder.cleanup()
    """

    def __init__(
        self,
        folder: "str | os.PathLike[str]",
        *,
        pattern: str = "*",
        follow: bool = True,
        deletes: bool = False,
        max_line_bytes: int = MAX_LINE_BYTES,
        poll_interval: timedelta = DEFAULT_POLL_INTERVAL,
    ) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise ArgumentTypeError(
                f"LinesFolder(folder) needs a path, got {folder!r} ({type(folder).__name__}); pass e.g. 'results'"
            )
        if not isinstance(pattern, str):
            raise ArgumentTypeError(
                f"LinesFolder(pattern) needs a text, got {pattern!r} ({type(pattern).__name__}); pass e.g. '*.jsonl'"
            )
        if not isinstance(poll_interval, timedelta):
            raise ArgumentTypeError(
                f"LinesFolder(poll_interval) needs a timedelta, got {poll_interval!r} "
                f"({type(poll_interval).__name__}); pass e.g. timedelta(seconds=1)"
            )
        if poll_interval <= timedelta():
            raise ArgumentError(f"LinesFolder(poll_interval) needs a time above 0, got {poll_interval}; pass one")
        self.folder: Path = Path(folder)
        self.poll_interval: timedelta = poll_interval
        self._pattern = pattern
        self._follow = follow
        self._deletes = deletes
        self._max_line_bytes = checked_count(
            max_line_bytes, operator="LinesFolder", name="max_line_bytes", at_least=1, at_most=2**30
        )
        self._lock = threading.Lock()
        self._ends: list[tuple[int, str]] = []  # the files that were read to their end, with their last positions
        self._file: BinaryIO | None = None
        self._name = ""
        self._offset = 0
        self._count = 0
        self._position = 0

    def open(self, position: int, bookmark: Any) -> None:
        """Find the file again in which the line of a position lies, and the place after it."""
        self._position = position
        self._name, self._offset, self._count = bookmark or ("", 0, 0)
        self._file = None
        before = [name for name in self._names() if name < self._name]
        if len(before) > self._count:
            raise self._late(f"one of {', '.join(before[:5])}")
        with self._lock:
            self._ends = [(position - 1, name) for name in before]  # the bookmark names a later file
        if self._name:
            try:
                file = (self.folder / self._name).open("rb")
            except FileNotFoundError:
                raise IngressGapError(
                    f"{self.folder / self._name}, of which {self._offset} bytes were read, is gone, so that lines may "
                    f"be lost; put it back, or delete this artifact and define it again"
                ) from None
            if os.fstat(file.fileno()).st_size < self._offset:
                file.close()
                raise IngressGapError(
                    f"{self.folder / self._name} was read up to byte {self._offset} and is shorter now, so that lines "
                    f"may be lost; make each file whole before it gets its name, then delete this artifact and define "
                    f"it again"
                )
            file.seek(self._offset)
            self._file = file

    def _names(self) -> list[str]:
        try:
            return sorted(each.name for each in os.scandir(self.folder) if self._is_taken(each))
        except FileNotFoundError:
            return []

    def _is_taken(self, entry: "os.DirEntry[str]") -> bool:
        return fnmatchcase(entry.name, self._pattern) and entry.is_file()

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next lines."""
        lines: list[tuple[int, Any]] = []
        while len(lines) < max_elements:
            if self._file is None and not self._next_file():
                break
            line = self._next_line()
            if line is not None:
                self._position += 1
                lines.append((self._position, line))
        if not lines and not self._follow:
            return None
        return lines

    def _next_file(self) -> bool:
        """Go on at the beginning of the next file; False: there is none yet."""
        names = self._names()
        with self._lock:
            read = {name for _, name in self._ends}
        late = [name for name in names if name < self._name and name not in read]
        if late:
            raise self._late(late[0])
        following = next((name for name in names if name > self._name), None)
        if following is None:
            return False
        self._file = (self.folder / following).open("rb")
        self._count += bool(self._name)
        self._name = following
        self._offset = 0
        return True

    def _late(self, name: str) -> IngressGapError:
        return IngressGapError(
            f"{self.folder}: {name} came later than {self._name}, which was read, and its name comes before; give each "
            f"new file a name that comes after those before, then delete this artifact and define it again"
        )

    def _next_line(self) -> str | None:
        """Return the next line; None: the end of the file is reached."""
        file = self._file
        assert file is not None  # read() has opened it
        line = file.readline(self._max_line_bytes + 1)
        if len(line) > self._max_line_bytes and not line.endswith(b"\n"):
            raise IngressGapError(
                f"{self.folder / self._name}, byte {self._offset}: a line is longer than max_line_bytes="
                f"{self._max_line_bytes}; raise that where the LinesFolder is made"
            )
        self._offset += len(line)
        if line:
            return line.removesuffix(b"\n").decode("utf-8", "backslashreplace")
        self._file = None
        file.close()
        with self._lock:
            self._ends.append((self._position, self._name))
        return None

    @property
    def bookmark(self) -> Any:
        """The name of the file, the offset in it, and how many came before; None before the first one."""
        return (self._name, self._offset, self._count) if self._name else None

    def acknowledge(self, position: int) -> None:
        """Delete the files that come before that of a position, if that is asked for."""
        if not self._deletes:
            return
        with self._lock:
            # The bookmark of a last line names its file still, wherever this has come since.
            ended = [name for last, name in self._ends if last < position]
            for name in ended:
                (self.folder / name).unlink(missing_ok=True)
            self._ends = [each for each in self._ends if each[1] not in ended]

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def __repr__(self) -> str:
        return f"LinesFolder({str(self.folder)!r}, pattern={self._pattern!r})"
