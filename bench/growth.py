"""Does the cost grow in proportion to what it is for? python -m bench.growth.

Pipelines are run at four sizes under valgrind, which counts their instructions, so that the machine's load does not
matter. A cost of c times the size to the power of e is a line of slope e where both axes are logarithmic; e is fitted
to the four points. Up to 1 the cost is linear, with some constant part; a loop in a loop makes it 2.

Exit status: 0 all within the bar, 1 some grow faster, 2 nothing could be counted.
"""

import sys
from collections.abc import Sequence
from math import log

from bench.conditions import wrong_profile
from bench.growing_pipelines import Growing, growing_pipelines
from bench.instructions import CANNOT_COUNT, GREW, CannotCountError, Counts, count, environment, valgrind_version

MOST = 1.05
LAYOUTS = 1
"""In how many layouts of memory each pipeline is counted: what one adds by chance is little beside a doubling."""


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the power of the size that fits costs best."""
    across, up = [log(size) for size in sizes], [log(cost) for cost in costs]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    spread = sum((x - middle) ** 2 for x in across)
    return sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True)) / spread


def exponents(pipelines: Sequence[Growing], counts: Counts) -> list[tuple[Growing, float, float]]:
    """Return each pipeline with the instructions for the last of its largest size, and its exponent."""
    found = []
    for growing in pipelines:
        costs = [counts[growing.name_of(size)] for size in growing.sizes]
        found.append((growing, costs[-1] / growing.sizes[-1], exponent(growing.sizes, costs)))
    return found


def main() -> int:
    """Count, fit, print, and return the exit status."""
    refusal = wrong_profile()
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return CANNOT_COUNT
    pipelines = growing_pipelines()
    try:
        where = environment(valgrind_version())
        print(f"counting {len(pipelines)} pipelines at four sizes: some minutes", file=sys.stderr, flush=True)
        found = exponents(pipelines, count("sizes", LAYOUTS))
    except CannotCountError as error:
        print(error, file=sys.stderr)
        return CANNOT_COUNT
    width = max(len(growing.name) for growing in pipelines)
    print(f"{'pipeline':<{width}}  {'number of':<10}  {'sizes':<12}  instructions each  exponent  bar {MOST}")
    for growing, each, power in found:
        sizes = f"{growing.sizes[0]}-{growing.sizes[-1]}"
        verdict = "met" if power <= MOST else "missed"
        print(f"{growing.name:<{width}}  {growing.what:<10}  {sizes:<12}  {each:>17,.0f}  {power:>8.3f}  {verdict}")
    print(where)
    missed = [f"{growing.name} in its {growing.what}" for growing, _, power in found if power > MOST]
    print(
        f"{len(found) - len(missed)} of {len(found)} grow in proportion" + "".join(f"; not {name}" for name in missed)
    )
    return GREW if missed else 0


if __name__ == "__main__":
    sys.exit(main())
