"""What the reference's own tests check: subjects."""

from tests.reference_catalog.bullet import Bullet, Catalog

UNTYPED = "subjects/test_untyped_subject::"
SIMPLE = "subjects/test_simple_subject::"
VIEW = "subjects/test_typed_view::"
SEALING = "subjects/test_sealing::"

SUBJECTS: Catalog = {
    "bases of subjects": [
        Bullet(
            "observers and observables are asked for once for each call",
            (f"{UNTYPED}test_getters_are_called_once_for_each_call",),
        ),
        Bullet("there are no inputs by default", (f"{UNTYPED}test_subject_has_no_inputs_by_default",)),
        Bullet("context and start reach the hooks once", (f"{UNTYPED}test_context_and_start_reach_the_hooks_once",)),
        Bullet(
            "dispose sets the flag and runs the hook once; a second one does nothing",
            (f"{UNTYPED}test_dispose_runs_the_hook_once_and_is_reported",),
        ),
        Bullet("a start behind dispose does not run the hook", (f"{UNTYPED}test_start_after_dispose_does_not_start",)),
        Bullet(
            "a typed visitor reaches a subject directly", (f"{UNTYPED}test_typed_visitor_reaches_a_subject_directly",)
        ),
        Bullet(
            "saving, storing and loading the same version run the plain hooks once",
            (f"{UNTYPED}test_state_of_the_same_version_is_loaded",),
        ),
        Bullet("None as writer or reader is refused", (f"{UNTYPED}test_what_is_no_writer_or_reader_is_refused",)),
        Bullet(
            "another version is refused by default",
            (f"{UNTYPED}test_state_of_another_version_is_refused_unless_the_subject_names_it",),
        ),
        Bullet(
            "that a subject is disposed survives saving and loading",
            (f"{UNTYPED}test_disposed_subject_stays_disposed_when_it_is_loaded",),
        ),
        Bullet(
            "a new one has changed, a stored one has not, one that is saved again has",
            (f"{UNTYPED}test_state_changes_until_it_is_stored",),
        ),
        Bullet("a loaded one has not changed", (f"{UNTYPED}test_loaded_subject_has_not_changed",)),
        Bullet(
            "the typed adapter asks once for each subscription and observer, and forwards dispose",
            (f"{VIEW}test_view_asks_for_each_use_once",),
        ),
        Bullet(
            "the base with types defines neither observers nor subscriptions; dispose does nothing",
            (f"{UNTYPED}test_base_of_typed_subjects_defines_nothing_but_dispose",),
        ),
        Bullet("subscribe(None) is refused", (f"{UNTYPED}test_subscribe_none_is_refused",)),
    ],
    "simple subject": [
        Bullet("the observer is always the same object", (f"{SIMPLE}test_observer_is_always_the_subject",)),
        Bullet("None cannot subscribe", (f"{SIMPLE}test_subscribe_none_is_refused",)),
        Bullet(
            "elements reach exactly the subscribers that are there",
            (f"{SIMPLE}test_elements_reach_exactly_the_subscribers_that_are_there",),
        ),
        Bullet("a handle is disposed twice", (f"{SIMPLE}test_handle_that_was_bound_takes_effect_when_it_is_started",)),
        Bullet(
            "behind dispose signals raise, old handles and dispose do not",
            (f"{SIMPLE}test_signals_after_dispose_are_refused",),
        ),
        Bullet(
            "behind dispose subscribe raises",
            left_out="§1.9: subscribe() returns normally, and the subscriber gets on_subscribe, then the error: see "
            "the test of signals behind dispose",
        ),
    ],
    "simple subject, what its text says": [
        Bullet(
            "an end is passed on and forgotten: later elements and subscribers still work",
            (f"{SIMPLE}test_end_is_told_to_who_is_there_and_forgotten",),
        ),
        Bullet(
            "subscribers get an element in the order in which they came",
            (f"{SIMPLE}test_subscribers_get_an_element_in_the_order_in_which_they_came",),
        ),
        Bullet(
            "the same observer may be registered several times",
            left_out="§2.5: a subscriber cancels a second subscription; that is its business, not the subject's",
        ),
        Bullet(
            "the handle ignores visitors",
            left_out="the source of a subscription is a node, since what waits for its subscriber is state",
        ),
    ],
    "sealing": [
        Bullet(
            "subscribing to a sealed subject is refused",
            (f"{SEALING}test_sealed_subject_refuses_subscribers_and_keeps_those_it_has",),
        ),
        Bullet(
            "starting on a sealed subject is refused",
            (f"{SEALING}test_handle_that_is_started_after_the_sealing_is_refused",),
        ),
        Bullet(
            "it deletes itself when it is sealed and empty",
            (f"{SEALING}test_sealed_subject_disposes_itself_when_it_is_empty",),
        ),
        Bullet(
            "also when it is sealed while it is empty",
            (f"{SEALING}test_subject_that_is_sealed_while_it_is_empty_disposes_itself_at_once",),
        ),
        Bullet(
            "each observer delivers at most one end",
            left_out="the observer of a subject is the subject, which takes one end, but for the simple subject",
        ),
    ],
    "binding to types": [
        Bullet("a subject with types is used as it is", (f"{VIEW}test_subject_with_types_is_used_as_it_is",)),
        Bullet(
            "a dynamic subject makes its own view", (f"{VIEW}test_subject_that_makes_its_own_view_is_asked_for_it",)
        ),
        Bullet("an untyped one gets the adapter", (f"{VIEW}test_subject_without_types_gets_the_general_view",)),
        Bullet("anything else is refused", (f"{VIEW}test_what_is_no_subject_is_refused",)),
        Bullet("uses of compatible types meet", (f"{VIEW}test_uses_of_different_types_meet_in_one_subject",)),
        Bullet(
            "an incompatible type is refused where it is bound",
            (f"{VIEW}test_incompatible_type_is_refused_where_it_is_bound",),
        ),
    ],
    "grouped subject": [
        Bullet(
            "it has a key and forwards observers, subscriptions, sealing and dispose",
            (f"{SEALING}test_grouped_subject_has_a_key_and_forwards_all_else",),
        ),
    ],
}
