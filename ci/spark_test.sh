#!/usr/bin/env bash
# Tests the Spark part alone, in the release build: sessions of all kinds, sources, sinks, pipelines, keyed state, kills.
# Given up where the tests take more than ten minutes: pytest ends by itself then, so that no Spark of its tests goes on.
# Arguments go to pytest.
# usage: ci/spark_test.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

ci/test.sh release --session-timeout=600 --numprocesses=2 --dist=loadscope --no-loadscope-reorder \
    --max-worker-restart=0 --durations=15 tests/spark "$@"
