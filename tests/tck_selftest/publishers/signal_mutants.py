"""The mutants by which the standard's kit for publishers is tried, chapter 1 of the rules, for the JVM and for .NET."""

from typing import Any

from reactivestreams.tck import Edition, Outcome
from reactivestreams.tck.checks.publisher.active_publisher import NO_ERROR_PUBLISHER
from tests.tck.subjects import IdleSubscription
from tests.tck_selftest.mutant import BOTH, Mutant
from tests.tck_selftest.publishers.publisher_case import case, failed_case
from tests.tck_selftest.publishers.reference_components import (
    CompletingOnce,
    FromTenThreadsAtOnce,
    NeverCompleting,
    OneTooManyFromPool,
    OnlySubscribing,
    RefusingTheSecond,
    boom,
    completing_each_request,
    idle,
    one_too_many,
    random_numbers,
    rejecting,
    with_one_counter,
)

__all__ = ["SIGNAL_MUTANTS"]

_FIRST_BREACH = "the ledger of every probe sees a breach that the check is not about"


def raise_in_subscribe(subscriber: Any) -> None:
    raise RuntimeError("It is not valid to throw here!")


def empty_without_subscription(subscriber: Any) -> None:
    subscriber.on_complete()


def empty_at_once(subscriber: Any) -> None:
    subscriber.on_subscribe(IdleSubscription())
    subscriber.on_complete()


SIGNAL_MUTANTS = (
    Mutant(
        "sends nothing",
        "PM1",
        "required_spec101_subscription",
        case(idle),
        words="produced no element after first",
        editions=BOTH,
    ),
    Mutant(
        "sends nothing",
        "PM2",
        "required_spec102",
        case(idle),
        words="Did not receive expected element",
        editions=BOTH,
    ),
    Mutant(
        "one element too many",
        "PM3",
        "required_spec102",
        case(one_too_many),
        words="Expected end-of-stream but got element [3]",
        editions=BOTH,
    ),
    Mutant(
        "sends from ten threads at once",
        "PM4",
        "stochastic_spec103_must",
        case(FromTenThreadsAtOnce),
        words="Illegal concurrent access detected",
        editions=BOTH,
    ),
    Mutant(
        "ends after each request",
        "PM5",
        "stochastic_spec103_must",
        case(completing_each_request),
        words="called after on_complete",
        rule="1.7",
        editions=BOTH,
        reference_outcome=Outcome.PASS,
        reason=_FIRST_BREACH,
    ),
    Mutant(
        "raises from subscribe",
        "PM6",
        "optional_spec104_must",
        failed_case(lambda: OnlySubscribing(raise_in_subscribe)),
        words="Publisher threw exception (It is not valid to throw here!) instead of signalling error via on_error!",
        editions=BOTH,
    ),
    Mutant(
        "has no failed publisher",
        "PM7",
        "optional_spec104_must",
        case(idle),
        Outcome.SKIP,
        NO_ERROR_PUBLISHER,
        editions=BOTH,
    ),
    Mutant(
        "never completes",
        "PM8",
        "required_spec105_must",
        case(NeverCompleting),
        words="Expected end-of-stream but got element [3]",
        editions=BOTH,
    ),
    Mutant(
        "completes without a subscription",
        "PM9",
        "optional_spec105_empty",
        case(lambda: OnlySubscribing(empty_without_subscription), longest=0),
        words="Subscriber::on_complete() called before Subscriber::on_subscribe",
        rule="1.9",
        editions=BOTH,
        reference_outcome=Outcome.SKIP,
        reason=_FIRST_BREACH,
    ),
    Mutant(
        "completes at once",
        "PM10",
        "optional_spec105_empty",
        case(lambda: OnlySubscribing(empty_at_once), longest=0),
        Outcome.PASS,
    ),
    Mutant(
        "one element too many",
        "PM11",
        "required_spec107_must_not_emit_further_signals_once",
        case(one_too_many),
        words="Expected end-of-stream but got element [",
    ),
    Mutant(
        "one element too many from a pool",
        "PM11",
        "required_spec107_must_not_emit_further_signals_once",
        case(lambda: OneTooManyFromPool(2)),
        words="Expected end-of-stream but got element [",
        editions=(Edition.DOTNET,),
    ),
    Mutant(
        "goes on after the end",
        "PM12",
        "required_spec107_must_not_emit_further_signals_once",
        case(CompletingOnce),
        words="Unexpected element 0 received after stream completed",
        editions=BOTH,
    ),
    Mutant(
        "takes None for a subscriber",
        "PM13",
        "required_spec109_subscribe_raise",
        case(lambda: OnlySubscribing(lambda subscriber: None)),
        words="Publisher did not throw a TypeError when given a None Subscribe in subscribe",
        editions=BOTH,
    ),
    Mutant(
        "rejects as it should",
        "PM14",
        "required_spec109_may_reject",
        failed_case(lambda: rejecting(RuntimeError("not now"))),
        Outcome.PASS,
        editions=BOTH,
    ),
    Mutant(
        "completes without a subscription",
        "PM15",
        "required_spec109_must_issue",
        case(lambda: OnlySubscribing(empty_without_subscription)),
        words="on_subscribe should be called prior to on_complete always",
        editions=BOTH,
    ),
    Mutant(
        "sends without a subscription",
        "PM16",
        "required_spec109_must_issue",
        case(lambda: OnlySubscribing(lambda subscriber: subscriber.on_next(1337))),
        words="on_subscribe should be called prior to on_next always",
        editions=BOTH,
    ),
    Mutant(
        "fails without a subscription",
        "PM17",
        "required_spec109_must_issue",
        case(lambda: OnlySubscribing(boom)),
        words="on_subscribe should be called prior to on_error always",
        editions=BOTH,
    ),
    Mutant(
        "rejects in silence",
        "PM18",
        "required_spec109_may_reject",
        failed_case(lambda: OnlySubscribing(lambda subscriber: subscriber.on_subscribe(IdleSubscription()))),
        words="Should have received on_error",
        editions=BOTH,
    ),
    Mutant(
        "has no failed publisher",
        "PM19",
        "required_spec109_may_reject",
        case(idle),
        Outcome.SKIP,
        NO_ERROR_PUBLISHER,
        editions=BOTH,
    ),
    Mutant(
        "is asked about what nobody can test",
        "PM20",
        "untested_spec110",
        case(idle),
        Outcome.SKIP,
        "Not verified by this TCK.",
        editions=BOTH,
    ),
    Mutant("sends nothing", "PM21", "optional_spec111_may", case(idle), Outcome.PASS, editions=BOTH),
    Mutant(
        "refuses the second subscriber",
        "PM22",
        "optional_spec111_registered",
        case(RefusingTheSecond),
        Outcome.SKIP,
        "Unexpected additional subscriber",
    ),
    Mutant("shares one counter", "PM23", "optional_spec111_registered", case(with_one_counter), Outcome.PASS),
    Mutant(
        "sends everybody other elements",
        "PM24",
        (
            "optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers"
            "_when_requesting_many_upfront"
        ),
        case(random_numbers),
        Outcome.SKIP,
        "Expected elements to be signaled in the same sequence to 1st and 2nd subscribers",
        editions=BOTH,
    ),
)
