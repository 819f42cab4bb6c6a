#!/usr/bin/env bash
# Checks the workflows beyond what `make check` does: actionlint, where Go is there to fetch and build it, and that the
# settings of cibuildwheel stand for the wheels that are promised, no more and no fewer.
set -euo pipefail
cd "$(dirname "$0")/.."

actionlint=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

python=$(ci/environment.sh --tools dev cibuildwheel)
if command -v actionlint >/dev/null; then
    actionlint
    echo "actionlint: ok"
elif command -v go >/dev/null; then
    go run "$actionlint"
    echo "actionlint: ok"
else
    echo "actionlint: SKIPPED, neither it nor Go is installed"
fi
"$python" ci/promised_wheels.py
