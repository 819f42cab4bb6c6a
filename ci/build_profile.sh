#!/usr/bin/env bash
# Builds a profile of setup.py out of place, rebuilding only what changed, and prints the folder to put on PYTHONPATH, the
# only line on stdout.
# usage: ci/build_profile.sh PROFILE
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

profile=${1:?usage: ci/build_profile.sh PROFILE}
export RS_BUILD=$profile
python=$(ci/environment.sh --tools)
ci/toolchain.sh "$python"

# The extensions are not known to depend on setup.py, which holds their directives and flags: another one starts anew.
base=build/$profile
stamp=$base/setup.stamp
if [[ $(cat "$stamp" 2>/dev/null) != "$(cksum <setup.py)" ]]; then
    rm -rf "$base"
    mkdir -p "$base"
    cksum <setup.py >"$stamp"
fi
# What is gone from src must be gone from the build. Extensions take long; their sources are translated to build/cython.
find "$base/lib" \( -name '*.py' -o -name '*.pyi' -o -name '*.pxd' -o -name '*.h' \) -delete 2>/dev/null || true
ci/remove_stale_extensions.sh "$base/lib"

quietly "Compiling the core ($profile)" \
    ci/hintless.sh "$python" setup.py build --build-base "$base" --build-lib "$base/lib"
printf '%s\n' "$base/lib"
