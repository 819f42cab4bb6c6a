"""Our own wrong publishers: thought of before any check had judged them, with the check that sees them."""

from tests.tck_selftest.mutant import HANGS, OWN, Mutant
from tests.tck_selftest.publishers import own_demand as demand
from tests.tck_selftest.publishers import own_life_cycles as life
from tests.tck_selftest.publishers import own_races as races
from tests.tck_selftest.publishers import subtle_publishers as subtle
from tests.tck_selftest.publishers.expected import Wrong, killed, passed, skipped
from tests.tck_selftest.publishers.numbers import Link, on_a_thread
from tests.tck_selftest.publishers.publisher_case import numbers_case

__all__ = ["OWN_PUBLISHER_MUTANTS"]


def threaded(link: type[Link]) -> Wrong:
    return numbers_case(link, run=on_a_thread)


def worker(link: type[Link]) -> Wrong:
    return numbers_case(link, publisher=life.WorkerPublisher)


_SPEC303_STACK = "required_spec303_stack"
_INSIDE = "required_spec308_request_inside"
_MIDWAY = "required_spec104_source"
_BATCHES = "required_spec101_demand"
_MANY_THREADS = "stochastic_spec308_requests"
_OVERLAP = "Illegal concurrent access detected"

RACES: tuple[tuple[str, Wrong, str, str, str], ...] = (
    (
        "drains in every request",
        threaded(races.DrainingInEveryRequest),
        "1.3",
        "required_spec103_no_signal_must_begin_before_on_next",
        _OVERLAP,
    ),
    (
        "drains while on_subscribe runs",
        threaded(races.DrainingDuringOnSubscribe),
        "1.3",
        "required_spec103_no_signal_must_begin_before_on_subscribe",
        _OVERLAP,
    ),
    ("the end overtakes elements", races.EndOvertakingElements, "1.3", "required_spec103_the_end", _OVERLAP),
    (
        "refuses on the caller's thread",
        threaded(races.RefusingOnTheCallersThread),
        "1.3",
        "required_spec103_on_error_of_a_bad",
        _OVERLAP,
    ),
    (
        "completes before it ends",
        races.CompletingBeforeItEnds,
        "1.7",
        "required_spec107_no_signal_must",
        "called after on_complete",
    ),
    (
        "ends a moment after completing, on a thread",
        threaded(races.EndingAMomentAfterCompleting),
        "1.7",
        "required_spec107_must_not_emit_further_signals_once",
        "Unexpected additional complete signal received!",
    ),
    (
        "looks twice at the end",
        threaded(races.LookingTwiceAtTheEnd),
        "1.7",
        "optional_spec105_empty",
        "Unexpected additional complete signal received!",
    ),
    ("adds without a lock", races.AddingWithoutLock, "3.8", _MANY_THREADS, "elements requested from 4 threads"),
    (
        "adds without a lock, on a thread",
        threaded(races.AddingWithoutLock),
        "3.8",
        _MANY_THREADS,
        "elements requested from 4 threads",
    ),
    (
        "sleeps through requests",
        threaded(races.SleepingThroughRequests),
        "3.8",
        _INSIDE,
        "0 elements came, though 4 were requested in all",
    ),
    (
        "cancel waits for the drain",
        races.CancelWaitingForTheDrain,
        "3.5",
        "required_spec305_cancel_must_return",
        "cancel() did not return within",
    ),
    (
        "cancel waits for the drain, on a thread",
        threaded(races.CancelWaitingForTheDrain),
        "3.5",
        "required_spec305_cancel_must_return",
        "cancel() did not return within",
    ),
    ("request inside on_next never returns", races.RequestDeadlocking, "3.2", "required_spec302", HANGS),
    (
        "cancel inside on_next never returns",
        races.CancelDeadlocking,
        "3.5",
        "required_spec305_cancel_must_return",
        "cancel() did not return within",
    ),
    (
        "request waits for elements",
        threaded(races.RequestWaitingForElements),
        "1.3",
        "stochastic_spec103_must",
        HANGS,
    ),
    ("ends a while after cancel", races.EndingAfterCancel, "3.6", "required_spec306_after", "got end-of-stream"),
    (
        "trickles after cancel",
        threaded(races.TricklingAfterCancel),
        "1.8",
        "required_spec108_endless_source_must_fall_silent_after_cancel_inside",
        "The publisher has not fallen silent",
    ),
    (
        "cancel is not for threads",
        races.CancelNotForThreads,
        "3.15",
        "required_spec305_cancel_must_be_safe",
        "cancel() raised KeyError",
    ),
    (
        "is bound to one thread",
        races.BoundToOneThread,
        "3.16",
        "required_spec308_request_while",
        "called from another thread than the one that subscribed",
    ),
    (
        "subscribes later than it ends",
        races.SubscribingLater,
        "1.9",
        "required_spec109_must_issue",
        "called before Subscriber::on_subscribe",
    ),
)

DEMAND: tuple[tuple[str, Wrong, str, str, str], ...] = (
    ("the larger request wins", demand.LargerWins, "3.8", _INSIDE, "3 elements came, though 4 were requested"),
    ("deaf while demand is left", demand.DeafWhileDemandIsLeft, "3.8", _INSIDE, "2 elements came, though 4"),
    ("zero after each run", demand.ZeroAfterEachRun, "3.8", _INSIDE, "2 elements came, though 4 were requested"),
    ("loses what is left of a batch", demand.LosingWhatIsLeftOfABatch, "1.1", _BATCHES, "brought only 16 elements"),
    ("one more per batch", demand.OneMorePerBatch, "1.1", _BATCHES, "but only 16 were requested"),
    ("one more than several", demand.OneMoreThanSeveral, "1.1", _BATCHES, "but only 2 were requested"),
    ("one less than many", demand.OneLessThanMany, "1.1", _BATCHES, "request(127) brought only 126 elements"),
    ("counts calls", demand.CountingCalls, "3.8", _INSIDE, "2 elements came, though 4 were requested in all"),
    ("remembers a thousand at most", demand.CappedDemand, "1.1", _BATCHES, "request(1023) brought only 1000 elements"),
    (
        "wraps to zero",
        demand.WrappingToZero,
        "3.17",
        "required_spec317_demand",
        "1 elements of 20 came, though 18446744073709551617 were requested",
    ),
    (
        "takes excess for none",
        demand.TakingExcessForNone,
        "3.17",
        "required_spec317_must_not",
        "demand above 2**63-1 must not stall",
    ),
    ("deaf in on_subscribe", demand.DeafInOnSubscribe, "3.2", "required_spec302", "Only 0 of 6 elements came"),
    (
        "raises for huge counts",
        demand.RaisingForHugeCounts,
        "3.16",
        "required_spec316_request_must_return_normally_for_huge_counts",
        "request(9223372036854775808) raised error",
    ),
    (
        "cuts huge counts",
        demand.CuttingHugeCounts,
        "3.16",
        "required_spec316_request_must_return_normally_for_huge_counts",
        "request(9223372036854775808) brought 0 elements",
    ),
    (
        "takes the absolute",
        demand.TakingTheAbsolute,
        "3.9",
        "required_spec309_request_negative",
        "Expected on_error(ValueError)",
    ),
    (
        "completes for bad requests",
        demand.CompletingForBadRequests,
        "3.9",
        "required_spec309_request_zero",
        "Expected on_error(ValueError)",
    ),
    (
        "deaf to bad requests while it sends",
        demand.DeafToBadRequestsWhileSending,
        "3.9",
        "required_spec309_bad_request_inside_on_next",
        "Expected on_error(ValueError) within",
    ),
    (
        "signals None for bad requests",
        demand.NoneForBadRequests,
        "2.13",
        "required_spec309_request_zero",
        "on_error(None): a signal never carries None",
    ),
    (
        "signals a text for bad requests",
        demand.TextForBadRequests,
        "1.4",
        "required_spec309_request_zero",
        "its argument has to be an instance of an exception",
    ),
    (
        "signals a class for bad requests",
        demand.ClassForBadRequests,
        "1.4",
        "required_spec309_request_zero",
        "its argument has to be an instance of an exception",
    ),
    ("nests twice", demand.NestingTwice, "3.3", "required_spec303_must", "Got 2 on_next calls within thread"),
    ("nests after a hundred", demand.NestingLater, "3.3", _SPEC303_STACK, "the stack grew from"),
    ("nests every thousand", demand.NestingEveryThousand, "3.3", _SPEC303_STACK, "frames in 4000 elements"),
    (
        "sends None among elements",
        demand.NoneAmongElements,
        "2.13",
        "required_spec102",
        "on_next(None): a signal never carries None",
    ),
    (
        "ends before the last element",
        demand.EndBeforeTheLast,
        "1.7",
        "required_spec105_must",
        "Unexpected element 2 received after stream completed",
    ),
    (
        "leaves out the first element",
        demand.LeavingOutTheFirst,
        "",
        "required_create_publisher_3",
        "produced only 2 elements",
    ),
)

LIFE: tuple[tuple[str, Wrong, str, str, str], ...] = (
    (
        "keeps the completed",
        life.KeepingTheCompleted,
        "1.6",
        "required_spec106_subscription_must_be_inert_after_on_complete",
        "did not drop reference to test subscriber after the end of the stream",
    ),
    (
        "keeps the refused",
        life.KeepingTheRefused,
        "1.6",
        "required_spec106_subscription_must_be_inert_after_a_bad",
        "did not drop reference to test subscriber after the end of the stream",
    ),
    *(
        (
            defect,
            wrong,
            "3.13",
            "required_spec313_cancel",
            "did not drop reference to test subscriber after subscription",
        )
        for defect, wrong in (
            ("keeps the cancelled", life.KeepingTheCancelled),
            ("keeps a traceback", life.KeepingATraceback),
            ("keeps the subscriber of a thread", life.KeepingAThreadLocal),
            ("kept by the last task", worker(life.KeptByTheLastTask)),
        )
    ),
    (
        "a fault kills the worker",
        worker(life.KillingTheWorker),
        "1.9",
        "required_spec213_subscriber_that_raises_in_on_subscribe",
        "raised RuntimeError: a subscriber raises in on_subscribe",
    ),
    (
        "goes on after a fault",
        life.GoingOnAfterAFault,
        "2.13",
        "required_spec213_subscriber_that_raises_in_on_next",
        "after on_next had raised, the subscriber still got on_next",
    ),
    (
        "fails the faulty",
        life.FailingTheFaulty,
        "2.13",
        "required_spec213_subscriber_that_raises_in_on_next",
        "after on_next had raised, the subscriber still got on_error",
    ),
    ("fails twice", life.FailingTwice, "1.7", _MIDWAY, "called after on_error"),
    (
        "deaf to cancel in on_subscribe",
        life.DeafToCancelInOnSubscribe,
        "3.12",
        "required_spec312_cancel_inside_on_subscribe",
        "after cancel()",
    ),
    ("completes for a failure", life.CompletingForAFailure, "1.4", _MIDWAY, "but got on_complete"),
    ("fails in silence", life.SilentFailure, "1.4", _MIDWAY, "Should have received on_error within"),
    ("raises for a failure", life.RaisingForAFailure, "1.4", _MIDWAY, "Should have received on_error within"),
    ("sends after a failure", life.SendingAfterAFailure, "1.7", _MIDWAY, "called after on_error"),
    (
        "closes a running generator",
        life.ClosingARunningGenerator,
        "3.15",
        "required_spec315",
        "cancel() raised ValueError: generator already executing",
    ),
    ("forgets itself once", life.ForgettingOnce, "3.7", "required_spec307", "list.remove(x): x not in list"),
    (
        "request is a coroutine",
        life.RequestIsACoroutine,
        "3.16",
        "required_spec102",
        "returned a coroutine, which nobody awaits; define the method with def",
    ),
    (
        "subscribe is a coroutine",
        life.SubscribeIsACoroutine,
        "1.9",
        "required_spec109_must_issue",
        "returned a coroutine, which nobody awaits; define the method with def",
    ),
    (
        "raises for the second subscriber",
        life.RaisingForTheSecond,
        "1.9",
        "optional_spec111_may",
        "raised RuntimeError: there is a subscriber already",
    ),
    (
        "ignores the second subscriber",
        life.IgnoringTheSecond,
        "3.14",
        "required_spec314",
        "Should have received on_subscribe after the last cancel",
    ),
    (
        "dead after the first cancel",
        numbers_case(life.ShuttingDownOnCancel, publisher=life.DeadAfterTheFirstCancel),
        "3.14",
        "required_spec314",
        "Should have received on_subscribe after the last cancel",
    ),
    (
        "shares a subscription",
        life.SharingASubscription,
        "1.1",
        "optional_spec111_registered",
        "but only 0 were requested",
    ),
    (
        "subscribes again on request",
        life.SubscribingAgainOnRequest,
        "2.12",
        "required_spec102",
        "called on an already-subscribed Subscriber",
    ),
)

_UNBOUNDED = "required_spec317_unbounded"
_HANDED_OVER = "stochastic_spec308_request_handed"
_NOISE = "stochastic_spec103_signals"
_ANOTHER = "required_spec312_cancel_must_not"

SUBTLE: tuple[tuple[str, Wrong, str, str, str], ...] = (
    (
        "a later request replaces unbounded demand",
        subtle.ReplacingWhatIsUnbounded,
        "3.17",
        _UNBOUNDED,
        "elements of 20 came",
    ),
    ("a sum that is too large becomes the last count", subtle.WrappingToTheLast, "3.17", _UNBOUNDED, "elements of 20"),
    ("gives up a moment later", subtle.GivingUpAMomentLater, "3.8", _HANDED_OVER, "requested by other threads"),
    (
        "gives up a moment later, on a thread",
        threaded(subtle.GivingUpAMomentLater),
        "3.8",
        _HANDED_OVER,
        "requested by other threads",
    ),
    ("gives up a line later", threaded(subtle.GivingUpALineLater), "", _NOISE, "requested by other threads"),
    (
        "overlaps now and then",
        threaded(subtle.OverlappingNowAndThen),
        "",
        _NOISE,
        "§1.",
    ),
    (
        "ends the others",
        numbers_case(publisher=subtle.EndingTheOthers),
        "3.12",
        _ANOTHER,
        "got no further element after",
    ),
    (
        "completes the others",
        numbers_case(publisher=subtle.CompletingTheOthers),
        "3.12",
        _ANOTHER,
        "got on_complete after",
    ),
    (
        "swaps elements now and then",
        numbers_case(subtle.SwappingNowAndThen, states_order=True),
        "1.3",
        "required_spec103_elements",
        "was stated",
    ),
    (
        "keeps a bound method while there is demand",
        subtle.KeepingTheMethod,
        "3.13",
        "required_spec313_subscriber",
        "did not drop reference to test subscriber after cancel inside on_next",
    ),
)

OWN_PUBLISHER_MUTANTS: tuple[Mutant, ...] = (
    *(
        killed(OWN, defect, wrong, check, words, rule)
        for defect, wrong, rule, check, words in (*RACES, *DEMAND, *LIFE, *SUBTLE)
    ),
    skipped(OWN, "hides faults", life.HidingFaults, "optional_spec213", "was found in no log"),
    skipped(
        OWN, "finds subscribers by equality", life.FindingByEquality, "optional_spec212", "Did not receive expected"
    ),
    skipped(
        OWN, "requests wait for on_next", races.RequestDeadlocking, "optional_spec304", "request(1) did not return"
    ),
    # Right, though they look wrong.
    passed(OWN, "states its order", numbers_case(states_order=True), "required_spec103_elements"),
    passed(OWN, "finishes its batch", life.FinishingItsBatch, "required_spec312_cancel_must_make"),
    passed(
        OWN,
        "finishes its batch",
        life.FinishingItsBatch,
        "required_spec108_endless_source_must_fall_silent_after_cancel_inside",
    ),
    passed(OWN, "hops between threads", life.HoppingBetweenThreads, "stochastic_spec103_must"),
    passed(
        OWN, "hops between threads", life.HoppingBetweenThreads, "required_spec103_no_signal_must_begin_before_on_n"
    ),
)
