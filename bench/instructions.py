"""Counts the instructions of the kernels and compares them with the stored counts: python -m bench.instructions.

Times vary by a tenth on a shared machine, counts of instructions do not, whatever else the machine does. They depend on
interpreter, compiler and valgrind, so they are stored for each combination of these. And they depend on chance: names
may collide in a dictionary, a pool of the allocator may be given back and fetched again with every operation. So each
kernel is counted in some layouts of memory, and its smallest count is taken.

Exit status: 0 all within the limit, 1 a kernel needs more, 2 nothing could be counted, 3 nothing stored.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.conditions import CHECKOUT, wrong_profile
from bench.instruction_kernels import KINDS, hot_paths
from rs_core import build_profile
from tests.native.compiling import compile_harnesses

STORED = Path(__file__).with_name("instructions.json")
MARKS = Path(__file__).with_name("callgrind_marks.pyx")
MOST_GROWTH = 0.02
"""By which part a count may exceed the stored one."""

LAYOUTS = 6
"""In how many layouts of memory each kernel is counted."""

GREW, CANNOT_COUNT, NOT_STORED = 1, 2, 3
LONGEST_RUN_SECONDS = 600

Counts = dict[str, float]
"""Instructions of one operation, by the kernel's name."""


class CannotCountError(Exception):
    """Something that counting needs is missing; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Change:
    """A kernel, counted now and earlier; `stored` is None for a new one."""

    name: str
    counted: float
    stored: float | None

    @property
    def growth(self) -> float | None:
        return None if self.stored is None else self.counted / self.stored - 1

    @property
    def verdict(self) -> str:
        if self.stored is None:
            return "new"
        if self.counted > self.stored * (1 + MOST_GROWTH):
            return "GREW"
        return "shrank" if self.counted < self.stored * (1 - MOST_GROWTH) else "same"


def changes(counted: Mapping[str, float], stored: Mapping[str, float]) -> list[Change]:
    """Return how each kernel has changed; one that is stored and no longer counted is an error.

    Raises:
        CannotCountError: A stored kernel was not counted.
    """
    gone = sorted(stored.keys() - counted.keys())
    if gone:
        raise CannotCountError(f"stored, but not counted: {', '.join(gone)}; store the counts anew with --store")
    return [Change(name, count, stored.get(name)) for name, count in counted.items()]


def environment(valgrind: str) -> str:
    """Return what counts depend on."""
    return (
        f"{platform.python_implementation()} {platform.python_version()} ({platform.python_compiler()}), "
        f"core by {build_profile.COMPILER} and Cython {build_profile.CYTHON}, {platform.machine()}, {valgrind}"
    )


def valgrind_version() -> str:
    """Return the version of valgrind.

    Raises:
        CannotCountError: It is not installed.
    """
    if shutil.which("valgrind") is None:
        raise CannotCountError("valgrind is missing; on Debian and Ubuntu: apt-get install valgrind")
    return subprocess.run(["valgrind", "--version"], check=True, capture_output=True, text=True).stdout.strip()


def counted_dumps(folder: Path) -> dict[str, int]:
    """Read what callgrind wrote: the instructions between the marks, by name.

    Raises:
        CannotCountError: A dump has a name but no total.
    """
    counts = {}
    for path in sorted(folder.glob("callgrind.*")):
        text = path.read_text(encoding="utf-8", errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        if name is None:
            continue
        total = re.search(r"^(?:totals|summary): (\d+)$", text, re.MULTILINE)
        if total is None:
            raise CannotCountError(f"callgrind wrote no total for {name[1]!r}; run again")
        counts[name[1]] = int(total[1])
    return counts


def count(kind: str = "hot_paths", layouts: int = LAYOUTS) -> Counts:
    """Run all kernels of a kind under valgrind, in layouts of memory; return the fewest instructions of one operation.

    Raises:
        CannotCountError: Something is missing, or valgrind failed.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        compile_harnesses([MARKS], folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return fewest(list(pool.map(partial(count_in_layout, kind, folder), range(layouts))))


def count_in_layout(kind: str, marks: Path, layout: int) -> Counts:
    """Run all kernels of a kind under valgrind once; return the instructions of one operation of each.

    Args:
        kind: Which kernels.
        marks: The folder of the compiled marks; dumps are written to one below it.
        layout: The seed of hashes, and how many objects of each size are in memory beside those of the kernels.

    Raises:
        CannotCountError: Valgrind failed, or counted too little.
    """
    dumps = marks / f"layout_{layout}"
    dumps.mkdir()
    finished = subprocess.run(
        [
            "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={dumps}/callgrind",
            sys.executable, "-m", "bench.instruction_kernels", kind, str(marks), str(layout),
        ],
        cwd=CHECKOUT,
        # The fewer variables, the less they move what is counted.
        env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": str(layout), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_SECONDS,
        check=False,
    )  # fmt: skip
    if finished.returncode != 0:
        raise CannotCountError(f"valgrind ended with status {finished.returncode}:\n{finished.stderr[-2000:]}")
    totals, expected = counted_dumps(dumps), KINDS[kind]()
    missing = [kernel.name for kernel in expected if kernel.name not in totals]
    if missing:
        raise CannotCountError(f"callgrind counted nothing for {', '.join(missing)}; run again")
    return {kernel.name: round(totals[kernel.name] / kernel.operations, 1) for kernel in expected}


def fewest(counted: Sequence[Counts]) -> Counts:
    """Return the smallest count of each kernel."""
    return {name: min(counts[name] for counts in counted) for name in counted[0]}


def stored_counts() -> dict[str, Counts]:
    """Return what is stored, by environment."""
    if not STORED.exists():
        return {}
    loaded: dict[str, Counts] = json.loads(STORED.read_text(encoding="utf-8"))
    return loaded


def store(where: str, counted: Counts) -> None:
    """Store counts in place of those of the same environment."""
    everything = {**stored_counts(), where: counted}
    STORED.write_text(json.dumps(dict(sorted(everything.items())), indent=2) + "\n", encoding="utf-8")


def print_changes(found: Sequence[Change]) -> None:
    """Print a line for each kernel."""
    width = max(len(change.name) for change in found)
    print(f"{'kernel':<{width}}  instructions    stored   change  verdict")
    for change in found:
        stored = "-" if change.stored is None else f"{change.stored:.1f}"
        growth = "-" if change.growth is None else f"{change.growth:+.2%}"
        print(f"{change.name:<{width}}  {change.counted:>12.1f}  {stored:>8}  {growth:>7}  {change.verdict}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, compare, print, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.instructions", description="Count the instructions of one operation of each kernel."
    )
    parser.add_argument("--store", action="store_true", help="store the counts instead of comparing them")
    options = parser.parse_args(arguments)
    refusal = wrong_profile()
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return CANNOT_COUNT
    try:
        where = environment(valgrind_version())
        print(f"counting the instructions of {len(hot_paths())} kernels: half a minute", file=sys.stderr, flush=True)
        counted = count()
        if options.store:
            store(where, counted)
        found = changes(counted, stored_counts().get(where, {}))
    except CannotCountError as error:
        print(error, file=sys.stderr)
        return CANNOT_COUNT
    print_changes(found)
    print(where)
    if all(change.stored is None for change in found):
        print("nothing is stored for this environment; store these with python -m bench.instructions --store")
        return NOT_STORED
    grown = [change.name for change in found if change.verdict == "GREW"]
    if grown:
        print(f"more than {MOST_GROWTH:.0%} above the stored count: {', '.join(grown)}; find out why, or --store")
        return GREW
    print(f"no kernel is more than {MOST_GROWTH:.0%} above its stored count")
    return 0


if __name__ == "__main__":
    sys.exit(main())
