#!/usr/bin/env bash
# Measures the release build: each benchmark alone, then the ratios to their baselines against the bars, measured in turn.
# Arguments go to pytest.
# usage: ci/bench.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev cli)
"$python" -m pytest bench --benchmark-only --quiet "$@"
"$python" -m bench.table
