"""Write from the definitions of the operators all that repeats them.

    python ci/generate_operators.py [--check]

A definition is a class in `src/reactivestreams/operators/<family>/<name>.py`. It states the typed signature, the
docstring, the check of the parameters and which stage runs it. Written from it are the methods of `Stream` and
`Pipeline`, and of what their `key_by` returns, with their stubs; the list of the package `reactivestreams.operators`;
the rows of the reference page; those of the guide for who knows another library; and, with ci/names, the page of the
names of other libraries and the table that an AttributeError looks into. An operator with one result for all elements
(docs/decisions/0033-one-result-three-faces.md) is an operator of `Pipeline`, and on `Stream` a terminal operation and
its awaited twin. A source is defined in the same way in `src/reactivestreams/sources/<name>.py`, and its method is one
of the class `Stream`. With `--check` nothing is written: the files that differ are listed, and the status is 1.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any

import generate_names
import generate_package_stubs

ROOT = Path(__file__).resolve().parents[1]
LINE = 120

FAMILIES = {
    "transforming": "made of the elements",
    "filtering": "some of the elements",
    "folding": "one result of all elements",
    "combining": "the elements of several streams",
    "recovering": "what follows an end or an error",
    "timing": "the elements later, or those that the time chooses",
    "backpressure": "the elements, and what becomes of those that nobody requested",
    "utility": "all elements as they are",
    "arrow": "each element an Arrow batch",
    "keyed": "one state for each key",
}
"""The families in the order in which pages list them, and what their operators pass on."""

LOADED_WITH_STREAM = {"map", "filter", "take", "skip", "from_iterable"}
"""The methods that load their operators or sources with the stream, some to have the check in line: what nearly all
use."""

WRITTEN_BY_HAND = {"amb", "range", "when_all"}
"""The sources whose methods are not written from them: one has two definitions, the others take several sources."""

KINDS = {"OperatorDefinition", "FoldingDefinition", "KeyedMethod"}
"""The bases of definitions. What has the last alone is no operator of its own: its method adds `Keyed`."""

SECTIONS = ("Args", "Raises", "Demand", "Errors", "State", "Recovery", "Threads", "Rules", "Elsewhere", "Example")
NEEDED_SECTIONS = ("Demand", "Errors", "State", "Threads", "Rules", "Elsewhere", "Example")
SOURCE_SECTIONS = ("Demand", "Errors", "State", "Recovery", "Threads", "Rules", "Example")
LIBRARIES = re.compile(r"Reactor (.+?); RxJava (.+?); reactivex (.+?)\.")

PLACEHOLDER = "(to be written)"
"""What ci/scaffold_operator.py leaves to the author; a test refuses a docstring that still has it."""

TYPE_VARIABLES = {"T": "the elements that come", "U": "what the arguments state", "S": "what a source has for itself"}


@dataclass(frozen=True)
class Face:
    """A module of methods, and its two classes."""

    module: str
    stream: str
    pipeline: str
    package: str
    """Where it takes the definitions from, each when it is first used; an import statement in the method costs more."""
    base: str
    """What both derive from; empty where the class that has the methods brings `_then` itself."""
    about: str


FLUENT = Face(
    "operator_methods",
    "OperatorMethods",
    "PipelineMethods",
    "reactivestreams.operators",
    "Description",
    "The operators as methods of `Stream` and `Pipeline`",
)
KEYED = Face(
    "keyed_methods",
    "KeyedStreamMethods",
    "KeyedPipelineMethods",
    "reactivestreams.operators.keyed",
    "",
    "The methods of what `key_by` of a stream or a pipeline returns",
)


TERMINAL = "terminal_methods"
"""The module of the operators with one result as methods of `Stream`, which run it."""

SOURCES = "source_methods"
"""The module of the sources as methods of the class `Stream`."""

AWAITED = "Coroutine[Any, Any, {}]"

TIMEOUT = "timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit."


class DefinitionError(ValueError):
    """A definition that nothing can be written from."""


PARAMETERS = {"Stream": "", "Pipeline": "A, ", "ParallelStream": "", "ParallelPipeline": "A, "}
"""What stands before the type of the elements in that of a description."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a method, and the type of the elements that it passes on."""

    arguments: ast.arguments
    result: str

    def written(self, name: str, kind: str, first: str = "self") -> str:
        """Return the head of the method of a kind of description, `Stream` or `Pipeline`.

        A kind with a place for the type, such as `Coroutine[Any, Any, {}]`, is that of a terminal operation.
        """
        parts = [first, *self._parts()]
        returned = kind.format(self.result) if "{}" in kind else f"{kind}[{PARAMETERS[kind]}{self.result}]"
        head, tail = f"    def {name}(", f") -> {returned}:"
        if len(line := f"{head}{', '.join(parts)}{tail}") <= LINE:
            return line
        if len(line := f"        {', '.join(parts)}") <= LINE:
            return f"{head}\n{line}\n    {tail}"
        return f"{head}\n{''.join(f'        {part},' + chr(10) for part in parts)}    {tail}"

    def _parts(self) -> Iterator[str]:
        given = self.arguments
        if given.kwarg is not None:
            yield "/"  # else no column could be named `self`
        defaults = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults]
        for argument, default in zip(given.args, defaults, strict=True):
            yield _parameter(argument, default)
        if given.vararg is not None:
            yield f"*{_parameter(given.vararg, None)}"
        elif given.kwonlyargs:
            yield "*"
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            yield _parameter(argument, default)
        if given.kwarg is not None:
            yield f"**{_parameter(given.kwarg, None)}"

    def passed(self) -> str:
        """Return the arguments of a call that hands them on."""
        given = self.arguments
        parts = [argument.arg for argument in given.args]
        parts += [f"*{given.vararg.arg}"] if given.vararg else []
        parts += [f"{argument.arg}={argument.arg}" for argument in given.kwonlyargs]
        parts += [f"**{given.kwarg.arg}"] if given.kwarg else []
        return ", ".join(parts)

    def with_timeout(self) -> "Signature":
        """Return the signature of the terminal operation that blocks."""
        given = self.arguments
        timeout = ast.arg("timeout_seconds", ast.parse("float | None", mode="eval").body)
        arguments = ast.arguments(
            posonlyargs=given.posonlyargs,
            args=given.args,
            vararg=given.vararg,
            kwonlyargs=[*given.kwonlyargs, timeout],
            kw_defaults=[*given.kw_defaults, ast.Constant(None)],
            kwarg=given.kwarg,
            defaults=given.defaults,
        )
        return Signature(arguments, self.result)

    def shown(self) -> str:
        """Return the arguments as a page names them."""
        given = self.arguments
        parts = [argument.arg for argument in given.args]
        parts += [f"*{given.vararg.arg}"] if given.vararg else []
        parts += [f"{argument.arg}=" for argument in given.kwonlyargs]
        parts += [f"**{given.kwarg.arg}"] if given.kwarg else []
        return ", ".join(parts)


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    annotation = "" if argument.annotation is None else f": {ast.unparse(argument.annotation)}"
    return f"{argument.arg}{annotation}" + ("" if default is None else f" = {ast.unparse(default)}")


@dataclass(frozen=True)
class Definition:
    """What the class of an operator states."""

    where: str
    module: str
    family: str
    name: str
    id: str
    method: str
    doc: str
    signatures: tuple[Signature, ...]
    """The overloads, if there are any, then the signature of the function itself; none: it has no method."""
    imports: frozenset[tuple[str, str, str]]
    """What the annotations name: the module, the name in it (empty: the module itself), and the name in use."""
    quick_check: str
    """`call` or `count` where the check is of one function, or of one count from 0, and is written in line."""
    is_operator: bool
    """Whether it is one of the package's names."""
    opens: str
    """How the names of the classes begin that its method returns in the place of a Stream or a Pipeline, and that add
    the operator later; empty: it returns these."""
    has_end: bool
    """Whether it has one result and names an end of its own that finds it: such a one is loaded with the stream."""

    @property
    def face(self) -> Face | None:
        """Where its method is; None: other methods add it."""
        return None if not self.signatures else KEYED if self.family == "keyed" else FLUENT

    @property
    def method_name(self) -> str:
        return self.method.removeprefix("key_by().")

    @property
    def is_fold(self) -> bool:
        """Whether it has one result, so that its method of `Stream` runs the stream."""
        return self.family == "folding"

    @property
    def terminal_doc(self) -> str:
        """The docstring of the terminal operation that blocks."""
        if "\nArgs:\n" not in self.doc:
            head, _, tail = self.doc.partition("\n\n")
            return f"{head}\n\nArgs:\n    {TIMEOUT}\n\n{tail}"
        head, _, rest = self.doc.partition("\nArgs:\n")
        given, _, tail = rest.partition("\n\n")
        return f"{head}\nArgs:\n{given}\n    {TIMEOUT}\n\n{tail}"

    @property
    def overloads(self) -> tuple[Signature, ...]:
        return self.signatures[:-1]

    @property
    def summary(self) -> str:
        """The first line of the docstring, without its stop."""
        return self.doc.splitlines()[0].rstrip(".")

    @property
    def call(self) -> str:
        """The method with its arguments, as a page names it."""
        given = self.signatures[-1].shown() if self.signatures else "..."
        return f"{self.method.replace('key_by()', 'key_by(key)')}({given})"

    @property
    def elsewhere(self) -> tuple[str, str, str]:
        """Its names in Reactor, RxJava and reactivex; empty texts where they have none."""
        text = _section(self.doc, "Elsewhere")
        found = LIBRARIES.fullmatch(text)
        if found is None:
            return ("", "", "")
        reactor, rxjava, reactivex = found.groups()
        return (reactor, rxjava, reactivex)


# --- reading --------------------------------------------------------------------------------------------------------


def definitions(root: Path = ROOT) -> list[Definition]:
    """Return the definitions of all operators, by family and name.

    Raises:
        DefinitionError: One of them cannot be written from, or two have the same name, method or id.
    """
    folder = root / "src" / "reactivestreams" / "operators"
    unknown = sorted({path.parent.name for path in folder.glob("*/__init__.py")} - set(FAMILIES))
    if unknown:
        raise DefinitionError(
            f"{folder / unknown[0]} is no family; take one of {', '.join(FAMILIES)}, or give it a line in FAMILIES"
        )
    found = [
        definition
        for family in FAMILIES
        for path in sorted((folder / family).glob("*.py"))
        for definition in _definitions_in(path, family, root / "src")
    ]
    for what in ("method", "id", "name"):
        seen: dict[str, Definition] = {}
        for definition in found:
            value = getattr(definition, what)
            if not value or (what == "method" and not definition.signatures):
                continue
            if value in seen:
                raise DefinitionError(
                    f"{definition.where}: the {what} {value!r} is that of {seen[value].where} too, and one of them "
                    f"would hide the other; give it another {what}"
                )
            seen[value] = definition
    return found


def sources(root: Path = ROOT) -> list[Definition]:
    """Return the definitions of the sources whose methods are written from them, by name.

    Raises:
        DefinitionError: One of them cannot be written from.
    """
    folder = root / "src" / "reactivestreams" / "sources"
    return [
        definition
        for path in sorted(folder.glob("*.py"))
        if path.stem not in WRITTEN_BY_HAND
        for definition in _definitions_in(path, SOURCES, root / "src")
    ]


def _definitions_in(path: Path, family: str, sources: Path) -> Iterator[Definition]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            kinds = KINDS.intersection(map(ast.unparse, node.bases))
            if kinds:
                yield _definition(path, family, sources, tree, node, kinds)


def _definition(
    path: Path, family: str, sources: Path, tree: ast.Module, node: ast.ClassDef, kinds: set[str]
) -> Definition:
    where = f"{path}, class {node.name}"
    stated = _constants(node.body)
    is_operator = kinds != {"KeyedMethod"}
    if (family == "folding") != ("FoldingDefinition" in kinds):
        raise DefinitionError(
            f"{where}: the operators of the family folding, and no others, derive from FoldingDefinition; move the "
            "file or change the base"
        )
    has_method = "KeyedMethod" in kinds or family != "keyed"
    for name in ("id", "method") if is_operator else ("method",):
        if not isinstance(stated.get(name), str):
            raise DefinitionError(f"{where}: {name} is {stated.get(name)!r}; state it as a text in the class")
    method = stated["method"]
    if has_method and method != (f"key_by().{path.stem}" if family == "keyed" else path.stem):
        raise DefinitionError(
            f"{where}: the method {method!r} has to be named as its file, {path.stem!r}, so that it is found; rename "
            "one of them"
        )
    functions = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "parameters"]
    if not functions:
        raise DefinitionError(f"{where} has no function `parameters`, which states the signature and checks it; add it")
    if any(_decorators(function) != ["overload", "staticmethod"] for function in functions[:-1]):
        raise DefinitionError(
            f"{where} has {len(functions)} functions `parameters` that are no overloads; keep one, or decorate the "
            "others"
        )
    names = _Names(where, _imports(tree), _constants(tree.body), sources)
    signatures = tuple(_signature(function, names) for function in functions) if has_method else ()
    return Definition(
        where=where,
        module=".".join(path.relative_to(sources).with_suffix("").parts),
        family=family,
        name=node.name,
        id=stated.get("id", ""),
        method=method,
        doc=_checked_doc(
            where,
            node,
            (
                *(("Args",) if signatures and signatures[-1].shown() else ()),
                *(SOURCE_SECTIONS if family == SOURCES else NEEDED_SECTIONS),
            ),
        ),
        signatures=signatures,
        imports=frozenset(names.needed),
        quick_check=_quick_check(functions[-1]) if method in LOADED_WITH_STREAM else "",
        is_operator=is_operator,
        opens=stated.get("opens", ""),
        has_end=any(isinstance(part, ast.FunctionDef) and part.name == "run" for part in node.body),
    )


def _constants(body: list[ast.stmt]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name):
                try:
                    found[target.id] = ast.literal_eval(node.value)
                except ValueError:
                    continue
    return found


def _imports(tree: ast.Module) -> dict[str, tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            used = alias.asname or alias.name
            is_module = isinstance(node, ast.Import)
            found[used] = (alias.name, "", used) if is_module else (getattr(node, "module", ""), alias.name, used)
    return found


@dataclass
class _Names:
    """What the names in a file stand for, and those of them that the signatures need."""

    where: str
    imports: dict[str, tuple[str, str, str]]
    constants: dict[str, Any]
    sources: Path
    needed: set[tuple[str, str, str]] = field(default_factory=set)

    def need(self, annotation: ast.expr) -> None:
        """Note what a type names."""
        for node in ast.walk(annotation):
            if not isinstance(node, ast.Name) or node.id in TYPE_VARIABLES or hasattr(builtins, node.id):
                continue
            if node.id not in self.imports:
                raise DefinitionError(
                    f"{self.where}: {node.id!r} in the type {ast.unparse(annotation)!r} is not imported, and the "
                    f"method could not name it; import it, or take a type variable of {', '.join(TYPE_VARIABLES)}"
                )
            self.needed.add(self.imports[node.id])

    def literal(self, default: ast.expr) -> ast.expr:
        """Return a default as a literal: to load a definition for a constant would load all that it needs."""
        try:
            return ast.Constant(ast.literal_eval(default))
        except ValueError:
            name = ast.unparse(default)
        constants = self.constants
        if name in self.imports:
            path = self.sources.joinpath(*self.imports[name][0].split(".")).with_suffix(".py")
            constants = _constants(ast.parse(path.read_text(encoding="utf-8")).body) if path.exists() else {}
        if name in constants:
            return ast.Constant(constants[name])
        raise DefinitionError(
            f"{self.where}: the default {name!r} is neither a literal nor a constant of a module that is one, and the "
            "method cannot state it; write it out"
        )


def _decorators(function: ast.FunctionDef) -> list[str]:
    return sorted(ast.unparse(decorator) for decorator in function.decorator_list)


def _signature(function: ast.FunctionDef, names: _Names) -> Signature:
    given, where = function.args, names.where
    if "staticmethod" not in _decorators(function) or given.posonlyargs:
        raise DefinitionError(
            f"{where}: parameters({ast.unparse(given)}) has to be a static method, and each parameter to have a name "
            "that a call can use; write it so"
        )
    returned = _unquoted(where, function.returns)
    if not (isinstance(returned, ast.Subscript) and ast.unparse(returned.value) == "Checked"):
        raise DefinitionError(
            f"{where}: parameters() returns {ast.unparse(returned) if returned else 'no stated type'}, which does not "
            "tell the type of the elements that the operator passes on; let it return Checked[type]"
        )
    names.need(returned.slice)
    for argument in [*given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]:
        annotation = argument.annotation = _unquoted(where, argument.annotation)
        if annotation is None:
            raise DefinitionError(
                f"{where}: the parameter {argument.arg!r} has no type, and the method needs one; state it"
            )
        names.need(annotation)
    given.defaults = [names.literal(default) for default in given.defaults]
    given.kw_defaults = [default and names.literal(default) for default in given.kw_defaults]
    return Signature(given, ast.unparse(returned.slice))


def _unquoted(where: str, annotation: ast.expr | None) -> ast.expr | None:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError as error:
            raise DefinitionError(f"{where}: the type {annotation.value!r} is no expression; correct it") from error
    return annotation


def _quick_check(function: ast.FunctionDef) -> str:
    """Tell whether the check is one that the method has in line: to call `parameters` costs a third of a node."""
    body = [part for part in function.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    checks = {
        "call": "return Checked((checked_callable({0}, operator={1!r}, name={0!r}),))",
        "count": "return Checked((checked_count({0}, operator={1!r}, name={0!r}, at_least=0),))",
    }
    names = [argument.arg for argument in function.args.args]
    if len(body) != 1 or len(names) != 1 or function.args.kwonlyargs or function.args.vararg or function.args.kwarg:
        return ""
    written = re.sub(r"operator='\w+'", "operator='*'", ast.unparse(body[0]))
    return next((kind for kind, check in checks.items() if written == check.format(names[0], "*")), "")


def _checked_doc(where: str, node: ast.ClassDef, needed: tuple[str, ...]) -> str:
    doc = ast.get_docstring(node)
    if not doc:
        raise DefinitionError(f"{where} has no docstring, which the method shows; write one")
    starts = [found[1] for found in re.finditer(r"^(\w+):(?: |$)", doc, re.MULTILINE) if found[1] in SECTIONS]
    for section in needed:
        if section not in starts:
            raise DefinitionError(
                f"{where}: the docstring has no section {section!r}; each of {', '.join(needed)} is there, add it"
            )
    if starts != [section for section in SECTIONS if section in starts]:
        raise DefinitionError(
            f"{where}: the docstring has its sections in the order {', '.join(starts)}; put them in the order "
            f"{', '.join(SECTIONS)}"
        )
    elsewhere = _section(doc, "Elsewhere")
    if "Elsewhere" in needed and elsewhere != "none." and not LIBRARIES.fullmatch(elsewhere):
        raise DefinitionError(
            f"{where}: the section 'Elsewhere' is {elsewhere!r}, which no table can be written from; write `none.`, or "
            "`Reactor ...; RxJava ...; reactivex ....`"
        )
    return doc


def _section(doc: str, name: str) -> str:
    found = re.search(rf"^{name}: (.+(?:\n    .+)*)", doc, re.MULTILINE)
    return re.sub(r"\s+", " ", found[1]) if found else ""


# --- writing --------------------------------------------------------------------------------------------------------

WRITTEN_BY = "Written by ci/generate_operators.py from the definitions in reactivestreams.{}; change those."
WRITTEN_FROM_OPERATORS = WRITTEN_BY.format("operators")


def methods(found: list[Definition], face: Face) -> str:
    """Return a module of methods."""
    shown = [definition for definition in found if definition.face is face]
    folds = [definition for definition in shown if definition.is_fold]
    quick = sorted((definition for definition in shown if definition.quick_check), key=lambda one: one.module)
    typing = {"TYPE_CHECKING", "Any", "Generic", "TypeVar"}
    typing |= {name for definition in shown for module, name, _ in definition.imports if module == "typing"}
    named = {("reactivestreams.stream.stream", "Stream")}
    named |= {("reactivestreams.stream.pipelines", "Pipeline")} if folds else set()
    named |= _opened(shown, "Stream")
    lines = [
        f'"""{face.about}.',
        "",
        WRITTEN_FROM_OPERATORS,
        '"""',
        "",
        "# What `_then` returns is of the caller's kind, so its element type is stated by each method.",
        "",
        "from __future__ import annotations",
        "",
        f"from typing import {', '.join(sorted(typing, key=generate_package_stubs.place))}",
        "",
        f"from {face.package.rpartition('.')[0]} import {face.package.rpartition('.')[2]}",
        *(["from reactivestreams.arguments import MAX_COUNT"] if quick else []),
        *(f"from {definition.module} import {definition.name}" for definition in quick),
        *(["from rs_core.stream.description import Description"] if face.base else []),
        "",
        "if TYPE_CHECKING:",
        indent(_import_block(shown, {(module, name, name) for module, name in named}, but="typing"), "    "),
        "",
        *_type_variables("A", "T", "U"),
        "",
        "",
        f"class {face.stream}({face.base + ', ' if face.base else ''}Generic[T]):",
        '    """The methods that add an operator; each returns a new description and leaves this one as it is."""',
        "",
        "    # Operators whose argument is checked in line are loaded with the stream, the others when they are used.",
        "",
        "    __slots__ = ()",
        *([] if face.base else ["", "    _then: Any"]),
    ]
    for definition in shown:
        if not definition.is_fold:
            lines += _method(definition, face, "Stream")
    if face is FLUENT:
        lines += ["", "    def _add(self, operator: Any) -> Any:"]
        lines += ["        return self._then(operator.definition, operator.parameters, operator.assembly)"]
    lines += [
        "",
        "",
        f"class {face.pipeline}({face.stream}[T], Generic[A, T]):",
        '    """The same methods. For type checkers, who read the stub, they return pipelines."""',
        "",
        "    __slots__ = ()",
    ]
    for definition in folds:
        lines += _method(definition, face, "Pipeline")
    return "\n".join(lines) + "\n"


def _method(definition: Definition, face: Face, kind: str) -> list[str]:
    head = definition.signatures[-1].written(definition.method_name, f"{definition.opens}{kind}")
    return ["", head, _docstring(definition.doc), *_body(definition, face)]


def terminal_methods(found: list[Definition]) -> str:
    """Return the module of the operators with one result as methods of `Stream`."""
    folds = [definition for definition in found if definition.is_fold]
    typing = {"TYPE_CHECKING", "Any", "TypeVar"}
    typing |= {name for definition in folds for module, name, _ in definition.imports if module == "typing"}
    lines = [
        '"""The operators with one result as methods of `Stream`, which run it: terminal operations.',
        "",
        WRITTEN_FROM_OPERATORS,
        '"""',
        "",
        "from __future__ import annotations",
        "",
        f"from typing import {', '.join(sorted(typing, key=generate_package_stubs.place))}",
        "",
        "from reactivestreams import operators",
        *(f"from {definition.module} import {definition.name}" for definition in folds if definition.has_end),
        f"from reactivestreams.stream.{FLUENT.module} import {FLUENT.stream}",
        "",
        "if TYPE_CHECKING:",
        indent(_import_block(folds, {("collections.abc", "Coroutine", "Coroutine")}, but="typing"), "    "),
        "",
        *_type_variables("T", "U"),
        "",
        "",
        f"class TerminalMethods({FLUENT.stream}[T]):",
        '    """The terminal operations with one result, each followed by its twin that is awaited."""',
        "",
        "    # Operators that name an end of their own are loaded with the stream, the others when they are used.",
        "",
        "    __slots__ = ()",
        "",
        "    _awaited_result: Any",
    ]
    for definition in folds:
        name, signature = definition.method_name, definition.signatures[-1]
        operator = definition.name if definition.has_end else f"operators.{definition.name}"
        parameters = f"{operator}.parameters({signature.passed()})"
        lines += [
            "",
            signature.with_timeout().written(name, "{}"),
            _docstring(definition.terminal_doc),
            f"        return {operator}.run(self, timeout_seconds, {signature.passed()})".replace(", )", ")")
            if definition.has_end
            else f"        return {operator}.result_of(self, {parameters}, timeout_seconds)",
            "",
            signature.written(f"{name}_async", AWAITED),
            _docstring(definition.doc),
            f"        return self._awaited_result(self._then({operator}, {parameters}))",
        ]
    return "\n".join(lines) + "\n"


def terminal_stub(found: list[Definition]) -> str:
    """Return the stub of that module."""
    folds = [definition for definition in found if definition.is_fold]
    named = {("typing", "Any"), ("typing", "TypeVar"), ("collections.abc", "Coroutine")}
    named |= {(f"reactivestreams.stream.{FLUENT.module}", FLUENT.stream)}
    if any(definition.overloads for definition in folds):
        named |= {("typing", "overload")}
    imports = _import_block(folds, {(module, name, name) for module, name in named})
    lines = [
        "# The operators with one result as methods of `Stream`, which run it.",
        "#",
        f"# {WRITTEN_FROM_OPERATORS}",
        "",
    ]
    lines += [imports, "", *_type_variables("T", "U"), "", f"class TerminalMethods({FLUENT.stream}[T]):"]
    for definition in folds:
        for is_awaited in (False, True):
            for signature in definition.overloads or definition.signatures:
                lines += ["    @overload"] if definition.overloads else []
                if is_awaited:
                    lines += [signature.written(f"{definition.method_name}_async", AWAITED), _docstring(definition.doc)]
                else:
                    lines += [signature.with_timeout().written(definition.method_name, "{}")]
                    lines += [_docstring(definition.terminal_doc)]
    return "\n".join(lines) + "\n"


def source_methods(found: list[Definition]) -> str:
    """Return the module of the sources as methods of the class `Stream`."""
    loaded = [definition for definition in found if definition.method in LOADED_WITH_STREAM]
    lines = [
        '"""The sources as methods of the class `Stream`.',
        "",
        WRITTEN_BY.format("sources"),
        '"""',
        "",
        "# Elements have a type variable of their own, U: pyright does not know T where the class is named without it.",
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any, TypeVar",
        "",
        "from reactivestreams import sources",
        *(f"from {definition.module} import {definition.name}" for definition in loaded),
        f"from reactivestreams.stream.{TERMINAL} import TerminalMethods",
        "from rs_core.stream.description import new_head",
        "",
        "if TYPE_CHECKING:",
        indent(_import_block(found, {("reactivestreams.stream.stream", "Stream", "Stream")}, but="typing"), "    "),
        "",
        *_type_variables("S", "T", "U"),
        "",
        "",
        "class SourceMethods(TerminalMethods[T]):",
        '    """The methods that return a new stream."""',
        "",
        "    __slots__ = ()",
    ]
    for definition in found:
        signature = definition.signatures[-1]
        if signature.result == "Any":  # it sends no element, so its stream is one of whatever is expected
            signature = Signature(signature.arguments, "T")
        source = definition.name if definition in loaded else f"sources.{definition.name}"
        lines += [
            "",
            "    @classmethod",
            signature.written(definition.method, "Stream", "cls"),
            _docstring(definition.doc),
            f"        parameters = {source}.parameters({signature.passed()})",
            f"        head: Stream[{signature.result}] = new_head(cls, {source}, parameters)",
            "        return head",
        ]
    return "\n".join(lines) + "\n"


def _opened(shown: list[Definition], *kinds: str) -> set[tuple[str, str]]:
    """Return the classes in the place of streams and pipelines, each with its module."""
    opens = {definition.opens for definition in shown if definition.opens}
    return {(f"reactivestreams.stream.{each.lower()}", f"{each}{kind}") for each in opens for kind in kinds}


def stub(found: list[Definition], face: Face) -> str:
    """Return the stub of a module of methods, where those of pipelines return pipelines."""
    shown = [definition for definition in found if definition.face is face]
    named = {("typing", "Generic"), ("typing", "TypeVar")}
    named |= {("reactivestreams.stream.pipelines", "Pipeline"), ("reactivestreams.stream.stream", "Stream")}
    if face is FLUENT:
        named |= {("typing", "Any"), ("reactivestreams.stream.pipelines", "Operator")}
        named |= {("rs_core.stream.description", "Description")}
    named |= _opened(shown, "Stream", "Pipeline")
    if any(len(definition.signatures) > 1 for definition in shown):
        named |= {("typing", "overload")}
    imports = _import_block(shown, {(module, name, name) for module, name in named})
    lines = [f"# {face.about}.", "#", f"# {WRITTEN_FROM_OPERATORS}", "", imports, "", *_type_variables("A", "T", "U")]
    base = face.base + ", " if face.base else ""
    for kind, name, parameters in (("Stream", face.stream, "T"), ("Pipeline", face.pipeline, "A, T")):
        lines += ["", f"class {name}({base}Generic[{parameters}]):"]
        for definition in shown:
            if definition.is_fold and kind == "Stream":
                continue
            for signature in definition.overloads or definition.signatures:
                lines += ["    @overload"] if definition.overloads else []
                head = signature.written(definition.method_name, f"{definition.opens}{kind}")
                lines += [head, _docstring(definition.doc)]
        lines += ["    def _add(self, operator: Operator) -> Any: ..."] if face is FLUENT else []
    return "\n".join(lines) + "\n"


def _body(definition: Definition, face: Face) -> list[str]:
    name, signature = definition.name, definition.signatures[-1]
    if definition.quick_check == "call":
        return [f"        return self._then_call({name}, {signature.passed()})"]
    if definition.quick_check == "count":
        count = signature.passed()
        fast = f"({count},) if type({count}) is int and 0 <= {count} <= MAX_COUNT else {name}.parameters({count})"
        return [f"        return self._then({name}, {fast})"]
    loaded = f"{face.package.rpartition('.')[2]}.{name}"
    if definition.opens:
        return [
            f"        from reactivestreams.stream.{definition.opens.lower()} import opened",
            "",
            f"        return opened(self, {loaded}.parameters({signature.passed()}))",
        ]
    return [f"        return self._then({loaded}, {loaded}.parameters({signature.passed()}))"]


def _docstring(doc: str) -> str:
    text = doc.replace("\\", "\\\\")
    end = "" if "\n" not in text else "\n"
    return indent(f'"""{text}{end}"""', "        ", lambda line: bool(line.strip()))


def _type_variables(*names: str) -> list[str]:
    return [f'{name} = TypeVar("{name}")' for name in names]


def _import_block(found: list[Definition], more: set[tuple[str, str, str]], but: str = "") -> str:
    """Return the imports that signatures need, as the formatter orders them."""
    needed = {entry for entry in more.union(*(definition.imports for definition in found)) if entry[0] != but}
    sections: list[list[str]] = [[], [], []]
    for module in sorted({module for module, _, _ in needed}):
        package = module.partition(".")[0]
        is_ours = package in {"reactivestreams", "rs_core"}
        section = sections[2 if is_ours else 0 if package in sys.stdlib_module_names else 1]
        for of, name, used in sorted(needed):
            if of == module and not name:
                section.append(f"import {module}" if used == module else f"import {module} as {used}")
        names = {name if name == used else f"{name} as {used}" for of, name, used in needed if of == module and name}
        if names:
            section.append(f"from {module} import {', '.join(sorted(names, key=generate_package_stubs.place))}")
    for section in sections:
        section.sort(key=lambda line: (not line.startswith("import "), line.split()[1]))
    return "\n\n".join("\n".join(section) for section in sections if section)


def operators_package(text: str, found: list[Definition]) -> str:
    """Return the `__init__.py` of the operators with its table."""
    table = {definition.module: definition.name for definition in found if definition.is_operator}
    return _with_table(text, table | {"reactivestreams.operators.definition": "OperatorDefinition"})


def keyed_package(text: str, found: list[Definition]) -> str:
    """Return the `__init__.py` of the keyed methods with its table."""
    return _with_table(text, {definition.module: definition.name for definition in found if definition.face is KEYED})


def _with_table(text: str, table: dict[str, str]) -> str:
    rows = "".join(f'        "{module}": ("{table[module]}",),\n' for module in sorted(table))
    return re.sub(r"(?<=    \{\n).*?(?=    \},\n)", lambda _: rows, text, count=1, flags=re.DOTALL)


def reference(text: str, found: list[Definition]) -> str:
    """Return the reference page with its table of operators."""
    rows = ["| method of `Stream` and `Pipeline` | what it does | class | keeps |", "|---|---|---|---|"]
    for family, passed_on in FAMILIES.items():
        rows.append(f"| **{family}**: {passed_on} | | | |")
        rows += [
            f"| [`{one.call}`](stream/{one.method.partition('()')[0]}.md) | {one.summary} | `{one.name}` "
            f"| {_section(one.doc, 'State').partition(';')[0]} |"
            for one in found
            if one.family == family and (one.face or "()" in one.method)
        ]
    return _between_marks(text, "operators", rows)


def migration(text: str, found: list[Definition], sources: list[str]) -> str:
    """Return the guide for who comes from another library with its tables of sources and operators."""
    rows = ["| Reactor | RxJava | reactivex | here |", "|---|---|---|---|"]
    rows += [f"| {' | '.join(one.elsewhere)} | `{one.call}` |" for one in found if one.face and any(one.elsewhere)]
    return _between_marks(_between_marks(text, "sources", sources), "operators", rows)


def methods_of_streams(root: Path) -> list[str]:
    """Return the methods of `Stream` that are no operators; those that are called on the class begin with `Stream.`."""
    tree = ast.parse((root / "src" / "reactivestreams" / "stream" / "stream.py").read_text(encoding="utf-8"))
    (stream,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Stream"]
    names = [
        f"Stream.{node.name}" if "classmethod" in _decorators(node) else node.name
        for node in ast.walk(stream)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    return [*dict.fromkeys([*names, *(f"Stream.{source.method}" for source in sources(root))])]


def _between_marks(text: str, what: str, rows: list[str]) -> str:
    start, end = f"<!-- {what}: written by ci/generate_operators.py -->\n", f"<!-- end of {what} -->\n"
    if text.count(start) != 1 or text.count(end) != 1:
        raise DefinitionError(
            f"the page needs the lines {start.strip()!r} and {end.strip()!r} once; add them around the table"
        )
    before, _, rest = text.partition(start)
    return f"{before}{start}\n{chr(10).join(rows)}\n\n{end}{rest.partition(end)[2]}"


def written(root: Path = ROOT) -> dict[Path, str]:
    """Return all that is written, by its file."""
    found = definitions(root)
    source, docs = root / "src" / "reactivestreams", root / "docs"
    fluent, others = [one for one in found if one.face is FLUENT], methods_of_streams(root)
    elsewhere = generate_names.names(fluent, others)
    ours = {name.removeprefix("Stream.") for name in others} | {one.method_name for one in fluent}
    source_rows = generate_names.sources(elsewhere, [name for name in others if name.startswith("Stream.")])

    def changed(path: Path, change: Any, *more: Any) -> str:
        return str(change(path.read_text(encoding="utf-8"), found, *more))

    return {
        **{source / "stream" / f"{face.module}.py": methods(found, face) for face in (FLUENT, KEYED)},
        source / "stream" / "names_elsewhere.py": generate_names.table(elsewhere, ours, WRITTEN_FROM_OPERATORS),
        **{source / "stream" / f"{face.module}.pyi": stub(found, face) for face in (FLUENT, KEYED)},
        source / "stream" / f"{TERMINAL}.py": terminal_methods(found),
        source / "stream" / f"{TERMINAL}.pyi": terminal_stub(found),
        source / "stream" / f"{SOURCES}.py": source_methods(sources(root)),
        source / "operators" / "__init__.py": changed(source / "operators" / "__init__.py", operators_package),
        source / "operators" / "keyed" / "__init__.py": changed(
            source / "operators" / "keyed" / "__init__.py", keyed_package
        ),
        docs / "reference" / "operators.md": changed(docs / "reference" / "operators.md", reference),
        docs / "reference" / "names.md": generate_names.page(elsewhere),
        docs / "guides" / "migrate.md": changed(docs / "guides" / "migrate.md", migration, source_rows),
    }


def main(arguments: list[str], root: Path = ROOT) -> int:
    try:
        files = written(root)
    except (DefinitionError, generate_names.NamesError) as error:
        print(error, file=sys.stderr)
        return 2
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path}: not as the definitions say; run python ci/generate_operators.py")
        else:
            path.write_text(files[path], encoding="utf-8")
    stubs = generate_package_stubs.main(arguments, root / "src")
    return 1 if stubs or ("--check" in arguments and stale) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
