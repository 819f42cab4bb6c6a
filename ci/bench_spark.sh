#!/usr/bin/env bash
# Measures the Spark part beside hand-written PySpark, in one run and one session, and prints the table with its bars.
# usage: ci/bench_spark.sh [PART...] [--scale FACTOR] [--rounds N] [--save FILE]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh bench spark demo)
exec "$python" -m bench.spark "$@"
