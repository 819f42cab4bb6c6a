"""The checks of a subscriber in the black box as methods; the stub beside it names them for type checkers."""

from reactivestreams.tck.check_methods import check_methods
from reactivestreams.tck.subscriber_checks import SUBSCRIBER_BLACKBOX_CHECKS

__all__ = ["SubscriberBlackboxMethods"]

SubscriberBlackboxMethods = check_methods("SubscriberBlackboxMethods", SUBSCRIBER_BLACKBOX_CHECKS, module=__name__)
