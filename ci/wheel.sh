#!/usr/bin/env bash
# Builds the sdist, then the wheel from that sdist in an environment of its own, into dist/.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

python=$(ci/environment.sh --tools dev)
ci/toolchain.sh "$python"
rm -rf dist
RS_BUILD=release quietly "Building the sdist, and the wheel from it" "$python" -m build --outdir dist
ls -l dist
