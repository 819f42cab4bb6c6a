"""What the reference's own tests check: operators, context, subscriptions, visitors."""

from tests.reference_catalog.bullet import Bullet, Catalog

NODE = "lifecycle/test_operator_node::"
STATE = "lifecycle/test_stateful_node::"
OBSERVER = "lifecycle/test_observer_node::"
STAGE = "lifecycle/test_stage_guards::"
JOIN = "lifecycle/test_multi_input_node::"
COMPOSITE = "lifecycle/test_composite_subscriptions::"
STATIC = "lifecycle/test_static_composite::"
CONTRACT = "contracts/state_contract::"

LIFE_CYCLE: Catalog = {
    "list observer": [
        Bullet(
            "a list of observers grows, shrinks, and passes each notification to all of them",
            left_out="no observer is a list of others: a subject and a processor keep their subscribers themselves, "
            "each with a demand of its own (tests/rs_core/test_base_processor.py)",
        ),
    ],
    "fault observer": [
        Bullet(
            "an observer raises an error in each of its methods",
            left_out="no such sentinel is handed out: nobody listens after the end of a node, and what comes "
            "goes to the hook for dropped signals",
        ),
        Bullet(
            "what is sent after a dispose reaches nobody",
            ("lifecycle/test_multi_input_signals::test_signals_of_an_input_after_its_end_are_not_passed_on",),
        ),
    ],
    "stateful observer": [
        Bullet(
            "the start, values, the end are seen, and the dispose hook runs once",
            (f"{OBSERVER}test_observer_gets_elements_and_the_end_and_is_disposed_once",),
        ),
        Bullet(
            "its state is saved and restored, and one that was disposed is not started",
            (
                f"{OBSERVER}test_observer_is_saved_and_goes_on",
                f"{STATE}test_node_that_was_saved_as_disposed_is_disposed_by_the_start_and_never_started",
            ),
        ),
        Bullet(
            "it has changed state when it is new, after a save, and after a change; not once that is stored",
            (
                f"{STATE}test_state_changes_until_it_is_stored",
                f"{STATE}test_change_between_save_and_store_stays",
            ),
        ),
        Bullet("save(None) and load(None) are refused", (f"{STATE}test_what_is_no_writer_or_reader_is_refused",)),
        Bullet("an unknown version is refused when loading", (f"{STATE}test_state_of_another_version_is_refused",)),
    ],
    "observer of values alone": [
        Bullet(
            "a value is delivered, an error or a completion raises",
            left_out="a Subscriber has all four methods; what lacks one is refused when it subscribes",
        ),
    ],
    "stateful operators": [
        Bullet(
            "the start hook runs, events flow, the dispose hook runs once",
            (
                f"{NODE}test_each_phase_runs_once",
                f"{JOIN}test_operator_with_two_inputs_is_the_source_of_a_stream",
            ),
        ),
        Bullet("a new operator has changed state", (f"{STATE}test_state_changes_until_it_is_stored",)),
        Bullet("save(None) and load(None) are refused", (f"{STATE}test_what_is_no_writer_or_reader_is_refused",)),
        Bullet(
            "state counts as changed after save, and no more once it is stored",
            (f"{STATE}test_state_changes_until_it_is_stored", f"{CONTRACT}test_state_changes_until_it_is_stored"),
        ),
        Bullet("a change behind the save keeps it changed", (f"{STATE}test_change_between_save_and_store_stays",)),
        Bullet(
            "three generations are recovered one from the other",
            (f"{STATE}test_three_generations_go_on_where_the_one_before_was_saved",),
        ),
        Bullet(
            "what was saved as disposed is disposed by the start and never started",
            (
                f"{STATE}test_node_that_was_saved_as_disposed_is_disposed_by_the_start_and_never_started",
                f"{CONTRACT}test_state_of_an_ended_stream_stays_ended",
            ),
        ),
        Bullet(
            "an unknown version is refused when loading",
            (
                f"{STATE}test_state_of_another_version_is_refused",
                f"{CONTRACT}test_state_of_another_version_is_refused",
            ),
        ),
        Bullet(
            "an unknown version is refused when saving",
            left_out="state is always written in the version of the class: save_state takes no version",
        ),
    ],
    "stateful unary operators": [
        Bullet(
            "hooks, events, dispose once",
            (f"{STAGE}test_stream_may_be_disposed_inside_every_hook_and_no_hook_runs_inside_of_another",),
        ),
        Bullet(
            "the state cycle, with recovery",
            (
                f"{CONTRACT}test_state_changes_until_it_is_stored",
                f"{CONTRACT}test_stream_resumes_after_every_outgoing_element",
                "lifecycle/test_state_visitor::test_stream_that_takes_five_is_saved_loaded_and_goes_on",
            ),
        ),
        Bullet(
            "by default there are no inputs, and the input is not None",
            ("lifecycle/test_operator_interfaces::test_input_of_a_stage_is_never_none",),
        ),
        Bullet("an unknown version is refused", (f"{CONTRACT}test_state_of_another_version_is_refused",)),
    ],
    "operator context": [
        Bullet(
            "no id or no scheduler is refused",
            ("lifecycle/test_context::test_context_without_an_id_or_a_scheduler_is_refused",),
        ),
        Bullet(
            "what was given is returned; nothing is found by default",
            (
                "lifecycle/test_context::test_context_returns_what_it_was_given",
                "lifecycle/test_context::test_context_without_more_has_a_trace_and_stands_alone",
            ),
        ),
    ],
    "context switch operator": [
        Bullet(
            "four events wait in a paused queue and are taken out in order",
            ("lifecycle/test_stage_guards::test_elements_wait_in_the_queue_of_a_boundary_until_its_scheduler_runs",),
        ),
        Bullet(
            "the queue raises an event for each element that enters or leaves it",
            left_out="queues have no events: `Stream.create` reports by its results, `dropped` by its hook",
        ),
    ],
    "grammar checker": [
        Bullet(
            "next, error and completed raise after completion",
            ("lifecycle/test_signal_checker::test_signal_after_the_end_raises",),
        ),
        Bullet(
            "next, error and completed raise after an error",
            (
                "lifecycle/test_signal_checker::test_signal_after_the_end_raises",
                "native/test_debug_checks::test_signals_after_the_end_are_dropped",
            ),
        ),
        Bullet(
            "next raises while next is running",
            ("lifecycle/test_signal_checker::test_signal_while_another_one_is_running_raises",),
        ),
        Bullet(
            "error raises while next is running",
            ("lifecycle/test_signal_checker::test_signal_while_another_one_is_running_raises",),
        ),
        Bullet(
            "completed raises while next is running",
            (
                "lifecycle/test_signal_checker::test_signal_while_another_one_is_running_raises",
                "native/test_debug_checks::test_signal_inside_of_an_element_ends_the_stream",
            ),
        ),
        Bullet(
            "each notification is on the scheduler of the context",
            ("lifecycle/test_signal_checker::test_signal_outside_of_the_hosts_scheduler_raises",),
        ),
    ],
    "dynamic composite": [
        Bullet("None is refused by add and remove", (f"{COMPOSITE}test_what_is_no_subscription_is_refused",)),
        Bullet(
            "a capacity below 1 is refused",
            left_out="there is no capacity to give: the table grows and shrinks by itself",
        ),
        Bullet(
            "visitors reach the members of the moment, and the count is right",
            (f"{COMPOSITE}test_visitors_reach_the_members_in_the_order_in_which_they_were_added",),
        ),
        Bullet("a removed member is disposed once", (f"{COMPOSITE}test_removed_member_is_disposed_once",)),
        Bullet(
            "dispose disposes all members once, and empties it",
            (f"{COMPOSITE}test_dispose_disposes_all_members_once_in_their_order",),
        ),
        Bullet(
            "what is added after dispose is disposed",
            (f"{COMPOSITE}test_what_is_added_after_dispose_is_disposed_at_once",),
        ),
        Bullet(
            "counts and visits stay right while hundreds come and go",
            (f"{COMPOSITE}test_counts_and_visits_stay_right_while_hundreds_come_and_go",),
        ),
    ],
    "stable composite": [
        Bullet(
            "the same as for the dynamic one",
            (
                f"{COMPOSITE}test_visitors_reach_the_members_in_the_order_in_which_they_were_added",
                f"{COMPOSITE}test_counts_and_visits_stay_right_while_hundreds_come_and_go",
            ),
        ),
        Bullet("a range is added: one, many, none", (f"{COMPOSITE}test_range_of_members_is_added_at_once",)),
        Bullet(
            "a range after dispose is disposed",
            (f"{COMPOSITE}test_range_that_is_added_after_dispose_is_disposed",),
        ),
        Bullet(
            "the first, the last, one between and the only member are removed",
            (
                f"{COMPOSITE}test_removed_member_is_disposed_once",
                f"{COMPOSITE}test_only_member_can_be_removed",
            ),
        ),
    ],
    "static composite": [
        Bullet("None is refused", (f"{STATIC}test_what_is_no_subscription_is_refused",)),
        Bullet("add and remove are refused", (f"{STATIC}test_members_cannot_be_changed",)),
        Bullet(
            "visitors reach all, also after dispose",
            (f"{STATIC}test_visitors_reach_all_members_also_after_dispose",),
        ),
        Bullet("members are disposed once each", (f"{STATIC}test_members_are_disposed_once",)),
        Bullet(
            "the form for two members behaves as the general one",
            left_out="there is one form: for two members a tuple is as small",
        ),
    ],
    "state visitor": [
        Bullet(
            "no subscription and no snapshot are refused",
            (
                "lifecycle/test_state_visitor::test_what_is_no_subscription_is_refused",
                "lifecycle/test_state_visitor::test_what_is_no_snapshot_is_refused",
            ),
        ),
        Bullet(
            "end to end with a take of five",
            ("lifecycle/test_state_visitor::test_stream_that_takes_five_is_saved_loaded_and_goes_on",),
        ),
        Bullet(
            "the search for changes stops at the first one",
            ("lifecycle/test_state_visitor::test_search_for_changes_stops_at_the_first_node_that_has_some",),
        ),
    ],
    "subscription visitor": [
        Bullet(
            "two typed actions over a tree, in their order",
            ("lifecycle/test_visitors::test_two_typed_actions_are_called_in_the_order_in_which_they_were_given",),
        ),
        Bullet("a visit of None is ignored", ("lifecycle/test_visitors::test_visit_of_none_is_ignored",)),
        Bullet("no subscription is refused", ("lifecycle/test_visitors::test_what_is_no_subscription_is_refused",)),
    ],
    "futures": [
        Bullet(
            "a second assignment is refused while it lives",
            ("lifecycle/test_future_subscriptions::test_single_assignment_refuses_a_second_one",),
        ),
        Bullet(
            "a single assignment that was disposed stays visitable",
            (
                "lifecycle/test_future_subscriptions::test_single_assignment_that_was_disposed_stays_visitable",
                "lifecycle/test_future_subscriptions::test_first_content_that_comes_after_dispose_is_what_visitors_reach",
            ),
        ),
        Bullet(
            "a serial replaces, and forgets once it is disposed",
            (
                "lifecycle/test_future_subscriptions::test_serial_disposes_the_content_that_is_replaced",
                "lifecycle/test_future_subscriptions::test_serial_that_was_disposed_forgets_its_content",
            ),
        ),
    ],
    "re-entrancy": [
        Bullet(
            "a function that disposes its stream delivers nothing more",
            (
                "rs_core/test_drain_cancel::test_nothing_comes_after_a_cancel_inside_of",
                f"{STAGE}test_stream_may_be_disposed_inside_every_hook_and_no_hook_runs_inside_of_another",
            ),
        ),
        Bullet(
            "dispose before the start: the start hook never runs",
            (
                f"{NODE}test_node_that_was_disposed_before_does_not_start",
                f"{STAGE}test_stream_that_was_disposed_before_the_start_reads_nothing",
            ),
        ),
        Bullet(
            "start beside start, and beside dispose",
            (
                f"{NODE}test_threads_that_start_and_dispose_a_node_run_its_hooks_once_and_apart",
                f"{STAGE}test_threads_that_start_and_dispose_a_stream_run_each_hook_once_and_apart",
                f"{STAGE}test_threads_that_start_a_tree_start_it_once",
            ),
        ),
        Bullet(
            "observers have the same guards",
            (f"{OBSERVER}test_observer_gets_elements_and_the_end_and_is_disposed_once",),
        ),
    ],
}
