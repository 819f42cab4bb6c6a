"""Why checks are skipped, in the words of the standard's kit."""

from typing import NoReturn, Protocol

from reactivestreams.tck.kit.failure import Skipped

__all__ = ["not_verified", "not_verified_for_subscribers", "skip_unless_chance_may_decide"]


class _HasChoice(Protocol):
    def skip_stochastic_tests(self) -> bool: ...


def not_verified(by: str = "", because: str = "", *, words: str = "Not verified by this TCK.") -> NoReturn:
    """End an entry of the standard's kit that has no test.

    Args:
        by: The check of ours that does verify it.
        because: Why nothing can.
        words: What the standard's kit says.

    Raises:
        Skipped: Always.
    """
    more = f" The standard's kit leaves it open; {by} verifies it." if by else f" {because}" if because else ""
    raise Skipped(f"{words}{more}")


def not_verified_for_subscribers(by: str = "", because: str = "") -> NoReturn:
    """End an entry of a subscriber's kit, which says it in words of its own.

    Raises:
        Skipped: Always.
    """
    not_verified(by, because, words="Not verified using this TCK.")


def skip_unless_chance_may_decide(subject: _HasChoice) -> None:
    """End a check that depends on chance where the subject wants none.

    Raises:
        Skipped: `skip_stochastic_tests()` is true.
    """
    if subject.skip_stochastic_tests():
        raise Skipped("Skipping @Stochastic test because `skip_stochastic_tests()` returned `True`!")
