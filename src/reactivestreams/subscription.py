"""`Subscription` and `DefaultSubscription`, where packages that bring or expect a module of this name look for them.

Inside the project the interface is imported from `reactivestreams.spec`.
"""

from reactivestreams.spec.subscription import Subscription
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DefaultSubscription", "Subscription"]


@refuses_deferred_hooks("and signal from a task that it starts")
class DefaultSubscription(Subscription):
    """Do nothing on `request` and `cancel`; documented as a base.

    Good for a publisher that has sent everything before it could be asked, and as a base that overrides one method. To
    write a subscription that counts demand and keeps the rules, derive from `rs_core.BaseSubscription`
    instead.

    Example:
        >>> DefaultSubscription().request(1)
    """

    def request(self, n: int) -> None:
        """Do nothing, whatever n is.

        Args:
            n: How many more elements to send.
        """

    def cancel(self) -> None:
        """Do nothing."""
