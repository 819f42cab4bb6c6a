"""The checks that only processors have, one file per group of rules, and the catalog of all checks of a processor."""

from reactivestreams.tck.checks.processor import demand_checks, error_checks, upstream_checks
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.checks.subscriber import SUBSCRIBER_WHITEBOX_CHECKS
from reactivestreams.tck.kit.catalog import Catalog

__all__ = ["OWN_PROCESSOR_CHECKS", "PROCESSOR_CHECKS"]

OWN_PROCESSOR_CHECKS = Catalog.of(error_checks, demand_checks, upstream_checks)
"""The checks that only processors have, in the order of the rules."""

PROCESSOR_CHECKS = Catalog([*PUBLISHER_CHECKS, *SUBSCRIBER_WHITEBOX_CHECKS, *OWN_PROCESSOR_CHECKS])
"""All checks of a processor, as a publisher, as a subscriber and as a processor, in the order of the rules."""
