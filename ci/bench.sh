#!/usr/bin/env bash
# Measures the release build: each benchmark alone, then the ratios to their baselines against the bars, measured in turn,
# as a table, as figures and as a picture: bench/last_run.json and .svg, from which the documentation's page is made.
# Arguments go to pytest.
# usage: ci/bench.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh bench)
# Short runs: what the figures are for is to find what changed; the table measures what is claimed.
"$python" -m pytest bench --benchmark-only --quiet --benchmark-max-time=0.15 --benchmark-min-rounds=3 \
    --benchmark-sort=name --benchmark-columns=min,median,rounds "$@"
"$python" -m bench.table --save bench/last_run.json --picture bench/last_run.svg
