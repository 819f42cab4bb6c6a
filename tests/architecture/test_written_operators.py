"""What ci/generate_operators.py writes from the definitions of operators is as they say, and bad ones are refused."""

import ast
import inspect
import shutil
from importlib import import_module
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest

from reactivestreams import KeyedStream, Pipeline, Stream
from reactivestreams.stream import KeyedPipeline
from tests.architecture.checkout import ROOT, SOURCES, script, shown

WRITER = script("generate_operators")
DEFINITIONS = WRITER.definitions()
METHODS = [definition for definition in DEFINITIONS if definition.face]
FOLDS = [definition for definition in METHODS if definition.is_fold]

FOLDER = Path("src/reactivestreams/operators")
SOURCE_FOLDER = Path("src/reactivestreams/sources")

DOC = """\
Pass on each n-th element.

Args:
    n: How many elements make one.

Demand: n requested are n requested upstream.
Errors: upstream's are passed on.
State: how many elements came; version 1.0.0.0.
Threads: as upstream.
Rules: §1.1.
Elsewhere: none.

Example:
    >>> 1
    1
"""

CHECK = """\
@staticmethod
def parameters(n: int = LARGEST, *, key: Callable[[T], U] | None = None) -> Checked[list[U]]:
    return Checked((n, key))
"""

HEAD = """\
from collections.abc import Callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
LARGEST = 7
"""


def definition(
    doc: str = DOC, check: str = CHECK, id: str = '"rx://operators/every"', method: str = '"every"', head: str = HEAD
) -> str:
    """Return the source of a definition, of which a part may be another than it should be."""
    body = f'"""{doc}"""\nid = {id}\nmethod = {method}\n{check}' if doc else f"id = {id}\nmethod = {method}\n{check}"
    return f"{head}\n\nclass Every(OperatorDefinition):\n{indent(body, '    ')}"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with the definitions and pages, and one operator more."""
    for part in (FOLDER, SOURCE_FOLDER, Path("src/reactivestreams/stream")):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for page in ("docs/reference/operators.md", "docs/guides/migrate.md"):
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    (tmp_path / FOLDER / "filtering" / "every.py").write_text(definition())
    return tmp_path


@pytest.mark.parametrize(
    ("path", "text"), WRITER.written().items(), ids=lambda value: shown(value) if isinstance(value, Path) else ""
)
def test_file_is_as_the_definitions_say(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python ci/generate_operators.py"


@pytest.mark.parametrize("definition", METHODS, ids=lambda definition: definition.method)
def test_method_shows_the_whole_docstring_of_its_definition(definition: Any) -> None:
    stated = inspect.getdoc(getattr(import_module(definition.module), definition.name))
    kinds = [KeyedStream, KeyedPipeline] if definition.family == "keyed" else [Pipeline]
    for kind in kinds if definition.is_fold else [*kinds, *([Stream] if kinds == [Pipeline] else [])]:
        assert inspect.getdoc(getattr(kind, definition.method_name)) == stated


@pytest.mark.parametrize("definition", FOLDS, ids=lambda definition: definition.method)
def test_terminal_operation_shows_the_docstring_of_its_definition_and_the_timeout(definition: Any) -> None:
    stated = inspect.getdoc(getattr(import_module(definition.module), definition.name))
    shown = inspect.getdoc(getattr(Stream, definition.method_name))
    assert shown is not None
    line = f"    {WRITER.TIMEOUT}\n"
    assert line in shown
    assert shown.replace(line, "", 1).replace("Args:\n\n", "") == stated
    assert inspect.getdoc(getattr(Stream, f"{definition.method_name}_async")) == stated
    assert not hasattr(Pipeline, f"{definition.method_name}_async")


@pytest.mark.parametrize("definition", WRITER.sources(), ids=lambda definition: definition.method)
def test_method_shows_the_whole_docstring_of_its_source(definition: Any) -> None:
    stated = inspect.getdoc(getattr(import_module(definition.module), definition.name))
    assert inspect.getdoc(getattr(Stream, definition.method)) == stated


@pytest.mark.parametrize("name", sorted(WRITER.WRITTEN_BY_HAND))
def test_method_of_a_source_that_is_written_by_hand_names_the_class_that_documents_it(name: str) -> None:
    assert f"as `sources.{''.join(map(str.title, name.split('_')))}` documents" in (
        inspect.getdoc(getattr(Stream, name)) or ""
    )


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.name)
def test_docstring_is_written_out(definition: Any) -> None:
    assert WRITER.PLACEHOLDER not in definition.doc


@pytest.mark.parametrize("face", [WRITER.FLUENT, WRITER.KEYED], ids=lambda face: face.module)
def test_stub_shows_the_whole_docstring_of_streams_and_pipelines(face: Any) -> None:
    stub = ast.parse((SOURCES / "reactivestreams" / "stream" / f"{face.module}.pyi").read_text(encoding="utf-8"))
    stated = {definition.method_name: definition.doc for definition in METHODS if definition.face is face}
    for name in (face.stream, face.pipeline):
        (kind,) = [node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name]
        written = {node.name: ast.get_docstring(node) for node in kind.body if isinstance(node, ast.FunctionDef)}
        written.pop("_add", None)
        folds = {definition.method_name for definition in FOLDS if definition.face is face}
        shown = {method: doc for method, doc in stated.items() if name == face.pipeline or method not in folds}
        assert written == shown


def test_stub_of_terminal_operations_shows_their_docstrings() -> None:
    stub = ast.parse((SOURCES / "reactivestreams" / "stream" / "terminal_methods.pyi").read_text(encoding="utf-8"))
    (kind,) = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    written = {node.name: ast.get_docstring(node) for node in kind.body if isinstance(node, ast.FunctionDef)}
    stated = {definition.method_name: definition.terminal_doc for definition in FOLDS}
    assert written == stated | {f"{definition.method_name}_async": definition.doc for definition in FOLDS}


FOLD_HEAD = """\
from reactivestreams.operators.definition import Checked, FoldingDefinition, T
"""

FOLD_CHECK = """\
@staticmethod
def parameters(n: int = 3) -> Checked[list[T]]:
    return Checked((n,))
"""


def fold() -> str:
    """Return the source of a definition of an operator with one result."""
    return definition(check=FOLD_CHECK, head=FOLD_HEAD).replace("(OperatorDefinition)", "(FoldingDefinition)")


def test_operator_with_one_result_becomes_a_terminal_operation_and_its_twin(tree: Path) -> None:
    (tree / FOLDER / "filtering" / "every.py").unlink()
    (tree / FOLDER / "folding" / "every.py").write_text(fold())
    assert WRITER.main([], tree) == 0
    stream = tree / "src" / "reactivestreams" / "stream"
    methods, stub = ((stream / f"terminal_methods.{suffix}").read_text() for suffix in ("py", "pyi"))
    for text in (methods, stub):
        assert "    def every(self, n: int = 3, *, timeout_seconds: float | None = None) -> list[T]:" in text
        assert "    def every_async(self, n: int = 3) -> Coroutine[Any, Any, list[T]]:" in text
    parameters = "operators.Every.parameters(n)"
    assert f"        return operators.Every.result_of(self, {parameters}, timeout_seconds)" in methods
    assert f"        return self._awaited_result(self._then(operators.Every, {parameters}))" in methods
    operators = (stream / "operator_methods.pyi").read_text()
    assert operators.count("def every(") == 1
    assert "    def every(self, n: int = 3) -> Pipeline[A, list[T]]:" in operators


@pytest.mark.parametrize(("family", "source"), [("folding", definition()), ("filtering", fold())])
def test_family_and_base_that_differ_are_refused(tree: Path, family: str, source: str) -> None:
    (tree / FOLDER / "filtering" / "every.py").unlink()
    (tree / FOLDER / family / "every.py").write_text(source)
    with pytest.raises(WRITER.DefinitionError, match="the operators of the family folding, and no others, derive from"):
        WRITER.definitions(tree)


@pytest.mark.parametrize(
    ("method", "parameter", "constant"),
    [
        (Stream.key_by, "max_keys", "reactivestreams.operators.keyed.keyed.DEFAULT_MAX_KEYS"),
        (Pipeline.key_by, "max_keys", "reactivestreams.operators.keyed.keyed.DEFAULT_MAX_KEYS"),
        (Stream.create, "capacity", "rs_core.queues.overflow_policy.DEFAULT_CAPACITY"),
        (Stream.create, "block_timeout_seconds", "rs_core.queues.overflow_policy.DEFAULT_BLOCK_TIMEOUT_SECONDS"),
        (Stream.from_publisher, "prefetch", "reactivestreams.sources.from_publisher.DEFAULT_PREFETCH"),
        (Stream.from_async_iterable, "prefetch", "reactivestreams.sources.from_async_iterable.DEFAULT_PREFETCH"),
    ],
)
def test_default_that_stands_in_a_signature_is_the_constant(method: Any, parameter: str, constant: str) -> None:
    module, _, name = constant.rpartition(".")
    assert inspect.signature(method).parameters[parameter].default == getattr(import_module(module), name)


def test_new_definition_is_written_everywhere(tree: Path) -> None:
    assert WRITER.main(["--check"], tree) == 1
    assert WRITER.main([], tree) == 0
    assert WRITER.main(["--check"], tree) == 0
    stream = tree / "src" / "reactivestreams" / "stream"
    head = "    def every(self, n: int = 7, *, key: Callable[[T], U] | None = None) -> {}[list[U]]:"
    methods, stub = ((stream / f"operator_methods.{suffix}").read_text() for suffix in ("py", "pyi"))
    assert head.format("Stream") in methods
    assert "        return self._then(operators.Every, operators.Every.parameters(n, key=key))" in methods
    assert head.format("Stream") in stub
    assert "    def every(self, n: int = 7, *, key: Callable[[T], U] | None = None) -> Pipeline[A, list[U]]:" in stub
    assert stub.count("Pass on each n-th element.") == 2
    row = '"reactivestreams.operators.filtering.every": ("Every",),'
    assert row in (tree / FOLDER / "__init__.py").read_text()
    assert "import Every" in (tree / FOLDER / "__init__.pyi").read_text()
    assert (
        "| [`every(n, key=)`](stream/every.md) | Pass on each n-th element |"
        in (tree / "docs/reference/operators.md").read_text()
    )


SOURCE_DOC = DOC.replace("Threads:", "Recovery: `exact`.\nThreads:").replace("Elsewhere: none.\n", "")


def test_new_source_becomes_a_method_of_the_class(tree: Path) -> None:
    (tree / FOLDER / "filtering" / "every.py").unlink()
    (tree / SOURCE_FOLDER / "every.py").write_text(definition(doc=SOURCE_DOC))
    assert WRITER.main([], tree) == 0
    methods = (tree / "src" / "reactivestreams" / "stream" / "source_methods.py").read_text()
    head = "    def every(cls, n: int = 7, *, key: Callable[[T], U] | None = None) -> Stream[list[U]]:\n"
    assert f"    @classmethod\n{head}" in methods
    assert "        parameters = sources.Every.parameters(n, key=key)\n" in methods


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (definition(doc=SOURCE_DOC.replace("Recovery: `exact`.\n", "")), "the docstring has no section 'Recovery'"),
        (
            definition(doc=SOURCE_DOC, method='"each"'),
            "the method 'each' has to be named as its file, 'every', so that",
        ),
        (
            definition(doc=SOURCE_DOC, check=CHECK.replace("Checked[list[U]]", "tuple[object, ...]")),
            "parameters() returns tuple[object, ...], which does not tell the type of the elements",
        ),
    ],
)
def test_source_that_no_method_can_be_written_from_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    path = tree / SOURCE_FOLDER / "every.py"
    path.write_text(source)
    assert WRITER.main([], tree) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{path}, class Every")
    assert message in said


def test_names_of_other_libraries_become_a_row_of_the_guide(tree: Path) -> None:
    doc = DOC.replace(
        "Elsewhere: none.", "Elsewhere: Reactor `skip`, then `take`; RxJava `skip`,\n    each time; reactivex `slice`."
    )
    (tree / FOLDER / "filtering" / "every.py").write_text(definition(doc=doc))
    assert WRITER.main([], tree) == 0
    guide = (tree / "docs/guides/migrate.md").read_text()
    assert "| `skip`, then `take` | `skip`, each time | `slice` | `every(n, key=)` |" in guide


def test_overloads_stand_in_the_stub(tree: Path) -> None:
    check = """\
    @overload
    @staticmethod
    def parameters(n: int) -> Checked[T]: ...
    @overload
    @staticmethod
    def parameters(n: Callable[[T], U]) -> Checked[U]: ...
    @staticmethod
    def parameters(n: int | Callable[[T], object]) -> Checked[Any]:
        return Checked((n,))
    """
    head = HEAD + "from typing import Any, overload\n"
    (tree / FOLDER / "filtering" / "every.py").write_text(definition(check=dedent(check), head=head))
    assert WRITER.main([], tree) == 0
    stream = tree / "src" / "reactivestreams" / "stream"
    stub = (stream / "operator_methods.pyi").read_text()
    for kind in ("Stream[", "Pipeline[A, "):
        assert f"    @overload\n    def every(self, n: int) -> {kind}T]:" in stub
        assert f"    @overload\n    def every(self, n: Callable[[T], U]) -> {kind}U]:" in stub
    methods = (stream / "operator_methods.py").read_text()
    assert "    def every(self, n: int | Callable[[T], object]) -> Stream[Any]:" in methods
    assert methods.count("def every") == 1


def test_check_of_one_argument_is_written_in_line_where_the_operator_is_loaded_with_the_stream(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = """\
    @staticmethod
    def parameters(n: int) -> Checked[T]:
        return Checked((checked_count(n, operator="every", name="n", at_least=0),))
    """
    (tree / FOLDER / "filtering" / "every.py").write_text(definition(check=dedent(check)))
    written = tree / "src" / "reactivestreams" / "stream" / "operator_methods.py"
    assert WRITER.main([], tree) == 0
    methods = written.read_text()
    assert "self._then(operators.Every, operators.Every.parameters(n))" in methods
    monkeypatch.setattr(WRITER, "LOADED_WITH_STREAM", {"every"})
    assert WRITER.main([], tree) == 0
    methods = written.read_text()
    assert "(n,) if type(n) is int and 0 <= n <= MAX_COUNT else Every.parameters(n))" in methods
    assert "\nfrom reactivestreams.operators.filtering.every import Every\n" in methods


def section(name: str) -> str:
    """Return the docstring without a section."""
    return "\n".join(line for line in DOC.splitlines() if not line.startswith(name)) + "\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (definition(doc=""), "has no docstring, which the method shows; write one"),
        *[
            (definition(doc=section(name)), f"the docstring has no section '{name}'")
            for name in ("Args", "Demand", "Errors", "State", "Threads", "Rules", "Elsewhere", "Example")
        ],
        (
            definition(doc=DOC.replace("Errors: upstream's are passed on.\n", "") + "\nErrors: upstream's.\n"),
            "its sections in the order Args, Demand, State, Threads, Rules, Elsewhere, Example, Errors; put",
        ),
        (
            definition(doc=DOC.replace("Elsewhere: none.", "Elsewhere: `sample` in Reactor.")),
            "the section 'Elsewhere' is '`sample` in Reactor.', which no table can be written from; write",
        ),
        (definition(method="NAME"), "method is None; state it as a text in the class"),
        (definition(id="7"), "id is 7; state it as a text in the class"),
        (
            definition(method='"each"'),
            "the method 'each' has to be named as its file, 'every', so that it is found; rename",
        ),
        (definition(check="pass\n"), "has no function `parameters`, which states the signature and checks it; add it"),
        (definition(check=CHECK + CHECK), "has 2 functions `parameters` that are no overloads; keep one, or decorate"),
        (definition(check=CHECK.replace("@staticmethod", "@classmethod")), "has to be a static method"),
        (definition(check=CHECK.replace("(n: int", "(m: int, /, n: int")), "a name that a call can use; write it so"),
        (
            definition(check=CHECK.replace("Checked[list[U]]", "tuple[object, ...]")),
            "parameters() returns tuple[object, ...], which does not tell the type of the elements",
        ),
        (
            definition(check=CHECK.replace(" -> Checked[list[U]]", "")),
            "parameters() returns no stated type, which does",
        ),
        (
            definition(check=CHECK.replace("n: int =", "n =")),
            "the parameter 'n' has no type, and the method needs one; state",
        ),
        (definition(check=CHECK.replace("n: int =", "n: 'int |' =")), "the type 'int |' is no expression; correct it"),
        (
            definition(check=CHECK.replace("list[U]", "Sequence[U]")),
            "'Sequence' in the type 'Sequence[U]' is not imported, and the method could not name it; import it",
        ),
        (
            definition(check=CHECK.replace("LARGEST", "SMALLEST")),
            "the default 'SMALLEST' is neither a literal nor a constant of a module that is one, and the method cannot",
        ),
    ],
)
def test_definition_that_nothing_can_be_written_from_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    path = tree / FOLDER / "filtering" / "every.py"
    path.write_text(source)
    before = (tree / FOLDER / "__init__.py").read_text()
    assert WRITER.main([], tree) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{path}, class Every")
    assert message in said
    assert (tree / FOLDER / "__init__.py").read_text() == before


@pytest.mark.parametrize(
    ("family", "source", "message"),
    [
        ("utility", definition(id='"rx://operators/other"'), "the method 'every' is that of"),
        ("utility", definition(method='"other"'), "the id 'rx://operators/every' is that of"),
        ("utility", definition(method='"other"', id='"rx://operators/other"'), "the name 'Every' is that of"),
    ],
)
def test_second_definition_of_the_same_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], family: str, source: str, message: str
) -> None:
    name = "other" if '"other"' in source else "every"
    (tree / FOLDER / family / f"{name}.py").write_text(source)
    assert WRITER.main([], tree) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "give it another" in said


def test_family_without_a_line_is_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / FOLDER / "windowing").mkdir()
    (tree / FOLDER / "windowing" / "__init__.py").touch()
    assert WRITER.main([], tree) == 2
    assert "windowing is no family; take one of transforming, filtering" in capsys.readouterr().err


def test_page_without_marks_is_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tree / "docs/guides/migrate.md"
    page.write_text(page.read_text().replace("<!-- end of operators -->", ""))
    assert WRITER.main([], tree) == 2
    assert "'<!-- end of operators -->' once; add them around the table" in capsys.readouterr().err
