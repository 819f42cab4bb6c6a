"""The ingress from a file that is appended to, such as a log, through its rotations."""

import os
import zlib
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from reactivestreams.arguments import checked_count
from reactivestreams.engine.errors import IngressGapError
from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL, Ingress
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["AppendedFile"]

MAX_LINE_BYTES = 2**20
"""How long a line may be by default, in bytes."""

FINGERPRINT_BYTES = 256
"""How much of the beginning of a file tells it from another one that got its number."""


class AppendedFile(Ingress):
    r"""Send the lines of a file that other programs append to; go on in the next one when it is rotated.

    A line is an element when its line feed is written; it is sent as text without that. A file is rotated by renaming
    it, to a name that begins with its own, such as `requests.log.1`, and making a new one. What was renamed while the
    engine did not run is found by its number in the file system and its beginning, as long as it lies in the same
    folder and was not compressed; the first file is the one that has the name when a first line is read. A file that
    became shorter, or that is gone, ends the ingress with IngressGapError, since nobody knows what is lost.

    Args:
        path: The file; it may be made later.
        follow: Whether to wait for more lines at its end; False: the ingress ends there.
        encoding: Of the text. Bytes that do not belong to it are written as `\xNN`.
        max_line_bytes: How long a line may be, from 1.
        poll_interval: After how long it is looked at again.

    Raises:
        ArgumentTypeError: The path is no path, or the interval no timedelta.
        ArgumentError: The interval is not positive, the encoding is not known, or a number out of its bounds.

    State: the number of the file, its beginning, and the offset after the last line that was read.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name) / "requests.log"
        >>> _ = path.write_text("GET /\nGET /favicon.ico\nGET /un")
        >>> requests = AppendedFile(path)
        >>> requests.open(0, None)
        >>> requests.read(9)
        [(1, 'GET /'), (2, 'GET /favicon.ico')]
        >>> requests.close()
        >>> folder.cleanup()
    """

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        *,
        follow: bool = True,
        encoding: str = "utf-8",
        max_line_bytes: int = MAX_LINE_BYTES,
        poll_interval: timedelta = DEFAULT_POLL_INTERVAL,
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ArgumentTypeError(
                f"AppendedFile(path) needs a path, got {path!r} ({type(path).__name__}); pass e.g. 'requests.log'"
            )
        if not isinstance(poll_interval, timedelta):
            raise ArgumentTypeError(
                f"AppendedFile(poll_interval) needs a timedelta, got {poll_interval!r} "
                f"({type(poll_interval).__name__}); pass e.g. timedelta(seconds=1)"
            )
        if poll_interval <= timedelta():
            raise ArgumentError(f"AppendedFile(poll_interval) needs a time above 0, got {poll_interval}; pass one")
        try:
            "".encode(encoding)
        except LookupError:
            raise ArgumentError(
                f"AppendedFile(encoding) needs an encoding that Python knows, got {encoding!r}; pass e.g. 'utf-8'"
            ) from None
        self.path: Path = Path(path)
        self.poll_interval: timedelta = poll_interval
        self._follow = follow
        self._encoding = encoding
        self._max_line_bytes = checked_count(
            max_line_bytes, operator="AppendedFile", name="max_line_bytes", at_least=1, at_most=2**30
        )
        self._file: BinaryIO | None = None
        self._position = 0
        self._offset = 0
        self._fingerprint = (0, 0)  # how many bytes, and their checksum
        self._has_seen_next = False

    def open(self, position: int, bookmark: Any) -> None:
        """Find the file again in which the line of a position lies, and the place after it."""
        self._position = position
        self._offset = 0
        self._has_seen_next = False
        if bookmark is not None:
            number, offset, size, checksum = bookmark
            self._file = self._find(number, offset, (size, checksum))
            self._fingerprint = (size, checksum)
            self._offset = offset
            self._file.seek(offset)

    def _find(self, number: int, offset: int, fingerprint: tuple[int, int]) -> BinaryIO:
        for path in [self.path, *self._siblings()]:
            with suppress(FileNotFoundError):
                file = path.open("rb")
                if os.fstat(file.fileno()).st_ino == number and _checksum(file, fingerprint[0]) == fingerprint[1]:
                    if os.fstat(file.fileno()).st_size >= offset:
                        return file
                    file.close()
                    raise self._shortened(path, offset)
                file.close()
        raise IngressGapError(
            f"the file in which {self!r} read up to byte {offset} (its number was {number}) is neither {self.path} nor "
            f"beside it; put it back under a name that begins with {self.path.name!r}, uncompressed, or delete this "
            f"artifact and define it again"
        )

    def _siblings(self) -> list[Path]:
        """Return what the file may have been renamed to, the oldest first."""
        found: list[tuple[int, Path]] = []
        for path in self.path.parent.glob(f"{_escaped(self.path.name)}?*"):
            with suppress(FileNotFoundError):
                if path.is_file():
                    found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]

    def _shortened(self, path: Path, offset: int) -> IngressGapError:
        return IngressGapError(
            f"{path} was read up to byte {offset} and is shorter now, so that lines may be lost; rotate it by renaming "
            f"it, not by truncating, then delete this artifact and define it again"
        )

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next lines."""
        lines: list[tuple[int, Any]] = []
        while len(lines) < max_elements:
            if self._file is None and not self._open_first():
                break
            line = self._next_line()
            if line is None:
                if not self._next_file():
                    break
                continue
            self._position += 1
            lines.append((self._position, line))
        if not lines and not self._follow:
            return None
        return lines

    def _open_first(self) -> bool:
        with suppress(FileNotFoundError):
            self._take(self.path.open("rb"))
            return True
        return False

    def _take(self, file: BinaryIO) -> None:
        """Go on at the beginning of a file."""
        before, self._file = self._file, file
        if before is not None:
            before.close()
        self._offset = 0
        self._fingerprint = (0, 0)
        self._has_seen_next = False

    def _next_line(self) -> str | None:
        """Return the next line; None: the end is reached."""
        file = self._file
        assert file is not None  # read() has opened it
        line = file.readline(self._max_line_bytes + 1)
        is_last_of_renamed = self._has_seen_next and line and not line.endswith(b"\n")
        if len(line) > self._max_line_bytes and not line.endswith(b"\n"):
            raise IngressGapError(
                f"{self.path}, byte {self._offset}: a line is longer than max_line_bytes={self._max_line_bytes}; raise "
                f"that where the AppendedFile is made"
            )
        if not line.endswith(b"\n") and not is_last_of_renamed:
            file.seek(self._offset)
            if os.fstat(file.fileno()).st_size < self._offset:
                raise self._shortened(self.path, self._offset)
            return None
        self._offset += len(line)
        if self._fingerprint[0] < FINGERPRINT_BYTES:
            size = min(self._offset, FINGERPRINT_BYTES)
            self._fingerprint = (size, _checksum(file, size))
            file.seek(self._offset)
        return line.removesuffix(b"\n").decode(self._encoding, "backslashreplace")

    def _next_file(self) -> bool:
        """Go on in the file that came after this one; False: there is none yet.

        Whoever writes may write a last line to a file that was renamed; so its end is looked at once more.
        """
        file = self._file
        assert file is not None  # its end is reached
        number = os.fstat(file.fileno()).st_ino
        following = self._following(number)
        if following is None:
            self._has_seen_next = False
            return False
        if not self._has_seen_next:
            self._has_seen_next = True
            return False
        with suppress(FileNotFoundError):
            self._take(following.open("rb"))
            return True
        return False

    def _following(self, number: int) -> Path | None:
        """Return the file that was made after the one with a number: the oldest that is younger."""
        try:
            if self.path.stat().st_ino == number:
                return None
        except FileNotFoundError:
            return None  # it was renamed, and the new one is not there yet
        names = [*self._siblings(), self.path]
        for place, path in enumerate(names):
            with suppress(FileNotFoundError):
                if path.stat().st_ino == number:
                    return names[place + 1]
        return self.path  # it was deleted since

    @property
    def bookmark(self) -> Any:
        """The number of the file, the offset in it, and its beginning; None before the first line."""
        if self._file is None or self._position == 0:
            return None
        return (os.fstat(self._file.fileno()).st_ino, self._offset, *self._fingerprint)

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def __repr__(self) -> str:
        return f"AppendedFile({str(self.path)!r})"


def _checksum(file: BinaryIO, size: int) -> int:
    file.seek(0)
    return zlib.crc32(file.read(size))


def _escaped(name: str) -> str:
    """Return a name as a pattern that only it matches."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
