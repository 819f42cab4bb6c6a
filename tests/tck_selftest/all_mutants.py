"""Every mutant of every kit."""

from tests.tck_selftest.mutant import Mutant
from tests.tck_selftest.publishers.further_stream_mutants import FURTHER_STREAM_MUTANTS
from tests.tck_selftest.publishers.further_subscription_mutants import FURTHER_SUBSCRIPTION_MUTANTS
from tests.tck_selftest.publishers.own_mutants import OWN_PUBLISHER_MUTANTS
from tests.tck_selftest.publishers.signal_mutants import SIGNAL_MUTANTS
from tests.tck_selftest.publishers.subscription_mutants import SUBSCRIPTION_MUTANTS

__all__ = ["ALL_MUTANTS"]

ALL_MUTANTS: tuple[Mutant, ...] = (
    *SIGNAL_MUTANTS,
    *SUBSCRIPTION_MUTANTS,
    *FURTHER_STREAM_MUTANTS,
    *FURTHER_SUBSCRIPTION_MUTANTS,
    *OWN_PUBLISHER_MUTANTS,
)
