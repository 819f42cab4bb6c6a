#!/usr/bin/env bash
# Tests the Spark part on a standalone cluster, on YARN and through a server of Spark Connect: storage, master, two workers,
# that server and a driver are machines in network, mount and process namespaces of their own, which end with this script,
# however it ends. Fails where they cannot be made, and names what is missing. Needs Linux, root, Java 17 and, once, Maven,
# which fetches HDFS, YARN and the client of S3. Arguments go to pytest.
# usage: ci/cluster_test.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev spark connect cluster)
PYTHONPATH=. "$python" -m tests.spark.cluster.standalone

# The folder for logs and mount points; of a run that was killed it would stay behind.
RS_CLUSTER_FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/reactivestreams-cluster-XXXXXX")
export RS_CLUSTER_FOLDER
trap 'rm -rf "$RS_CLUSTER_FOLDER"' EXIT
RS_TEST_PARTS=cluster RS_TEST_PROFILE=release "$python" -m pytest --durations=15 tests/spark/cluster "$@"
