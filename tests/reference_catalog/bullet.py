"""A behavior that the reference's own tests check, and the tests that hold it here.

The modules beside this one list them, in the groups and the order of the reference's test catalog, in our words.
"""

from dataclasses import dataclass

__all__ = ["Bullet", "Catalog"]


@dataclass(frozen=True)
class Bullet:
    """One behavior.

    Attributes:
        claim: What holds.
        tests: The tests that hold it, each as `folder/file::test` from `tests`.
        left_out: Why there is none; empty where there are tests.
    """

    claim: str
    tests: tuple[str, ...] = ()
    left_out: str = ""


Catalog = dict[str, list[Bullet]]
"""Behaviors by the group that they stand in."""
