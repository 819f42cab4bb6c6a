"""What the reference's own tests check: the engine that hosts queries and takes checkpoints."""

from tests.reference_catalog.bullet import Bullet, Catalog

CHECKPOINT = "engine/test_checkpoint::"
DEFINITIONS = "engine/test_definitions::"
ENGINE = "engine/test_engine::"
MODEL = "engine/test_crash_model::"
HIGHER = "engine/test_higher_order::"
LOOKUPS = "engine/test_lookups::"
RECOVERY = "engine/test_recovery::"
STATUS = "engine/test_status::"
STORE = "engine/store_contract::"

NO_BRIDGES = "streams inside of operators are saved inline, in the state of the query: there are no bridges and tunnels"
NO_LOG = "definitions are stored in transactions of their own, so there is no log to be replayed"

ENGINE_CATALOG: Catalog = {
    "status of an engine": [
        Bullet("recover, checkpoint and unload in a row work", (f"{STATUS}test_statuses_of_a_whole_life",)),
        Bullet(
            "several recoveries into one engine are allowed",
            left_out="an engine has one store, which it recovers when it starts; a second start is refused",
        ),
        Bullet("unload twice is idempotent", (f"{STATUS}test_unload_is_idempotent_and_nothing_works_after_it",)),
        Bullet(
            "checkpoint and recover are refused after unload",
            (f"{STATUS}test_unload_is_idempotent_and_nothing_works_after_it",),
        ),
        Bullet(
            "unload during a checkpoint waits for it, and cancels it",
            (
                f"{STATUS}test_unload_during_a_checkpoint_gives_it_up_and_waits_for_it",
                f"{STATUS}test_unload_during_a_commit_waits_until_it_is_through",
            ),
        ),
        Bullet(
            "unload during a recovery waits for it, and cancels it",
            (f"{STATUS}test_unload_during_a_recovery_gives_it_up",),
        ),
        Bullet("unload can be retried after it failed", (f"{STATUS}test_unload_that_failed_can_be_called_again",)),
        Bullet(
            "an error in a checkpoint keeps the engine running",
            (f"{STATUS}test_error_of_a_checkpoint_keeps_the_engine_running",),
        ),
        Bullet(
            "a user cancels a checkpoint or a recovery",
            left_out="they take no token: a checkpoint is cancelled by unload() alone",
        ),
    ],
    "checkpoints of an engine": [
        Bullet("argument errors", (f"{CHECKPOINT}test_kinds_are_checked",)),
        Bullet(
            "an artifact that was deleted is gone from the store",
            (f"{ENGINE}test_deleted_artifact_is_gone_from_the_store",),
        ),
        Bullet(
            "several subscriptions continue with the right counts",
            (f"{MODEL}test_death_at_any_tick_loses_and_repeats_nothing",),
        ),
        Bullet(
            "state is stored through templates, definitions are migrated to templates",
            left_out="a definition is a factory and its arguments, which are small",
        ),
        Bullet(
            "nested select_many survives checkpoint and recovery",
            (f"{CHECKPOINT}test_inner_stream_that_came_since_the_last_checkpoint_is_part_of_the_next_one",),
        ),
        Bullet("switch survives checkpoint and recovery", (f"{HIGHER}test_switch_goes_on_with_the_stream_that_runs",)),
        Bullet(
            "combine_latest whose latest values are themselves sequences carries these over two checkpoints",
            (f"{HIGHER}test_latest_windows_of_combine_latest_are_carried_over_two_checkpoints",),
        ),
        Bullet(
            "a window that is open continues",
            (f"{HIGHER}test_open_window_goes_on", f"{HIGHER}test_result_of_a_window_is_of_all_its_elements"),
        ),
        Bullet(
            "groups, and groups of windows, continue",
            (f"{HIGHER}test_groups_keep_what_their_operators_hold", f"{HIGHER}test_nested_groups_of_windows_go_on"),
        ),
        Bullet(
            "select_many sends the values of recovered inner streams and of new ones",
            (f"{HIGHER}test_values_of_recovered_inner_streams_and_of_new_ones",),
        ),
        Bullet(
            "only the inner stream changed between two checkpoints",
            (f"{HIGHER}test_only_the_inner_stream_changed_between_two_checkpoints",),
        ),
        Bullet(
            "throttle: the pending element comes out when its recovered inner stream fires, and nothing twice",
            (f"{HIGHER}test_pending_element_comes_out_when_its_stream_fires_after_the_recovery",),
        ),
        Bullet(
            "start_with(...).take(n) is recovered in the middle",
            (f"{HIGHER}test_prefix_that_was_sent_in_part_goes_on",),
        ),
        Bullet(
            "delay_subscription(0) subscribes its source exactly once",
            (f"{HIGHER}test_delayed_subscription_of_no_time_subscribes_once",),
        ),
        Bullet(
            "the environment handed to operators is there after a recovery",
            (f"{LOOKUPS}test_subject_with_conversions_gives_each_use_its_type",),
        ),
        Bullet("bridges, tunnels, tollbooths and collectors have the expected counts", left_out=NO_BRIDGES),
        Bullet("orphaned artifacts are collected, with a budget for each checkpoint", left_out=NO_BRIDGES),
        Bullet(
            "full, then differential, then recover from the pair",
            (f"{MODEL}test_fault_in_any_call_of_store_source_and_egress_loses_and_repeats_nothing",),
        ),
        Bullet(
            "commit raises once: the next differential checkpoint contains everything",
            (f"{CHECKPOINT}test_what_a_failed_commit_had_is_part_of_the_next_checkpoint",),
        ),
        Bullet(
            "an artifact created after a full checkpoint is in the next differential one",
            (f"{DEFINITIONS}test_new_artifact_is_part_of_the_next_differential_checkpoint",),
        ),
        Bullet(
            "recovered, untouched artifacts are not rewritten by a differential checkpoint",
            (f"{CHECKPOINT}test_recovered_and_untouched_artifacts_are_not_written_again",),
        ),
        Bullet(
            "an element that arrives during the commit keeps its query changed",
            (f"{CHECKPOINT}test_element_that_comes_during_a_commit_is_part_of_the_next_checkpoint",),
        ),
        Bullet(
            "a subscription that is disposed while the commit runs is in that checkpoint, and absent from the next",
            (f"{DEFINITIONS}test_definitions_wait_for_the_checkpoint_that_runs",),
        ),
        Bullet(
            "loading fails once and is ignored: the stored bytes stay, and a third engine recovers them",
            (f"{RECOVERY}test_ignored_artifact_keeps_its_state_for_an_engine_that_can_load_it",),
        ),
        Bullet("a plain subject as source and as target", (f"{ENGINE}test_subject_between_queries_is_recovered",)),
        Bullet("mitigation after a failure: Remove", (f"{RECOVERY}test_removed_artifact_is_deleted",)),
        Bullet(
            "mitigation after a failure to load: Regenerate",
            (f"{RECOVERY}test_artifact_whose_state_does_not_fit_is_built_anew_if_told",),
        ),
        Bullet(
            "mitigation after a failure to construct: Regenerate is an error",
            (f"{RECOVERY}test_what_cannot_be_built_cannot_be_built_anew",),
        ),
        Bullet(
            "a writer that fails on one item stops the checkpoint, unless that is handled",
            (f"{CHECKPOINT}test_artifact_that_cannot_be_saved_fails_the_checkpoint_or_is_left_out",),
        ),
        Bullet(
            "canary artifacts that are missing are made again, with a warning",
            left_out="a store that is empty has no fence of before and no checkpoint, which `engine status` shows",
        ),
        Bullet(
            "events around a checkpoint are in order",
            (f"{CHECKPOINT}test_task_of_a_query_cannot_end_the_pause_of_a_checkpoint",),
        ),
    ],
    "artifacts between checkpoints": [
        Bullet(
            "a created subscription is back without any checkpoint",
            (f"{DEFINITIONS}test_what_was_defined_is_there_after_a_crash",),
        ),
        Bullet(
            "one that was deleted in the recovered engine is gone in the third",
            (f"{DEFINITIONS}test_what_was_deleted_is_gone_after_a_crash",),
        ),
        Bullet(
            "one that was deleted and created again is there in the third",
            (f"{DEFINITIONS}test_what_was_deleted_and_defined_again_begins_anew",),
        ),
        Bullet("pairs of entries of the log are coalesced; a corrupted log is reported", left_out=NO_LOG),
        Bullet(
            "a delete that cannot be stored raises that very error, and the artifact is still there",
            (f"{DEFINITIONS}test_deletion_that_cannot_be_stored_changes_nothing",),
        ),
        Bullet("many parallel creates", (f"{DEFINITIONS}test_many_threads_define_at_once",)),
        Bullet(
            "a create during a checkpoint is in it, or created after it",
            (f"{DEFINITIONS}test_definitions_wait_for_the_checkpoint_that_runs",),
        ),
        Bullet(
            "a duplicate id is refused; what was deleted is not found",
            (
                f"{ENGINE}test_other_definition_of_an_id_is_refused",
                f"{ENGINE}test_artifact_that_is_not_there_is_named_with_what_is_near",
            ),
        ),
        Bullet(
            "unload of operators is called, later calls are refused",
            (f"{DEFINITIONS}test_operators_release_what_they_hold_of_the_process_when_it_is_unloaded",),
        ),
    ],
    "reliable sequences": [
        Bullet(
            "after a recovery the source is started behind the last stored position, and acknowledged up to it",
            (f"{MODEL}test_death_at_any_tick_loses_and_repeats_nothing",),
        ),
        Bullet(
            "a first checkpoint without elements acknowledges nothing",
            (f"{MODEL}test_fault_in_any_call_of_store_source_and_egress_loses_and_repeats_nothing",),
        ),
        Bullet(
            "what was read and not passed on is passed on after the recovery",
            (f"{RECOVERY}test_what_an_ingress_had_read_and_not_passed_on_is_passed_on_after_the_restart",),
        ),
        Bullet(
            "two engines are linked by edges",
            left_out="an egress of one engine is the ingress of another through a file, as for any program",
        ),
        Bullet(
            "a very large batch of events in virtual time",
            (f"{DEFINITIONS}test_large_number_of_elements_between_two_checkpoints_counts_once",),
        ),
    ],
    "checkpoint stores": [
        Bullet("write and read back", (f"{STORE}test_checkpoint_is_read_as_it_was_stored",)),
        Bullet("delete", (f"{STORE}test_deleted_definition_takes_everything_along",)),
        Bullet("full, differential, differential, full", (f"{STORE}test_state_is_the_newest_of_each_artifact",)),
        Bullet(
            "two writers of one store conflict",
            (f"{STORE}test_older_engine_cannot_write_after_another_one_has_opened_the_store",),
        ),
    ],
}
