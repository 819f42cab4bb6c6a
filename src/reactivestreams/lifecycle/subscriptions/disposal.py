"""Disposing several subscriptions so that none is left out because of another."""

from collections.abc import Iterable

from reactivestreams.dropped import dropped
from reactivestreams.lifecycle.subscription import OperatorSubscription

__all__ = ["dispose_all"]


def dispose_all(subscriptions: Iterable[OperatorSubscription], *, origin: str) -> None:
    """Dispose subscriptions in their order; call it without a lock, since it runs what belongs to them.

    Args:
        subscriptions: Each is disposed, whatever the others raise.
        origin: Who disposes them, for the hook that takes what cannot be raised.

    Raises:
        BaseException: What the first one raised that did; what others raised goes to the hook for dropped signals.
    """
    first_error: BaseException | None = None
    for subscription in subscriptions:
        try:
            subscription.dispose()
        except BaseException as error:
            if first_error is None:
                first_error = error
            else:
                dropped("dispose", error, origin=origin)
    if first_error is not None:
        raise first_error
