"""The import linter's contracts (pyproject.toml) hold for src, and each of them catches a violation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT, SOURCES


def broken_contracts(sources: Path) -> list[str]:
    """Return the names of the contracts that the packages in a folder break, as the linter prints them."""
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    run = subprocess.run(
        [sys.executable, "-c", script, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=sources,
        env={**os.environ, "PYTHONPATH": str(sources), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    broken = [line.removesuffix(" BROKEN") for line in run.stdout.splitlines() if line.endswith(" BROKEN")]
    assert run.returncode == (1 if broken else 0), run.stdout + run.stderr
    return broken


def packages(folder: Path, modules: dict[str, str]) -> Path:
    """Write packages of the given modules (path -> source), each folder with its __init__, and return the folder."""
    for name, source in {**dict.fromkeys(NAMED_IN_CONTRACTS, ""), **modules}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for parent in path.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
        path.write_text(source, encoding="utf-8")
    return folder


# Without these modules a contract that names them cannot be checked.
NAMED_IN_CONTRACTS = (
    "rs_core/__init__.py",
    *(f"reactivestreams/{name}" for name in ("__init__.py", "arguments.py", "dropped.py", "tck/__init__.py")),
)

CORE = "The compiled core imports nothing of the Python layer"
LAYERS = "A package imports only packages below it"
KIT = "The compatibility kit imports nothing of ours but the interfaces, the errors and the check of hooks"


@pytest.mark.slow
def test_sources_keep_the_contracts() -> None:
    assert broken_contracts(SOURCES) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("importer", "imported", "broken"),
    [
        ("rs_core/errors.py", "reactivestreams/errors.py", [CORE]),
        ("reactivestreams/spec/rules.py", "reactivestreams/lifecycle/context.py", [LAYERS]),
        ("reactivestreams/schedulers/worker.py", "reactivestreams/operators/map.py", [LAYERS]),
        ("reactivestreams/engine/checkpoint.py", "reactivestreams/spark/sessions/session.py", [LAYERS]),
        ("reactivestreams/interop/arrow.py", "reactivestreams/spark/sessions/session.py", [LAYERS]),
        ("reactivestreams/tck/probes.py", "reactivestreams/testing/verifier.py", [LAYERS]),
        ("reactivestreams/tck/probes.py", "reactivestreams/state/codec.py", [LAYERS]),
        ("reactivestreams/tck/probes.py", "reactivestreams/arguments.py", [KIT]),
        ("reactivestreams/tck/probes.py", "rs_core/demand.py", [KIT]),
        ("reactivestreams/tck/probes.py", "rs_core/interp/deferred_functions.py", [KIT]),
        ("reactivestreams/tck/verification.py", "rs_core/interp/deferred_functions.py", []),
        ("reactivestreams/tck/probes.py", "reactivestreams/spec/rules.py", []),
        ("reactivestreams/without_layer.py", "reactivestreams/errors.py", [LAYERS]),
        ("reactivestreams/testing/verifier.py", "reactivestreams/tck/probes.py", []),
        ("reactivestreams/cli/demo.py", "reactivestreams/stream/stream.py", []),
        ("reactivestreams/errors.py", "rs_core/errors.py", []),
    ],
)
def test_contract_judges_an_import(tmp_path: Path, importer: str, imported: str, broken: list[str]) -> None:
    name = imported.removesuffix(".py").replace("/", ".")
    assert broken_contracts(packages(tmp_path, {imported: "", importer: f"import {name}\n"})) == broken
