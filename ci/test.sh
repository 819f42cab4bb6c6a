#!/usr/bin/env bash
# Builds and tests. quick: what a change runs at once, some minutes in the release build. rest: all other tests, or the named
# parts of them (core, kit, spark, builds in the release build, debug in that build; kafka and cluster only where they are
# named). all: everything in the release build, the core in the debug build too. release, debug, asan: one build, and the named tests or
# all that are for it.
# RS_TEST_DEPTH=gate|full|night says how much is sampled; RS_TEST_EXTRAS which extras are installed; RS_TEST_WORKERS how many
# processes run the tests (one for each core and one more, since tests wait, but at most 4; 0: this one), unless paths are
# named; RS_TEST_PARTS which parts of the tests a build runs (tests/conftest.py).
# usage: ci/test.sh [quick|rest [PART...]|all|release|debug|asan] [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

# Processes that run tests, and those that tests start, would compile all modules each for itself.
unset PYTHONDONTWRITEBYTECODE

profile=release
case ${1:-} in
    quick | rest | all | release | debug | asan)
        profile=$1
        shift
        ;;
esac

# The other builds stand alone, outside src: they need the tools, not the installed release build.
read -r -a wanted <<<"${RS_TEST_EXTRAS:-dev demo connect docs bench}"
[[ $profile == debug || $profile == asan ]] && wanted=(--tools "${wanted[@]}")
python=$(ci/environment.sh "${wanted[@]}")

workers=${RS_TEST_WORKERS:-$("$python" -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))' | tr -d '\r')}

names_a_path() {
    local argument
    for argument in "$@"; do
        [[ -e ${argument%%::*} ]] && return
    done
    return 1
}

run() {
    local profile=$1
    shift
    if ! names_a_path "$@"; then
        [[ $profile == release ]] || set -- tests/rs_core "$@"
        # A process that crashes ends the run: another one would begin its folder again, and crash again, for hours.
        set -- --numprocesses="$workers" --dist=loadscope --no-loadscope-reorder --max-worker-restart=0 \
            --benchmark-disable "$@"
    fi
    echo "== the tests of the $profile build" >&2
    RS_TEST_PROFILE=$profile "$python" -m pytest "$@"
}

# The JVMs of Spark's tests load their classes from an archive.
run_release() {
    if [[ " ${RS_TEST_PARTS-spark} " == *" spark "* ]] && { ! names_a_path "$@" || [[ " $*" == *tests/spark* ]]; }; then
        quietly "Keeping the classes of Spark's JVM" "$python" ci/class_archive.py build/classes
        SPARK_SUBMIT_OPTS=$("$python" ci/class_archive.py build/classes)
        export SPARK_SUBMIT_OPTS
    fi
    run release "$@"
}

run_debug() {
    local lib
    lib=$(ci/build_profile.sh debug) || return
    RS_TEST_PARTS='' PYTHONPATH=$lib run debug "$@"
}

run_asan() {
    local lib runtime
    runtime=$(ci/sanitizer_runtime.sh "$python" asan ubsan)
    lib=$(ci/build_profile.sh asan)
    # The interpreter itself is not instrumented: what it never frees at exit is no leak of ours, and its own small-object
    # allocator would hide every overrun.
    # Without debug checks, so that streams are linked as they are in programs.
    PYTHONPATH=$lib LD_PRELOAD=$runtime PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 REACTIVESTREAMS_DEBUG=0 \
        UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 run asan "$@"
}

# Compiles on another core while the tests of the release build run. Says nothing: whoever needs a build asks for it again,
# waits for what is left of it and shows its errors.
builder=
build_ahead() {
    mkdir -p build
    set -m # a process group of its own, which can be ended with its compilers
    ci/build_profile.sh "$1" </dev/null >build/ahead.log 2>&1 &
    builder=$!
    set +m
    trap 'kill -- "-$builder" 2>/dev/null || true' EXIT
}

# Both builds run, whatever the first says.
run_both() {
    local status=0
    build_ahead debug
    run_release "$@" || status=$?
    wait "$builder" || true
    run_debug "$@" || status=$?
    return "$status"
}

# The parts are the first arguments.
run_rest() {
    local released=() debug=
    while [[ ${1:-} =~ ^(core|kit|spark|builds|kafka|cluster|debug)$ ]]; do
        if [[ $1 == debug ]]; then debug=1; else released+=("$1"); fi
        shift
    done
    if [[ ! $debug && ${#released[@]} == 0 ]]; then
        debug=1
        released=(core kit spark builds)
    fi
    export RS_TEST_PARTS="${released[*]}"
    set -- --durations=40 --durations-min=1 "$@"
    if [[ ! $debug ]]; then
        run_release "$@"
    elif ((${#released[@]})); then
        run_both "$@"
    else
        run_debug "$@"
    fi
}

run_quick() {
    local started=$SECONDS status=0
    RS_TEST_PARTS=quick run_release --durations=10 --durations-min=0 "$@" || status=$?
    echo "== quick tests: $((SECONDS - started)) s; they should take at most 300 s on two idle cores; make test-all runs the rest"
    return "$status"
}

if [[ $profile == all ]]; then
    run_both "$@"
else
    "run_$profile" "$@"
fi
