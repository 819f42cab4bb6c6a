"""Every mutant of every kit."""

from tests.tck_selftest.mutant import Mutant
from tests.tck_selftest.processors import own_mutants as own_processors
from tests.tck_selftest.processors import reference_mutants as processors
from tests.tck_selftest.publishers import (
    further_stream_mutants,
    further_subscription_mutants,
    signal_mutants,
    subscription_mutants,
)
from tests.tck_selftest.publishers import own_mutants as own_publishers
from tests.tck_selftest.subscribers import blackbox_mutants, further_mutants, whitebox_mutants
from tests.tck_selftest.subscribers import own_mutants as own_subscribers

__all__ = ["ALL_MUTANTS"]

ALL_MUTANTS: tuple[Mutant, ...] = (
    *signal_mutants.SIGNAL_MUTANTS,
    *subscription_mutants.SUBSCRIPTION_MUTANTS,
    *further_stream_mutants.FURTHER_STREAM_MUTANTS,
    *further_subscription_mutants.FURTHER_SUBSCRIPTION_MUTANTS,
    *own_publishers.OWN_PUBLISHER_MUTANTS,
    *blackbox_mutants.BLACKBOX_MUTANTS,
    *whitebox_mutants.WHITEBOX_MUTANTS,
    *whitebox_mutants.UNREGISTERED_MUTANTS,
    *further_mutants.FURTHER_SUBSCRIBER_MUTANTS,
    *own_subscribers.OWN_SUBSCRIBER_MUTANTS,
    *processors.PROCESSOR_MUTANTS,
    *own_processors.OWN_PROCESSOR_MUTANTS,
)
