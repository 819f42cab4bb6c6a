#!/usr/bin/env bash
# Runs random streams in whose callbacks random things happen: requests, bad requests, cancellations, errors, interrupts, nested
# streams, saves, pauses, emissions, also out of the garbage collector and the hook for dropped signals. In one thread, in four,
# with allocations that fail; then the first two without the GIL, where there is such an interpreter. A finding prints how it
# is repeated.
# RS_FREE_THREADED_PYTHON names the free-threaded interpreter; else the first of the usual names on PATH is taken.
# usage: ci/fuzz.sh [--minutes M] [--seed N]      by default one minute each
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
for kind in "--threads 1" "--threads 4" --failing-memory; do
    # shellcheck disable=SC2086 # an option and its value
    "$python" -m tests.fuzz $kind "$@"
done

interpreter=$(ci/free_threaded_python.sh) || exit 0
python=$(PYTHON=$interpreter RS_VENV=.venvs/free-threaded ci/environment.sh threads)
echo "== without the GIL: $("$python" -VV)"
for threads in 1 4; do
    "$python" -m tests.fuzz --threads "$threads" "$@"
done
