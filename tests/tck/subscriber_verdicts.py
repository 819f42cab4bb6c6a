"""Names of the standard's tests of subscribers, and the verdicts of single ones."""

import re
from typing import Any

from reactivestreams.tck import Environment, Verdict, judge
from tests.tck.settings import short_environment

HAPPY = "required_exercise_whitebox_happy_path"
SPEC201 = "required_spec201_must_signal_demand_via_subscription_request"
SPEC203_COMPLETE = "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete"
SPEC203_ERROR = "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_error"
SPEC205 = (
    "required_spec205_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on"
    "_subscribe_signal"
)
SPEC208 = "required_spec208_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel"
SPEC209 = "required_spec209_must_be_prepared_to_receive_an_on_complete_signal_{}_preceding_request_call"
SPEC210 = "required_spec210_must_be_prepared_to_receive_an_on_error_signal_{}_preceding_request_call"
SPEC213 = "required_spec213_{}_must_raise_type_error_when_parameters_are_none"
SPEC308 = "required_spec308_request_must_register_given_number_elements_to_be_produced"


def blackbox(check: str) -> str:
    """Return the name of the same check in the black box."""
    return re.sub(r"(_spec\d+_)", r"\1blackbox_", check)


def verdict_of(check: str, verification: type[Any], environment: Environment | None = None) -> Verdict:
    subject = verification()
    return judge(subject.catalog[check], subject, short_environment() if environment is None else environment)
