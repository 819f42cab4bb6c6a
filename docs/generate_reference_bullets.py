"""Writes the page that shows, for each behavior that the reference's own tests check, the tests that hold it here.

The behaviors are listed in `tests/reference_catalog`. The page is not committed: it is written whenever the
documentation is built.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from found_tests import all_tests
from written_pages import write_when_built

from tests.reference_catalog.bullet import Bullet, Catalog
from tests.reference_catalog.engine import ENGINE_CATALOG
from tests.reference_catalog.life_cycle import LIFE_CYCLE
from tests.reference_catalog.operators import OPERATORS
from tests.reference_catalog.scheduling import SCHEDULING
from tests.reference_catalog.subjects import SUBJECTS
from tests.reference_catalog.test_vectors import TEST_VECTORS

__all__ = ["CATALOG", "gaps", "render", "setup"]

CATALOG: Catalog = {**LIFE_CYCLE, **SCHEDULING, **SUBJECTS, **OPERATORS, **ENGINE_CATALOG, **TEST_VECTORS}

HEAD = """\
# What Reaqtive's tests check

The life cycle, saved state, schedulers, virtual time, subjects, operators and the engine follow Reaqtive, whose own
tests say how its parts behave. Here is each of these behaviors with the tests of this project that hold it, or the
reason why there is none. The tests of a folder `contracts`, and of a class that others inherit, run for every operator
of their kind.
"""


def render() -> str:
    """Return the page, in Markdown."""
    return HEAD + "".join(line + "\n" for line in _lines())


def gaps() -> list[str]:
    """Return what is wrong with the list: tests that nobody has written, behaviors without tests or a reason."""
    return [gap for bullets in CATALOG.values() for bullet in bullets for gap in _gaps_of(bullet)]


def _gaps_of(bullet: Bullet) -> Iterator[str]:
    for name in bullet.tests:
        if name not in _written():
            yield f"{bullet.claim}: there is no test {name}"
    if not bullet.tests and not bullet.left_out:
        yield f"{bullet.claim}: it has neither a test nor a reason"
    if bullet.tests and bullet.left_out:
        yield f"{bullet.claim}: it has tests, and a reason why it has none"


@cache
def _written() -> frozenset[str]:
    """Return the tests of the project as `folder/file::test`, whatever class they stand in."""
    return frozenset(
        f"{file.removeprefix('tests/').removesuffix('.py')}::{name.rpartition('::')[2]}"
        for file, _, name in (test.partition("::") for test in all_tests())
    )


def _lines() -> Iterator[str]:
    bullets = [bullet for group in CATALOG.values() for bullet in group]
    left_out = sum(1 for bullet in bullets if bullet.left_out)
    yield from (
        "",
        f"Of {len(bullets)} behaviors, {len(bullets) - left_out} are held by tests, {left_out} are left out.",
    )
    for group, members in CATALOG.items():
        yield from ("", f"## {group[:1].upper()}{group[1:]}")
        for bullet in members:
            yield from ("", bullet.claim)
            yield f": {_holders(bullet)}"


def _holders(bullet: Bullet) -> str:
    if bullet.left_out:
        return f"*left out*: {bullet.left_out}"
    return ", ".join(f"`{test}`" for test in bullet.tests)


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the page before the pages are read."""
    return write_when_built(app, lambda: {"reference/reaqtive-behavior.md": render()})
