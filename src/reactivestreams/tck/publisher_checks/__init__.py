"""The checks of a publisher, a file for each group of rules."""

from reactivestreams.tck.catalog import Catalog
from reactivestreams.tck.publisher_checks import (
    bad_request_checks,
    cancel_checks,
    completion_checks,
    demand_checks,
    failure_checks,
    multicast_checks,
    recursion_checks,
    serial_checks,
    setup_checks,
    subscribe_checks,
    unbounded_demand_checks,
)

__all__ = ["PUBLISHER_CHECKS"]

PUBLISHER_CHECKS = Catalog.of(
    setup_checks,
    demand_checks,
    serial_checks,
    failure_checks,
    completion_checks,
    subscribe_checks,
    multicast_checks,
    recursion_checks,
    cancel_checks,
    bad_request_checks,
    unbounded_demand_checks,
)
