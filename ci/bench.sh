#!/usr/bin/env bash
# Measures the release build and prints the table of ratios against the bars. Arguments go to pytest.
# usage: ci/bench.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev cli)
mkdir -p build
"$python" -m pytest bench --benchmark-only --benchmark-json=build/benchmarks.json "$@"
"$python" bench/table.py build/benchmarks.json
