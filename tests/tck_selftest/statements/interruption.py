"""Lets other threads in where a lock would keep them out, or just before it would: what may happen at any time."""

import ast
import copy
import random
import time
from collections.abc import Iterable

__all__ = ["before_locks", "interrupted", "take_turns"]

SWITCH_SECONDS = 0.001
SWITCH_SHARE = 0.25
"""How often other threads are let in; each time would make a stream of thousands of elements last for minutes."""

_chance = random.Random(1)
_SWITCH = f"__import__({__name__!r}, fromlist=['take_turns']).take_turns()"


def take_turns() -> None:
    """Let other threads in, every now and then; called by changed sources."""
    if _chance.random() < SWITCH_SHARE:
        time.sleep(SWITCH_SECONDS)


def before_locks(source: str) -> str:
    """Return source that does the same, with a moment for other threads before each lock is taken."""
    return ast.unparse(ast.fix_missing_locations(_BeforeLocks().visit(ast.parse(source))))


def interrupted(statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Return statements that do the same, with a moment for other threads between every two steps."""
    found: list[ast.stmt] = []
    for statement in statements:
        for step in _steps(statement):
            found += [_switch(), step] if found else [step]
    return found


class _BeforeLocks(ast.NodeTransformer):
    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        self.generic_visit(node)
        return [_switch(), node]


def _steps(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.AugAssign):
        return _read_then_write(statement)
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple):
        target = statement.targets[0]
        if isinstance(target, ast.Tuple) and len(target.elts) == len(statement.value.elts):
            return _one_by_one(target.elts, statement.value.elts)
    if isinstance(statement, ast.If):
        inner = copy.copy(statement)
        inner.body = [_switch(), *interrupted(statement.body)]
        inner.orelse = interrupted(statement.orelse)
        return [inner]
    return [statement]


def _read_then_write(statement: ast.AugAssign) -> list[ast.stmt]:
    source = copy.deepcopy(statement.target)
    source.ctx = ast.Load()
    value = ast.BinOp(left=source, op=statement.op, right=statement.value)
    return [_assignment(_name("value_read", ast.Store()), value), _assignment(statement.target, _name("value_read"))]


def _one_by_one(targets: list[ast.expr], values: list[ast.expr]) -> list[ast.stmt]:
    # All values are read before the first is written, as Python does it.
    names = [f"value_{index}" for index in range(len(values))]
    reads = [_assignment(_name(name, ast.Store()), value) for name, value in zip(names, values, strict=True)]
    return [*reads, *(_assignment(target, _name(name)) for name, target in zip(names, targets, strict=True))]


def _assignment(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[target], value=value)


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(id=name, ctx=context or ast.Load())


def _switch() -> ast.stmt:
    return ast.parse(_SWITCH).body[0]
