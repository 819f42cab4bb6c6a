"""ci/scaffold_operator.py writes what an operator needs, with tests that fail until it is filled in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT, script

SCAFFOLD = script("scaffold_operator")

DEFINITION = Path("src/reactivestreams/operators/filtering/take_every.py")
TEST = Path("tests/operators/filtering/test_take_every.py")

# What an author writes into the files, in place of what stands there.
FILLED = {
    DEFINITION: {
        'raise NotImplementedError("emit what becomes of an element")': (
            "self.seen = (self.seen + 1) % self.count\n        if self.seen == 0:\n            self.emit(element)"
        ),
        'raise NotImplementedError("write what is remembered; if nothing is, remove this and the next function")': (
            "writer.write(self.seen)"
        ),
        'raise NotImplementedError("read what was written")': "self.seen = reader.read(int)",
        "        self.count = count\n": "        self.count = count\n        self.seen = 0\n",
        '"""take_every: (to be written)."""': '"""take_every: pass on each n-th element."""',
        '    """(to be written)\n\n    Args:\n        count: (to be written)': (
            '    """Pass on each n-th element.\n\n    Args:\n        count: Of so many elements the last passes.'
        ),
        '    """(to be written)\n\n    State: (to be written)': (
            '    """Drop all elements but each n-th.\n\n    State: how many came since the last that passed.'
        ),
        "Demand: (to be written)": "Demand: n requested are n upstream; a dropped element gives its demand back.",
        "State: (to be written)": "State: how many came since the last that passed; version 1.0.0.0.",
        "[(to be written)]": "[1, 3, 5]",
    },
    TEST: {
        'raise NotImplementedError("return what goes out for these elements")': "return elements[2::3]",
        "(to be written)": "each n-th element",
    },
}


def copy_of_the_tree(folder: Path) -> Path:
    """Return a checkout with all that an operator and its test need."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyx", "*.cpp", "*.h")
    for part in ("src/reactivestreams", "src/rs_core", "tests", "ci"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    for part in ("pyproject.toml", "docs/reference/operators.md", "docs/guides/migrate.md"):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, folder / part)
    return folder


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a checkout, which is what it imports."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**kept, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=150,
        check=False,
    )


def run_test(tree: Path) -> subprocess.CompletedProcess[str]:
    return run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--benchmark-disable", TEST.as_posix())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_operator_is_scaffolded_filled_in_generated_and_tested(tmp_path: Path) -> None:
    tree = copy_of_the_tree(tmp_path)
    scaffolded = run(tree, "ci/scaffold_operator.py", "take_every", "--family", "filtering")
    assert scaffolded.stdout.splitlines()[:2] == [DEFINITION.as_posix(), TEST.as_posix()]
    assert scaffolded.returncode == 0

    generated = run(tree, "ci/generate_operators.py")
    assert (generated.returncode, generated.stdout) == (0, "")
    unfilled = run_test(tree)
    assert unfilled.returncode == 1, unfilled.stdout
    assert "NotImplementedError: return what goes out for these elements" in unfilled.stdout

    for path, parts in FILLED.items():
        text = (tree / path).read_text()
        for before, after in parts.items():
            assert before in text
            text = text.replace(before, after)
        (tree / path).write_text(text)
        assert SCAFFOLD.PLACEHOLDER not in text
    assert run(tree, "ci/generate_operators.py").returncode == 0
    filled = run_test(tree)
    assert filled.returncode == 0, filled.stdout
    used = run(tree, "-c", "from reactivestreams import Stream; print(Stream.range(6).take_every(2).to_list())")
    assert used.stdout == "[1, 3, 5]\n"
    shown = run(tree, "-c", "import inspect, reactivestreams as r; print(inspect.getdoc(r.Pipeline.take_every))")
    assert shown.stdout.startswith(
        "Pass on each n-th element.\n\nArgs:\n    count: Of so many elements the last passes."
    )
    for tool in (("check",), ("format", "--check")):
        judged = run(tree, "-m", "ruff", *tool, "--no-cache", DEFINITION.as_posix(), TEST.as_posix())
        assert judged.returncode == 0, judged.stdout


@pytest.mark.parametrize(
    ("name", "family", "message"),
    [
        ("map", "filtering", "the name 'map' is that of a method in "),
        ("to_list", "filtering", "the name 'to_list' is that of a method in "),
        ("first_async", "filtering", "the name 'first_async' is that of a method in "),
        ("nodes", "filtering", "the name 'nodes' is that of a method in "),
        ("aggregate", "filtering", "the name 'aggregate' is that of a method in "),
        ("keyed_scan", "filtering", "the name 'keyed_scan' makes the class 'KeyedScan', which is there: "),
        ("take-every", "filtering", "the name 'take-every' cannot be that of a method; take words in lower case"),
        ("TakeEvery", "filtering", "the name 'TakeEvery' cannot be that of a method; take words in lower case"),
        ("_take_every", "filtering", "the name '_take_every' cannot be that of a method; take words in lower case"),
        ("2nd", "filtering", "the name '2nd' cannot be that of a method; take words in lower case"),
        ("class", "filtering", "the name 'class' cannot be that of a method; take words in lower case"),
        (
            "take_every",
            "dropping",
            "the family 'dropping' is not known; take one of transforming, filtering",
        ),
        (
            "take_every",
            "keyed",
            "the family 'keyed' has no stages of its own; copy src/reactivestreams/operators/keyed/",
        ),
    ],
)
def test_name_or_family_that_no_operator_can_have_is_refused(
    capsys: pytest.CaptureFixture[str], name: str, family: str, message: str
) -> None:
    assert SCAFFOLD.main([name, "--family", family]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_file_that_exists_is_not_written_over(tmp_path: Path) -> None:
    for part in ("src/reactivestreams/operators", "src/reactivestreams/stream"):
        shutil.copytree(ROOT / part, tmp_path / part)
    stub = Path("src/rs_core/stream/description.pyi")
    for path in (stub, TEST):
        (tmp_path / path).parent.mkdir(parents=True)
    shutil.copy(ROOT / stub, tmp_path / stub)
    (tmp_path / TEST).write_text("mine")
    with pytest.raises(SCAFFOLD.ScaffoldError) as caught:
        SCAFFOLD.files("take_every", "filtering", tmp_path)
    assert str(caught.value) == f"{tmp_path / TEST} exists; move it away, or take another name"
