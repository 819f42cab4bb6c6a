"""The checks of a subscriber in the white box as methods; the stub beside it names them for type checkers."""

from reactivestreams.tck.check_methods import check_methods
from reactivestreams.tck.subscriber_checks import SUBSCRIBER_WHITEBOX_CHECKS

__all__ = ["SubscriberWhiteboxMethods"]

SubscriberWhiteboxMethods = check_methods("SubscriberWhiteboxMethods", SUBSCRIBER_WHITEBOX_CHECKS, module=__name__)
