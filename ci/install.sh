#!/usr/bin/env bash
# Installs the project into a virtual environment: editable, release profile, extensions beside their sources in src/.
# Rebuilds only what changed. Called by ci/environment.sh.
# usage: ci/install.sh INTERPRETER ENVIRONMENT
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

python=$1
venv=$2
export RS_BUILD=release

metadata=$(cat pyproject.toml setup.py | cksum)
sources=$(find src \( -name '*.pyx' -o -name '*.pxd' -o -name '*.h' \) -print | LC_ALL=C sort |
    while read -r source; do printf '%s ' "$source" && cksum <"$source"; done)

all_built() {
    local suffix source
    suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))' | tr -d '\r')
    while read -r source; do
        [[ -e ${source%.pyx}$suffix ]] || return 1
    done < <(find src/rs_core -name '*.pyx')
}

if [[ $(cat "$venv/metadata.stamp" 2>/dev/null) != "$metadata" ]]; then
    rm -f "$venv/metadata.stamp" "$venv/sources.stamp"
    quietly "Compiling the core (release) and installing the project" \
        ci/hintless.sh "$python" -m pip install -v --no-deps --no-build-isolation -e .
    printf '%s\n' "$metadata" >"$venv/metadata.stamp"
elif [[ $(cat "$venv/sources.stamp" 2>/dev/null) != "$sources" ]] || ! all_built; then
    quietly "Compiling what changed in the core (release)" \
        ci/hintless.sh "$python" setup.py build_ext --inplace
fi
ci/remove_stale_extensions.sh src
printf '%s\n' "$sources" >"$venv/sources.stamp"
