"""The page of settings says what the code says: each bound and its value, each environment variable that is read."""

import importlib
import re
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT, files, text

PAGE = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
BOUNDS = re.findall(r"^\| `([\w.]+)\.([A-Z_]+)` \| ([\d.]+) \|", PAGE, re.MULTILINE)
VARIABLES = set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE))

# Of the system, of Python, of Java and of Spark, which say themselves what they mean.
OF_OTHERS = {
    "JAVA_HOME",
    "LOCALAPPDATA",
    "MASTER",
    "PATH",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_SUBMIT_OPTS",
    "SPARK_CONNECT_MODE_ENABLED",
    "SPARK_HOME",
    "SPARK_LOCAL_REMOTE",
    "SPARK_REMOTE",
    "TERM",
    "XDG_CACHE_HOME",
}


@pytest.mark.parametrize(("module", "name", "value"), BOUNDS)
def test_bound_is_what_the_page_says(module: str, name: str, value: str) -> None:
    assert str(getattr(importlib.import_module(module), name)) == value


def test_bounds_are_found_on_the_page() -> None:
    assert len(BOUNDS) > 20


def variables_read(path: Path) -> set[str]:
    """Return the environment variables that a module names as such."""
    source = text(path)
    named = re.findall(r"""environ(?:\.get\(|\[)\s*f?["']([A-Z_]+)["']""", source)
    return {*named, *re.findall(r"""["'](REACTIVESTREAMS_[A-Z]+)["']""", source)}


def test_page_has_every_environment_variable_that_is_read() -> None:
    read = {name for path in files("src", suffixes=(".py", ".pyx")) for name in variables_read(path)}
    assert {"REACTIVESTREAMS_DEBUG", "REACTIVESTREAMS_CACHE"} <= read
    assert read - OF_OTHERS - VARIABLES == set()
