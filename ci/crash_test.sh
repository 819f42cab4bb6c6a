#!/usr/bin/env bash
# Kills an engine with kill -9 from outside 200 times, at each step of recovery and checkpoint and at any moment; then counts
# its results. Prints a histogram by step, and fails where a row was lost, repeated or wrong. Two minutes on two cores.
# Arguments go to the program.
# usage: ci/crash_test.sh [--kills N] [--seed N] [--folder FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m tests.engine_crash "$@"
