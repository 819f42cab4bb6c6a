#!/usr/bin/env bash
# Checks that C++17 extensions can be built for the interpreter given; names what is missing and how to install it.
# usage: ci/toolchain.sh INTERPRETER
set -euo pipefail

python=$1
[[ ${OSTYPE:-} == msys* || ${OSTYPE:-} == cygwin* ]] && exit 0 # setuptools finds MSVC by itself and says when it cannot

missing=()

# The first word of what the build will call: $CXX, else the compiler that the interpreter was built with.
compiler=${CXX:-$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("CXX") or "c++")')}
read -r -a command <<<"$compiler"
if ! printf '#include <atomic>\nstd::atomic<long> demand;\n' |
    "${command[@]}" -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1; then
    missing+=("a C++17 compiler with its standard headers ('$compiler' does not compile <atomic>)
    Debian, Ubuntu: apt-get install g++      Fedora: dnf install gcc-c++      macOS: xcode-select --install
    or name another one: CXX=clang++ make ...")
fi

if ! "$python" -c '
import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())'; then
    missing+=("the headers of $python (Python.h)
    Debian, Ubuntu: apt-get install python3-dev      Fedora: dnf install python3-devel
    or take another interpreter: PYTHON=/path/to/python3 make ...")
fi

((${#missing[@]} == 0)) && exit 0
echo "The compiled core cannot be built here. Missing:" >&2
printf '  * %s\n' "${missing[@]}" >&2
exit 1
