"""Shows that the thread sanitizer, as it is set up here, sees a ring whose order was weakened.

Each release of the rings that carries an element or a free slot is made relaxed in a copy of the headers, one after the
other. Such a ring still gives right answers on most processors, so no other test finds it; the sanitizer must report it
as a data race. The rings as they are must pass in the same set-up.

usage: RS_TEST_PROFILE=tsan python -m tests.native.weakened_rings PRELOADED_RUNTIME
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.native.building import build_harnesses
from tests.native.compiling import HARNESSES, copy_headers

# What the sanitizer makes of a process in which it reported something.
REPORTED_STATUS = 66
SECONDS_AT_MOST = 120

SPSC = "ring = loaded.NumberRing(3); calls = [lambda: ring.produce(COUNT), lambda: ring.consume(COUNT)]"
MPSC = (
    "ring = loaded.ManyProducerRing(2);"
    "calls = [*[lambda p=p: ring.produce(p, COUNT) for p in range(2)], lambda: ring.consume(2, COUNT)]"
)
MPSC_EVICTING = (
    "ring = loaded.ManyProducerRing(2);"
    "calls = [lambda: (ring.produce_evicting(0, COUNT), ring.close()), lambda: ring.take(True)]"
)
RUN = """
import sys
from pathlib import Path
from tests.native.compiling import load
from tests.together import run_together
loaded, COUNT = load(Path(sys.argv[1])), 20_000
exec(sys.argv[2])
run_together(*calls)
"""


@dataclass(frozen=True)
class Weakening:
    """A release that is made relaxed, and what runs then; without a header, the rings as they are."""

    name: str
    harness: str
    run: str
    header: str = ""
    releases: tuple[str, ...] = ()


WEAKENINGS = [
    Weakening("SpscRing as it is", "two_threads", SPSC),
    Weakening(
        "SpscRing, publish relaxed", "two_threads", SPSC, "queues/spsc_ring.h", ("producer_index.store(index + 1, ",)
    ),
    Weakening(
        "SpscRing, free relaxed", "two_threads", SPSC, "queues/spsc_ring.h", ("consumer_index.store(index + 1, ",)
    ),
    Weakening("MpscRing as it is", "many_producers", MPSC),
    Weakening("MpscRing evicting as it is", "many_producers", MPSC_EVICTING),
    Weakening(
        "MpscRing, publish relaxed", "many_producers", MPSC, "queues/mpsc_ring.h", ("sequence.store(position + 1, ",)
    ),
    Weakening(
        "MpscRing, free relaxed",
        "many_producers",
        MPSC,
        "queues/mpsc_ring.h",
        # Either of the two keeps the producer away where nobody evicts.
        ("sequence.store(position + ring->mask + 1, ", "consumer_index.store(position + 1, "),
    ),
    Weakening(
        "MpscRing, free by evict relaxed",
        "many_producers",
        MPSC_EVICTING,
        "queues/mpsc_ring.h",
        ("sequence.store(position + ring->mask + 1, ",),
    ),
]


def weakened(text: str, releases: tuple[str, ...]) -> str:
    """Return a header with some of its releases made relaxed; each must be there exactly once."""
    for release in releases:
        before = f"{release}std::memory_order_release"
        assert text.count(before) == 1, f"{before} stands {text.count(before)} times in the header; adapt WEAKENINGS"
        text = text.replace(before, f"{release}std::memory_order_relaxed")
    return text


def copied_core(folder: Path, weakening: Weakening) -> Path:
    """Copy what harnesses are compiled against, with the header weakened."""
    core = folder / "rs_core"
    copy_headers(core)
    if weakening.header:
        header = core / weakening.header
        header.write_text(weakened(header.read_text(encoding="utf-8"), weakening.releases), encoding="utf-8")
    return core


def reports_of(weakening: Weakening, binary: Path, runtime: str, folder: Path) -> list[str]:
    """Run the harness; return the summary of each race that the sanitizer reported."""
    log = folder / "report"
    environment = {
        **os.environ,
        "LD_PRELOAD": runtime,
        "TSAN_OPTIONS": f"exitcode={REPORTED_STATUS} log_path={log}",
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(binary), weakening.run],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_AT_MOST,
        check=False,
    )
    if done.returncode not in {0, REPORTED_STATUS}:
        raise SystemExit(f"{weakening.name}: the run ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("report.*"))
    races = re.findall(r"^SUMMARY: ThreadSanitizer: (data race.*)$", text, re.MULTILINE)
    assert bool(races) == (done.returncode == REPORTED_STATUS), f"{weakening.name}: {text}"
    return races


def built(weakening: Weakening, place: Path) -> Path:
    """Compile the harness against the weakened header; return the binary."""
    core = copied_core(place, weakening)
    (binary,) = build_harnesses([HARNESSES / f"{weakening.harness}.pyx"], place / "built", core=core)
    return binary


def main(runtime: str) -> int:
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        places = [Path(folder, str(number)) for number in range(len(WEAKENINGS))]
        with ThreadPoolExecutor(os.cpu_count()) as builders:
            binaries = list(builders.map(built, WEAKENINGS, places))
        for weakening, place, binary in zip(WEAKENINGS, places, binaries, strict=True):
            races = reports_of(weakening, binary, runtime, place)
            told = f"reported {len(races)} times: {races[0].split('/')[-1]}" if races else "nothing reported"
            print(f"  {weakening.name}: {told}", flush=True)
            if bool(races) != bool(weakening.releases):
                wrong.append(weakening.name)
    if wrong:
        print(
            f"The thread sanitizer cannot be trusted here: it judged {', '.join(wrong)} wrong. A ring with a relaxed "
            "publish must be reported as a data race, the rings as they are must not.",
            file=sys.stderr,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
