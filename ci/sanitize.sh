#!/usr/bin/env bash
# Runs all of tests/native and tests/stress where mistakes between threads show: under the thread sanitizer; with the tests of
# what the core does for the Python layer under the address and undefined-behaviour sanitizers; and with these and those of
# the core on a free-threaded interpreter. First it shows that the thread sanitizer is to be trusted here: rings with a
# weakened order must be reported. What cannot run is skipped and said.
# RS_FREE_THREADED_PYTHON names the free-threaded interpreter; else the first of the usual names on PATH is taken.
# usage: ci/sanitize.sh [thread|address|free-threaded]...      by default all three
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

started=$SECONDS
(($#)) || set -- thread address free-threaded
python=$(ci/environment.sh --tools dev)
ci/toolchain.sh "$python"
results=()

# What tests the compiled parts of life cycle, saved state, schedulers and subjects.
through_python=(tests/lifecycle tests/schedulers tests/state tests/subjects)

# Builds with a sanitizer are slow; what pytest takes for a hang elsewhere is none here.
patience=(-o faulthandler_timeout=400 -o timeout=600 -p no:cacheprovider)

no_sanitizer() {
    echo "== SKIPPED: the $1 sanitizer; install GCC with its sanitizer runtimes (Debian, Ubuntu: apt-get install g++)" >&2
    results+=("$1 sanitizer: skipped, no runtime")
}

thread() {
    local runtime lib reports begun=$SECONDS
    if ! runtime=$(ci/sanitizer_runtime.sh "$python" tsan); then
        no_sanitizer thread
        return
    fi
    lib=$(ci/build_profile.sh tsan)
    reports=build/tsan/reports
    rm -rf "$reports"
    mkdir -p "$reports"
    echo "== the thread sanitizer is shown rings with a weakened order" >&2
    PYTHONPATH=$lib RS_TEST_PROFILE=tsan "$python" -m tests.native.weakened_rings "$runtime"
    echo "== tests/native and tests/stress under the thread sanitizer" >&2
    # The interpreter is not instrumented, but its locks are seen, since the runtime is preloaded.
    if ! PYTHONPATH=$lib LD_PRELOAD=$runtime RS_TEST_PROFILE=tsan \
        TSAN_OPTIONS="exitcode=66 log_path=$PWD/$reports/race suppressions=$PWD/ci/tsan_suppressions.txt history_size=4" \
        "$python" -m pytest -q "${patience[@]}" tests/native tests/stress; then
        cat "$reports"/race.* >&2 2>/dev/null || true
        echo "== FAILED: the thread sanitizer; its reports are above and in $reports" >&2
        return 1
    fi
    results+=("thread sanitizer: no race; the weakened rings were reported ($((SECONDS - begun)) s)")
}

address() {
    local runtime lib begun=$SECONDS
    if ! runtime=$(ci/sanitizer_runtime.sh "$python" asan ubsan); then
        no_sanitizer address
        return
    fi
    lib=$(ci/build_profile.sh asan)
    echo "== tests/native, tests/stress, ${through_python[*]} under the address and undefined-behaviour sanitizers" >&2
    # As in ci/test.sh: what the interpreter never frees is no leak of ours, and its own allocator would hide overruns.
    PYTHONPATH=$lib LD_PRELOAD=$runtime PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
        UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 RS_TEST_PROFILE=asan \
        "$python" -m pytest -q "${patience[@]}" tests/native tests/stress "${through_python[@]}"
    results+=("address and undefined-behaviour sanitizers: nothing reported ($((SECONDS - begun)) s)")
}

free_threaded_python() {
    local name
    for name in ${RS_FREE_THREADED_PYTHON:+"$RS_FREE_THREADED_PYTHON"} python3.14t python3.13t python3.15t; do
        if "$name" -c 'import sys; sys.exit(sys._is_gil_enabled())' >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

free-threaded() {
    local interpreter begun=$SECONDS
    if ! interpreter=$(free_threaded_python); then
        echo "== SKIPPED: no free-threaded interpreter; get one (uv python install 3.14t, or see CONTRIBUTING.md), then" >&2
        echo "   RS_FREE_THREADED_PYTHON=/path/to/python3.14t make sanitize" >&2
        results+=("free-threaded: skipped, no interpreter")
        return
    fi
    python=$(PYTHON=$interpreter RS_VENV=.venvs/free-threaded ci/environment.sh threads)
    echo "== the same and tests/rs_core with $("$python" -VV), the GIL staying off" >&2
    RS_TEST_PROFILE=release RS_TEST_WITHOUT_GIL=1 \
        "$python" -m pytest -q "${patience[@]}" tests/native tests/stress "${through_python[@]}" tests/rs_core
    results+=("free-threaded: passed, the GIL stayed off ($((SECONDS - begun)) s)")
}

for part in "$@"; do
    case $part in
        thread | address | free-threaded) "$part" ;;
        *)
            echo "ci/sanitize.sh has no part $part; take thread, address or free-threaded" >&2
            exit 2
            ;;
    esac
done
printf '%s\n' "${results[@]}" "make sanitize: $((SECONDS - started)) s in all"
