"""A subscriber that equals every other of its class and cannot be hashed (§2.12)."""

from typing import ClassVar

from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber

__all__ = ["EqualSubscriber"]


class EqualSubscriber(ManualSubscriber):
    """Be equal to every other one, so that a publisher that looks for its subscribers by `==` finds the wrong one."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualSubscriber)

    __hash__: ClassVar[None]  # type: ignore[assignment]
