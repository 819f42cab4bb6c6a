#!/usr/bin/env bash
# Runs all of tests/native and tests/stress where mistakes between threads show: under the thread sanitizer; with the tests of
# the core, and of what it does for the Python layer, under the address and undefined-behaviour sanitizers; and with the same
# tests on a free-threaded interpreter. First it shows that the thread sanitizer is to be trusted here: rings with a
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

# What ci/test.sh is to install: not the extras of all tests.
export RS_TEST_EXTRAS=dev

# What tests the compiled parts of life cycle, saved state, schedulers, subjects and event loops.
through_python=(tests/lifecycle tests/schedulers tests/state tests/subjects
    tests/operators/transforming/test_map_async.py tests/operators/transforming/test_map_in_executor.py
    tests/operators/utility/test_parallel.py
    tests/sources/test_from_async_iterable.py tests/stream/test_async_ends.py
    tests/stream/test_async_iteration.py tests/stream/test_closed_loops.py tests/stream/test_hops.py)

# Quiet, and patient: builds with a sanitizer are slow; what pytest takes for a hang elsewhere is none here.
options=(-q -o faulthandler_timeout=400 -o timeout=600 -p no:cacheprovider)

# For tests whose threads need not meet: these have the machine for themselves.
sharing=(--numprocesses=auto --dist=loadscope)

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
        "$python" -m pytest "${options[@]}" tests/native tests/stress; then
        cat "$reports"/race.* >&2 2>/dev/null || true
        echo "== FAILED: the thread sanitizer; its reports are above and in $reports" >&2
        return 1
    fi
    results+=("thread sanitizer: no race; the weakened rings were reported ($((SECONDS - begun)) s)")
}

address() {
    local begun=$SECONDS
    if ! ci/sanitizer_runtime.sh "$python" asan ubsan >/dev/null; then
        no_sanitizer address
        return
    fi
    echo "== tests/native and tests/stress under the address and undefined-behaviour sanitizers" >&2
    ci/test.sh asan "${options[@]}" tests/native tests/stress
    echo "== tests/rs_core, ${through_python[*]} under them" >&2
    ci/test.sh asan "${options[@]}" "${sharing[@]}" tests/rs_core "${through_python[@]}"
    results+=("address and undefined-behaviour sanitizers: nothing reported ($((SECONDS - begun)) s)")
}

free-threaded() {
    local interpreter begun=$SECONDS
    if ! interpreter=$(ci/free_threaded_python.sh); then
        results+=("free-threaded: skipped, no interpreter")
        return
    fi
    python=$(PYTHON=$interpreter RS_VENV=.venvs/free-threaded ci/environment.sh threads)
    echo "== the same with $("$python" -VV), the GIL staying off" >&2
    RS_TEST_PROFILE=release RS_TEST_WITHOUT_GIL=1 \
        "$python" -m pytest "${options[@]}" tests/native tests/stress tests/rs_core "${through_python[@]}"
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
