"""The checks of a publisher, one file per group of rules."""

from reactivestreams.tck.checks.publisher import (
    additive_demand_checks,
    bad_request_checks,
    cancel_checks,
    completion_checks,
    demand_checks,
    failure_checks,
    faulty_subscriber_checks,
    hand_over_checks,
    large_count_checks,
    multicast_checks,
    order_checks,
    parked_signal_checks,
    recursion_checks,
    release_candidate_checks,
    repeated_subscribe_checks,
    setup_checks,
    silence_checks,
    source_failure_checks,
    subscribe_checks,
    terminal_state_checks,
    unbounded_demand_checks,
)
from reactivestreams.tck.kit.catalog import Catalog

__all__ = ["PUBLISHER_CHECKS"]

PUBLISHER_CHECKS = Catalog.of(
    setup_checks,
    demand_checks,
    additive_demand_checks,
    parked_signal_checks,
    hand_over_checks,
    order_checks,
    failure_checks,
    source_failure_checks,
    completion_checks,
    terminal_state_checks,
    silence_checks,
    subscribe_checks,
    repeated_subscribe_checks,
    multicast_checks,
    faulty_subscriber_checks,
    recursion_checks,
    cancel_checks,
    bad_request_checks,
    large_count_checks,
    unbounded_demand_checks,
    release_candidate_checks,
)
"""All checks of a publisher, in the order of the rules."""
