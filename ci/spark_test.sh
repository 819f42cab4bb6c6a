#!/usr/bin/env bash
# Tests the Spark part alone, in the release build: sessions of all kinds, sources, sinks, pipelines, keyed state, kills.
# Fails where all of it, the installation among it, takes longer than ten minutes. Arguments go to pytest.
# usage: ci/spark_test.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

export RS_TEST_EXTRAS=${RS_TEST_EXTRAS:-dev demo connect docs bench}
RS_TEST_PARTS="quick spark" ci/test.sh release --numprocesses=3 --dist=loadscope --no-loadscope-reorder \
    --max-worker-restart=0 --durations=15 tests/spark "$@"
if ((SECONDS > 600)); then
    echo "make spark-test took $SECONDS s; it may take 600" >&2
    exit 1
fi
