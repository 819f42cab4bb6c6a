#!/usr/bin/env bash
# Kills drivers, JVMs, planners, Python workers and executors of streaming queries with kill -9, at least 100 times, while
# they plan, read, process and commit; then counts the rows. Says how far it is, prints a histogram, and fails where a row
# was lost, repeated or wrong. Some fifteen minutes on two cores. Arguments go to the program.
# usage: ci/spark_crash_test.sh [--kills N] [--seed N] [--folder FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev spark)
"$python" -m tests.spark_crash "$@"
