"""Every behavior that the reference's tests check has a test here, or a reason why not."""

import ast
from pathlib import Path

import pytest

from tests.lifecycle.reference_bullets import BULLETS, Bullet

HERE = Path(__file__).parent
TESTS = HERE.parent

ALL = [(group, bullet) for group, bullets in BULLETS.items() for bullet in bullets]


def defined_tests(path: Path) -> set[str]:
    """Return the names of the test functions of a file, also of those in classes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def missing_tests(bullet: Bullet) -> list[str]:
    """Return the tests that a bullet names and nobody has written."""
    missing = []
    for name in bullet.tests:
        file, _, test = name.partition("::")
        path = (TESTS if "/" in file else HERE) / f"{file}.py"
        if not path.is_file() or test not in defined_tests(path):
            missing.append(name)
    return missing


@pytest.mark.parametrize(("group", "bullet"), ALL, ids=[f"{group}: {bullet.claim}" for group, bullet in ALL])
def test_bullet_has_tests_that_exist_or_a_reason_to_be_left_out(group: str, bullet: Bullet) -> None:
    assert missing_tests(bullet) == []
    assert bool(bullet.tests) != bool(bullet.left_out)


def test_test_that_nobody_has_written_is_reported() -> None:
    bullet = Bullet("claim", ("test_reference_bullets::test_of_nobody", "no/file::test_of_nobody"))
    assert missing_tests(bullet) == ["test_reference_bullets::test_of_nobody", "no/file::test_of_nobody"]
    written = Bullet("claim", ("test_reference_bullets::test_test_that_nobody_has_written_is_reported",))
    assert missing_tests(written) == []


def test_no_claim_stands_there_twice() -> None:
    assert [len({bullet.claim for bullet in bullets}) for bullets in BULLETS.values()] == [
        len(bullets) for bullets in BULLETS.values()
    ]
