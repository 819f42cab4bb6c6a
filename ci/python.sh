#!/usr/bin/env bash
# Prints the interpreter that the environment is made with: $PYTHON, else the first of the usual names that is 3.11 or later.
set -euo pipefail

suits() {
    # A name may be found and still not run: version managers put a stand-in on PATH for each version that they know.
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [[ -n ${PYTHON:-} ]]; then
    if suits "$PYTHON"; then
        printf '%s\n' "$PYTHON"
        exit 0
    fi
    echo "PYTHON=$PYTHON is no Python 3.11 or later; point PYTHON at one, or unset it to have one searched for." >&2
    exit 1
fi

# 3.15 last: pandas 2, which the extra `spark` needs, has no wheel for it and would be compiled for many minutes.
for name in python3.14 python3.13 python3.12 python3.11 python3 python python3.15; do
    if suits "$name"; then
        command -v "$name"
        exit 0
    fi
done

cat >&2 <<'END'
No Python 3.11 or later was found. Install one, then run the same command again:
  Debian, Ubuntu   apt-get install python3 python3-venv python3-dev
  Fedora           dnf install python3 python3-devel
  macOS            brew install python@3.13
  Windows          winget install Python.Python.3.13
or name an interpreter that is already there: PYTHON=/path/to/python3 make ...
END
exit 1
