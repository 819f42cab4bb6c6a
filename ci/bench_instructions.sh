#!/usr/bin/env bash
# Counts the instructions of the kernels in the release build and compares them with the stored counts.
# usage: ci/bench_instructions.sh [--store]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m bench.instructions "$@"
