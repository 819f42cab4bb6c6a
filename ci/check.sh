#!/usr/bin/env bash
# Format, lint, types, import rules, the architecture's own rules, spelling. Runs all of them, prints a line each, and what those said that failed.
# Installs the tools by itself and needs no build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

python=$(ci/environment.sh --tools dev) || exit 1
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

lint_cython() {
    # Given folders it would skip all of a checkout below one named `build`. It starts pycodestyle, found on PATH, for each
    # file; so several at a time.
    find src tests examples \( -name '*.pyx' -o -name '*.pxd' \) -print0 |
        PATH="$(dirname "$python"):$PATH" xargs -0 -n 8 -P 4 "$python" -m cython_lint.cython_lint
}

check "format" "$python" -m ruff format --check --quiet
check "lint" "$python" -m ruff check --quiet --output-format concise
check "types" "$python" -m mypy --no-error-summary
check "pyright" ci/types.sh
check "cython-lint" lint_cython
check "imports" env PYTHONPATH=src "$python" -c 'from importlinter.cli import lint_imports_command as lint; lint()' --no-logo
check "sources" env PYTHONPATH=src "$python" -m pytest --noconftest -q -p no:cacheprovider tests/architecture/sources
check "spelling" "$python" -m codespell_lib
check "workflows" "$(dirname "$python")/zizmor" --offline --persona pedantic --quiet .github

if ((${#failed[@]})); then
    echo "failed: ${failed[*]}"
    exit 1
fi
