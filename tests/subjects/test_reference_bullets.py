"""Every behavior of subjects that the reference's tests check has a test here, or a reason why not."""

import pytest

from tests.lifecycle.reference_bullets import Bullet
from tests.lifecycle.test_reference_bullets import missing_tests
from tests.subjects.reference_bullets import BULLETS

ALL = [(group, bullet) for group, bullets in BULLETS.items() for bullet in bullets]


@pytest.mark.parametrize(("group", "bullet"), ALL, ids=[f"{group}: {bullet.claim}" for group, bullet in ALL])
def test_bullet_of_subjects_has_tests_that_exist_or_a_reason_to_be_left_out(group: str, bullet: Bullet) -> None:
    assert missing_tests(bullet) == []
    assert bool(bullet.tests) != bool(bullet.left_out)
