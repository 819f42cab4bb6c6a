# shellcheck shell=bash
# Sourced by the other scripts: `quietly MESSAGE COMMAND...` runs a long step with one line of progress on stderr, and
# shows what the command printed only if it fails.

quietly() {
    local message=$1 log status=0 started=$SECONDS
    shift
    log=$(mktemp)
    printf '%s ... ' "$message" >&2
    # Not in an `if`: the command may be a function that relies on `set -e`.
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
    if ((status == 0)); then
        printf 'done in %d s\n' "$((SECONDS - started))" >&2
    else
        printf 'FAILED (status %d) after %d s; its output:\n' "$status" "$((SECONDS - started))" >&2
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}
