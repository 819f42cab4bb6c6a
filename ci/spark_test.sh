#!/usr/bin/env bash
# Tests the Spark part alone, in the release build: sessions of all kinds, sources, sinks, pipelines, keyed state, kills.
# Given up after ten minutes, those of the installation among them: pytest ends by itself then, so that no Spark of its
# tests goes on. Arguments go to pytest.
# usage: ci/spark_test.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

export RS_TEST_EXTRAS=${RS_TEST_EXTRAS:-dev demo connect docs bench}
read -r -a extras <<<"$RS_TEST_EXTRAS"
ci/environment.sh "${extras[@]}" >/dev/null

left=$((600 - SECONDS))
RS_TEST_PARTS="quick spark" ci/test.sh release --session-timeout=$((left > 0 ? left : 1)) --numprocesses=3 --dist=loadscope --no-loadscope-reorder \
    --max-worker-restart=0 --durations=15 tests/spark "$@"
