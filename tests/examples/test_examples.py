"""Every program in `examples/` and `examples/cookbook/` runs by itself and prints what its first lines promise."""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COOKBOOK = EXAMPLES / "cookbook"
PAGE = EXAMPLES.parent / "docs" / "guides" / "cookbook.md"
NEEDS_SPARK = {"pipeline_on_spark.py", "same_on_spark.py"}
NEEDS_POSIX = {"stop_on_sigterm.py"}
SLOW = {*NEEDS_SPARK, "certify_a_publisher.py", "operator_in_two_languages.py"}
NEEDS = {
    **dict.fromkeys(NEEDS_SPARK, "pyspark"),
    "from_reactivex.py": "reactivex",
    "ingest.py": "aiohttp",
    "observe_a_service.py": "opentelemetry",
    "operator_in_two_languages.py": "Cython",
}
SECONDS = 120


def programs() -> list[object]:
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[
                *([pytest.mark.spark] if path.name in NEEDS_SPARK else []),
                *([pytest.mark.slow] if path.name in SLOW else []),
            ],
        )
        for path in sorted([*EXAMPLES.glob("*.py"), *COOKBOOK.glob("*.py")])
    ]


def promised(path: Path) -> list[str]:
    """Return the lines that stand under `Prints:` in the docstring of a program."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, found, lines = text.partition("\nPrints:\n")
    assert found, f"{path.name} does not tell what it prints; end its docstring with 'Prints:' and the lines"
    return [line.removeprefix("    ") for line in lines.splitlines()]


@pytest.mark.parametrize("path", programs())
def test_example_prints_what_it_promises(path: Path, tmp_path: Path) -> None:
    if path.name in NEEDS and find_spec(NEEDS[path.name]) is None:
        pytest.skip(f"needs {NEEDS[path.name]}")
    if path.name in NEEDS_POSIX and sys.platform == "win32":
        pytest.skip("needs the signals of POSIX")
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


def test_cookbook_shows_each_of_its_programs_whole() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^```\{literalinclude\} \.\./\.\./examples/cookbook/(\w+\.py)$", page, re.MULTILINE)
    assert sorted(shown) == sorted(path.name for path in COOKBOOK.glob("*.py"))
