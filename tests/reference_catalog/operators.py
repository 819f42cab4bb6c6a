"""What the reference's own tests check: operators, one by one, under its names and ours."""

from tests.reference_catalog.bullet import Bullet, Catalog

CONTRACT = "contracts/operator_contract::"
STATE = "contracts/state_contract::"
BAD_INPUT = "bad_input/test_bad_input::"
VECTORS = "testing/test_reference_vectors::"
FOLD = "operators/folding/folds::"
ANSWERS = "operators/folding/test_answers::"
COLLECTIONS = "operators/folding/test_collections::"
ELEMENTS = "operators/folding/test_elements::"
EXTREMES = "operators/folding/test_extremes::"
NUMBERS = "operators/folding/test_numbers::"
AVERAGE = "operators/folding/test_average::"
REDUCE = "operators/folding/test_reduce::"
FILTER = "operators/filtering/test_filter::"
DISTINCT = "operators/filtering/test_distinct::"
SKIP = "operators/filtering/test_skip::"
TAKE = "operators/filtering/test_take::"
TAKE_LAST = "operators/filtering/test_take_last::"
TAKE_UNTIL = "operators/filtering/test_take_until::"
TIMING = "operators/timing/test_timing::"
TAKE_WHILE = "operators/filtering/test_take_while::"
BUFFER = "operators/transforming/test_buffer::"
WINDOW = "operators/transforming/test_window::"
ENUMERATE = "operators/transforming/test_enumerate::"
MAP_INDEXED = "operators/transforming/test_map_indexed::"
FLAT_MAP = "operators/transforming/test_flat_map::"
DELAY_UNTIL = "operators/timing/test_delay_until::"
SWITCH_MAP = "operators/transforming/test_switch_map::"
MAP = "operators/transforming/test_map::"
SCAN = "operators/transforming/test_scan::"
DO = "operators/utility/test_do::"
FINALLY = "operators/utility/test_finally::"
INPUTS = "operators/combining/test_several_inputs::"
LATEST = "operators/combining/test_combine_latest::"
START_WITH = "operators/combining/test_start_with::"
DEFAULT = "operators/recovering/test_default_if_empty::"
RETRY = "operators/recovering/test_retry::"
SINGLE_SIGNALS = "sources/test_single_signals::"
PUBLISHER = "sources/test_from_publisher::"

CANCEL_INSIDE = "rs_core/test_drain_cancel::test_nothing_comes_after_a_cancel_inside_of"
RESULT_OF_ALL = f"{FOLD}test_terminal_operation_returns_the_result"
RESULT_OF_NOTHING = f"{FOLD}test_input_that_is_empty_needs_no_demand"
EARLY_RESULT = f"{FOLD}test_upstream_is_cancelled_by_the_element_that_decides"
ERROR_EVERYWHERE = f"{CONTRACT}test_error_of_the_input_arrives_at_every_position"
COMPLETE_EVERYWHERE = f"{CONTRACT}test_completion_of_the_input_arrives_at_every_position"
CANCEL_EVERYWHERE = f"{CONTRACT}test_cancel_between_requests_stops_at_every_position"
SAVED_EVERYWHERE = f"{STATE}test_stream_resumes_after_every_incoming_element"

FIXED_INTEGERS = "Python's integers do not overflow"
NO_NULL_NUMBERS = "None is no number here: it is filtered out, or the stream fails where it is added or compared"
NO_PREDICATE = "there is no such overload: a filter before it does the same"
NO_COMPARER = "there is no such overload: elements are equal by `==`; a map before it gives what is compared"


def not_yet(*names: str) -> str:
    """Return the reason for what needs operators that nobody has written."""
    return f"the operator is not there yet: {', '.join(names)}"


OPERATORS: Catalog = {
    "every operator": [
        Bullet(
            "bad arguments are refused when the stream is built",
            (
                f"{BAD_INPUT}test_function_that_is_not_callable_is_refused_when_the_stream_is_built",
                f"{BAD_INPUT}test_count_of_an_operator_out_of_bounds_is_refused_when_the_stream_is_built",
                "bad_input/test_coroutines::test_coroutine_function_is_refused_where_a_function_is_wanted",
            ),
        ),
        Bullet("the completion of its input arrives, wherever it comes", (COMPLETE_EVERYWHERE,)),
        Bullet("the error of its input arrives, wherever it comes", (ERROR_EVERYWHERE,)),
        Bullet(
            "dispose in the middle ends it",
            (f"{CONTRACT}test_cancel_inside_on_next_stops_at_every_position", CANCEL_EVERYWHERE),
        ),
        Bullet(
            "an input that never sends leaves silence",
            (f"{CONTRACT}test_input_that_never_sends_leaves_silence",),
        ),
        Bullet(
            "its source is subscribed from the start to the end, and no longer",
            (
                f"{VECTORS}test_take_and_skip_of_a_long_stream",
                "testing/test_test_streams::test_operators_add_no_tick_behind_a_hot_stream",
                "testing/test_test_streams::test_stream_that_has_enough_leaves_a_hot_stream_at_once",
            ),
        ),
    ],
    "Aggregate: reduce": [
        Bullet(
            "elements are folded, with and without a seed", (f"{VECTORS}test_fold_goes_on_from_where_it_was_saved",)
        ),
        Bullet(
            "the source fails", (ERROR_EVERYWHERE, f"{FOLD}test_terminal_operation_raises_what_the_stream_fails_with")
        ),
        Bullet(
            "nothing without a seed is an error, with a seed it is that",
            (f"{REDUCE}test_nothing_without_a_seed_names_the_remedy", f"{REDUCE}test_seed_none_is_a_seed"),
        ),
        Bullet("the function raises", (f"{REDUCE}test_function_that_fails_cancels_and_ends_with_the_error",)),
        Bullet(
            "what makes the result of the accumulator raises",
            (
                f"{REDUCE}test_function_of_a_collector_that_fails_ends_the_stream",
                f"{COLLECTIONS}test_result_that_fails_below_ends_with_the_error_only",
            ),
        ),
        Bullet(
            "it is saved, and what came after the save is undone",
            (f"{VECTORS}test_fold_goes_on_from_where_it_was_saved",),
        ),
    ],
    "All: all": [
        Bullet("true at the end, if all are", (RESULT_OF_ALL,)),
        Bullet("false at the first that is not", (EARLY_RESULT,)),
        Bullet("true for nothing", (RESULT_OF_NOTHING,)),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet("the predicate raises", (f"{ANSWERS}test_predicate_that_fails_cancels_and_ends_with_the_error",)),
    ],
    "Any: any": [
        Bullet(
            "without a predicate: an element, none, an error",
            (
                f"{ANSWERS}test_any_element_may_count_as_false",
                EARLY_RESULT,
                RESULT_OF_NOTHING,
                f"{FOLD}test_terminal_operation_raises_what_the_stream_fails_with",
            ),
        ),
        Bullet(
            "with a predicate: true, false, nothing, an error",
            (EARLY_RESULT, RESULT_OF_ALL, RESULT_OF_NOTHING, ERROR_EVERYWHERE),
        ),
        Bullet("the predicate raises", (f"{ANSWERS}test_predicate_that_fails_cancels_and_ends_with_the_error",)),
    ],
    "Average: average": [
        Bullet(
            "nothing is an error, or the default",
            (f"{AVERAGE}test_average_of_nothing_names_the_remedy", RESULT_OF_NOTHING),
        ),
        Bullet("the mean of all elements", (RESULT_OF_ALL,)),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet(
            "what is added is no number",
            (f"{NUMBERS}test_addition_that_fails_cancels_and_ends_with_the_error",),
        ),
        Bullet(
            "a selector: empty, simple, an error, raises", left_out="there is no such overload: a map before it does it"
        ),
        Bullet("each numeric type has a form for null", left_out=NO_NULL_NUMBERS),
        Bullet("the sum of 64 bits, or of decimals, overflows", left_out=FIXED_INTEGERS),
        Bullet(
            "sums that 32 bits would not hold do not overflow",
            (f"{AVERAGE}test_average_of_small_numbers_divides_the_exact_sum",),
        ),
        Bullet("bad arguments are refused", left_out="a default may be anything, and there are no others"),
        Bullet("it is saved", (SAVED_EVERYWHERE,)),
    ],
    "Buffer: buffer": [
        Bullet(
            "so many elements, with overlap, gaps, or side by side",
            (f"{BUFFER}test_each_count_and_skip_is_that_of_slices", f"{VECTORS}test_sums_of_buffers"),
        ),
        Bullet("so much time, with overlap or gaps", left_out=not_yet("buffer by time")),
        Bullet("a count and a time, whichever comes first", left_out=not_yet("buffer by time")),
        Bullet(
            "an error gives up what is open",
            (
                f"{BUFFER}test_rest_is_given_up_at_an_error",
                f"{BUFFER}test_open_lists_are_given_up_at_an_error_and_by_cancel",
            ),
        ),
        Bullet("each is compared with Window", (f"{WINDOW}test_lists_of_windows_are_those_of_buffer",)),
        Bullet(
            "lists are bounded, and a state beyond the bound is refused",
            (f"{BUFFER}test_count_out_of_bounds_is_refused", f"{BUFFER}test_rest_of_longer_lists_is_not_loaded"),
        ),
        Bullet(
            "a setting bounds how many lists are open", left_out="count and skip say how many, and both are bounded"
        ),
        Bullet(
            "bad arguments are refused",
            (
                f"{BUFFER}test_count_that_is_no_integer_is_refused",
                f"{BUFFER}test_skip_out_of_bounds_is_refused",
                f"{BUFFER}test_skip_that_is_no_integer_is_refused",
            ),
        ),
    ],
    "CombineLatest: combine_latest": [
        Bullet(
            "saved and loaded between elements that alternate, and that follow each other",
            (f"{VECTORS}test_latest_elements_are_saved",),
        ),
        Bullet(
            "loading while it runs, or after its end, is refused (the reference: has no effect)",
            (f"{STATE}test_state_is_loaded_before_the_start_only",),
        ),
        Bullet(
            "inputs that never combine complete with the last of them, for 2 to 16",
            left_out="the first input that ends without an element completes the stream: no tuple can come; "
            "see the next one",
        ),
        Bullet(
            "empty inputs complete it, for 2 to 16",
            (
                f"{VECTORS}test_first_input_that_ends_without_an_element_ends_the_stream",
                f"{LATEST}test_input_without_an_element_completes_the_latest",
            ),
        ),
        Bullet("inputs that never send, for 2 to 16", (f"{VECTORS}test_inputs_that_never_send_leave_silence",)),
        Bullet(
            "each element gives a tuple once all have one, for 2 to 16",
            (
                f"{VECTORS}test_each_element_gives_a_tuple_once_all_inputs_have_one",
                f"{LATEST}test_latest_ones_are_combined_once_all_are_there",
            ),
        ),
        Bullet(
            "the function for a tuple raises, for 2 to 16",
            (f"{VECTORS}test_function_that_raises_for_the_first_tuple_leaves_all_inputs",),
        ),
        Bullet(
            "of two inputs each is empty, never ends, has one element, fails, in all pairs",
            (f"{VECTORS}test_two_inputs_end_in_all_ways",),
        ),
        Bullet("an error of one of several leaves all", (f"{INPUTS}test_error_of_any_input_cancels_the_others",)),
        Bullet(
            "bad arguments are refused, whatever their number",
            (
                f"{INPUTS}test_what_is_no_source_is_refused_when_the_stream_is_built",
                f"{INPUTS}test_prefetch_out_of_bounds_is_refused",
            ),
        ),
        Bullet("it may be subscribed to again, for 2 to 16", (f"{LATEST}test_each_subscription_combines_anew",)),
        Bullet(
            "it is saved, for 2 to 16",
            (
                f"{VECTORS}test_latest_elements_of_all_inputs_are_saved",
                f"{INPUTS}test_state_is_saved_and_loaded_at_every_element",
            ),
        ),
    ],
    "Contains: contains": [
        Bullet("silence for an input that never sends", (f"{CONTRACT}test_input_that_never_sends_leaves_silence",)),
        Bullet("false for nothing", (RESULT_OF_NOTHING,)),
        Bullet("the first match decides", (EARLY_RESULT,)),
        Bullet("false at the end where nothing matches", (RESULT_OF_ALL,)),
        Bullet("an error comes before a match; after one nobody sees it", (ERROR_EVERYWHERE,)),
        Bullet("a comparer that says never or always", left_out=NO_COMPARER),
        Bullet("the comparison raises", (f"{ANSWERS}test_comparison_that_fails_ends_the_stream",)),
    ],
    "Count, LongCount: count": [
        Bullet("nothing, some", (RESULT_OF_NOTHING, f"{NUMBERS}test_count_does_not_look_at_the_elements")),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet("a predicate: some, none, raises", left_out=NO_PREDICATE),
        Bullet("the count overflows", left_out="it has 63 bits: nobody counts as far"),
        Bullet("it is saved", (SAVED_EVERYWHERE,)),
    ],
    "DefaultIfEmpty: default_if_empty": [
        Bullet("nothing, one and many elements", (f"{DEFAULT}test_value_stands_in_for_no_element",)),
        Bullet("without a value the default of the type", left_out="types have no default value; the value is given"),
        Bullet("the source fails", (f"{DEFAULT}test_error_is_passed_on",)),
        Bullet(
            "saved after an element there is no default, saved before one there is",
            (f"{DEFAULT}test_value_stands_in_for_no_element",),
        ),
    ],
    "DelaySubscription: delay_subscription": [
        Bullet(
            "by a duration, over a cold source and an error",
            (
                f"{TIMING}test_stream_above_is_not_subscribed_to_before_its_time",
                f"{TIMING}test_timers_and_what_they_begin",
            ),
        ),
        Bullet("to a time", (f"{TIMING}test_timers_and_what_they_begin",)),
        Bullet(
            "a source that raises when it is subscribed",
            (f"{TIMING}test_stream_that_cannot_be_begun_when_its_time_has_come_fails",),
        ),
    ],
    "Distinct, DistinctUntilChanged: distinct, distinct_until_changed": [
        Bullet(
            "silence, nothing, one, an error",
            (f"{CONTRACT}test_input_that_never_sends_leaves_silence", COMPLETE_EVERYWHERE, ERROR_EVERYWHERE),
        ),
        Bullet(
            "all different, all the same, some",
            (
                f"{VECTORS}test_distinct_elements",
                f"{DISTINCT}test_none_is_an_ordinary_key",
                f"{DISTINCT}test_one_requested_element_is_found_behind_many_dropped_ones",
            ),
        ),
        Bullet(
            "a key, which may raise",
            (f"{VECTORS}test_distinct_elements", f"{DISTINCT}test_function_that_raises_ends_the_stream"),
        ),
        Bullet(
            "a comparer that finds some or all equal, and one that raises",
            (
                f"{DISTINCT}test_last_element_that_passed_is_what_a_new_one_is_compared_with",
                f"{DISTINCT}test_comparer_that_raises_ends_the_stream",
                f"{DISTINCT}test_key_whose_hash_or_comparison_raises_ends_the_stream",
            ),
        ),
        Bullet("a comparer of distinct", left_out="keys are looked up by their hash: a key says what is the same"),
        Bullet(
            "it is saved",
            (
                f"{VECTORS}test_distinct_forgets_what_came_after_the_save",
                f"{DISTINCT}test_keys_are_saved",
                SAVED_EVERYWHERE,
            ),
        ),
    ],
    "Do: do": [
        Bullet("sees all elements", (f"{DO}test_functions_see_every_signal_before_it_is_passed_on",)),
        Bullet("takes a plain function", (f"{DO}test_what_the_functions_return_means_nothing",)),
        Bullet("elements and the completion", (f"{DO}test_functions_see_every_signal_before_it_is_passed_on",)),
        Bullet(
            "no completion, no call; no error, no call",
            (f"{DO}test_functions_of_signals_that_do_not_come_are_not_called",),
        ),
        Bullet("elements and the error", (f"{DO}test_error_function_sees_the_error_of_the_upstream",)),
        Bullet("all three functions", (f"{DO}test_functions_of_signals_that_do_not_come_are_not_called",)),
        Bullet("an observer in place of functions", left_out="its methods are functions: do(observer.on_next, ...)"),
        Bullet("a selector for what the observer gets", left_out="a function maps for itself what it needs"),
        Bullet(
            "each of the functions raises",
            (
                f"{DO}test_element_function_that_raises_takes_the_place_of_the_element",
                f"{DO}test_error_function_that_raises_takes_the_place_of_the_error_which_is_dropped",
                f"{DO}test_complete_function_that_raises_takes_the_place_of_the_completion",
            ),
        ),
    ],
    "ElementAt, ElementAtOrDefault: element_at, element_at_or_default": [
        Bullet(
            "nothing, one or many elements, in and out of range",
            (
                f"{FOLD}test_completion_of_the_input_arrives_at_every_position",
                COMPLETE_EVERYWHERE,
                RESULT_OF_ALL,
            ),
        ),
        Bullet("an error comes before the element; after it nobody sees it", (ERROR_EVERYWHERE,)),
        Bullet("it is saved", (SAVED_EVERYWHERE,)),
        Bullet("bad arguments are refused", (f"{ELEMENTS}test_position_before_the_first_is_refused",)),
    ],
    "Empty: Stream.empty": [
        Bullet("completes one tick after the subscription", (f"{VECTORS}test_smallest_source_has_its_turn",)),
        Bullet("after values in front of it", (f"{VECTORS}test_values_come_in_one_turn_before_the_source",)),
    ],
    "Finally": [
        Bullet(
            "once, however often it is disposed",
            (
                f"{FINALLY}test_action_runs_once_behind_a_cancellation",
                f"{FINALLY}test_cancellation_from_another_thread_runs_it_once",
            ),
        ),
        Bullet(
            "after completion, an element and completion, an error",
            (f"{FINALLY}test_action_runs_once_behind_the_end",),
        ),
    ],
    "First, Last, Single, and OrDefault": [
        Bullet(
            "nothing, one, many",
            (
                f"{ELEMENTS}test_nothing_names_the_twin_with_a_default",
                f"{ELEMENTS}test_none_is_an_ordinary_element",
                f"{FOLD}test_completion_of_the_input_arrives_at_every_position",
                RESULT_OF_ALL,
            ),
        ),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet("a predicate: a match, none, an error, raises", left_out=NO_PREDICATE),
        Bullet(
            "a second element is an error of single",
            (f"{ELEMENTS}test_second_element_cancels_and_ends_with_an_error",),
        ),
    ],
    "GroupBy: group_by, and key_by(...).through": [
        Bullet(
            "sums of each key at the end, in the order of the keys",
            (f"{VECTORS}test_each_key_gives_its_result_at_the_end",),
        ),
        Bullet(
            "a function for elements",
            (f"{VECTORS}test_function_of_keys_or_elements_that_raises_leaves_no_partial_results",),
        ),
        Bullet(
            "the key None is one as any other, and ends in its turn (the reference: first)",
            (f"{VECTORS}test_keys_are_counted_at_the_end_in_the_order_of_their_first_elements",),
        ),
        Bullet(
            "groups are streams of their own",
            (
                "operators/keyed/test_group_by::test_group_has_its_key_also_where_more_was_built_on_it",
                "operators/keyed/test_group_by::test_error_of_the_key_goes_to_the_groups_and_to_the_subscriber",
            ),
        ),
        Bullet(
            "an error before and after there are keys",
            (ERROR_EVERYWHERE,),
        ),
        Bullet(
            "the function for keys raises at its element, and so does that for elements",
            (f"{VECTORS}test_function_of_keys_or_elements_that_raises_leaves_no_partial_results",),
        ),
        Bullet(
            "bad arguments are refused",
            ("operators/keyed/test_through::test_bad_argument_is_refused_when_the_stream_is_built",),
        ),
    ],
    "IgnoreElements: ignore_elements": [
        Bullet("completes", (COMPLETE_EVERYWHERE, f"{TAKE_LAST}test_end_without_elements_needs_no_demand")),
        Bullet("is disposed", (f"{TAKE_LAST}test_cancel_of_a_stream_that_waits_for_its_end_closes_the_source",)),
        Bullet("fails", (ERROR_EVERYWHERE,)),
    ],
    "IsEmpty: is_empty": [
        Bullet("nothing", (RESULT_OF_NOTHING,)),
        Bullet("the first element decides", (EARLY_RESULT,)),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
    ],
    "Max, Min: max, min": [
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet(
            "nothing is an error, or the default",
            (f"{EXTREMES}test_nothing_names_the_remedy", f"{EXTREMES}test_default_none_is_a_result"),
        ),
        Bullet("the extreme of all", (RESULT_OF_ALL, f"{EXTREMES}test_first_of_equal_ones_wins")),
        Bullet("nulls among them, nulls alone", left_out=NO_NULL_NUMBERS),
        Bullet("by the comparison of the elements themselves", (RESULT_OF_ALL,)),
        Bullet("a comparer", left_out="`key` gives what is compared, and functools.cmp_to_key makes one of a comparer"),
        Bullet(
            "the comparison raises, and so does the function for what is compared",
            (
                f"{EXTREMES}test_elements_that_cannot_be_compared_end_the_stream",
                f"{EXTREMES}test_key_that_fails_cancels_and_ends_with_the_error",
            ),
        ),
        Bullet("it is saved", (SAVED_EVERYWHERE,)),
        Bullet(
            "what is not a number",
            (f"{EXTREMES}test_what_is_not_a_number_is_compared_as_the_built_ins_do",),
        ),
        Bullet("bad arguments are refused", (f"{EXTREMES}test_key_that_cannot_be_called_is_refused",)),
    ],
    "Merge: merge_with, flat_map": [
        Bullet("streams of a stream that overlap, and that do not", (f"{VECTORS}test_streams_of_a_stream_are_merged",)),
        Bullet("an inner stream fails", (f"{VECTORS}test_inner_streams_are_flattened",)),
        Bullet("the outer stream fails", (f"{VECTORS}test_error_of_the_outer_stream_leaves_the_inner_ones",)),
        Bullet(
            "two streams",
            (f"{VECTORS}test_merged_elements_are_interleaved", f"{INPUTS}test_merged_elements_come_as_they_come"),
        ),
        Bullet(
            "one of two fails",
            (
                f"{VECTORS}test_error_of_a_merged_stream_leaves_the_other",
                f"{INPUTS}test_error_of_any_input_cancels_the_others",
            ),
        ),
    ],
    "Never: Stream.never": [
        Bullet(
            "silence",
            (f"{VECTORS}test_smallest_source_has_its_turn", f"{SINGLE_SIGNALS}test_never_stays_silent"),
        ),
    ],
    "regressions": [
        Bullet("values in front of a timer", left_out=not_yet("timer")),
        Bullet("one of a value in front of nothing", (f"{VECTORS}test_values_come_in_one_turn_before_the_source",)),
        Bullet(
            "four of traffic: the value in front, or the stream that is switched to, wins",
            left_out=not_yet("timer", "delay_subscription"),
        ),
    ],
    "Retry: retry": [
        Bullet("the first attempt completes", (f"{RETRY}test_attempt_that_completes_is_the_last",)),
        Bullet(
            "for ever, of what never ends",
            (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",),
        ),
        Bullet(
            "attempts follow each other, each with a span of its own",
            (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",),
        ),
        Bullet("the last attempt gives its error", (f"{RETRY}test_last_attempt_gives_its_error",)),
        Bullet("so many attempts of what never ends", (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",)),
        Bullet("one of so many attempts completes", (f"{RETRY}test_attempt_that_completes_is_the_last",)),
        Bullet("disposed in the second attempt", (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",)),
        Bullet(
            "a hot source and a function that raises, for ever and so many times",
            (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",),
        ),
        Bullet(
            "a publisher that refuses a further attempt gives its error",
            (f"{RETRY}test_publisher_that_refuses_a_further_attempt_gives_its_error",),
        ),
        Bullet(
            "an observer that raises is cancelled, and the hook for dropped signals gets its exception "
            "(the reference: the run raises it)",
            (
                "stream/test_subscription::test_subscriber_that_raises_is_cancelled_and_signalled_nothing_more",
                "stream/test_subscription::test_subscriber_that_raises_in_another_signal_is_signalled_nothing_more",
            ),
        ),
        Bullet(
            "bad arguments are refused",
            (
                f"{RETRY}test_bad_arguments_are_refused_when_the_stream_is_built",
                f"{RETRY}test_attempts_without_limit_are_refused_unless_asked_for",
            ),
        ),
    ],
    "Return, Throw: Stream.just, Stream.error": [
        Bullet("one tick after the subscription", (f"{VECTORS}test_smallest_source_has_its_turn",)),
        Bullet(
            "None is no error",
            (f"{SINGLE_SIGNALS}test_what_is_no_exception_is_refused_when_the_stream_is_built",),
        ),
    ],
    "Sample: sample": [
        Bullet("by a period: an error, an end", (f"{TIMING}test_elements_pass_at_their_times",)),
        Bullet(
            "by a sampler: regular, pending at its end, the source ends first, errors",
            (f"{TIMING}test_elements_pass_at_their_times", f"{TIMING}test_sampler_says_when"),
        ),
        Bullet("it is saved", (f"{TIMING}test_sampled_stream_is_saved",)),
    ],
    "Scan: scan": [
        Bullet(
            "with and without a seed",
            (
                f"{CONTRACT}test_unbounded_demand_is_served",
                f"{SCAN}test_first_element_is_the_first_accumulator_and_needs_no_call",
            ),
        ),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet("nothing", (f"{SCAN}test_seed_itself_is_not_passed_on",)),
        Bullet("the function raises", (f"{SCAN}test_function_that_raises_ends_the_stream",)),
        Bullet("it is saved", (SAVED_EVERYWHERE, f"{SCAN}test_accumulator_of_the_last_good_element_is_saved")),
    ],
    "Select: map, map_indexed": [
        Bullet("disposed inside the function", (CANCEL_INSIDE,)),
        Bullet("completes, goes on, fails", (COMPLETE_EVERYWHERE, CANCEL_EVERYWHERE, ERROR_EVERYWHERE)),
        Bullet("the function raises", (f"{MAP}test_function_that_raises_ends_the_stream_and_closes_the_source",)),
        Bullet(
            "one after the other, with and without the index",
            (f"{MAP}test_any_callable_maps", f"{ENUMERATE}test_numbers_are_those_of_each_place_in_the_stream"),
        ),
        Bullet(
            "the index counts the elements, and a function that takes it raises",
            (
                f"{MAP_INDEXED}test_index_counts_the_elements_that_come",
                f"{MAP_INDEXED}test_function_that_raises_ends_the_stream",
            ),
        ),
        Bullet(
            "the index is saved",
            (f"{MAP_INDEXED}test_function_that_raises_ends_the_stream", SAVED_EVERYWHERE),
        ),
    ],
    "SelectMany: flat_map": [
        Bullet(
            "outer and inner streams complete in all orders, or never do",
            (f"{VECTORS}test_inner_streams_are_flattened",),
        ),
        Bullet("the outer stream fails", (f"{VECTORS}test_error_of_the_outer_stream_leaves_the_inner_ones",)),
        Bullet(
            "an inner stream fails",
            (f"{VECTORS}test_inner_streams_are_flattened", f"{FLAT_MAP}test_error_of_a_stream_cancels_all_others"),
        ),
        Bullet(
            "disposed in the middle",
            (f"{VECTORS}test_inner_streams_are_flattened", f"{FLAT_MAP}test_cancel_reaches_all_streams"),
        ),
        Bullet("the function maps", (f"{FLAT_MAP}test_every_kind_of_source_is_run",)),
        Bullet(
            "a second function for the result, which completes, fails, is disposed, raises",
            left_out="there is no such overload: a map of the inner stream does it",
        ),
        Bullet(
            "the function raises",
            (f"{VECTORS}test_function_that_raises_leaves_the_outer_stream_and_the_inner_ones",),
        ),
    ],
    "SequenceEqual: sequence_equal": [
        Bullet("equal, element by element", (f"{VECTORS}test_sequence_equal_answers_with_the_element_that_decides",)),
        Bullet("either side lags", left_out="the other side is an iterable, which is read when it is needed"),
        Bullet("a mismatch", (f"{VECTORS}test_sequence_equal_answers_with_the_element_that_decides",)),
        Bullet(
            "a shorter stream is unequal at its end, a longer one at the element too many",
            (f"{VECTORS}test_sequence_equal_answers_with_the_element_that_decides",),
        ),
        Bullet(
            "either side fails",
            (
                f"{VECTORS}test_sequence_equal_passes_the_error_on",
                f"{ANSWERS}test_iterable_that_fails_ends_the_stream",
            ),
        ),
        Bullet("a setting bounds what waits", left_out="nothing waits: the other side is an iterable"),
        Bullet("the comparison raises", (f"{ANSWERS}test_comparison_that_fails_ends_the_stream",)),
    ],
    "Skip: skip": [
        Bullet(
            "more, as many and fewer than there are, and none",
            (
                f"{VECTORS}test_take_and_skip_of_a_long_stream",
                f"{SKIP}test_more_than_there_is_leaves_nothing",
                f"{SKIP}test_skipped_elements_bring_the_completion",
                COMPLETE_EVERYWHERE,
            ),
        ),
        Bullet("an error after, at and before the count", (ERROR_EVERYWHERE,)),
        Bullet("disposed before and after the count", (CANCEL_EVERYWHERE,)),
        Bullet("one after the other", (f"{VECTORS}test_take_and_skip_of_a_long_stream",)),
        Bullet("so much time", left_out=not_yet("skip by time")),
        Bullet(
            "saved while it skips, and after",
            (f"{VECTORS}test_skip_goes_on_counting_after_a_recovery", SAVED_EVERYWHERE),
        ),
    ],
    "SkipUntil: skip_until": [
        Bullet(
            "elements, ends, errors and silence of source and trigger, in all pairs",
            (
                f"{VECTORS}test_skip_until_another_stream_sends",
                f"{TAKE_UNTIL}test_error_of_either_stream_cancels_the_other",
            ),
        ),
        Bullet(
            "a source or a trigger that ends before there was a signal: the stream completes with its source "
            "(the reference: silence)",
            (
                f"{VECTORS}test_skip_until_another_stream_sends",
                f"{TAKE_UNTIL}test_completion_of_the_other_stream_without_an_element_changes_nothing",
                f"{TAKE_UNTIL}test_source_that_completes_first_completes_the_stream_and_cancels_the_other",
            ),
        ),
        Bullet("until a time", left_out=not_yet("skip_until a time")),
        Bullet(
            "the state after the trigger was disposed",
            (f"{TAKE_UNTIL}test_that_the_other_has_sent_is_saved",),
        ),
    ],
    "SkipWhile, TakeWhile: skip_while, take_while": [
        Bullet("completion before and after the predicate changes", (COMPLETE_EVERYWHERE,)),
        Bullet("an error before and after it", (ERROR_EVERYWHERE,)),
        Bullet("dispose before and after it", (CANCEL_EVERYWHERE,)),
        Bullet(
            "the first element decides",
            (
                f"{TAKE_WHILE}test_result_without_a_truth_ends_the_stream",
                f"{TAKE_WHILE}test_first_element_may_decide",
            ),
        ),
        Bullet("the predicate raises", (f"{TAKE_WHILE}test_predicate_that_raises_ends_the_stream",)),
        Bullet(
            "a predicate with the number of the element, which may raise",
            left_out="there is no such overload: enumerate before it, and pluck(1) after it, do the same",
        ),
        Bullet(
            "it is saved",
            (f"{TAKE_WHILE}test_that_elements_pass_is_saved", SAVED_EVERYWHERE),
        ),
    ],
    "StartWith: start_with": [
        Bullet("no value is refused", (f"{START_WITH}test_no_value_is_refused",)),
        Bullet(
            "values, then the source",
            (f"{START_WITH}test_values_come_first", f"{VECTORS}test_values_come_in_one_turn_before_the_source"),
        ),
        Bullet(
            "values, then the error of the source, also where it fails at once",
            (
                f"{START_WITH}test_end_of_the_upstream_waits_for_the_values",
                f"{VECTORS}test_values_come_in_one_turn_before_the_source",
            ),
        ),
        Bullet("the context reaches a timer after it", left_out=not_yet("timer")),
        Bullet("None is a value", (f"{START_WITH}test_none_is_an_ordinary_value",)),
        Bullet(
            "saved among the values it goes on there",
            (
                f"{START_WITH}test_state_is_loaded_in_each_input",
                f"{VECTORS}test_values_come_again_unless_they_had_come_when_it_was_saved",
            ),
        ),
        Bullet(
            "an old number is loaded in place after the source was subscribed",
            left_out="a node that was started refuses to be loaded; recovery is into a fresh tree",
        ),
        Bullet(
            "saved after the values they do not come again",
            (f"{VECTORS}test_values_come_again_unless_they_had_come_when_it_was_saved",),
        ),
    ],
    "Sum: sum": [
        Bullet("32 bits, 64 bits and decimals overflow", left_out=FIXED_INTEGERS),
        Bullet(
            "each numeric type",
            (f"{NUMBERS}test_sum_is_that_of_the_built_in",),
        ),
        Bullet("a form for null of each type", left_out=NO_NULL_NUMBERS),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet(
            "what is added is no number",
            (f"{NUMBERS}test_addition_that_fails_cancels_and_ends_with_the_error",),
        ),
        Bullet("0 for nothing", (RESULT_OF_NOTHING,)),
        Bullet("it is saved", (f"{VECTORS}test_fold_goes_on_from_where_it_was_saved", SAVED_EVERYWHERE)),
    ],
    "Switch": [
        Bullet(
            "the next stream takes the place of the one before, which is left",
            (
                f"{SWITCH_MAP}test_new_element_cancels_the_stream_that_runs",
                f"{SWITCH_MAP}test_times_are_those_of_the_reference",
            ),
        ),
        Bullet("an inner stream fails", (f"{SWITCH_MAP}test_error_of_the_stream_that_runs_cancels_upstream",)),
        Bullet("the outer stream fails", (f"{SWITCH_MAP}test_error_of_upstream_cancels_the_stream_that_runs",)),
        Bullet("no inner stream", (COMPLETE_EVERYWHERE,)),
        Bullet(
            "an inner stream completes before the outer one",
            (f"{SWITCH_MAP}test_end_of_a_stream_does_not_end_upstream",),
        ),
    ],
    "Take: take": [
        Bullet(
            "more, as many and fewer than there are",
            (f"{VECTORS}test_take_and_skip_of_a_long_stream", COMPLETE_EVERYWHERE),
        ),
        Bullet(
            "an error before, at and after the count",
            (f"{VECTORS}test_take_of_all_elements_does_not_see_the_error_after_them", ERROR_EVERYWHERE),
        ),
        Bullet("disposed before and after the count", (CANCEL_EVERYWHERE,)),
        Bullet(
            "none, without a subscription",
            (
                f"{VECTORS}test_take_of_nothing_is_complete_at_its_turn_and_never_subscribes",
                f"{TAKE}test_zero_completes_without_a_subscription_upstream",
            ),
        ),
        Bullet("one after the other, in both orders", (f"{VECTORS}test_take_and_skip_of_a_long_stream",)),
        Bullet("so much time", left_out=not_yet("take by time")),
        Bullet(
            "what was saved early takes as many again",
            (f"{VECTORS}test_take_goes_on_counting_from_where_it_was_saved",),
        ),
        Bullet(
            "what was over when it was saved stays silent, and its source is left alone",
            (f"{VECTORS}test_take_that_was_complete_when_it_was_saved_stays_so",),
        ),
    ],
    "TakeUntil: take_until": [
        Bullet(
            "the trigger sends or fails, and ends it",
            (
                f"{VECTORS}test_take_until_another_stream_sends",
                f"{TAKE_UNTIL}test_first_element_of_the_other_stream_ends_this_one",
            ),
        ),
        Bullet(
            "the trigger completes or is silent, and does not end it",
            (
                f"{VECTORS}test_take_until_another_stream_sends",
                f"{TAKE_UNTIL}test_completion_of_the_other_stream_without_an_element_changes_nothing",
            ),
        ),
        Bullet("sources that are silent or fail", (f"{VECTORS}test_take_until_another_stream_sends",)),
        Bullet("the trigger sends before the first element", (f"{VECTORS}test_take_until_another_stream_sends",)),
        Bullet(
            "after the trigger the source runs nothing more",
            (
                f"{VECTORS}test_take_until_another_stream_sends",
                f"{TAKE_UNTIL}test_what_the_stream_itself_makes_the_other_send_counts_at_once",
            ),
        ),
        Bullet("until a time", (f"{TIMING}test_elements_pass_at_their_times",)),
        Bullet(
            "bad arguments are refused",
            (f"{TAKE_UNTIL}test_what_is_neither_predicate_nor_stream_is_refused_when_the_stream_is_built",),
        ),
    ],
    "Throttle: debounce": [
        Bullet(
            "by time: all, none and some pass, with an end and with an error",
            (f"{TIMING}test_elements_pass_at_their_times",),
        ),
        Bullet(
            "by a stream for each element: delay, throttle, early completion, errors",
            (
                f"{DELAY_UNTIL}test_stream_of_an_element_says_when_it_is_quiet",
                f"{DELAY_UNTIL}test_error_of_a_stream_ends_both",
            ),
        ),
    ],
    "Timer: Stream.timer, Stream.interval": [
        Bullet("once: after a duration, at a time, in the past", (f"{TIMING}test_timers_and_what_they_begin",)),
        Bullet(
            "again and again, and what is past due is caught up with",
            (
                f"{TIMING}test_timers_and_what_they_begin",
                f"{TIMING}test_ticks_that_nobody_requested_follow_the_policy",
            ),
        ),
        Bullet("it is saved", (f"{TIMING}test_interval_goes_on_with_its_number",)),
        Bullet("bad periods, and those that are too long", (f"{TIMING}test_bad_argument_is_refused",)),
        Bullet("an observer that raises", left_out="the same for all sources; see the subscribers"),
        Bullet("what is logged", left_out="a source logs nothing"),
    ],
    "ToList: to_list": [
        Bullet("nothing, four elements, an error", (RESULT_OF_NOTHING, RESULT_OF_ALL, ERROR_EVERYWHERE)),
        Bullet(
            "a setting bounds the list",
            (
                f"{COLLECTIONS}test_one_more_than_the_bound_ends_the_stream",
                f"{COLLECTIONS}test_bound_out_of_bounds_is_refused",
            ),
        ),
    ],
    "ToSubscribable: Stream.from_publisher, Stream.create": [
        Bullet(
            "elements and the completion at their ticks",
            (f"{VECTORS}test_foreign_elements_come_at_their_ticks",),
        ),
        Bullet("an error", (f"{PUBLISHER}test_error_is_passed_on_as_it_is",)),
        Bullet("dispose", (f"{PUBLISHER}test_cancel_reaches_the_publisher_once",)),
        Bullet(
            "two and 256 elements of one tick, in order",
            (f"{VECTORS}test_many_foreign_elements_of_one_tick_keep_their_order",),
        ),
        Bullet(
            "saved before the first element",
            ("testing/test_crash_and_recover::test_save_comes_before_the_operators_of_its_tick",),
        ),
        Bullet(
            "what waits when it is saved is replayed",
            ("testing/test_crash_and_recover::test_elements_that_wait_for_demand_are_in_the_state",),
        ),
        Bullet(
            "what is loaded is appended to a queue that runs",
            left_out="a node that was started refuses to be loaded; recovery is into a fresh tree",
        ),
        Bullet(
            "elements and ends come from the threads of others",
            (
                f"{PUBLISHER}test_elements_come_from_the_publishers_thread",
                "sources/test_create::test_threads_are_delivered_one_at_a_time_and_each_in_its_order",
            ),
        ),
        Bullet(
            "threads that send beside a dispose raise nothing",
            ("stress/test_create::test_a_cancel_beside_emissions_ends_them_all",),
        ),
        Bullet(
            "bad arguments are refused",
            (f"{PUBLISHER}test_what_is_no_publisher_is_refused_when_the_stream_is_built",),
        ),
        Bullet("one of our own is used as it is", (f"{PUBLISHER}test_our_own_stream_is_a_publisher",)),
    ],
    "versions of saved state": [
        Bullet(
            "each operator has one, of 1.0.0.0 or later",
            (
                f"{STATE}test_state_of_another_version_is_refused",
                "state/test_golden::test_present_layout_is_the_one_of_the_newest_file",
            ),
        ),
        Bullet(
            "no two operators have one name",
            ("architecture/test_written_operators::test_second_definition_of_the_same_is_refused",),
        ),
    ],
    "Where: filter, filter_indexed": [
        Bullet("completes", (COMPLETE_EVERYWHERE,)),
        Bullet(
            "all, and none pass",
            (
                f"{FILTER}test_predicate_that_returns_none_drops_everything",
                f"{FILTER}test_predicate_that_is_always_true_lets_everything_pass",
            ),
        ),
        Bullet("disposed, also inside the predicate", (CANCEL_EVERYWHERE, CANCEL_INSIDE)),
        Bullet("the source fails", (ERROR_EVERYWHERE,)),
        Bullet("the predicate raises", (f"{FILTER}test_predicate_that_raises_ends_the_stream",)),
        Bullet(
            "one after the other, with and without the index",
            (
                f"{FILTER}test_second_predicate_sees_what_the_first_one_lets_pass",
                f"{FILTER}test_predicate_may_see_the_number_of_its_element",
                f"{ENUMERATE}test_numbers_are_those_of_each_place_in_the_stream",
            ),
        ),
        Bullet("the second predicate raises", (f"{FILTER}test_second_predicate_that_raises_ends_the_stream",)),
        Bullet(
            "the index is saved",
            (f"{MAP_INDEXED}test_function_that_raises_ends_the_stream", SAVED_EVERYWHERE),
        ),
    ],
    "Window: window, window_timeout, and window_when": [
        Bullet(
            "by count, with overlap, gaps, or side by side",
            (f"{WINDOW}test_lists_of_windows_are_those_of_buffer", f"{VECTORS}test_sums_of_windows"),
        ),
        Bullet("by time, with overlap or gaps", left_out=not_yet("window by time")),
        Bullet(
            "by a count and a time, whichever comes first",
            (f"{WINDOW}test_windows_end_at_their_times", f"{VECTORS}test_sums_of_windows"),
        ),
        Bullet("an error for each kind", (f"{VECTORS}test_windows_that_are_over_keep_their_sums_at_an_error",)),
        Bullet(
            "what is done inside: sums, texts, several operators over one window",
            (
                f"{VECTORS}test_sums_of_windows",
                f"{VECTORS}test_texts_of_windows",
                f"{VECTORS}test_several_operators_over_one_window",
            ),
        ),
        Bullet(
            "the source is left when the last window is done (here where take() stands behind the windows)",
            (f"{VECTORS}test_source_is_left_when_the_last_window_that_is_wanted_is_done",),
        ),
    ],
}
