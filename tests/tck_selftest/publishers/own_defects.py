"""What is wrong with our own mutants: each with the rule that it breaks, written before any check had judged it."""

from tests.tck_selftest.publishers import own_demand as demand
from tests.tck_selftest.publishers import own_life_cycles as life
from tests.tck_selftest.publishers import own_races as races
from tests.tck_selftest.publishers.expected import Wrong
from tests.tck_selftest.publishers.numbers import on_a_thread
from tests.tck_selftest.publishers.publisher_case import numbers_case

__all__ = ["OWN_DEFECTS", "RIGHT_THOUGH_IT_LOOKS_WRONG"]


def threaded(link: type) -> Wrong:
    return numbers_case(link, run=on_a_thread)


OWN_DEFECTS: tuple[tuple[str, Wrong, str], ...] = (
    # races
    ("drains in every request", threaded(races.DrainingInEveryRequest), "1.3"),
    ("drains while on_subscribe runs", threaded(races.DrainingDuringOnSubscribe), "1.3"),
    ("refuses on the caller's thread", threaded(races.RefusingOnTheCallersThread), "1.3"),
    ("the end overtakes elements", races.EndOvertakingElements, "1.3"),
    ("completes before it ends", races.CompletingBeforeItEnds, "1.7"),
    ("completes before it ends, on a thread", threaded(races.CompletingBeforeItEnds), "1.7"),
    ("looks twice at the end", threaded(races.LookingTwiceAtTheEnd), "1.7"),
    ("adds without a lock", races.AddingWithoutLock, "3.8"),
    ("adds without a lock, on a thread", threaded(races.AddingWithoutLock), "3.8"),
    ("sleeps through requests", threaded(races.SleepingThroughRequests), "3.8"),
    ("cancel waits for the drain", races.CancelWaitingForTheDrain, "3.5"),
    ("cancel waits for the drain, on a thread", threaded(races.CancelWaitingForTheDrain), "3.5"),
    ("request inside on_next never returns", races.RequestDeadlocking, "3.2"),
    ("cancel inside on_next never returns", races.CancelDeadlocking, "3.5"),
    ("request waits for elements", threaded(races.RequestWaitingForElements), "3.4"),
    ("ends a while after cancel", races.EndingAfterCancel, "1.8"),
    ("trickles after cancel", threaded(races.TricklingAfterCancel), "1.8"),
    ("cancel is not for threads", races.CancelNotForThreads, "3.5"),
    ("is bound to one thread", races.BoundToOneThread, "3.16"),
    ("subscribes later than it ends", races.SubscribingLater, "1.9"),
    # demand
    ("the larger request wins", demand.LargerWins, "3.8"),
    ("deaf while demand is left", demand.DeafWhileDemandIsLeft, "3.8"),
    ("zero after each run", demand.ZeroAfterEachRun, "3.8"),
    ("loses what is left of a batch", demand.LosingWhatIsLeftOfABatch, "3.8"),
    ("one more per batch", demand.OneMorePerBatch, "1.1"),
    ("one more than several", demand.OneMoreThanSeveral, "1.1"),
    ("one less than many", demand.OneLessThanMany, "3.8"),
    ("counts calls", demand.CountingCalls, "3.8"),
    ("remembers a thousand at most", demand.CappedDemand, "3.8"),
    ("wraps to zero", demand.WrappingToZero, "3.17"),
    ("takes excess for none", demand.TakingExcessForNone, "3.17"),
    ("deaf in on_subscribe", demand.DeafInOnSubscribe, "3.2"),
    ("raises for huge counts", demand.RaisingForHugeCounts, "3.16"),
    ("cuts huge counts", demand.CuttingHugeCounts, "3.17"),
    ("takes the absolute", demand.TakingTheAbsolute, "3.9"),
    ("deaf to bad requests while it sends", demand.DeafToBadRequestsWhileSending, "3.9"),
    ("completes for bad requests", demand.CompletingForBadRequests, "3.9"),
    ("signals None for bad requests", demand.NoneForBadRequests, "2.13"),
    ("signals a text for bad requests", demand.TextForBadRequests, "1.4"),
    ("signals a class for bad requests", demand.ClassForBadRequests, "1.4"),
    ("nests twice", demand.NestingTwice, "3.3"),
    ("nests after a hundred", demand.NestingLater, "3.3"),
    ("nests every thousand", demand.NestingEveryThousand, "3.3"),
    ("sends None among elements", demand.NoneAmongElements, "2.13"),
    ("ends before the last element", demand.EndBeforeTheLast, "1.7"),
    ("leaves out the first element", demand.LeavingOutTheFirst, ""),
    # life cycle
    ("keeps the completed", life.KeepingTheCompleted, "1.6"),
    ("keeps the refused", life.KeepingTheRefused, "1.6"),
    ("keeps the cancelled", life.KeepingTheCancelled, "3.13"),
    ("keeps a traceback", life.KeepingATraceback, "3.13"),
    ("keeps the subscriber of a thread", threaded(life.KeepingAThreadLocal), "3.13"),
    ("kept by the last task", numbers_case(life.KeptByTheLastTask, publisher=life.WorkerPublisher), "3.13"),
    ("a fault kills the worker", numbers_case(life.KillingTheWorker, publisher=life.WorkerPublisher), "2.13"),
    ("goes on after a fault", life.GoingOnAfterAFault, "2.13"),
    ("fails the faulty", life.FailingTheFaulty, "2.13"),
    ("hides faults", life.HidingFaults, "2.13"),
    ("fails twice", life.FailingTwice, "1.7"),
    ("completes for a failure", life.CompletingForAFailure, "1.4"),
    ("fails in silence", life.SilentFailure, "1.4"),
    ("raises for a failure", life.RaisingForAFailure, "1.4"),
    ("sends after a failure", life.SendingAfterAFailure, "1.7"),
    ("deaf to cancel in on_subscribe", life.DeafToCancelInOnSubscribe, "3.12"),
    ("closes a running generator", life.ClosingARunningGenerator, "3.15"),
    ("forgets itself once", life.ForgettingOnce, "3.7"),
    ("request is a coroutine", life.RequestIsACoroutine, "3.16"),
    ("subscribe is a coroutine", life.SubscribeIsACoroutine, "1.9"),
    ("raises for the second subscriber", life.RaisingForTheSecond, "1.9"),
    ("ignores the second subscriber", life.IgnoringTheSecond, "1.9"),
    (
        "dead after the first cancel",
        numbers_case(life.ShuttingDownOnCancel, publisher=life.DeadAfterTheFirstCancel),
        "3.14",
    ),
    ("shares a subscription", life.SharingASubscription, "1.11"),
    ("finds subscribers by equality", life.FindingByEquality, "2.12"),
    ("subscribes again on request", life.SubscribingAgainOnRequest, "2.12"),
)

RIGHT_THOUGH_IT_LOOKS_WRONG: tuple[tuple[str, Wrong], ...] = (
    ("finishes its batch", life.FinishingItsBatch),
    ("hops between threads", life.HoppingBetweenThreads),
)
