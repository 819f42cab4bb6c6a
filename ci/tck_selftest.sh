#!/usr/bin/env bash
# Judges the compatibility kit: how many of the wrong components it sees, and how often it fails a correct one on a busy
# machine. Ends with 1 when it sees less than 98 % of them, or fails a correct one once.
# usage: ci/tck_selftest.sh [--repetitions COUNT]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m tests.tck_selftest "$@"
