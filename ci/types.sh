#!/usr/bin/env bash
# Types as pyright sees them: no error in src and tests/static_types, and every public name of both packages has a known
# type. Says nothing if that is so. Installs the tools by itself and needs no build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

python=$(ci/environment.sh --tools dev) || exit 1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0

# The packages are looked for where Python would look; before what is installed come the stubs that the configuration names.
export PYTHONPATH="$PWD/src:$PWD/ci/stubs" PYRIGHT_PYTHON_IGNORE_WARNINGS=1

if ! "$python" -m pyright --project pyproject.toml --pythonpath "$python" >"$output" 2>&1 </dev/null; then
    sed "s|$PWD/||" "$output"
    status=1
fi

for package in rs_core reactivestreams; do
    # Its status is 1 below 100 %, too.
    if ! "$python" -m pyright --pythonpath "$python" --verifytypes "$package" --ignoreexternal >"$output" 2>&1 </dev/null; then
        printf '%s: not every public name has a known type\n' "$package"
        sed -n "s|$PWD/||; /^Symbols used in public interface/,\$p" "$output"
        status=1
    fi
done
exit "$status"
