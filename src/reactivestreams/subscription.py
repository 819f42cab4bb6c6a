"""`Subscription` and `DefaultSubscription`, for packages that contain or expect a module of this name.

Inside the project the interface is imported from `reactivestreams.spec`.
"""

from reactivestreams.spec.subscription import Subscription
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DefaultSubscription", "Subscription"]


@refuses_deferred_hooks("and signal from a task that it starts")
class DefaultSubscription(Subscription):
    """Do nothing on `request` and `cancel`; documented as a base.

    For a publisher that has sent everything before the first request, and as a base that overrides one method. To write
    a subscription that counts demand and follows the rules, derive from `rs_core.BaseSubscription` instead.

    Example:
        >>> DefaultSubscription().request(1)
    """

    def request(self, n: int) -> None:
        """Do nothing.

        Args:
            n: How many more elements to send.
        """

    def cancel(self) -> None:
        """Do nothing."""
