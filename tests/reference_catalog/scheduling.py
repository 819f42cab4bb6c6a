"""What the reference's own tests check: its test framework, tasks, schedulers, virtual time."""

from tests.reference_catalog.bullet import Bullet, Catalog

RECORDED = "testing/test_recorded::"
STREAMS = "testing/test_test_streams::"
RUNS = "testing/test_runs::"
RECOVERY = "testing/test_crash_and_recover::"
TASKS = "schedulers/test_ready_made_tasks::"
LOGICAL = "schedulers/test_logical::"
LOGICAL_REFUSALS = "schedulers/test_logical_refusals::"
PAUSE = "schedulers/test_pause::"
COUNTERS = "schedulers/test_counters::"
TREE = "contracts/scheduler_tree_contract::"
VIRTUAL = "schedulers/test_virtual_time::"

SCHEDULING: Catalog = {
    "test framework": [
        Bullet(
            "notifications are recorded with their ticks and are equal by value",
            (
                f"{RECORDED}test_recorded_values_are_equal_by_tick_and_value",
                f"{RECORDED}test_errors_are_equal_if_they_are_the_same",
                f"{RECORDED}test_notification_is_signaled_to_a_subscriber",
            ),
        ),
        Bullet(
            "predicates stand for elements and errors",
            (
                f"{RECORDED}test_predicates_equal_what_they_accept_on_either_side",
                f"{RECORDED}test_predicates_of_errors_equal_errors_only",
            ),
        ),
        Bullet("spans are shown with Infinite", (f"{RECORDED}test_all_are_shown_as_one_would_write_them",)),
        Bullet(
            "created 100, subscribed 200, disposed 1000",
            (f"{RUNS}test_run_creates_subscribes_and_disposes_at_its_ticks",),
        ),
        Bullet(
            "a comparison shows both lists",
            (f"{RECORDED}test_equal_lists_pass_and_different_ones_are_shown_side_by_side",),
        ),
        Bullet(
            "an observer records the tick of each notification",
            (f"{STREAMS}test_hot_stream_sends_at_its_ticks_to_who_is_subscribed",),
        ),
        Bullet(
            "a hot stream sends at absolute ticks and records spans",
            (
                f"{STREAMS}test_hot_stream_sends_at_its_ticks_to_who_is_subscribed",
                f"{STREAMS}test_several_subscribers_of_a_hot_stream_each_have_their_demand",
            ),
        ),
        Bullet(
            "a cold stream sends relative to its start, and after recovery the rest",
            (
                f"{STREAMS}test_cold_stream_begins_at_each_subscription",
                f"{RECOVERY}test_cold_stream_replays_the_rest_relative_to_the_recovery",
            ),
        ),
        Bullet("a context has settings and an environment", (f"{RUNS}test_operators_are_given_the_context",)),
        Bullet(
            "each load of a saved state begins at its beginning",
            (f"{RECOVERY}test_one_state_serves_any_number_of_recoveries",),
        ),
        Bullet(
            "the standard run goes on from saved state, and its ticks are in order",
            (
                f"{RECOVERY}test_run_saves_and_another_one_goes_on_from_it",
                f"{RUNS}test_ticks_in_another_order_are_refused",
            ),
        ),
        Bullet(
            "an immediate helper subscribes and initializes",
            left_out="`initialize_tree(stream.bind(subscriber), context)` is one line already",
        ),
        Bullet(
            "the state is saved at a tick, before the operators of that tick",
            (f"{RECOVERY}test_save_comes_before_the_operators_of_its_tick",),
        ),
        Bullet(
            "the state is loaded in place, into the running tree",
            left_out="a node that was started refuses to be loaded; recovery is into a fresh tree",
        ),
        Bullet(
            "the state is loaded into a fresh tree",
            (
                f"{RECOVERY}test_cold_stream_replays_the_rest_relative_to_the_recovery",
                "testing/test_reference_vectors::test_skip_goes_on_counting_after_a_recovery",
            ),
        ),
        Bullet(
            "an engine is removed and recovered from its store",
            ("engine/test_crash_model::test_death_at_any_tick_loses_and_repeats_nothing",),
        ),
        Bullet(
            "signals are checked in all tests",
            (f"{STREAMS}test_signals_of_test_streams_are_checked_as_those_of_operators_are",),
        ),
    ],
    "tasks": [
        Bullet(
            "an action is refused where it is None, has priority 1, runs once, gets its state",
            (
                f"{TASKS}test_action_that_cannot_be_called_is_refused",
                f"{TASKS}test_priority_is_that_of_its_kind_by_default",
                f"{TASKS}test_action_runs_once_and_gets_its_state",
            ),
        ),
        Bullet(
            "an item task refuses None, has priority 2, runs while there are items and again for new ones",
            (
                f"{TASKS}test_processor_without_its_methods_is_refused",
                f"{TASKS}test_priority_is_that_of_its_kind_by_default",
                f"{TASKS}test_items_are_processed_in_batches_whenever_there_are_some",
                f"{TASKS}test_batch_has_128_items_by_default",
            ),
        ),
        Bullet(
            "a yieldable task sees the pause, resumes with a fresh token, and ten rounds lose nothing",
            (
                f"{TASKS}test_yieldable_action_gets_its_state_and_the_token_until_it_is_done",
                f"{TASKS}test_busy_task_sees_the_pause_and_goes_on_after_it_with_a_token_that_asks_for_nothing",
                f"{TASKS}test_ten_pauses_lose_no_prime",
            ),
        ),
    ],
    "schedulers": [
        Bullet(
            "access to logical and physical schedulers is checked",
            ("schedulers/test_worker_pool::test_only_its_workers_have_access",),
        ),
        Bullet(
            "an exception is handled with its scheduler, up the chain, and stops where it was handled",
            ("schedulers/test_unhandled::test_handlers_are_asked_upwards_until_one_has_handled_it",),
        ),
        Bullet(
            "a disposed scheduler gives children that accept and ignore everything",
            (
                f"{TREE}test_child_of_a_disposed_scheduler_discards_every_task",
                "schedulers/test_no_op::test_its_child_is_itself",
                "schedulers/test_no_op::test_it_has_nothing_to_pause_to_count_or_to_protect",
            ),
        ),
        Bullet(
            "yield tokens follow their source and are equal by it",
            (
                "schedulers/test_yield_token::test_token_without_a_source_never_asks",
                "schedulers/test_yield_token::test_token_follows_its_source_both_ways",
                "schedulers/test_yield_token::test_tokens_are_equal_by_their_source",
            ),
        ),
        Bullet(
            "work items refuse None and are ordered by due time, then priority",
            (f"{LOGICAL_REFUSALS}test_none_is_no_task", f"{VIRTUAL}test_order_is_by_tick_then_priority_then_arrival"),
        ),
        Bullet(
            "the priority queue is ordered, stable, and whole after removals",
            (
                "schedulers/test_stable_heap::test_empty_heap_has_nothing_to_give",
                "schedulers/test_stable_heap::test_lowest_key_comes_first_and_equals_keep_their_order",
                "schedulers/test_stable_heap::test_random_keys_come_out_as_a_sorted_list",
                "schedulers/test_stable_heap::test_random_removals_leave_the_others_in_order",
                "schedulers/test_stable_heap::test_heap_is_one_again_after_a_removal_in_its_middle",
            ),
        ),
        Bullet("a simple task runs", ("contracts/scheduler_contract::test_callable_runs_once",)),
        Bullet(
            "what is scheduled while paused runs after the continue",
            (f"{TREE}test_what_is_scheduled_during_a_pause_runs_after_it",),
        ),
        Bullet(
            "very many tasks all run, on all workers",
            (
                f"{LOGICAL}test_many_tasks_all_run",
                f"{LOGICAL}test_tasks_run_on_all_workers_at_the_same_time_unless_they_are_of_one_strand",
            ),
        ),
        Bullet(
            "of a hundred blocking tasks none starts while paused",
            (f"{PAUSE}test_of_a_hundred_blocking_tasks_none_starts_during_the_pause_and_all_end_after_it",),
        ),
        Bullet(
            "a task without work runs after it has some and was recalculated",
            (f"{TREE}test_task_without_work_waits_for_recalculation",),
        ),
        Bullet(
            "pausing a parent pauses five children",
            (f"{PAUSE}test_parent_and_children_are_paused_when_the_last_task_of_the_tree_has_returned",),
        ),
        Bullet(
            "a timer is neither early nor very late, relative or absolute",
            (
                f"{LOGICAL}test_timer_is_not_early",
                "schedulers/test_manual::test_timer_runs_neither_before_its_time_nor_after_it",
                "stress/test_schedulers::test_only_allowed_outcomes_are_seen",
            ),
        ),
        Bullet("timers set the next ones", (f"{LOGICAL}test_timer_sets_the_next_one",)),
        Bullet(
            "a queue task runs only while there are items, in batches",
            (f"{LOGICAL}test_queue_task_runs_only_while_there_are_items",),
        ),
        Bullet(
            "timers run in the order of their times",
            (f"{LOGICAL}test_timers_in_reverse_order_run_in_the_order_of_their_times",),
        ),
        Bullet("a negative due time is at once", (f"{LOGICAL}test_task_of_the_past_runs_at_once_and_is_no_tick",)),
        Bullet(
            "the better priority goes first after a recalculation",
            (f"{LOGICAL}test_priority_changes_with_a_recalculation",),
        ),
        Bullet("a thousand timers all run", (f"{LOGICAL}test_thousand_timers_all_run",)),
        Bullet(
            "one recalculation wakes a hundred tasks",
            (f"{LOGICAL}test_one_recalculation_wakes_every_task_that_has_work",),
        ),
        Bullet("a pause without tasks is done at once", (f"{TREE}test_pause_without_tasks_is_done_at_once",)),
        Bullet(
            "a pause waits for a running task", (f"{PAUSE}test_pause_waits_for_the_running_task_and_for_nothing_else",)
        ),
        Bullet("a pause is asked for inside a task", (f"{PAUSE}test_pause_may_be_requested_inside_a_task",)),
        Bullet(
            "no physical scheduler, no workers, no task are refused",
            (
                f"{LOGICAL_REFUSALS}test_what_is_no_physical_scheduler_is_refused",
                "schedulers/test_worker_pool::test_number_of_workers_that_is_none_is_refused",
                f"{LOGICAL_REFUSALS}test_none_is_no_task",
            ),
        ),
        Bullet(
            "tasks that raise keep no others from running",
            ("schedulers/test_unhandled::test_task_that_raises_is_finished_and_the_others_run",),
        ),
        Bullet("a task due in 50 days stops no worker", (f"{LOGICAL}test_task_of_the_far_future_stops_no_worker",)),
        Bullet(
            "timers of children never run when the parent was disposed",
            (f"{LOGICAL}test_timer_of_a_child_of_a_disposed_parent_never_runs",),
        ),
        Bullet(
            "counters of untimed tasks, and their arithmetic",
            (
                f"{COUNTERS}test_turns_are_counted_and_ticks_are_not_where_nothing_had_to_wait",
                f"{COUNTERS}test_uptime_and_paused_time_are_those_of_the_scheduler_that_is_asked",
                f"{COUNTERS}test_counters_add_up_like_numbers",
            ),
        ),
        Bullet("counters of timed tasks", (f"{COUNTERS}test_each_task_that_had_to_wait_for_its_time_is_a_tick",)),
        Bullet(
            "counters of the time that a scheduler itself takes",
            left_out="reading the clock takes longer than what a queue does between two turns",
        ),
        Bullet(
            "a heartbeat wakes each worker every half minute",
            left_out="a worker is woken for every queue and every alarm; what would be found by looking again is a bug",
        ),
        Bullet(
            "a task goes to the worker with the fewest ready ones",
            left_out="workers have no queues: whoever is free takes the tree that waits longest",
        ),
    ],
    "virtual time": [
        Bullet(
            "ready tasks are ordered by due time, priority, arrival",
            (f"{VIRTUAL}test_order_is_by_tick_then_priority_then_arrival",),
        ),
        Bullet(
            "start runs to the end; advance refuses the past, does nothing for the present, and sets the clock",
            (
                f"{VIRTUAL}test_start_leaves_the_clock_at_the_last_task",
                f"{VIRTUAL}test_time_does_not_go_back",
                f"{VIRTUAL}test_advance_to_the_present_tick_runs_nothing",
                f"{VIRTUAL}test_advance_runs_what_is_due_and_leaves_the_clock_where_it_was_told",
                f"{VIRTUAL}test_advance_leaves_the_order_of_what_comes_later",
            ),
        ),
        Bullet(
            "an unfinished task is queued again at the present tick",
            (f"{VIRTUAL}test_task_that_is_not_done_gets_its_next_turn_at_the_same_tick",),
        ),
        Bullet(
            "a task without work is parked until it is recalculated",
            (f"{VIRTUAL}test_task_without_work_waits_at_its_tick_until_it_is_recalculated",),
        ),
        Bullet(
            "exceptions come out of start",
            (f"{VIRTUAL}test_exception_of_a_task_comes_out_of_the_clock_and_the_rest_runs_later",),
        ),
        Bullet("sleep moves the clock only", (f"{VIRTUAL}test_sleep_moves_the_clock_and_runs_nothing",)),
        Bullet(
            "a tick that has come becomes the next one",
            (
                f"{VIRTUAL}test_task_without_a_due_time_runs_one_tick_later",
                f"{VIRTUAL}test_tick_that_has_come_becomes_the_next_one",
                f"{RUNS}test_source_has_its_turn_one_tick_after_the_subscription",
            ),
        ),
        Bullet("a due time is not moved", (f"{VIRTUAL}test_due_time_is_not_moved",)),
        Bullet(
            "a variant moves nothing and records what was scheduled",
            (f"{VIRTUAL}test_logging_variant_moves_nothing_and_tells_what_was_scheduled",),
        ),
        Bullet(
            "at one tick the test comes first, then operators, then queues",
            (
                f"{RUNS}test_harness_comes_first_in_its_tick_then_operators",
                f"{VIRTUAL}test_order_is_by_tick_then_priority_then_arrival",
            ),
        ),
        Bullet(
            "pause and continue park and unpark at once, children too",
            (
                f"{VIRTUAL}test_pause_is_done_at_once_also_inside_a_task",
                f"{VIRTUAL}test_paused_children_keep_their_tasks_and_others_go_on",
            ),
        ),
        Bullet(
            "access is always granted", (f"{VIRTUAL}test_any_thread_has_access_and_tasks_are_current_while_they_run",)
        ),
    ],
}
