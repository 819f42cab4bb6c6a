#!/usr/bin/env bash
# Removes what the other scripts made: builds, extensions beside their sources, caches, environments.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build dist .venv .venvs docs/_build .hypothesis .pytest_cache .mypy_cache .ruff_cache .benchmarks .import_linter_cache
rm -rf src/*.egg-info
find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
find src -name '*.so' -delete -o -name '*.pyd' -delete
