"""What the reference's own tests check: which element comes at which tick, and from when to when sources are used."""

from tests.reference_catalog.bullet import Bullet, Catalog
from tests.reference_catalog.operators import SWITCH_MAP, VECTORS, not_yet

RECOVERY = "testing/test_crash_and_recover::"
STEP_BY_STEP = "the other side is an iterable, not a stream of elements that come at ticks of their own"

TEST_VECTORS: Catalog = {
    "vectors: time sources": [
        Bullet("a periodic timer, saved and recovered, goes on counting", left_out=not_yet("timer")),
        Bullet("loaded in place it catches up with what is past due", left_out=not_yet("timer")),
        Bullet("the longest and the most negative period are cut to what the clock can do", left_out=not_yet("timer")),
        Bullet("from an absolute time, in the future and in the past", left_out=not_yet("timer")),
        Bullet("from a duration, once and again and again", left_out=not_yet("timer")),
        Bullet("what is logged when it is created, fired, disposed and muted", left_out=not_yet("timer")),
    ],
    "vectors: take, skip, until": [
        Bullet(
            "of 17 elements take 20, 17, 10 and 3",
            (f"{VECTORS}test_take_and_skip_of_a_long_stream",),
        ),
        Bullet(
            "taking all 17 does not see the error after them",
            (f"{VECTORS}test_take_of_all_elements_does_not_see_the_error_after_them",),
        ),
        Bullet("take 3 and 4, in both orders", (f"{VECTORS}test_take_and_skip_of_a_long_stream",)),
        Bullet(
            "take 0 completes at tick 201 and subscribes to nothing",
            (f"{VECTORS}test_take_of_nothing_is_complete_at_its_turn_and_never_subscribes",),
        ),
        Bullet("take for some ticks, in a row, of a source that never sends", left_out=not_yet("take by time")),
        Bullet("of 17 elements skip 20, 17, 10, and 3 and 2", (f"{VECTORS}test_take_and_skip_of_a_long_stream",)),
        Bullet("skip for some ticks, and in a row", left_out=not_yet("skip by time")),
        Bullet(
            "take_until: the trigger sends, fails, completes, before and without elements",
            (f"{VECTORS}test_take_until_another_stream_sends",),
        ),
        Bullet("take_until an absolute time", left_out=not_yet("take_until a time")),
        Bullet(
            "skip_until: the trigger sends, fails, completes, never sends (without it the stream completes with its "
            "source; the reference: silence)",
            (f"{VECTORS}test_skip_until_another_stream_sends",),
        ),
        Bullet("skip_until an absolute time", left_out=not_yet("skip_until a time")),
        Bullet(
            "take 6 saved after 4 passes 7 in all",
            (f"{VECTORS}test_take_goes_on_counting_from_where_it_was_saved",),
        ),
        Bullet(
            "take 3 saved after its end stays silent when it is recovered",
            (f"{VECTORS}test_take_that_was_complete_when_it_was_saved_stays_so",),
        ),
        Bullet(
            "skip 3 and skip 2 saved on their way skip what is left",
            (f"{VECTORS}test_skip_goes_on_counting_after_a_recovery",),
        ),
        Bullet(
            "distinct, saved on its way, and by a key",
            (f"{VECTORS}test_distinct_forgets_what_came_after_the_save", f"{VECTORS}test_distinct_elements"),
        ),
        Bullet(
            "distinct by an equality of its own",
            left_out="keys are looked up by their hash: a key says what is the same",
        ),
        Bullet("distinct_until_changed", (f"{VECTORS}test_distinct_elements",)),
    ],
    "vectors: aggregates, sequence_equal": [
        Bullet(
            "a sum, folded in three ways and saved on its way, is 66",
            (f"{VECTORS}test_fold_goes_on_from_where_it_was_saved",),
        ),
        Bullet(
            "equal at the end; unequal at the first mismatch, at the element too many, at the end that is too early",
            (f"{VECTORS}test_sequence_equal_answers_with_the_element_that_decides",),
        ),
        Bullet("either side comes 100 ticks later, and each has its span", left_out=STEP_BY_STEP),
        Bullet("an error of the stream ends it", (f"{VECTORS}test_sequence_equal_passes_the_error_on",)),
        Bullet("an error of the other side comes at its tick", left_out=STEP_BY_STEP),
        Bullet("more elements wait for the other side than a setting allows", left_out=STEP_BY_STEP),
        Bullet(
            "a comparison that raises",
            ("operators/folding/test_answers::test_comparison_that_fails_ends_the_stream",),
        ),
    ],
    "vectors: start_with, delay_subscription, retry": [
        Bullet(
            "no values at all",
            ("operators/combining/test_start_with::test_no_value_is_refused",),
        ),
        Bullet(
            "all values come in one turn, two ticks after the subscription (the reference: one at a tick)",
            (f"{VECTORS}test_values_come_in_one_turn_before_the_source",),
        ),
        Bullet(
            "values in front of a source that fails at once, and in front of nothing",
            (f"{VECTORS}test_values_come_in_one_turn_before_the_source",),
        ),
        Bullet("values in front of a timer", left_out=not_yet("timer")),
        Bullet(
            "saved before the values they come again, saved after them they do not",
            (f"{VECTORS}test_values_come_again_unless_they_had_come_when_it_was_saved",),
        ),
        Bullet(
            "an old state loaded in place after the source was subscribed",
            left_out="a node that was started refuses to be loaded; recovery is into a fresh tree",
        ),
        Bullet("delay_subscription, by a duration and to a time", left_out=not_yet("delay_subscription")),
        Bullet(
            "retry: three attempts, disposed in the second, for ever, taken, over a hot source "
            "(each begins one tick after the error; the reference: at its tick)",
            (f"{VECTORS}test_each_attempt_begins_one_tick_after_the_error",),
        ),
        Bullet(
            "a source that works once and then raises gives that exception",
            ("operators/recovering/test_retry::test_publisher_that_refuses_a_further_attempt_gives_its_error",),
        ),
    ],
    "vectors: sample, throttle, combine_latest": [
        Bullet("sample by a period, an error, nothing, saved on its way", left_out=not_yet("sample")),
        Bullet("sample by a stream, which ends first, last, or with an error", left_out=not_yet("sample")),
        Bullet("throttle by time: all, the last, some, with an end and with an error", left_out=not_yet("throttle")),
        Bullet("throttle by a stream for each element", left_out=not_yet("throttle")),
        Bullet(
            "combine_latest over two sources, saved on its way (one tick after the source, through its queue)",
            (f"{VECTORS}test_latest_elements_are_saved",),
        ),
        Bullet(
            "an error before a state is loaded in place",
            left_out="a node that was started refuses to be loaded; recovery is into a fresh tree",
        ),
        Bullet(
            "all sources but one are empty: it completes with the element of the last",
            left_out="it completes with the first source that ends without an element: no tuple can come",
        ),
        Bullet(
            "all sources are empty: it completes with the first that ends (the reference: with the last)",
            (f"{VECTORS}test_first_input_that_ends_without_an_element_ends_the_stream",),
        ),
        Bullet(
            "2 to 16 sources that send twice: a tuple once all have sent, then one for each element",
            (f"{VECTORS}test_each_element_gives_a_tuple_once_all_inputs_have_one",),
        ),
        Bullet(
            "the function for the tuple raises: all spans end there",
            (f"{VECTORS}test_function_that_raises_for_the_first_tuple_leaves_all_inputs",),
        ),
    ],
    "vectors: higher order": [
        Bullet(
            "five inner streams flattened, with their spans (outer and inner elements wait a tick each)",
            (f"{VECTORS}test_inner_streams_are_flattened",),
        ),
        Bullet(
            "an inner or the outer stream never completes; disposed in the middle",
            (f"{VECTORS}test_inner_streams_are_flattened",),
        ),
        Bullet(
            "the outer or an inner stream fails",
            (
                f"{VECTORS}test_error_of_the_outer_stream_leaves_the_inner_ones",
                f"{VECTORS}test_inner_streams_are_flattened",
            ),
        ),
        Bullet(
            "the function raises for the third",
            (f"{VECTORS}test_function_that_raises_leaves_the_outer_stream_and_the_inner_ones",),
        ),
        Bullet("timers as inner streams, and a function for the results", left_out=not_yet("timer")),
        Bullet(
            "a function for the collection or for the result raises",
            left_out="there is no such overload: a map of the inner stream does it",
        ),
        Bullet(
            "three streams that are switched to, errors and ends among them",
            (
                f"{SWITCH_MAP}test_times_are_those_of_the_reference",
                f"{SWITCH_MAP}test_error_of_the_stream_that_runs_cancels_upstream",
            ),
        ),
        Bullet("the same three merged", (f"{VECTORS}test_streams_of_a_stream_are_merged",)),
        Bullet("two streams merged", (f"{VECTORS}test_merged_elements_are_interleaved",)),
        Bullet(
            "odd and even numbers: sums and texts of each key at the end",
            (f"{VECTORS}test_each_key_gives_its_result_at_the_end",),
        ),
        Bullet(
            "words counted, None among them, in the order of the first of each (the reference: None first)",
            (f"{VECTORS}test_keys_are_counted_at_the_end_in_the_order_of_their_first_elements",),
        ),
        Bullet(
            "a function for keys or elements divides by zero: no partial sums",
            (f"{VECTORS}test_function_of_keys_or_elements_that_raises_leaves_no_partial_results",),
        ),
        Bullet("sums of windows by count, with overlap and gaps", left_out=not_yet("window")),
        Bullet("several operators over one window; a window skipped, one taken", left_out=not_yet("window")),
        Bullet("sums of windows by time, and by time and count", left_out=not_yet("window")),
        Bullet("windows closed before an error give their results, the open one none", left_out=not_yet("window")),
        Bullet("sums of buffers by count, with overlap and gaps", (f"{VECTORS}test_sums_of_buffers",)),
        Bullet("sums of buffers by time, and by time and count", left_out=not_yet("buffer by time")),
    ],
    "vectors: ingress and compositions": [
        Bullet("a foreign source at its ticks", (f"{VECTORS}test_foreign_elements_come_at_their_ticks",)),
        Bullet(
            "256 elements of one tick, in order",
            (f"{VECTORS}test_many_foreign_elements_of_one_tick_keep_their_order",),
        ),
        Bullet(
            "what waits when it is saved is replayed",
            (f"{RECOVERY}test_elements_that_wait_for_demand_are_in_the_state",),
        ),
        Bullet("a timer taken, with values in front, taken", left_out=not_yet("timer")),
        Bullet(
            "one of a value in front of nothing",
            (f"{VECTORS}test_values_come_in_one_turn_before_the_source",),
        ),
        Bullet(
            "what skip_until saves after its trigger",
            ("operators/filtering/test_take_until::test_that_the_other_has_sent_is_saved",),
        ),
    ],
    "vectors: crash and recovery": [
        Bullet(
            "the first element, before and after the save",
            (f"{VECTORS}test_first_element_survives_a_crash",),
        ),
        Bullet(
            "an error or nothing instead, before the save and between save and crash",
            (f"{VECTORS}test_first_element_survives_a_crash", f"{VECTORS}test_first_of_nothing_survives_a_crash"),
        ),
        Bullet(
            "what was over at the save is subscribed to again and disposed at once",
            left_out="it is not subscribed to at all: see the spans of the first element",
        ),
        Bullet(
            "skip_until: elements, ends and errors of source and trigger around the save",
            (f"{VECTORS}test_stream_that_another_one_opens_or_ends_survives_a_crash",),
        ),
        Bullet(
            "take_until: elements, ends and errors of source and trigger around the save",
            (f"{VECTORS}test_stream_that_another_one_opens_or_ends_survives_a_crash",),
        ),
        Bullet(
            "take_while: the element that ends it, and a predicate that raises, around the save",
            (f"{VECTORS}test_take_while_survives_a_crash",),
        ),
        Bullet("timers that are due before the save, before the crash, after the recovery", left_out=not_yet("timer")),
        Bullet("periodic timers catch up with what was due meanwhile", left_out=not_yet("timer")),
        Bullet(
            "values in front of a cold source: saved before them, among the elements, after the end",
            (f"{VECTORS}test_values_before_a_cold_source_survive_a_crash",),
        ),
    ],
}
