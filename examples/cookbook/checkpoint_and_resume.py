"""Save the state of a running stream, and let another process go on with it.

Only values are saved, with the names and versions of the operators: loading never runs code. An engine does this by
itself, with the results in the same transaction; see `examples/engine_totals.py`.

Prints:
    first run: [1, 3, 6]
    second run: [10, 15]
"""

import multiprocessing
import tempfile
from pathlib import Path

from reactivestreams import BaseSubscriber, Stream
from reactivestreams.state import load_tree, save_tree


class Collecting(BaseSubscriber[int]):
    """Keep what comes; the program requests."""

    def __init__(self) -> None:
        self.results: list[int] = []

    def hook_on_subscribe(self) -> None:
        pass

    def hook_on_next(self, element: int) -> None:
        self.results.append(element)


def totals() -> Stream[int]:
    return Stream.range(1, 6).scan(lambda total, number: total + number, 0)


def run(name: str, path: Path, count: int) -> None:
    subscriber = Collecting()
    handle = totals().bind(subscriber)
    if path.exists():
        load_tree(handle, path.read_bytes())
    handle.initialize()
    handle.request(count)
    path.write_bytes(save_tree(handle))
    print(f"{name}: {subscriber.results}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state")
        for name, count in (("first run", 3), ("second run", 10)):
            process = multiprocessing.get_context("spawn").Process(target=run, args=[name, path, count])
            process.start()
            process.join()
