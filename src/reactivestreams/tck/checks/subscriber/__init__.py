"""The checks of a subscriber, one file per group of rules; the names of the black-box checks say so."""

from reactivestreams.tck.checks.subscriber import (
    cancel_checks,
    demand_checks,
    end_checks,
    none_checks,
    own_failure_checks,
    second_subscription_checks,
    setup_checks,
    synchronous_publisher_checks,
    terminal_signal_checks,
    thread_checks,
    throwing_subscription_checks,
)
from reactivestreams.tck.kit.catalog import Catalog

__all__ = ["SUBSCRIBER_BLACKBOX_CHECKS", "SUBSCRIBER_WHITEBOX_CHECKS"]

_BLACKBOX = "_blackbox_"

_CHECKS = Catalog.of(
    setup_checks,
    demand_checks,
    terminal_signal_checks,
    second_subscription_checks,
    cancel_checks,
    end_checks,
    none_checks,
    own_failure_checks,
    throwing_subscription_checks,
    synchronous_publisher_checks,
    thread_checks,
)

SUBSCRIBER_WHITEBOX_CHECKS = Catalog(check for check in _CHECKS if _BLACKBOX not in check.name)
"""All checks of a subscriber that reports to a probe, in the order of the rules."""

SUBSCRIBER_BLACKBOX_CHECKS = Catalog(check for check in _CHECKS if _BLACKBOX in check.name)
"""All checks of an unchanged subscriber, in the order of the rules."""
