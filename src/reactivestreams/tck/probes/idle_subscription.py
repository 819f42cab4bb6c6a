"""A subscription without signals, for a subscriber that a check needs only briefly."""

from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["IdleSubscription", "release_at_end"]


class IdleSubscription:
    """Ignore requests and cancellation."""

    def request(self, n: Any, /) -> None:
        """Do nothing."""

    def cancel(self) -> None:
        """Do nothing."""


def release_at_end(environment: CheckEnvironment, subscriber: Any) -> None:
    """Complete a subscriber when the check ends: one with its own threads would wait for a stream forever."""

    def release() -> None:
        subscriber.on_subscribe(IdleSubscription())
        subscriber.on_complete()

    environment.at_end(release)
