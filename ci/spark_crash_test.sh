#!/usr/bin/env bash
# Kills drivers, JVMs, planners, Python workers and executors of streaming queries with kill -9, at least 100 times, while
# they plan, read, process and commit; then counts the rows. Says how far it is, prints a histogram, and fails where a row
# was lost, repeated or wrong. Some fifteen minutes on two cores. With --cluster the processes are those of a standalone
# cluster, and its machines, while files and checkpoint are on HDFS, on S3 and in a shared folder in turn: half an hour, and
# it needs what ci/cluster_test.sh needs. Arguments go to the program.
# usage: ci/spark_crash_test.sh [--cluster] [--kills N] [--seed N] [--folder FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

extras=(dev spark)
[[ " $* " == *" --cluster "* ]] && extras+=(cluster)
python=$(ci/environment.sh "${extras[@]}")
"$python" -m tests.spark_crash "$@"
