#!/usr/bin/env bash
# Judges the compatibility kit: how many of the wrong components it catches and misses, how many of all changes of a
# statement of the standard's examples, and how often it fails a correct component: a fast one, a slow one, and one on a
# busy machine. Ends with 1 when it sees less than
# 98 % of either, or fails a correct one once.
# usage: ci/tck_selftest.sh [--repetitions COUNT]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m tests.tck_selftest "$@"
