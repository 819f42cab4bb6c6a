#!/usr/bin/env bash
# Makes a virtual environment in the checkout (.venv, or $RS_VENV), installs what the named extras need and, unless --tools
# is given, the project itself (editable, release profile). What is done already is not done again. The last thing it does
# is to print the path of the environment's interpreter, the only line on stdout.
# usage: ci/environment.sh [--tools] EXTRA...
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

tools_only=false
if [[ ${1:-} == --tools ]]; then
    tools_only=true
    shift
fi
venv=${RS_VENV:-.venv}

interpreter() {
    if [[ -d $venv/Scripts ]]; then echo "$venv/Scripts/python.exe"; else echo "$venv/bin/python"; fi
}

make_environment() {
    local base
    base=$(ci/python.sh)
    if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$base has no venv module; on Debian and Ubuntu: apt-get install python3-venv; then run the same again." >&2
        return 1
    fi
    quietly "Making $venv with $("$base" --version)" "$base" -m venv --clear "$venv"
    printf '%s\n' "$PWD" >"$venv/checkout.txt"
}

# An environment is made anew if its interpreter has gone, if it was left half made, or if the checkout was moved: its
# commands hold their path.
if [[ $(cat "$venv/checkout.txt" 2>/dev/null) != "$PWD" ]] || ! "$(interpreter)" -c 'import pip' 2>/dev/null; then
    make_environment
fi
python=$(interpreter)

# uv installs in half of pip's time. It does not read pip's settings: where these name an index, and where uv does not
# get through, pip does it. Modules are compiled when they are imported, unless their bytecode would not be kept then.
install_requirements() {
    local ahead=${PYTHONDONTWRITEBYTECODE:+--compile-bytecode}
    if [[ $("$python" -m pip config list) != *index* ]] && "$python" -m pip install -q uv &&
        "$python" -m uv pip install -q ${ahead:+"$ahead"} --system-certs --python "$python" -r "$1"; then
        return
    fi
    "$python" -m pip install -q -r "$1"
}

# Compiles the core while the network brings the rest. Shows no errors: ci/install.sh, called again at the end, does.
installer=
install_ahead() {
    "$python" ci/requirements.py | tr -d '\r' >"$venv/requirements.new"
    install_requirements "$venv/requirements.new" >/dev/null 2>&1 || return 0
    set -m # a process group of its own, which can be ended with its compilers
    ci/install.sh "$python" "$venv" </dev/null >/dev/null 2>&1 &
    installer=$!
    set +m
    trap 'kill -- "-$installer" 2>/dev/null || true' EXIT
}

until_ended() {
    while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
}

# Before anything large is fetched.
if ! $tools_only && [[ ! -e $venv/metadata.stamp ]]; then
    ci/toolchain.sh "$python"
fi

# Extras add up: those of earlier calls are kept and resolved together with the new ones.
touch "$venv/extras.txt"
extras=$(printf '%s\n' "$@" | sort -u - "$venv/extras.txt")
read -r -d '' -a names <<<"$extras" || true # fails at the end of its input, always
wanted=$("$python" ci/requirements.py ${names[@]+"${names[@]}"} | tr -d '\r')
if [[ $wanted != "$(cat "$venv/requirements.txt" 2>/dev/null)" ]]; then
    if ! $tools_only && [[ ! -e $venv/metadata.stamp ]]; then install_ahead; fi
    rm -f "$venv/requirements.txt"
    printf '%s\n' "$wanted" >"$venv/requirements.new"
    large=""
    [[ $wanted == *pyspark* ]] && large=" (PySpark is 450 MB: a minute or two the first time)"
    quietly "Installing what ${names[*]:-the build} needs$large" install_requirements "$venv/requirements.new"
    printf '%s\n' "$extras" >"$venv/extras.txt"
    mv "$venv/requirements.new" "$venv/requirements.txt"
fi

if ! $tools_only; then
    if [[ $installer ]]; then quietly "Compiling the core (release), which began beside that" until_ended "$installer"; fi
    ci/install.sh "$python" "$venv"
fi
printf '%s\n' "$python"
