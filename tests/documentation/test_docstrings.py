"""The examples in the docstrings of every module run and show what they say."""

import importlib
from pathlib import Path

import pytest

from tests.documentation.examples import docstrings, run_docstrings

SOURCES = Path(__file__).parents[2] / "src"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def with_examples() -> list[str]:
    sources = [path for suffix in (".py", ".pyx") for path in SOURCES.rglob(f"*{suffix}")]
    return sorted(module_name(path) for path in sources if ">>> " in path.read_text(encoding="utf-8"))


MODULES = [
    pytest.param(name, marks=pytest.mark.spark) if name.startswith("reactivestreams.spark") else name
    for name in with_examples()
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_module_are_right(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in {"reactivestreams", "rs_core"}:
            raise
        pytest.skip(f"{name} needs the optional package {error.name}")
    if any(">>> import pyarrow" in text for _, text in docstrings(module)):
        pytest.importorskip("pyarrow")
    if any(">>> from opentelemetry" in text for _, text in docstrings(module)):
        pytest.importorskip("opentelemetry.sdk")
    monkeypatch.chdir(tmp_path)  # examples may write files
    outcome = run_docstrings(module)
    assert outcome.failures == []
    assert outcome.examples > 0  # the prompts in the source are all in docstrings that are found


def test_both_packages_have_examples() -> None:
    assert {name.partition(".")[0] for name in with_examples()} == {"reactivestreams", "rs_core"}
