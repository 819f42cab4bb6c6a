#!/usr/bin/env bash
# Counts the instructions of the kernels in the release build and compares them with the stored counts; then those of
# pipelines that grow, whose cost has to grow in proportion.
# usage: ci/bench_instructions.sh [--store]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
status=0
"$python" -m bench.instructions "$@" || status=$?
"$python" -m bench.growth || status=$?
exit "$status"
