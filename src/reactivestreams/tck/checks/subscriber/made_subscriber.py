"""A subscriber of the subject's, or the error that says what is wrong with its factory."""

from typing import Any

from reactivestreams.tck.kit.subject import SUBSCRIBER_METHODS, call_text, made, refuse_coroutine_methods

__all__ = ["made_subscriber"]


def made_subscriber(subject: object, factory: str, *arguments: object, none_allowed: bool = False) -> Any:
    """Return the subscriber that a factory makes.

    Args:
        subject: What has the factory.
        factory: Name of its method.
        arguments: What to call it with.
        none_allowed: Whether None is an answer, too.

    Raises:
        SubjectError: It gives no subscriber, or one whose signals are coroutines.
    """
    subscriber = made(subject, factory, *arguments, methods=SUBSCRIBER_METHODS, none_allowed=none_allowed)
    if subscriber is not None:
        what = f"what {call_text(subject, factory, *arguments)} returned"
        refuse_coroutine_methods(subscriber, SUBSCRIBER_METHODS, what)
    return subscriber
