"""Compares random pipelines with plain Python; see tests/oracle/case.py.

python -m tests.oracle [--seed N] [--first N] [--cases N] [--case N]
"""

import argparse
import sys

from tests.oracle.case import DifferentError, check


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--seed", type=int, default=20130101, help="of all choices (default 20130101)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (default 0)")
    parser.add_argument("--cases", type=int, default=10_000, help="how many cases (default 10,000)")
    parser.add_argument("--case", type=int, help="run this case alone")
    options = parser.parse_args()
    first = options.first if options.case is None else options.case
    cases = options.cases if options.case is None else 1
    for number in range(first, first + cases):
        try:
            check(options.seed, number)
        except DifferentError as error:
            print(error)
            return 1
    print(f"{cases:,} cases of seed {options.seed}, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
