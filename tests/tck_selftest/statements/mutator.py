"""Makes mutants of Python source: each differs from it in one statement or one operator inside a function."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.tck_selftest.statements.interruption import interrupted

__all__ = ["StatementMutant", "mutants"]

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Break,
    ast.Continue,
    ast.Delete,
    ast.Expr,
    ast.Raise,
    ast.Return,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class StatementMutant:
    """Source that differs in one place.

    Attributes:
        name: Which function is changed, and how; no other mutant of the source has it.
        source: The changed source.
        control: The source with the same moments for other threads as the changed one, and nothing wrong.
    """

    name: str
    source: str
    control: str


_Undo = Callable[[], None]
_Apply = Callable[[], _Undo]


def _leave_as_it_is() -> _Undo:
    return lambda: None


@dataclass(frozen=True, slots=True)
class _Edit:
    place: str
    what: str
    apply: _Apply
    apply_control: _Apply = _leave_as_it_is


def mutants(source: str) -> list[StatementMutant]:
    """Return the mutants of a module's source, in the order of its lines; two with the same source are one.

    A statement is left out, a condition negated, a comparison moved by its boundary or turned around, a number raised
    by one, a truth value turned around, `and` and `or`, plus and minus exchanged; an `except`, an `else` or a `finally`
    is left out, and the context of a `with`, which is a lock here: other threads get their turn in between then, as
    they may on any machine, and do on one without a lock of the interpreter's.
    """
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    names: dict[str, int] = {}
    found = []
    for edit in _edits(tree):
        changed = _edited(tree, edit.apply)
        if changed in seen:
            continue
        seen.add(changed)
        name = f"{edit.place}: {edit.what}"
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name += f" (no. {names[name]})"
        found.append(StatementMutant(name, changed, _edited(tree, edit.apply_control)))
    return found


def _edited(tree: ast.Module, apply: _Apply) -> str:
    undo = apply()
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    finally:
        undo()


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    for statement in tree.body:
        yield from _of_definition(statement, "")


def _of_definition(node: ast.stmt, outer: str) -> Iterator[_Edit]:
    if isinstance(node, ast.ClassDef):
        for statement in node.body:
            yield from _of_definition(statement, f"{outer}{node.name}.")
    elif isinstance(node, _FUNCTIONS):
        yield from _of_statements(node.body, f"{outer}{node.name}")


def _of_statements(statements: list[ast.stmt], place: str) -> Iterator[_Edit]:
    for index, statement in enumerate(statements):
        if isinstance(statement, _FUNCTIONS):
            yield from _of_statements(statement.body, f"{place}.{statement.name}")
            continue
        if isinstance(statement, _SIMPLE) and not _is_docstring(statement):
            yield _Edit(place, f"without `{_line(statement)}`", _replacement(statements, index, [ast.Pass()]))
        if isinstance(statement, ast.With):
            steps = interrupted(statement.body)
            yield _Edit(
                place,
                f"without `{_line(statement)}`",
                _replacement(statements, index, steps),
                _setting(statement, "body", steps),
            )
        if isinstance(statement, ast.If | ast.While):
            yield _Edit(place, f"not `{_line(statement)}`", _negation(statement))
        if isinstance(statement, ast.Try):
            yield from _of_try(statements, index, statement, place)
        for expression in _expressions(statement):
            if not _is_turned_around_already(expression, statement):
                yield from _of_expression(expression, place)
        for inner in _inner_statements(statement):
            yield from _of_statements(inner, place)


def _of_try(statements: list[ast.stmt], index: int, statement: ast.Try, place: str) -> Iterator[_Edit]:
    for number, handler in enumerate(statement.handlers):
        what = f"without `{_line(handler)}` of `{_line(statement.body[0])}`"
        if len(statement.handlers) > 1 or statement.finalbody:
            yield _Edit(place, what, _replacement(statement.handlers, number, []))
        else:
            yield _Edit(place, what, _replacement(statements, index, [*statement.body, *statement.orelse]))
    for name in ("orelse", "finalbody"):
        rest = getattr(statement, name)
        if rest:
            yield _Edit(place, f"without the {name} of `{_line(statement.body[0])}`", _emptying(rest))


def _of_expression(node: ast.AST, place: str) -> Iterator[_Edit]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            other = _COMPARISONS.get(type(operator))
            if other is not None:
                yield _Edit(place, f"other comparison in `{_line(node)}`", _replacement(node.ops, index, [other()]))
    elif isinstance(node, ast.BoolOp):
        exchanged = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _Edit(place, f"and for or in `{_line(node)}`", _setting(node, "op", exchanged))
    elif isinstance(node, ast.IfExp):
        yield _Edit(place, f"other branch of `{_line(node)}`", _exchange(node))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield _Edit(place, f"other sign in `{_line(node)}`", _setting(node, "op", _ARITHMETIC[type(node.op)]()))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _Edit(place, f"not {node.value}", _setting(node, "value", not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield _Edit(place, f"{node.value + 1} for {node.value}", _setting(node, "value", node.value + 1))


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Give the statement itself and the expressions in it, but not those of statements in it, nor of annotations."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        yield node
        for name, value in ast.iter_fields(node):
            if name not in {"annotation", "returns"} and not isinstance(node, ast.JoinedStr):
                values = value if isinstance(value, list) else [value]
                waiting += [each for each in values if isinstance(each, ast.AST) and not isinstance(each, ast.stmt)]


def _inner_statements(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if inner:
            yield inner
    for handler in getattr(statement, "handlers", []):
        yield handler.body


def _is_turned_around_already(expression: ast.AST, statement: ast.stmt) -> bool:
    # To negate a whole condition and to turn its only comparison around are the same.
    return (
        isinstance(statement, ast.If | ast.While)
        and expression is statement.test
        and isinstance(expression, ast.Compare)
        and isinstance(expression.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
    )


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _replacement(nodes: list[Any], index: int, others: list[Any]) -> _Apply:
    def apply() -> _Undo:
        before = nodes[:]
        nodes[index : index + 1] = others
        return lambda: nodes.__setitem__(slice(None), before)

    return apply


def _emptying(nodes: list[Any]) -> _Apply:
    def apply() -> _Undo:
        before = nodes[:]
        nodes.clear()
        return lambda: nodes.extend(before)

    return apply


def _negation(statement: ast.If | ast.While) -> _Apply:
    return _setting(statement, "test", ast.UnaryOp(op=ast.Not(), operand=statement.test))


def _exchange(node: ast.IfExp) -> _Apply:
    def apply() -> _Undo:
        node.body, node.orelse = node.orelse, node.body

        def undo() -> None:
            node.body, node.orelse = node.orelse, node.body

        return undo

    return apply


def _setting(node: ast.AST, field: str, value: object) -> _Apply:
    def apply() -> _Undo:
        before = getattr(node, field)
        setattr(node, field, value)
        return lambda: setattr(node, field, before)

    return apply


def _line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0].removesuffix(":")
