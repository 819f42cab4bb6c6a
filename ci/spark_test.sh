#!/usr/bin/env bash
# Tests the Spark part alone, in the release build: sessions of all kinds, sources, sinks, pipelines, keyed state, kills.
# Given up after ten minutes. Arguments go to pytest.
# usage: ci/spark_test.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

timeout --foreground 600 ci/test.sh release --numprocesses=2 --dist=loadscope --no-loadscope-reorder \
    --max-worker-restart=0 --durations=15 tests/spark "$@"
