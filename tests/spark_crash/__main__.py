"""At least 100 kills -9 of drivers, JVMs, planners, workers and executors: no row lost, none repeated.

usage: python -m tests.spark_crash [--kills N] [--seed N] [--folder FOLDER]
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.spark_crash.crash_run import CrashReport, Kill, crash_run
from tests.spark_crash.kill_points import PHASES, VICTIMS

SHARES: dict[tuple[str, str], dict[Kill, int]] = {
    ("factory", "local[2,1000]"): {
        ("reading", "worker"): 16,
        ("processing", "worker"): 16,
        ("planning", "planner"): 12,
        ("commit", "driver"): 5,
        ("planning", "driver"): 3,
        ("reading", "driver"): 3,
        ("processing", "driver"): 3,
        ("commit", "jvm"): 2,
        ("processing", "jvm"): 1,
        ("planning", "jvm"): 1,
    },
    ("log", "local[2,1000]"): {
        ("processing", "worker"): 10,
        ("planning", "driver"): 5,
        ("reading", "driver"): 4,
        ("commit", "driver"): 4,
        ("processing", "driver"): 2,
        ("commit", "jvm"): 1,
    },
    ("factory", "local-cluster[2,1,1024]"): {
        ("reading", "executor"): 4,
        ("processing", "executor"): 5,
        ("reading", "worker"): 2,
        ("commit", "driver"): 1,
    },
    ("keyed", "local[2,1000]"): {
        ("written", "driver"): 3,
        ("written", "jvm"): 2,
        ("commit", "driver"): 1,
    },
    ("keyed-2", "local[2,1000]"): {
        ("written", "driver"): 3,
        ("written", "jvm"): 2,
        ("commit", "driver"): 1,
    },
}
"""How many of about 100 kills go where, by the query and the kind of Spark."""


def shared_kills(shares: dict[Kill, int], scale: float, order: random.Random) -> list[Kill]:
    """Return the kills of a run in a random order."""
    kills = [kill for kill, count in shares.items() for _ in range(max(1, round(count * scale)))]
    order.shuffle(kills)
    return kills


def table(reports: list[CrashReport]) -> str:
    """Return the histogram of the kills and the result of each run."""
    total: Counter[Kill] = sum((report.kills for report in reports), Counter())
    lines = [f"{'killed while':14}" + "".join(f"{victim:>10}" for victim in VICTIMS) + f"{'all':>8}"]
    for phase in PHASES:
        counts = [total[phase, victim] for victim in VICTIMS]
        bar = "#" * sum(counts)
        lines.append(f"{phase:14}" + "".join(f"{count:>10}" for count in counts) + f"{sum(counts):>8}  {bar}")
    lines += [
        "",
        f"{'query':10}{'Spark':26}{'kills':>6}{'rows':>9}{'lost':>6}{'repeated':>10}{'wrong':>7}{'seconds':>9}",
    ]
    lines += [
        f"{report.kind:10}{report.master:26}{report.kills.total():>6}{report.rows:>9}{report.lost:>6}"
        f"{report.repeated:>10}{report.wrong:>7}{report.seconds:>9.0f}"
        for report in reports
    ]
    return "\n".join(lines)


def main() -> int:
    """Run it all and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark_crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many kills in all, about")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides order and pauses")
    parser.add_argument("--folder", type=Path, help="where the runs keep their files; default: a temporary folder")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}; repeat with --seed {arguments.seed}", flush=True)
    order = random.Random(arguments.seed)
    reports = []
    with tempfile.TemporaryDirectory(prefix="reactivestreams-crash-") as temporary:
        base = arguments.folder or Path(temporary)
        for number, ((kind, master), shares) in enumerate(SHARES.items(), 1):
            folder = base / f"run-{number}"
            folder.mkdir(parents=True)
            kills = shared_kills(shares, arguments.kills / 100, order)
            reports.append(
                crash_run(
                    folder,
                    kills,
                    kind=kind,
                    master=master,
                    seed=order.randrange(2**32),
                    tell=lambda line: print(line, flush=True),
                )
            )
    killed = sum(report.kills.total() for report in reports)
    bad = sum(report.lost + report.repeated + report.wrong for report in reports)
    print(f"\n{table(reports)}\n\nkills {killed}, rows lost, repeated or wrong: {bad}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
