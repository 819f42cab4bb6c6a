#!/usr/bin/env bash
# Prints the path of a free-threaded interpreter: $RS_FREE_THREADED_PYTHON, else the first of the usual names on PATH; fails
# where there is none, and says how to get one.
set -euo pipefail

for name in ${RS_FREE_THREADED_PYTHON:+"$RS_FREE_THREADED_PYTHON"} python3.14t python3.13t python3.15t; do
    if "$name" -c 'import sys; sys.exit(sys._is_gil_enabled())' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
echo "== SKIPPED: no free-threaded interpreter; get one (uv python install 3.14t, or see CONTRIBUTING.md), then run the same" >&2
echo "   again with RS_FREE_THREADED_PYTHON=/path/to/python3.14t" >&2
exit 1
