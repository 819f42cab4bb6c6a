"""Checks of the set-up: the factory gives what all other checks rely on."""

from typing import TYPE_CHECKING

from reactivestreams.tck.check import Origin, check
from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.processor_checks.processor_stage import identity_processor
from reactivestreams.tck.subscriber_checks.setup_checks import expect_two_subscribers

if TYPE_CHECKING:
    from reactivestreams.tck.processor_verification import ProcessorVerification


@check(
    look_at="create_identity_processor",
    remedy="make a new processor at each call: one can be subscribed to an upstream only once",
    origin=Origin.EXTENDED,
)
def required_create_identity_processor_must_return_a_new_processor_each_time(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Two calls of `create_identity_processor` give two objects with the five methods.

    When it fails: the factory returns an object that it made before.
    """
    expect_two_subscribers(
        subject, environment, lambda: identity_processor(subject), factory="create_identity_processor"
    )
