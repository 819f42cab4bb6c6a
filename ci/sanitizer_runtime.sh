#!/usr/bin/env bash
# Prints the shared libraries to preload so that an ordinary interpreter can load extensions built with the sanitizers named,
# as LD_PRELOAD wants them: between colons, or nothing but a line on stderr and status 1 where the compiler has none.
# usage: ci/sanitizer_runtime.sh INTERPRETER SANITIZER...
set -euo pipefail

python=$1
shift
read -r -a compiler <<<"${CXX:-$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("CXX") or "c++")')}"

libraries=()
for name in "$@"; do
    # A compiler that has no such file answers with the bare name. The C++ library comes along for the sanitizers' hooks.
    library=$("${compiler[@]}" -print-file-name="lib$name.so" 2>/dev/null || true)
    if [[ $library != /* ]]; then
        echo "${compiler[*]} has no lib$name.so to preload (GCC on Linux has)." >&2
        exit 1
    fi
    libraries+=("$(realpath "$library")")
done
library=$("${compiler[@]}" -print-file-name=libstdc++.so.6)
[[ $library == /* ]] && libraries+=("$(realpath "$library")")
(
    IFS=:
    printf '%s\n' "${libraries[*]}"
)
