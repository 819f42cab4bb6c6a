"""Tail a log into windows: count the errors of every ten requests while another program writes them.

The generator waits at the end of the file, as `tail -f` does. It reads a line only when one is requested, so a slow
consumer never lets lines pile up: they stay in the file.

Prints:
    10 requests, 2 errors
    10 requests, 1 error
    5 requests, 1 error
"""

import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from reactivestreams import Stream

STATUS = [500 if number in (3, 7, 11, 22) else 200 for number in range(25)]


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file that grows, until the line `end`."""
    with path.open() as file:
        read = ""
        while read != "end\n":
            read += file.readline()
            if not read.endswith("\n"):  # the line is not whole yet
                time.sleep(0.01)
            elif read != "end\n":
                yield read.rstrip("\n")
                read = ""


def serve(path: Path) -> None:
    """Write the log, as a server does: a line now and then."""
    with path.open("a") as log:
        for status in STATUS:
            print(f"GET /index.html {status}", file=log, flush=True)
            time.sleep(0.001)
        print("end", file=log)


def report(window: list[int]) -> str:
    errors = sum(status >= 500 for status in window)
    return f"{len(window)} requests, {errors} error{'' if errors == 1 else 's'}"


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "access.log")
    path.touch()
    server = threading.Thread(target=serve, args=[path])
    server.start()
    statuses = Stream.from_iterable(lines(path)).map(lambda line: int(line.split()[-1]))
    statuses.buffer(10).map(report).for_each(print)
    server.join()
