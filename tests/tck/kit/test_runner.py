"""A verification runs its checks in order of the catalog, and says clearly why a subject cannot be judged."""

import threading
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import (
    CheckEnvironment,
    Environment,
    Failed,
    Outcome,
    ProcessorVerification,
    PublisherVerification,
    Skipped,
    SubjectError,
    Verdict,
    VerificationInterrupted,
    check,
    judge,
    run,
)
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.kit.catalog import Catalog
from tests.tck.settings import short_environment
from tests.tck.subjects import IdleSubscription, SynchronousVerification

NAMES = [
    "required_spec317_must_support_a_pending_element_count_up_to_max_demand",
    "required_validate_max_elements_from_publisher",
    "required_spec102_may_signal_less_than_requested_and_terminate_subscription",
]


def test_report_is_in_the_order_of_the_catalog_and_counts() -> None:
    report = run(SynchronousVerification, short_environment(), names=NAMES)
    assert [verdict.check for verdict in report.verdicts] == [NAMES[1], NAMES[2], NAMES[0]]
    assert (len(report.passed), len(report.failed), len(report.skipped)) == (3, 0, 0)
    assert list(report.by_rule()) == ["", "1.2", "3.17"]
    assert report[NAMES[0]].outcome is Outcome.PASS
    assert report.as_data()["counts"] == {"pass": 3, "fail": 0, "skip": 0}
    assert (report.edition, report.seed) == ("1.0.4", 1)


def test_progress_is_told_in_the_callers_thread() -> None:
    heard: list[tuple[Verdict, int, int, threading.Thread]] = []
    report = run(
        SynchronousVerification,
        short_environment(),
        names=NAMES,
        on_verdict=lambda verdict, done, of: heard.append((verdict, done, of, threading.current_thread())),
    )
    assert {verdict.check for verdict, *_ in heard} == set(NAMES)
    assert [(done, of, thread) for _, done, of, thread in heard] == [
        (number, 3, threading.current_thread()) for number in (1, 2, 3)
    ]
    assert report.is_success


def test_verification_that_judged_nothing_is_no_success() -> None:
    class Idle(SynchronousVerification):
        def max_elements_from_publisher(self) -> int:
            return 0

    report = run(Idle, short_environment(), names=NAMES[:1])
    assert [verdict.outcome for verdict in report.verdicts] == [Outcome.SKIP]
    assert not report.is_success


def test_one_check_at_a_time_gives_the_same() -> None:
    report = run(SynchronousVerification(), short_environment(), names=NAMES, parallel=1)
    assert report.is_success


def test_unknown_check_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        ArgumentError, match=r"no check 'required_spec102_may_signal_less'; did you mean required_spec102"
    ):
        run(SynchronousVerification, short_environment(), names=["required_spec102_may_signal_less"])


def test_check_of_another_edition_is_refused() -> None:
    name = "required_spec109_subscribe_raise_type_error_on_none_subscriber"
    with pytest.raises(ArgumentError, match=f"the edition rc1 has no check {name}"):
        run(SynchronousVerification, Environment(100, edition="rc1"), names=[name])


@pytest.mark.parametrize(
    ("parallel", "error"), [(0, ArgumentError), (True, ArgumentTypeError), ("2", ArgumentTypeError)]
)
def test_bad_number_of_parallel_checks_is_refused(parallel: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="parallel"):
        run(SynchronousVerification, short_environment(), parallel=parallel)


class ReturnsNone(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return None


class Raises(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        raise RuntimeError("no connection")


class ReturnsCoroutine(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        async def later() -> None: ...

        return later()


class Unimplemented(PublisherVerification):
    pass


class ReturnsNumber(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return 42


class ReturnsClass(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return SynchronousVerification.kind


class BadHook(SynchronousVerification):
    def max_elements_from_publisher(self) -> int:
        return 1.5  # type: ignore[return-value]


class NeedsArguments(SynchronousVerification):
    def __init__(self, number: int) -> None:
        self.number = number


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (ReturnsNone, "ReturnsNone.create_publisher(1) returned None; it has to return an object with subscribe"),
        (Raises, "Raises.create_publisher(1) raised RuntimeError: no connection; it has to return an object with"),
        (ReturnsCoroutine, "create_publisher(1) returned a coroutine; define create_publisher with def, not async def"),
        (Unimplemented, "Unimplemented.create_publisher(1) is not implemented; define it to return an object with"),
        (ReturnsNumber, "what ReturnsNumber.create_publisher(1) returned is a int, which has no subscribe"),
        (ReturnsClass, "is the class SynchronousPublisher, which has no subscribe; expected are subscribe; return an"),
        (BadHook, "BadHook.max_elements_from_publisher() returned 1.5; it has to return an integer >= 0"),
        (NeedsArguments, "NeedsArguments() raised TypeError"),
        (42, "42 (int) is not a verification; pass an instance of a subclass of PublisherVerification"),
    ],
)
def test_subject_that_cannot_be_judged_is_refused_by_name(subject: Any, message: str) -> None:
    with pytest.raises(SubjectError) as caught:
        run(subject, short_environment(), names=NAMES)
    assert message in str(caught.value)


def test_coroutine_as_subscribe_is_reported() -> None:
    class Asynchronous:
        async def subscribe(self, subscriber: Any) -> None:
            subscriber.on_subscribe(None)

    class Verification(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return Asynchronous()

    verdict = judge(PUBLISHER_CHECKS[NAMES[2]], Verification(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert "subscribe(subscriber 1) returned a coroutine, which nobody awaits" in verdict.message


def test_subscription_without_methods_is_reported() -> None:
    class Verification(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            class Publisher:
                def subscribe(self, subscriber: Any) -> None:
                    subscriber.on_subscribe(object())

            return Publisher()

    verdict = judge(PUBLISHER_CHECKS[NAMES[2]], Verification(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert "a subscription has request and cancel, this object has no request and no cancel" in verdict.message


class Odd:
    """An element whose comparison has no truth value, like that of an array."""

    def __eq__(self, other: object) -> Any:
        return Odd()

    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")

    __hash__ = None  # type: ignore[assignment]


class OddVerification(SynchronousVerification):
    def create_publisher(self, elements: int) -> Any:
        return self.kind(elements, lambda number: Odd())


MULTICAST = (
    "optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers"
    "_when_requesting_many_upfront"
)


def test_elements_that_cannot_be_compared_are_reported_with_the_remedy() -> None:
    verdict = judge(PUBLISHER_CHECKS[MULTICAST], OddVerification(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert "the elements of OddVerification.create_publisher cannot be compared" in verdict.message
    assert "override OddVerification.same_element(first, second)" in verdict.message


def test_elements_are_compared_by_the_hook() -> None:
    class Told(OddVerification):
        def same_element(self, first: object, second: object) -> bool:
            return True

    assert judge(PUBLISHER_CHECKS[MULTICAST], Told(), short_environment()).outcome is Outcome.PASS


def test_ignored_check_is_skipped_with_the_reason() -> None:
    class Ignoring(SynchronousVerification):
        def ignored_checks(self) -> dict[str, str]:
            return {NAMES[2]: "it cannot end"}

    verdict = judge(PUBLISHER_CHECKS[NAMES[2]], Ignoring(), short_environment())
    assert (verdict.outcome, verdict.message) == (Outcome.SKIP, "ignored by the subject: it cannot end")


def test_method_of_a_failing_check_raises_the_evidence() -> None:
    class Silent(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            class Publisher:
                def subscribe(self, subscriber: Any) -> None:
                    """Do nothing."""

            return Publisher()

        def create_environment(self) -> Environment:
            return short_environment()

    with pytest.raises(Failed, match="Could not subscribe subscriber 1 to Publisher") as caught:
        Silent().required_spec102_may_signal_less_than_requested_and_terminate_subscription()
    assert "remedy:" in str(caught.value)
    with pytest.raises(Skipped, match="Not verified by this TCK"):
        Silent().untested_spec304_request_should_not_perform_heavy_computations()


def test_two_checks_of_one_name_are_refused() -> None:
    @check()
    def required_something(subject: object, environment: CheckEnvironment) -> None:
        """Claim nothing."""

    with pytest.raises(ArgumentError, match="two checks are called required_something"):
        Catalog([required_something, required_something])


def test_check_without_a_kind_or_with_an_unknown_rule_is_refused() -> None:
    def something(subject: object, environment: CheckEnvironment) -> None:
        """Claim nothing."""

    def required_something(subject: object, environment: CheckEnvironment) -> None:
        """Claim nothing."""

    with pytest.raises(ArgumentError, match="has to begin with one of required, optional, stochastic, untested"):
        check()(something)
    with pytest.raises(ArgumentError, match=r"names an unknown rule: \['1.12'\]"):
        check(rules=("1.12",))(required_something)


def test_thread_that_a_publisher_leaves_behind_is_reported() -> None:
    forever = threading.Event()

    class Leaking(SynchronousVerification):
        def create_publisher(self, elements: int) -> Any:
            threading.Thread(target=forever.wait, name="left-behind", daemon=True).start()
            return super().create_publisher(elements)

    try:
        report = run(Leaking, short_environment(), names=NAMES[:1])
    finally:
        forever.set()
    assert set(report.threads_left) == {"left-behind"}


def test_thread_that_is_just_being_started_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, is_starting = threading.Event(), threading.Event()
    start_thread: Any = vars(threading)["_start_new_thread"]

    def start_slowly(work: Any, *arguments: Any) -> Any:
        if work.__self__.name == "starting":
            is_starting.set()
            go_on.wait()
        return start_thread(work, *arguments)

    class Slow(SynchronousVerification):
        def create_publisher(self, elements: int) -> Any:
            starter.start()
            is_starting.wait()
            return super().create_publisher(elements)

    monkeypatch.setattr(threading, "_start_new_thread", start_slowly)
    starting = threading.Thread(target=int, name="starting")
    starter = threading.Thread(target=starting.start, name="starter")
    try:
        report = run(Slow, short_environment(), names=NAMES[:1])
    finally:
        go_on.set()
        starter.join()
        starting.join()
    assert report.threads_left == ("starter",)


def test_thread_of_the_subject_that_dies_is_noted() -> None:
    class Publisher:
        def subscribe(self, subscriber: Any) -> None:
            class Link:
                def request(self, n: int) -> None:
                    def work() -> None:
                        subscriber.on_next(0)
                        raise RuntimeError("the worker is broken")

                    thread = threading.Thread(target=work, name="worker")
                    thread.start()
                    thread.join()

                def cancel(self) -> None:
                    """Do nothing."""

            subscriber.on_subscribe(Link())

    class Verification(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return Publisher()

    verdict = judge(PUBLISHER_CHECKS[NAMES[2]], Verification(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert "the thread worker died of RuntimeError: the worker is broken" in verdict.evidence.notes


def test_ctrl_c_keeps_the_verdicts_that_are_there() -> None:
    def interrupt(verdict: Verdict, done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(VerificationInterrupted, match="interrupted after 2 checks") as caught:
        run(SynchronousVerification, short_environment(), names=NAMES, parallel=1, on_verdict=interrupt)
    report = caught.value.report
    assert [verdict.check for verdict in report.verdicts] == [NAMES[1], NAMES[2]]
    assert isinstance(caught.value, KeyboardInterrupt)


def test_ctrl_c_ends_the_checks_that_still_run() -> None:
    begun, closed = threading.Event(), threading.Event()

    @check()
    def required_wait(subject: Any, environment: CheckEnvironment) -> None:
        """Claim nothing, for a minute."""
        environment.at_end(closed.set)
        begun.set()
        environment.pause(60_000)

    @check()
    def required_nothing(subject: Any, environment: CheckEnvironment) -> None:
        """Claim nothing."""
        begun.wait(60)

    def interrupt(verdict: Verdict, done: int, of: int) -> None:
        raise KeyboardInterrupt

    class Waiting(SynchronousVerification):
        catalog = Catalog([required_wait, required_nothing])

    with pytest.raises(VerificationInterrupted) as caught:
        run(Waiting, short_environment(), on_verdict=interrupt)
    assert [verdict.check for verdict in caught.value.report.verdicts] == ["required_nothing"]
    assert closed.wait(60)


class HotProcessor:
    """Take all that its upstream has, lose it, and never cancel."""

    def subscribe(self, subscriber: Any) -> None:
        subscriber.on_subscribe(IdleSubscription())

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(MAX_DEMAND)

    def on_next(self, element: Any) -> None:
        """Lose it."""

    def on_error(self, error: Any) -> None:
        """Do nothing."""

    def on_complete(self) -> None:
        """Do nothing."""


class HotVerification(ProcessorVerification):
    def create_identity_processor(self, buffer_size: int) -> Any:
        return HotProcessor()

    def create_element(self, element: int) -> Any:
        return element


@pytest.mark.slow
def test_end_of_a_check_ends_the_sources_that_it_made() -> None:
    names = ["required_spec108_endless_source_must_fall_silent_after_cancel"]
    report = run(HotVerification, short_environment(), names=names)
    assert report.threads_left == ()


def test_long_checks_begin_first_and_those_that_disturb_come_alone_at_the_end() -> None:
    running: list[str] = []
    began: list[str] = []
    beside: dict[str, list[str]] = {}

    def noting(name: str, **given: bool) -> Any:
        def body(subject: Any, environment: CheckEnvironment) -> None:
            beside[name] = list(running)
            running.append(name)
            began.append(name)
            environment.pause(1)
            running.remove(name)

        body.__name__ = f"required_{name}"
        return check(**given)(body)

    class Ordered(SynchronousVerification):
        catalog = Catalog(
            [
                noting("disturbing", is_alone=True),
                noting("short"),
                noting("long", is_long=True),
                noting("disturbing_too", is_alone=True, is_long=True),
                noting("other"),
            ]
        )

    run(Ordered, short_environment(), parallel=1)
    assert began == ["long", "short", "other", "disturbing_too", "disturbing"]
    run(Ordered, short_environment(), parallel=5)
    assert (beside["disturbing"], beside["disturbing_too"]) == ([], [])
