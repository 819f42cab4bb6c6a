"""The subscribers by which the standard's kit for black boxes is tried, BM1 to BM20, for the JVM and for .NET."""

from typing import Any

from reactivestreams.tck import Edition, Outcome
from tests.tck_selftest.mutant import BOTH, Kit, Mutant
from tests.tck_selftest.subscribers.reference_components import (
    Asking,
    CallingANamesake,
    CancellingWhatever,
    Idle,
    Keeping,
    Raising,
    ask,
    stop,
)
from tests.tck_selftest.subscribers.subscriber_case import BlackboxCase, blackbox

__all__ = ["BLACKBOX_MUTANTS"]

COMPLETION_SECONDS = 1.0

_DEMAND = "required_spec201_blackbox"
_ON_COMPLETE = "required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_complete"
_ON_ERROR = "required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_error"
_END = "required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_with_preceding"
_ERROR = "required_spec210_blackbox_must_be_prepared_to_receive_an_on_error_signal_with_preceding"
_NO_REQUEST = "Did not receive expected `request` call within"


def uncompleted(verification: BlackboxCase) -> str:
    judged = verification.made[-1]
    return "" if judged.completed.wait(COMPLETION_SECONDS) else "the subscriber has to get on_complete in the end"


def failing(
    source: str, defect: str, check: str, create: Any, words: str, *, editions: tuple[Edition, ...] = BOTH
) -> Mutant:
    return Mutant(defect, source, check, blackbox(create), words=words, kit=Kit.BLACKBOX, editions=editions)


def unable(source: str, defect: str, check: str) -> Mutant:
    """Return one that never requests, for a check about something else that begins with a request."""
    return Mutant(
        defect,
        source,
        check,
        blackbox(Idle),
        Outcome.SKIP,
        "as §2.1 is broken",
        kit=Kit.BLACKBOX,
        reference_outcome=Outcome.FAIL,
        reason="only §2.1 is broken, and another check says so",
    )


def passing(source: str, defect: str, check: str, create: Any, **data: Any) -> Mutant:
    return Mutant(defect, source, check, blackbox(create), Outcome.PASS, kit=Kit.BLACKBOX, **data)


def forbidden(call: str, signal: str) -> str:
    return f"Subscription::{call} MUST NOT be called from Subscriber::{signal} (Rule 2.3)!"


BLACKBOX_MUTANTS = (
    failing("BM1", "does nothing", _DEMAND, Idle, _NO_REQUEST),
    passing("BM2", "asks for one at a time", _DEMAND, Asking, editions=BOTH),
    failing(
        "BM3",
        "asks in on_complete",
        _ON_COMPLETE,
        lambda: Keeping("on_complete", ask),
        forbidden("request", "on_complete"),
    ),
    failing(
        "BM4",
        "stops in on_complete",
        _ON_COMPLETE,
        lambda: Keeping("on_complete", stop),
        forbidden("cancel", "on_complete"),
    ),
    failing("BM5", "asks in on_error", _ON_ERROR, lambda: Keeping("on_error", ask), forbidden("request", "on_error")),
    failing("BM6", "stops in on_error", _ON_ERROR, lambda: Keeping("on_error", stop), forbidden("cancel", "on_error")),
    passing("BM7", "a namesake stops", _ON_COMPLETE, lambda: CallingANamesake("on_complete", stop)),
    passing("BM8", "a namesake asks", _ON_COMPLETE, lambda: CallingANamesake("on_complete", ask)),
    passing("BM9", "a namesake stops", _ON_ERROR, lambda: CallingANamesake("on_error", stop)),
    passing("BM10", "a namesake asks", _ON_ERROR, lambda: CallingANamesake("on_error", ask)),
    failing(
        "BM11",
        "asks on every on_subscribe",
        "required_spec205_blackbox_must",
        lambda: Keeping("on_subscribe", ask),
        "illegally called `subscription.request(1)`",
    ),
    passing(
        "BM12", "cancels whatever it gets", "required_spec205_blackbox_must", CancellingWhatever, confirm=uncompleted
    ),
    unable("BM13", "does nothing", _END),
    failing("BM13", "does nothing", _END, Idle, "did not call `register_on_complete()`", editions=(Edition.DOTNET,)),
    passing(
        "BM14",
        "does nothing",
        "required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_without",
        Idle,
        editions=BOTH,
    ),
    passing("BM15", "asks once", _END, lambda: Keeping("on_subscribe", ask)),
    unable("BM16", "does nothing, once more", _END),
    # What the standard's kit means by the two before, whose names speak of §2.10.
    passing("BM15", "asks once", _ERROR, lambda: Keeping("on_subscribe", ask)),
    unable("BM16", "does nothing", _ERROR),
    failing("BM17", "raises in on_error", _ERROR, Raising, "Test Exception: Boom!"),
    *(
        failing(
            source,
            "takes None",
            f"required_spec213_blackbox_{signal}_must_raise",
            Idle,
            f"{signal}(None) did not throw TypeError",
        )
        for source, signal in (("BM18", "on_subscribe"), ("BM19", "on_next"), ("BM20", "on_error"))
    ),
    Mutant(
        "has elements without a None",
        "BM-N13",
        "required_spec213_blackbox_on_next_must_raise",
        blackbox(Asking, value_types=True),
        Outcome.SKIP,
        "Can't verify behavior for value types",
        kit=Kit.BLACKBOX,
        editions=(Edition.DOTNET,),
    ),
)
