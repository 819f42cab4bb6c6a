"""Every program in `examples/` runs by itself and prints what its first lines promise."""

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NEEDS_SPARK = {"pipeline_on_spark.py"}
SECONDS = 120


def programs() -> list[object]:
    return [
        pytest.param(
            path, id=path.stem, marks=[pytest.mark.spark, pytest.mark.slow] if path.name in NEEDS_SPARK else []
        )
        for path in sorted(EXAMPLES.glob("*.py"))
    ]


def promised(path: Path) -> list[str]:
    """Return the lines that stand under `Prints:` in the docstring of a program."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, found, lines = text.partition("\nPrints:\n")
    assert found, f"{path.name} does not tell what it prints; end its docstring with 'Prints:' and the lines"
    return [line.removeprefix("    ") for line in lines.splitlines()]


@pytest.mark.parametrize("path", programs())
def test_example_prints_what_it_promises(path: Path, tmp_path: Path) -> None:
    if path.name in NEEDS_SPARK and find_spec("pyspark") is None:
        pytest.skip("needs the extra spark")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    run = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=tmp_path,
        env=environment,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == promised(path)


def test_there_are_examples() -> None:
    assert len(list(EXAMPLES.glob("*.py"))) >= 5
