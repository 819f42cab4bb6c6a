"""The subscribers by which the standard's kit for white boxes is tried: WM1 to WM20, NM1 to NM12."""

from typing import Any

from reactivestreams.tck import Edition, Outcome
from tests.tck_selftest.mutant import BOTH, Kit, Mutant
from tests.tck_selftest.subscribers import reference_components as wrong
from tests.tck_selftest.subscribers.collector import Collector
from tests.tck_selftest.subscribers.reference_components import ask, stop
from tests.tck_selftest.subscribers.subscriber_case import whitebox

__all__ = ["UNREGISTERED_MUTANTS", "WHITEBOX_MUTANTS"]

_DEMAND = "required_spec201_must"
_ON_COMPLETE = "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete"
_ON_ERROR = "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_error"
_SECOND = "required_spec205_must_call"
_LATE_ELEMENT = "required_spec208_must_be_prepared_to_receive"
_END = "required_spec209_must_be_prepared_to_receive_an_on_complete_signal_with"
_ERROR = "required_spec210_must_be_prepared_to_receive_an_on_error_signal_with"
_REGISTER = "required_spec308_request"


def failing(source: str, defect: str, check: str, create: Any, words: str) -> Mutant:
    return Mutant(defect, source, check, whitebox(create), words=words, kit=Kit.WHITEBOX, editions=BOTH)


def passing(
    source: str, defect: str, check: str, create: Any, *, editions: tuple[Edition, ...] = (Edition.JVM,)
) -> Mutant:
    return Mutant(defect, source, check, whitebox(create), Outcome.PASS, kit=Kit.WHITEBOX, editions=editions)


def at_the_end(signal: str, call: Any) -> Any:
    return lambda probe: wrong.CallingAtTheEnd(probe, signal, call)


def namesake(signal: str, call: Any) -> Any:
    return lambda probe: wrong.CallingANamesakeFirst(probe, signal, call)


def forbidden(call: str, signal: str) -> str:
    return f"Subscription::{call} MUST NOT be called from Subscriber::{signal} (Rule 2.3)!"


WHITEBOX_MUTANTS = (
    failing("WM1", "deaf puppet", _DEMAND, wrong.DeafPuppet, "Did not receive expected `request` call within"),
    passing("WM2", "correct", _DEMAND, Collector, editions=BOTH),
    failing(
        "WM3", "asks in on_complete", _ON_COMPLETE, at_the_end("on_complete", ask), forbidden("request", "on_complete")
    ),
    failing(
        "WM4", "stops in on_complete", _ON_COMPLETE, at_the_end("on_complete", stop), forbidden("cancel", "on_complete")
    ),
    failing("WM5", "asks in on_error", _ON_ERROR, at_the_end("on_error", ask), forbidden("request", "on_error")),
    failing("WM6", "stops in on_error", _ON_ERROR, at_the_end("on_error", stop), forbidden("cancel", "on_error")),
    passing("WM7", "a namesake stops", _ON_COMPLETE, namesake("on_complete", stop)),
    passing("WM8", "a namesake asks", _ON_COMPLETE, namesake("on_complete", ask)),
    passing("WM9", "a namesake stops", _ON_ERROR, namesake("on_error", stop)),
    passing("WM10", "a namesake asks", _ON_ERROR, namesake("on_error", ask)),
    failing(
        "WM11",
        "takes every subscription",
        _SECOND,
        wrong.TakingEverySubscription,
        "Expected 2nd Subscription given to subscriber to be cancelled",
    ),
    failing("WM12", "raises after cancel", _LATE_ELEMENT, wrong.RaisingAfterCancel, "But I thought it's cancelled!"),
    passing("WM13", "requests and cancels later", _LATE_ELEMENT, wrong.Scheduling),
    failing("WM14", "silent end", f"{_END}_", wrong.SilentEnd, "did not call `register_on_complete()`"),
    failing("WM15", "not registered", f"{_END}out", wrong.Unregistered, "did not `register_on_subscribe`"),
    failing("WM16", "raises the error", f"{_ERROR}_", wrong.RaisingTheError, "Test Exception: Boom!"),
    failing("WM17", "raises the error", f"{_ERROR}out", wrong.RaisingTheError, "Test Exception: Boom!"),
    passing("WM18", "correct", _REGISTER, Collector, editions=BOTH),
    passing("WM19", "requests and cancels later", _REGISTER, wrong.Scheduling),
    passing("WM20", "requests one at a time, later", _REGISTER, wrong.OneAtATime),
)

_WITH_STAGE = (
    "required_exercise_whitebox_happy_path",
    _DEMAND,
    _SECOND,
    _LATE_ELEMENT,
    f"{_END}out",
    f"{_END}_",
    f"{_ERROR}out",
    f"{_ERROR}_",
    "required_spec213_on_error_must",
    "required_spec213_on_next_must",
    "required_spec213_on_subscribe_must",
    _REGISTER,
)

UNREGISTERED_MUTANTS = (
    *(
        Mutant(
            "not registered",
            f"NM{number}",
            check,
            whitebox(wrong.Unregistered),
            words="did not `register_on_subscribe` within",
            kit=Kit.WHITEBOX,
        )
        for number, check in enumerate(_WITH_STAGE, 1)
    ),
    *(passing("NM (control)", "not registered", check, wrong.Unregistered) for check in (_ON_COMPLETE, _ON_ERROR)),
)
