#!/usr/bin/env bash
# Runs a command that builds a profile, and fails if Cython gave a performance hint: a hint names a place where the hot
# path takes the GIL or checks for an exception behind the author's back. (Warnings are errors by setup.py.)
# usage: ci/hintless.sh COMMAND...
set -euo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
if grep -q 'performance hint:' "$log"; then
    # Translated files would not be translated, hence not be judged, again.
    rm -rf build/cython
    echo "Cython gave the performance hints above; declare the functions that they name noexcept, or with an exception value."
    exit 1
fi
