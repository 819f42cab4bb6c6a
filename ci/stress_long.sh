#!/usr/bin/env bash
# Puts what threads share under load for long: 10^9 operations without the GIL, then the stress tests in Python at their
# greatest depth. Says how far it is; Ctrl-C ends it with a summary. Arguments go to the first part.
# usage: ci/stress_long.sh [--operations N]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m tests.stress.long_run "$@"
RS_TEST_DEPTH=${RS_TEST_DEPTH:-night} "$python" -m pytest -o timeout=3600 -o faulthandler_timeout=3600 tests/stress
