"""The checks of a subscriber in the black box as methods; the stub of this module names them for type checkers."""

from reactivestreams.tck.checks.subscriber import SUBSCRIBER_BLACKBOX_CHECKS
from reactivestreams.tck.kit.check_methods import check_methods

__all__ = ["SubscriberBlackboxMethods"]

SubscriberBlackboxMethods = check_methods("SubscriberBlackboxMethods", SUBSCRIBER_BLACKBOX_CHECKS, module=__name__)
