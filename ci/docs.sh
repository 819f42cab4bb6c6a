#!/usr/bin/env bash
# Builds the documentation into docs/_build/html, warnings as errors, and runs the examples in it.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

python=$(ci/environment.sh docs)
quietly "Building the documentation" "$python" -m sphinx -W --keep-going -q -b html docs docs/_build/html

# Examples write files into the folder in which they run.
python=$(cd "$(dirname "$python")" && pwd)/$(basename "$python") docs=$PWD/docs
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
cd "$written"
quietly "Running its examples" "$python" -m sphinx -W --keep-going -q -b doctest "$docs" "$docs/_build/doctest"
echo "docs/_build/html/index.html"
