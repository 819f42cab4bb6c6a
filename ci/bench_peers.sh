#!/usr/bin/env bash
# Measures the same tasks in this library and in others, in an environment of its own, and leaves the figures and their
# picture in bench/peers. Arguments go to bench.peers; with them, nothing is left.
# usage: ci/bench_peers.sh [PART...] [--rounds N] [--save FILE] [--picture FILE]
set -euo pipefail
cd "$(dirname "$0")/.."

export RS_VENV=${RS_VENV:-.venvs/peers}
python=$(ci/environment.sh bench peers)
if (($# == 0)); then
    set -- --save bench/peers/last_run.json --picture bench/peers/last_run.svg
fi
exec "$python" -m bench.peers "$@"
