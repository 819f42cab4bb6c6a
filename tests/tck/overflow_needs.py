"""Which checks cannot judge a subject that drops by policy, by how many elements wait for a subscriber without loss."""

from reactivestreams.tck import Overflow

__all__ = ["LEAST", "not_judged_with"]

LEAST = {
    # A factory that is to make a stream of exactly three elements.
    "required_create_publisher_3_must_produce_a_stream_of_exactly_3_elements": 3,
    # Four are requested after all five have come: one, then three in two requests that add up.
    "required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements": 4,
    # Two requests of two each: with less than four the second one may as well have replaced the first one.
    "required_spec308_request_inside_on_next_must_add_to_what_is_left": 4,
    # Three, then two and one while the first element is held.
    "required_spec308_request_while_an_element_is_delivered_must_add": 6,
    # One for each of the four threads that request.
    "stochastic_spec308_requests_from_many_threads_must_all_be_honoured": 4,
    # Fewer than two elements have no order.
    "required_spec310_must_bear_a_publisher_that_sends_inside_request": 2,
    "optional_spec310_order_should_be_kept_when_request_sends_the_next_element": 2,
    "stochastic_spec211_every_element_must_be_processed_once_and_in_order": 2,
}
"""The checks of a processor that need more than one element whole, and how many."""


def not_judged_with(overflow: Overflow | None) -> set[str]:
    """Return the checks that are skipped since they need more elements than wait."""
    room = None if overflow is None else overflow.lossless_elements
    return set() if room is None else {name for name, least in LEAST.items() if least > room}
