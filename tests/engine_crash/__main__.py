"""Kills an engine with kill -9 at each step of checkpoint and recovery: no row lost, none repeated.

usage: python -m tests.engine_crash [--kills N] [--seed N] [--folder FOLDER]
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.engine_crash.crash_run import planned, run

KILLS = 200
KILLS_A_RUN = 50
"""So many kills share one store and its files; then another run begins."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engine_crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS, help=f"how many ({KILLS})")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="repeats a run")
    parser.add_argument("--folder", type=Path, help="keeps the files")
    args = parser.parse_args()
    order = random.Random(args.seed)
    print(f"seed {args.seed}", flush=True)
    plans = planned(args.kills, order)
    total = phases = None
    for first in range(0, args.kills, KILLS_A_RUN):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) if args.folder is None else args.folder / str(first)
            folder.mkdir(parents=True, exist_ok=True)
            began = time.monotonic()
            report = run(folder, plans[first : first + KILLS_A_RUN])
            took = time.monotonic() - began
        if total is None or phases is None:
            total, phases = report, report.by_phase()
        else:
            total.kills += report.kills
            phases += report.by_phase()
            total.lost, total.repeated, total.wrong = (
                total.lost + report.lost,
                total.repeated + report.repeated,
                total.wrong + report.wrong,
            )
        print(
            f"{total.kills.total():4} kills, {took:5.1f} s: lost {total.lost}, repeated {total.repeated}, "
            f"wrong {total.wrong}",
            flush=True,
        )
    assert total is not None
    assert phases is not None
    print("\nkills by phase")
    for phase, count in phases.items():
        print(f"{phase:>20} {count:4}  {'#' * min(60, count)}")
    print("\nkills by step")
    for step, count in sorted(total.kills.items()):
        print(f"{step:>20} {count:4}")
    return 0 if total.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
