"""Runs random streams in whose callbacks random things happen; see tests/fuzz/case.py.

python -m tests.fuzz [--minutes M] [--seed N] [--threads N] [--case N] [--failing-memory]

The cases run in processes of their own, so that a crash or a hang is a finding, too: it names the case, which can be
repeated alone.
"""

import argparse
import asyncio
import faulthandler
import mmap
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from tests.contracts.loop_thread import LoopThread
from tests.fuzz.case import Case, FindingError
from tests.fuzz.failing_memory import run_without_memory

BATCH_CASES = 500
HANG_SECONDS = 90
LEAKS_EVERY = 25
NUMBER_BYTES = 8


def run_case(options: argparse.Namespace, number: int, loop: asyncio.AbstractEventLoop) -> None:
    """Run a case; raise a FindingError for what it finds."""
    if options.failing_memory:
        run_without_memory(options.seed, number, loop)
        return
    case = Case(options.seed, number, loop, options.threads)
    case.run()
    if number % LEAKS_EVERY == 0 and options.threads == 1 and not case.needs_loop:
        case.check_leak()


def run_batch(options: argparse.Namespace, first: int) -> int:
    """Run cases in this process, and note which one runs where the parent reads it."""
    faulthandler.enable()
    with (
        Path(options.note).open("r+b") as file,
        mmap.mmap(file.fileno(), NUMBER_BYTES) as note,
        LoopThread(may_lose_tasks=options.failing_memory) as thread,
    ):
        for number in range(first, first + BATCH_CASES):
            note[:] = number.to_bytes(NUMBER_BYTES, "little")
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            try:
                run_case(options, number, thread.loop)
            except FindingError as finding:
                print(f"FOUND: {finding}", flush=True)
                return 1
    faulthandler.cancel_dump_traceback_later()
    return 0


def supervise(options: argparse.Namespace) -> int:
    """Run batches one after the other until the time is over or one finds something."""
    begun = monotonic()
    end = "\r" if sys.stderr.isatty() else "\n"
    kind = "failing memory" if options.failing_memory else f"{options.threads} thread{'s' * (options.threads > 1)}"
    with tempfile.NamedTemporaryFile() as note:
        note.write(bytes(NUMBER_BYTES))
        note.flush()
        first = options.first
        while True:
            command = [
                sys.executable,
                "-m",
                "tests.fuzz",
                "--seed",
                str(options.seed),
                "--threads",
                str(options.threads),
            ]
            command += ["--failing-memory"] * options.failing_memory
            child = subprocess.run(
                [*command, "--batch", str(first), "--note", note.name],
                capture_output=True,
                text=True,
                check=False,
            )
            if child.returncode:
                number = int.from_bytes(Path(note.name).read_bytes(), "little")
                print(child.stdout + child.stderr[-6000:])
                if "FOUND" not in child.stdout:
                    print(
                        f"FOUND: case {number} ended its process with {child.returncode}\n  again: "
                        f"{' '.join(command[1:])} --case {number}"
                    )
                return 1
            first += BATCH_CASES
            spent = monotonic() - begun
            print(
                f"{kind}: {first - options.first:,} cases, {spent:,.0f} s of {options.minutes * 60:,.0f}",
                file=sys.stderr,
                end=end,
                flush=True,
            )
            if spent >= options.minutes * 60:
                break
    print(f"{kind}: {first - options.first:,} cases of seed {options.seed}, nothing found")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default 1)")
    parser.add_argument("--seed", type=int, default=20130101, help="of all choices (default 20130101)")
    parser.add_argument("--threads", type=int, default=1, help="how many act at once (default 1)")
    parser.add_argument("--failing-memory", action="store_true", help="let allocations fail instead")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (default 0)")
    parser.add_argument("--case", type=int, help="run this case alone")
    parser.add_argument("--batch", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--note", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.batch is not None:
        return run_batch(options, options.batch)
    if options.case is None:
        return supervise(options)
    faulthandler.enable()
    try:
        with LoopThread(may_lose_tasks=options.failing_memory) as thread:
            run_case(options, options.case, thread.loop)
    except FindingError as finding:
        print(f"FOUND: {finding}")
        return 1
    print("nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
