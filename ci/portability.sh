#!/usr/bin/env bash
# Compiles what Cython generates for the systems and interpreters that are supported and not at hand: Linux on aarch64 and
# with musl, Windows, macOS, CPython 3.11 to 3.15 and the free-threaded builds. Installs the compilers where it may; one that
# is missing is a failure. The first run fetches headers into build/headers and takes some ten minutes; later ones compile
# only what changed.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

# What is called, and the package of Debian and Ubuntu that has it.
compilers=(
    "clang++ clang"
    "aarch64-linux-gnu-g++ g++-aarch64-linux-gnu"
    "x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64"
)
missing=()
for entry in "${compilers[@]}"; do
    read -r compiler package <<<"$entry"
    command -v "$compiler" >/dev/null || missing+=("$package")
done

if ((${#missing[@]})); then
    if ! command -v apt-get >/dev/null || ((EUID != 0)); then
        echo "Compilers are missing; on Debian and Ubuntu, as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    install_missing() {
        apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${missing[@]}"
    }
    quietly "Installing ${missing[*]}" install_missing
fi

python=$(ci/environment.sh --tools dev portability)
PYTHONPATH=. "$python" ci/portability.py
ci/workflows.sh
