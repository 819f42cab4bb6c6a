"""Run the command line: `python -m reactivestreams`."""

import sys

from reactivestreams.cli import main

if __name__ == "__main__":
    sys.exit(main())
