"""At least 100 kills -9 of drivers, JVMs, planners, workers and executors: no row lost, none repeated.

usage: python -m tests.spark_crash [--cluster] [--kills N] [--seed N] [--folder FOLDER]
"""

import argparse
import math
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.spark.cluster.standalone import S3, STORAGE, Cluster, missing
from tests.spark_crash.cluster_driver import ClusterDriver
from tests.spark_crash.crash_run import CrashReport, Driver, Kill, crash_run
from tests.spark_crash.kill_points import ANY_TIME, PHASES, VICTIMS

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


ON_WORKERS: dict[Kill, int] = {
    ("reading", "worker"): 4,
    ("processing", "worker"): 4,
    (ANY_TIME, "worker"): 3,
    ("reading", "daemon"): 2,
    ("processing", "daemon"): 2,
    (ANY_TIME, "daemon"): 2,
    ("reading", "executor"): 2,
    ("processing", "executor"): 2,
    (ANY_TIME, "executor"): 2,
    ("processing", "service"): 1,
    (ANY_TIME, "service"): 1,
    ("processing", "machine"): 1,
    (ANY_TIME, "machine"): 2,
}

CLUSTER_SHARES: dict[tuple[str, str], dict[Kill, int]] = {
    ("keyed", "hdfs"): {
        **ON_WORKERS,
        ("planning", "planner"): 2,
        ("commit", "driver"): 1,
        ("written", "driver"): 1,
        (ANY_TIME, "driver"): 1,
        ("written", "jvm"): 1,
    },
    ("keyed-2", "s3a"): {
        **ON_WORKERS,
        ("planning", "planner"): 1,
        ("commit", "driver"): 1,
        ("written", "driver"): 1,
        ("commit", "jvm"): 1,
    },
    ("keyed", "shared"): {
        **ON_WORKERS,
        ("planning", "planner"): 2,
        ("planning", "driver"): 1,
        ("written", "driver"): 1,
        (ANY_TIME, "driver"): 1,
        ("written", "jvm"): 1,
    },
}
"""The same on a cluster, by the query and the place of its files and its checkpoint."""


def shared_kills(shares: dict[Kill, int], scale: float, order: random.Random) -> list[Kill]:
    """Return the kills of a run in a random order."""
    kills = [kill for kill, count in shares.items() for _ in range(count)]
    order.shuffle(kills)
    return (kills * math.ceil(scale))[: max(1, round(len(kills) * scale))]


def table(reports: list[CrashReport]) -> str:
    """Return the histogram of the kills and the result of each run."""
    total: Counter[Kill] = sum((report.kills for report in reports), Counter())
    victims = [victim for victim in VICTIMS if any(killed == victim for _, killed in total)]
    lines = [f"{'killed while':14}" + "".join(f"{victim:>10}" for victim in victims) + f"{'all':>8}"]
    for phase in PHASES:
        counts = [total[phase, victim] for victim in victims]
        bar = "#" * sum(counts)
        lines.append(f"{phase:14}" + "".join(f"{count:>10}" for count in counts) + f"{sum(counts):>8}  {bar}")
    lines += [
        f"{'all':14}"
        + "".join(f"{sum(total[phase, victim] for phase in PHASES):>10}" for victim in victims)
        + f"{total.total():>8}",
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
    parser.add_argument("--cluster", action="store_true", help="on machines of a standalone cluster")
    parser.add_argument("--kills", type=int, default=100, help="how many kills in all, about")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides order and pauses")
    parser.add_argument("--folder", type=Path, help="where the runs keep their files; default: a temporary folder")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}; repeat with --seed {arguments.seed}", flush=True)
    order = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="reactivestreams-crash-") as temporary:
        base = arguments.folder or Path(temporary)
        base.mkdir(parents=True, exist_ok=True)
        reports = (cluster_runs if arguments.cluster else runs)(base, arguments.kills / 100, order)
    killed = sum(report.kills.total() for report in reports)
    bad = sum(report.lost + report.repeated + report.wrong for report in reports)
    print(f"\n{table(reports)}\n\nkills {killed}, rows lost, repeated or wrong: {bad}", flush=True)
    return 1 if bad else 0


def runs(base: Path, scale: float, order: random.Random) -> list[CrashReport]:
    """Run the queries on this machine."""
    reports = []
    for number, ((kind, master), shares) in enumerate(SHARES.items(), 1):
        folder = base / f"run-{number}"
        folder.mkdir()
        driver = Driver(folder, kind, master, str(folder))
        reports.append(told_run(driver, shared_kills(shares, scale, order), order))
    return reports


def cluster_runs(base: Path, scale: float, order: random.Random) -> list[CrashReport]:
    """Run the queries on a cluster."""
    if reason := missing():
        raise SystemExit(f"there can be no cluster here: {reason}")
    reports = []
    with Cluster(base) as cluster:
        places = {"hdfs": f"{STORAGE}/crash", "s3a": f"{S3}/crash", "shared": f"file://{cluster.shared}/crash"}
        for (kind, place), shares in CLUSTER_SHARES.items():
            driver = ClusterDriver(cluster, kind, place, places[place])
            reports.append(told_run(driver, shared_kills(shares, scale, order), order))
    return reports


def told_run(driver: Driver, kills: list[Kill], order: random.Random) -> CrashReport:
    """Do one run, and print how far it is."""
    return crash_run(driver, kills, seed=order.randrange(2**32), tell=lambda line: print(line, flush=True))


if __name__ == "__main__":
    sys.exit(main())
