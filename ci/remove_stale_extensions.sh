#!/usr/bin/env bash
# Removes the compiled modules below a folder whose sources are gone from src. A folder that is not there has none.
# usage: ci/remove_stale_extensions.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: ci/remove_stale_extensions.sh FOLDER}
[[ -d $folder ]] || exit 0
find "$folder" \( -name '*.so' -o -name '*.pyd' \) -print | while read -r extension; do
    name=${extension##*/}
    source=src/${extension#"$folder/"}
    [[ -e ${source%/*}/${name%%.*}.pyx ]] || rm -f "$extension"
done
