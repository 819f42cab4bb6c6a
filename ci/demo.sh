#!/usr/bin/env bash
# Sets everything up and runs the flights pipeline; arguments go to the command.
# usage: ci/demo.sh [ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh demo)
exec "$python" -m reactivestreams demo "$@"
