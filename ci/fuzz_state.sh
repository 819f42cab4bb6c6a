#!/usr/bin/env bash
# Feeds damaged saved state to the loaders: cut, flipped, put in another order, oversized, deeply nested, foreign, empty. None
# may crash, hang, ask for memory without bound or be loaded wrongly. Says how far it is; a finding names the batch that
# repeats it. Arguments go to the program.
# usage: ci/fuzz_state.sh [--cases N] [--seed N] [--batch N]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(ci/environment.sh dev)
"$python" -m tests.state.fuzz "$@"
