"""A subscription of which nothing comes, for a subscriber that a check needs only for a moment."""

from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["IdleSubscription", "let_go_at_end"]


class IdleSubscription:
    """Take requests and the cancellation, and do nothing."""

    def request(self, n: Any, /) -> None:
        """Do nothing."""

    def cancel(self) -> None:
        """Do nothing."""


def let_go_at_end(environment: CheckEnvironment, subscriber: Any) -> None:
    """Complete a subscriber when the check ends: one with threads of its own would wait for a stream for ever."""

    def let_go() -> None:
        subscriber.on_subscribe(IdleSubscription())
        subscriber.on_complete()

    environment.at_end(let_go)
