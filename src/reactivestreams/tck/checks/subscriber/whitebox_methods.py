"""The checks of a subscriber in the white box as methods; the stub of this module names them for type checkers."""

from reactivestreams.tck.checks.subscriber import SUBSCRIBER_WHITEBOX_CHECKS
from reactivestreams.tck.kit.check_methods import check_methods

__all__ = ["SubscriberWhiteboxMethods"]

SubscriberWhiteboxMethods = check_methods("SubscriberWhiteboxMethods", SUBSCRIBER_WHITEBOX_CHECKS, module=__name__)
