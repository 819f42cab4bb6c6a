"""A process that lets its user look into its streams from outside: by a signal, and by a socket of its user's.

The socket lies in a folder that only the user may enter. Who connects gets a text in JSON, and cannot send anything.
A daemon thread answers, so that a main thread that is blocked does not matter; the handler of the signal only wakes it.
"""

import json
import os
import signal
import socket
import stat
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Self

from reactivestreams.arguments import checked_count, checked_timeout
from reactivestreams.inspection.errors import InspectionError
from rs_core.inspection.report import explain
from rs_core.inspection.running import running
from rs_core.inspection.stalls import diagnose

__all__ = ["Inspection", "allow_inspection", "ask_process", "user_folder"]

MOST_STREAMS = 1_000
"""How many streams an answer has at most."""

MOST_STAGES = 200
"""How many nodes of a stream an answer has at most; those at its end."""

ANSWER_SECONDS = 5.0
"""How long the process waits for who asks and does not read."""

MOST_ANSWER_BYTES = 256 * 1024 * 1024
"""How large an answer may be that `ask_process` reads."""

_SIGNALLED = b"s"
_CLOSED = b"c"

_REMEDY = "call reactivestreams.inspection.allow_inspection() in that program when it starts"


class Inspection:
    """A process lets its user look into its streams until `close`; made by `allow_inspection`, a context manager."""

    def __init__(self, *, by_signal: bool) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise InspectionError(
                "allow_inspection() needs sockets in files, which this system does not have; call explain() and "
                "diagnose() of running() in the program itself"
            )
        self._process = os.getpid()
        self._path = user_folder(makes=True) / f"{self._process}.socket"
        self._path.unlink(missing_ok=True)  # of an earlier process with this number
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(self._path))
        self._path.chmod(0o600)  # before listen(): nobody has connected yet
        self._server.listen(4)
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._is_closed = False
        self._earlier: Any = None
        self._has_handler = False
        if by_signal and hasattr(signal, "SIGUSR1") and threading.current_thread() is threading.main_thread():
            self._earlier = signal.signal(signal.SIGUSR1, self._on_signal)
            self._has_handler = True
        self._thread = threading.Thread(target=self._serve, name="reactivestreams-inspection", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """The socket."""
        return self._path

    def close(self) -> None:
        """Let nobody look in any more: restore the signal, delete the socket, end the thread. Idempotent."""
        if self._is_closed or os.getpid() != self._process:  # in a forked child all of it is the parent's
            return
        self._is_closed = True
        if self._has_handler and signal.getsignal(signal.SIGUSR1) == self._on_signal:
            signal.signal(signal.SIGUSR1, self._earlier)
        self._wake.setblocking(True)
        self._wake.send(_CLOSED)
        self._thread.join()
        for each in (self._server, self._wake, self._woken):
            each.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        with suppress(BlockingIOError):  # many wait already
            self._wake.send(_SIGNALLED)
        if callable(self._earlier):
            self._earlier(number, frame)

    def _serve(self) -> None:
        import selectors

        with selectors.DefaultSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._server:
                        self._answer()
                        continue
                    news = self._woken.recv(4096)
                    if _SIGNALLED in news:
                        _print_all()
                    if _CLOSED in news:
                        return

    def _answer(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            connection.settimeout(ANSWER_SECONDS)
            with suppress(OSError):  # who asked has gone, or does not read
                connection.sendall(json.dumps(_told()).encode())


def allow_inspection(*, by_signal: bool = True) -> Inspection:
    """Let the user of this process look into its streams from outside, until `close` of what it returns.

    `python -m reactivestreams doctor --pid N` then shows which streams run, what each node waits for, and why those
    stand still that do; so does the signal SIGUSR1, on stderr. Nothing is counted for it, and streams pay nothing.

    Args:
        by_signal: Whether SIGUSR1 is handled, too; an earlier handler is called as well. Only the main thread can set
            it, so elsewhere, and where a system has no such signal, only the socket is there.

    Raises:
        InspectionError: The system has no sockets in files, or the folder for them belongs to somebody else.

    Threads: any; one daemon thread answers.

    Example:
        >>> import os
        >>> from reactivestreams.inspection import allow_inspection, ask_process
        >>> with allow_inspection(by_signal=False):
        ...     ask_process(os.getpid())["process"] == os.getpid()
        True
    """
    return Inspection(by_signal=by_signal)


def ask_process(process: int, *, timeout_seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
    """Return what the streams of a process of the same user wait for.

    Args:
        process: Its number, from 1.
        timeout_seconds: The maximum time to wait for each part of its answer.

    Returns:
        `process`; `time`, in seconds since 1970; `streams`; `more_streams`, how many there are besides. A stream has
        its `number`, which is the same as long as it runs; `stages`, as `StageReport.to_dict` has them; `more_stages`,
        how many there are besides; `stalls`, as `Stall.to_dict` has them; and `text`.

    Raises:
        InspectionError: There is no such process, it is another user's, it has not opted in, or does not answer.
        ArgumentError: The number is not positive, or the time is negative.
        ArgumentTypeError: One of them is no number.
    """
    number = checked_count(process, operator="ask_process", name="process", at_least=1)
    timeout = checked_timeout(timeout_seconds, operator="ask_process")
    _require_process(number)
    path = user_folder(makes=False) / f"{number}.socket"
    parts: list[bytes] = []
    size = 0
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            connection.connect(str(path))
            while part := connection.recv(65_536):
                parts.append(part)
                size += len(part)
                if size > MOST_ANSWER_BYTES:
                    raise InspectionError(
                        f"process {number} answers with more than {MOST_ANSWER_BYTES:,} bytes; ask less"
                    )
    except FileNotFoundError:
        raise InspectionError(f"process {number} has not opted in: there is no {path}; {_REMEDY}") from None
    except ConnectionRefusedError:
        raise InspectionError(
            f"process {number} does not listen: {path} is left of an earlier process with this number; {_REMEDY}"
        ) from None
    except PermissionError:
        raise InspectionError(f"process {number}: {path} is another user's; ask as that user") from None
    except TimeoutError:
        raise InspectionError(
            f"process {number} has not answered within {timeout_seconds} seconds; it is stopped, or a thread of it "
            f"keeps the GIL: look with a debugger such as py-spy or gdb"
        ) from None
    try:
        told: dict[str, Any] = json.loads(b"".join(parts))
    except ValueError:
        raise InspectionError(f"process {number} has ended while it answered; ask again if it still runs") from None
    return told


def _require_process(number: int) -> None:
    try:
        os.kill(number, 0)
        owner = _owner_of(number)
    except (ProcessLookupError, FileNotFoundError, OverflowError):
        raise InspectionError(f"there is no process {number}; look with ps for the one you mean") from None
    except PermissionError:
        raise InspectionError(f"process {number} is another user's; ask as that user") from None
    if owner not in (None, os.getuid()):
        raise InspectionError(f"process {number} is of user {owner}, not of {os.getuid()}; ask as that user")


def _owner_of(number: int) -> int | None:
    """Return the user of a process; None: this system does not say."""
    return Path(f"/proc/{number}").stat().st_uid if Path("/proc/self").exists() else None


def user_folder(*, makes: bool) -> Path:
    """Return the folder of this user's sockets and of what engines say, which only the user may enter."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    above = Path(given) if given else Path(tempfile.gettempdir())
    if sys.platform == "win32":
        return above  # the folder for temporary files is the user's own there
    folder = above / f"reactivestreams-{os.getuid()}"
    if makes:
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return folder
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise InspectionError(
            f"{folder} has to be a folder of user {os.getuid()} that nobody else may enter; delete it, or set "
            f"XDG_RUNTIME_DIR to another folder"
        )
    return folder


def _told() -> dict[str, Any]:
    streams: list[dict[str, Any]] = []
    ends = running()
    for end in ends[:MOST_STREAMS]:
        report = explain(end)
        stalls = diagnose(report)
        table = str(report).splitlines()[: MOST_STAGES + 1]
        more_stages = max(0, len(report.stages) - MOST_STAGES)
        if more_stages:
            table.append(f"... and {more_stages} more nodes")
        streams.append(
            {
                "number": id(end),
                "stages": [stage.to_dict() for stage in report.stages[:MOST_STAGES]],
                "more_stages": more_stages,
                "stalls": [stall.to_dict() for stall in stalls],
                "text": "\n".join([*table, *(str(stall) for stall in stalls)]),
            }
        )
    return {
        "process": os.getpid(),
        "time": time.time(),
        "streams": streams,
        "more_streams": max(0, len(ends) - MOST_STREAMS),
    }


def _print_all() -> None:
    """Print what runs on stderr; what fails here must not end the thread."""
    try:
        told = _told()
        texts = [each["text"] for each in told["streams"]] or ["no stream runs"]
        heading = f"process {told['process']}, {len(told['streams'])} streams"
        sys.stderr.write("\n\n".join([heading, *texts]) + "\n")
        sys.stderr.flush()
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
