"""A thousand million operations on what threads share, without the GIL: rings, demand, parkers; for a night.

usage: python -m tests.stress.long_run [--operations N]

Prints how far it is about once in two seconds, and at the end, or after Ctrl-C, a line for each program: how many
operations, the share of them that was contended (found a ring full or empty, an element evicted, a demand used up),
their rate, and how many results were wrong. The status is 1 if any was, or if too few operations were contended.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from tests.native.compiling import HARNESSES, compile_harnesses
from tests.stress.outcomes import LEAST_CONTENDED_SHARE
from tests.together import run_together

OPERATIONS = 1_000_000_000
SECONDS_BETWEEN_LINES = 2.0


@dataclass
class Tally:
    """What came of a program so far."""

    operations: int = 0
    contended: int = 0
    wrong: int = 0
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        self.operations += other.operations
        self.contended += other.contended
        self.wrong += other.wrong
        self.seconds += other.seconds

    def line(self, name: str) -> str:
        rate = self.operations / self.seconds / 1e6 if self.seconds else 0.0
        share = self.contended / self.operations if self.operations else 0.0
        return f"{name:<34} {self.operations:>13,}  contended {share:>4.0%}  {rate:>7.2f} M/s  wrong {self.wrong}"


@dataclass
class Program:
    """One subject under load; `run` works through about so many operations as it is told."""

    name: str
    share: float
    run: Callable[[int], Tally]
    chunk: int = 1_000_000
    must_be_contended: bool = True
    tally: Tally = field(default_factory=Tally)


def programs(rings: ModuleType, shared_rings: ModuleType) -> list[Program]:
    """Return all of them; their shares add up to 1."""

    def spsc(capacity: int) -> Callable[[int], Tally]:
        ring = rings.NumberRing(capacity)

        def run(operations: int) -> Tally:
            count = operations // 2
            refused, (wrong, empty) = run_together(lambda: ring.produce(count), lambda: ring.consume(count))
            return Tally(2 * count + refused + empty, refused + empty, wrong)

        return run

    def mpsc(capacity: int, producers: int = 3) -> Callable[[int], Tally]:
        ring = shared_rings.ManyProducerRing(capacity)

        def run(operations: int) -> Tally:
            count = operations // (2 * producers)
            *offers, (wrong, empty) = run_together(
                *[lambda producer=producer: ring.produce(producer, count) for producer in range(producers)],
                lambda: ring.consume(producers, count),
            )
            contended = sum(offers) - producers * count + empty
            return Tally(sum(offers) + producers * count + empty, contended, wrong)

        return run

    def evicting(capacity: int, producers: int = 2) -> Callable[[int], Tally]:
        def run(operations: int) -> Tally:
            ring, count = shared_rings.ManyProducerRing(capacity), operations // (2 * producers)

            def produce() -> list[tuple[int, int, int]]:
                produced = run_together(
                    *[lambda producer=producer: ring.produce_evicting(producer, count) for producer in range(producers)]
                )
                ring.close()
                return produced

            produced, (taken, total, wrong) = run_together(produce, lambda: ring.take(True))
            evicted, evicted_sum, offers = map(sum, zip(*produced, strict=True))
            wrong += evicted + taken != producers * count
            wrong += evicted_sum + total != producers * count * (count + 1) // 2
            return Tally(offers + evicted + taken, evicted, wrong)

        return run

    def closing(capacity: int) -> Callable[[int], Tally]:
        def run(operations: int) -> Tally:
            ring = shared_rings.ManyProducerRing(capacity)
            last = max(operations // 4, 1)
            *produced, (taken, total, wrong) = run_together(
                lambda: ring.produce_until_closed(0, last),
                lambda: ring.produce_until_closed(1, last),
                lambda: ring.take(False),
            )
            accepted = [count for count, _ in produced]
            wrong += sum(answers for _, answers in produced) + (taken != sum(accepted))
            wrong += total != sum(count * (count + 1) // 2 for count in accepted)
            return Tally(2 * taken, 0, wrong)

        return run

    def demand(operations: int) -> Tally:
        demand = rings.NumberDemand()
        count = operations // 4
        first, second, (least, to_zero) = run_together(
            lambda: demand.add(count, 1), lambda: demand.add(count, 1), lambda: demand.take_what_is_seen(2 * count)
        )
        # Each take that leaves nothing met a taker as fast as both that add.
        return Tally(2 * count + to_zero, to_zero, (least != 0) + (demand.value != 0) + (first + second != to_zero))

    def parking(operations: int) -> Tally:
        rounds = operations // 2
        ball = rings.Ball()
        answers = run_together(lambda: ball.play(rounds, True), lambda: ball.play(rounds, False))
        # Each throw is one that the other thread waits for.
        return Tally(2 * rounds, 2 * rounds, answers != [2 * rounds - 1, 2 * rounds])

    return [
        Program("SPSC ring of 3", 0.10, spsc(3), chunk=200_000),
        Program("SPSC ring of 1024", 0.20, spsc(1024), chunk=4_000_000, must_be_contended=False),
        Program("MPSC ring of 3, three producers", 0.15, mpsc(3), chunk=200_000),
        Program("MPSC ring of 1024, three producers", 0.15, mpsc(1024), must_be_contended=False),
        Program("MPSC ring of 2, evicting", 0.10, evicting(2)),
        Program("MPSC ring of 64, closing", 0.05, closing(64), chunk=20_000, must_be_contended=False),
        Program("demand, two adders and a taker", 0.249, demand, must_be_contended=False),
        Program("parkers, in turn", 0.001, parking, chunk=20_000),
    ]


def work_through(all_programs: list[Program], operations: int) -> None:
    """Run the programs a chunk at a time, the one that is furthest behind first."""
    begun = told = time.monotonic()
    while True:
        behind = min(all_programs, key=lambda program: program.tally.operations / program.share)
        done = sum(program.tally.operations for program in all_programs)
        now = time.monotonic()
        if done >= operations or now - told >= SECONDS_BETWEEN_LINES:
            told = now
            left = (operations - done) * (now - begun) / done if done else 0.0
            print(f"{done / operations:>6.1%}  {done:>13,} operations, about {max(left, 0):.0f} s left", flush=True)
        if done >= operations:
            return
        chunk = max(min(behind.chunk, int(operations * behind.share)), 8)
        started = time.monotonic()
        tally = behind.run(chunk)
        tally.seconds = time.monotonic() - started
        behind.tally.add(tally)


def failures(all_programs: list[Program]) -> list[str]:
    """Return what is wrong with the tallies of the programs that ran."""
    found = []
    for program in all_programs:
        tally = program.tally
        if tally.wrong:
            found.append(f"{program.name}: {tally.wrong} wrong results")
        if program.must_be_contended and tally.contended < LEAST_CONTENDED_SHARE * tally.operations:
            found.append(f"{program.name}: less than {LEAST_CONTENDED_SHARE:.0%} of its operations were contended")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.long_run", description=__doc__.partition("\n")[0])
    parser.add_argument("--operations", type=int, default=OPERATIONS, help=f"how many in all (default {OPERATIONS:,})")
    operations = parser.parse_args(arguments).operations
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sources = [HARNESSES / "two_threads.pyx", HARNESSES / "many_producers.pyx"]
        all_programs = programs(*compile_harnesses(sources, Path(folder), optimize=True))
        interrupted = False
        try:
            work_through(all_programs, operations)
        except KeyboardInterrupt:
            interrupted = True
        for program in all_programs:
            print(program.tally.line(program.name))
        total = Tally()
        for program in all_programs:
            total.add(program.tally)
        print(total.line("interrupted after" if interrupted else "in all"))
        found = failures(all_programs)
    for failure in found:
        print(failure, file=sys.stderr)
    return 1 if found else 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
