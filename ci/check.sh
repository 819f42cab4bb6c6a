#!/usr/bin/env bash
# Format, lint, types, import rules, spelling. Runs all of them, prints a line each, and what those said that failed.
# Installs the tools by itself and needs no build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

python=$(ci/environment.sh --tools dev) || exit 1
tools=$(dirname "$python")
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=()

check() {
    local name=$1 started=$SECONDS
    shift
    if "$@" >"$output" 2>&1 </dev/null; then
        printf '%-14s ok      %3d s\n' "$name" "$((SECONDS - started))"
    else
        printf '%-14s FAILED  %3d s\n' "$name" "$((SECONDS - started))"
        sed 's/^/    /' "$output"
        failed+=("$name")
    fi
}

check "format" "$tools/ruff" format --check --quiet
check "lint" "$tools/ruff" check --quiet --output-format concise
check "types" "$tools/mypy" --no-error-summary
check "cython-lint" "$tools/cython-lint" src tests bench
check "imports" env PYTHONPATH=src "$tools/lint-imports"
check "spelling" "$tools/codespell"

if ((${#failed[@]})); then
    echo "failed: ${failed[*]}"
    exit 1
fi
