"""Feeds damaged saved state to the loaders: none may crash, hang, ask for memory without bound, or load what is wrong.

python -m tests.state.fuzz [--cases N] [--seed N] [--batch N]

A wrong load is one of bytes that would not be written again as they are, or one that a checksum should have refused.
The cases come in batches; a batch is known by the seed and its number, and can be repeated alone. Behind each, no flag
may know a number that bytes should not bring to it; every twentieth is measured: what it asks for, what it leaves.
"""

import argparse
import enum
import faulthandler
import gc
import resource
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

from reactivestreams.errors import StateError
from reactivestreams.state import (
    SnapshotReader,
    StateLimits,
    StateReader,
    decode_value,
    encode_value,
    load_tree,
    save_tree,
)
from tests.state import fuzz_corpus as corpus
from tests.state.fuzz_mutations import HEADER_BYTES, mutated, records_of, with_records
from tests.state.shop import Access, Right, shop

BATCH_CASES = 5000
HANG_SECONDS = 120
MOST_GROWTH_KIBIBYTES = 256 * 1024
MEASURED_EVERY_BATCHES = 20  # measuring takes four times as long
# Within LIMITS: 10,000 empty sets of 216 bytes, the list around them, the bytes, and as much again.
MOST_BYTES_AT_ONCE = 8 << 20
MOST_BYTES_LEFT = 1 << 20  # by a batch: what caches of the interpreter take, and no more than 200 bytes a case
LIMITS = StateLimits(max_bytes=1 << 20, max_values=20_000, max_number_bytes=256, max_equal_hashes=16)

# Of a hundred cases, how many are of each kind.
SHARES = {"value": 70, "snapshot": 18, "repaired": 6, "tree": 6}


class FindingError(AssertionError):
    """A case that a loader did not deal with."""


@dataclass
class Fuzzer:
    """Makes cases and judges what becomes of them."""

    seed: int
    decode: Callable[[bytes], Any] = lambda data: decode_value(data, registry=shop, limits=LIMITS)
    read: Callable[[bytes], Any] = lambda data: SnapshotReader(data, registry=shop, limits=LIMITS)
    load: Callable[[Any, bytes], None] = lambda handle, data: load_tree(handle, data, registry=shop, limits=LIMITS)
    flags: tuple[type[enum.Flag], ...] = (Right, Access)
    accepted: Counter[str] = field(default_factory=Counter)
    cases: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        random = Random(f"corpus of {self.seed}")
        self.values = corpus.saved_values(random, 400)
        self.snapshots = corpus.saved_records(random, 60) + [data for _, data in corpus.saved_trees()]
        self.whole = set(self.snapshots)
        self.trees = corpus.saved_trees()
        self.others = [*self.values[:60], *corpus.FOREIGN]
        self.other_snapshots = [*self.snapshots[:20], *corpus.FOREIGN]
        self.kinds = [kind for kind, share in SHARES.items() for _ in range(share)]

    def run_batch(self, number: int, cases: int = BATCH_CASES) -> None:
        """Run a batch; raise a FindingError for the first case that goes wrong."""
        random = Random(f"batch {number} of {self.seed}")
        judges = {"value": self.value, "snapshot": self.snapshot, "repaired": self.repaired, "tree": self.tree}
        for case in range(cases):
            kind = random.choice(self.kinds)
            self.cases[kind] += 1
            try:
                is_accepted = judges[kind](random)
            except FindingError:
                raise
            except Exception as error:
                raise FindingError(
                    f"seed {self.seed}, batch {number}, case {case}: {kind} raised {type(error).__name__}: {error}"
                ) from error
            self.accepted[kind] += is_accepted
        self._check_flags(f"seed {self.seed}, batch {number}")

    def run_measured_batch(self, number: int, cases: int = BATCH_CASES) -> None:
        """Run a batch; raise a FindingError, too, if it asks for too much memory or leaves too much behind."""
        tracemalloc.start()
        try:
            self.run_batch(number, cases)
            gc.collect()
            left, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        if most > MOST_BYTES_AT_ONCE or left > MOST_BYTES_LEFT:
            raise FindingError(
                f"seed {self.seed}, batch {number}: {most:,} bytes at once, of at most {MOST_BYTES_AT_ONCE:,}; "
                f"{left:,} left behind, of at most {MOST_BYTES_LEFT:,}"
            )

    def _check_flags(self, place: str) -> None:
        """Raise for a number that a flag class has kept, though no member has its bits."""
        for kind in self.flags:
            bits = 0
            for member in kind:
                bits |= member.value
            kept = [number for number in kind._value2member_map_ if number & ~bits]
            if kept:
                raise FindingError(f"{place}: loading left {kind.__name__}({kept[0]}) behind, and {len(kept) - 1} more")

    def value(self, random: Random) -> bool:
        """Damaged bytes of a value: accepted ones are written again as they are."""
        data = mutated(random, random.choice(self.values), self.others)
        try:
            value = self.decode(data)
        except StateError:
            return False
        if encode_value(value, registry=shop) != data:
            raise FindingError(f"wrong load of a value: {data!r} became {value!r}")
        return True

    def snapshot(self, random: Random) -> bool:
        """A damaged snapshot: refused by its checksums, unless it is one of the whole ones."""
        data = mutated(random, random.choice(self.snapshots), self.other_snapshots)
        try:
            self.read(data)
        except StateError:
            return False
        if data not in self.whole:
            raise FindingError(f"damaged snapshot was accepted: {data!r}")
        return True

    def repaired(self, random: Random) -> bool:
        """Damaged records with the right checksums: what is read is written again as the same bytes."""
        data = self._repaired(random, random.choice(self.snapshots))
        payloads = []
        try:
            snapshot = self.read(data)
            reader = snapshot.create("fuzz")
            while reader.is_present:
                payloads.append(self._written_again(reader))
                reader.dispose()
                reader = snapshot.create("fuzz")
        except StateError:
            return False
        again = with_records(data[:HEADER_BYTES], payloads)
        if again != data:
            raise FindingError(f"wrong load of records: {data!r} is written as {again!r}")
        return True

    def _written_again(self, reader: StateReader) -> bytes:
        values: list[Any] = [reader.name, reader.version]
        found, value = reader.try_read()
        while found:
            values.append(value)
            found, value = reader.try_read()
        return b"".join(encode_value(value, registry=shop) for value in values)

    def tree(self, random: Random) -> bool:
        """Damaged records with the right checksums, loaded into a tree: which is then saved as the same bytes.

        What stands behind the fields that an operator reads is skipped, as it should be, and is not saved again.
        """
        kind, original = random.choice(self.trees)
        data = self._repaired(random, original)
        handle = corpus.tree(kind)
        try:
            self.load(handle, data)
        except StateError:
            return False
        again = save_tree(handle, registry=shop)
        before, after = records_of(data), records_of(again)
        if len(before) != len(after) or not all(map(bytes.startswith, before, after)):
            raise FindingError(f"wrong load of tree {kind}: {data!r} is saved as {again!r}")
        return True

    def _repaired(self, random: Random, original: bytes) -> bytes:
        payloads = records_of(original)
        if payloads:
            index = int(random.random() * len(payloads))
            payloads[index] = mutated(random, payloads[index], self.others)
        if random.random() < 0.1:
            random.shuffle(payloads)
        return with_records(original[:HEADER_BYTES], payloads)


def fuzz(fuzzer: Fuzzer, first: int, batches: int, show: Callable[[str], None]) -> None:
    """Run batches one after the other and tell how far they are."""
    begun, told = monotonic(), monotonic()
    for number in range(first, first + batches):
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        run = fuzzer.run_batch if number % MEASURED_EVERY_BATCHES else fuzzer.run_measured_batch
        run(number)
        if monotonic() - told > 5 or number + 1 == first + batches:
            told = monotonic()
            done = (number + 1 - first) * BATCH_CASES
            show(
                f"{done:,} of {batches * BATCH_CASES:,} cases, {done / (told - begun):,.0f} a second, "
                f"{sum(fuzzer.accepted.values()) / done:.1%} accepted, batch {number}"
            )
    faulthandler.cancel_dump_traceback_later()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.state.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000_000, help="how many (default 10,000,000)")
    parser.add_argument("--seed", type=int, default=20130101, help="of all choices (default 20130101)")
    parser.add_argument("--batch", type=int, help="run this batch alone")
    options = parser.parse_args()
    faulthandler.enable()
    fuzzer = Fuzzer(options.seed)
    end = "\r" if sys.stderr.isatty() else "\n"

    def show(line: str) -> None:
        print(f"{line:<100}", file=sys.stderr, end=end, flush=True)

    first, batches = (options.batch, 1) if options.batch is not None else (0, -(-options.cases // BATCH_CASES))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        fuzz(fuzzer, first, batches, show)
    except FindingError as finding:
        print(f"\nFOUND: {finding}", file=sys.stderr)
        if finding.__cause__ is not None:
            raise
        return 1
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"\n{sum(fuzzer.cases.values()):,} cases, seed {options.seed}: nothing found; memory grew by {growth:,} KiB")
    print("accepted: " + ", ".join(f"{kind} {fuzzer.accepted[kind]:,} of {fuzzer.cases[kind]:,}" for kind in SHARES))
    if growth > MOST_GROWTH_KIBIBYTES:
        print(f"FOUND: memory grew by more than {MOST_GROWTH_KIBIBYTES:,} KiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
