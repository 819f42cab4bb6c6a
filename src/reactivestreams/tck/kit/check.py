"""A check: a function that judges one property of a subject, with information for the reader of its verdict."""

import inspect
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from reactivestreams.errors import ArgumentError
from reactivestreams.spec.rules import RULES
from reactivestreams.tck.kit.check_environment import CheckEnvironment, running
from reactivestreams.tck.kit.edition import ALL_EDITIONS, Edition
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.failure import CheckAbandoned, Failed, Skipped, SubjectError, Unmet
from reactivestreams.tck.kit.verdict import ALSO, Evidence, Outcome, Verdict, Violation

__all__ = ["Body", "Check", "CheckPair", "Kind", "Origin", "check"]

Body = Callable[[Any, CheckEnvironment], None]

OPTIONAL_NOT_MET = "Skipped because tested {judged} does NOT implement this OPTIONAL requirement."


CANNOT_BE_JUDGED = "Unable to run this test, as §{rule} is broken, which other checks judge:"


class Kind(Enum):
    """The meaning of an unmet expectation of a check; the first word of its name."""

    REQUIRED = "required"
    """A MUST is broken: the check fails."""

    OPTIONAL = "optional"
    """A MAY or SHOULD is not used: the check is skipped, with the reason. If it finds a broken MUST, it fails."""

    STOCHASTIC = "stochastic"
    """The check depends on chance: a pass proves nothing, a failure is real."""

    UNTESTED = "untested"
    """The kit cannot decide it: the check is skipped, with the reason."""


class Origin(Enum):
    """The origin of a check."""

    REFERENCE = "reference"
    EXTENDED = "extended"


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One check; call it with a subject and an environment for a verdict.

    Attributes:
        name: `kind_specRNN_claim`, where R is the chapter of the rule and NN its number.
        body: Its function; returns, or raises `Failed` or `Skipped`.
        rules: The ids of the rules that it checks, the main one first; none for a check of the set-up.
        kind: The meaning of its unmet expectation.
        look_at: The part of a failing subject to look at.
        remedy: How to correct it.
        editions: The editions that have this check.
        origin: Whether it is from the standard's kit.
        unmet: The outcome if its own expectation is not met.
        is_alone: Whether it disturbs other running checks, so that it runs after all others.
        is_long: Whether it waits for silence more than once, so that it starts first and runs in parallel with the
            others.
    """

    name: str
    body: Body
    rules: tuple[str, ...]
    kind: Kind
    look_at: str
    remedy: str
    editions: tuple[Edition, ...]
    origin: Origin
    unmet: Outcome
    is_alone: bool = False
    is_long: bool = False

    @property
    def claim(self) -> str:
        """Its claim: the first line of its documentation."""
        return self.documentation.partition("\n")[0]

    @property
    def documentation(self) -> str:
        """What is checked and why, and corrections of the standard's kit."""
        return inspect.getdoc(self.body) or ""

    def __call__(self, subject: Any, environment: Environment | CheckEnvironment) -> Verdict:
        """Run in this thread and return the verdict; see `watchdog.judge` for one that cannot hang.

        Args:
            subject: The verification, which has the factories and hooks.
            environment: Settings, or the state that was made from them for this run.
        """
        state = environment.for_check(self.name) if isinstance(environment, Environment) else environment
        failure = _run(self.body, subject, state)
        if not isinstance(failure, CheckAbandoned):
            state.close()
        return self._verdict(failure, state, getattr(subject, "judged", "publisher"))

    def abandoned(self, state: CheckEnvironment, message: str, stacks: str) -> Verdict:
        """Return the verdict for a run that did not finish: too slow if signals still arrive, else a failure."""
        if state.call_too_slow():
            return self._skip(state.too_slow(), state)
        return self._fail(Failed(message), state, stacks=stacks)

    def _verdict(self, failure: BaseException | None, state: CheckEnvironment, judged: str) -> Verdict:
        if failure is None:
            failure = _remaining(state)
        if failure is None:
            return Verdict(
                self.name,
                self.rules,
                Outcome.PASS,
                evidence=self._evidence(state),
                duration_seconds=state.log.elapsed_seconds,
                origin=self.origin.value,
                claim=self.claim,
            )
        if isinstance(failure, Skipped) and not state.violations:
            return self._skip(error_text(failure), state)
        if isinstance(failure, Unmet) and self._is_about_something_else(failure, state):
            return self._skip(f"{CANNOT_BE_JUDGED.format(rule=failure.rule)} {error_text(failure)}", state)
        if state.is_too_slow and isinstance(failure, AssertionError) and not state.violations:
            return self._skip(state.too_slow(), state)
        expectation = isinstance(failure, AssertionError | Skipped)
        if self.unmet is Outcome.SKIP and expectation and not state.violations:
            not_met = OPTIONAL_NOT_MET.format(judged=judged)
            return self._skip(f"{not_met} Reason for skipping was: {error_text(failure)}", state)
        return self._fail(failure, state)

    def _is_about_something_else(self, failure: Unmet, state: CheckEnvironment) -> bool:
        return self.rules[:1] not in ((), (failure.rule,)) and not state.violations and not state.flops

    def _skip(self, reason: str, state: CheckEnvironment) -> Verdict:
        return Verdict(
            self.name,
            self.rules,
            Outcome.SKIP,
            reason,
            evidence=self._evidence(state),
            duration_seconds=state.log.elapsed_seconds,
            origin=self.origin.value,
            claim=self.claim,
        )

    def _fail(self, failure: BaseException, state: CheckEnvironment, *, stacks: str = "") -> Verdict:
        expected = isinstance(failure, AssertionError | Skipped | SubjectError | CheckAbandoned)
        message = error_text(failure) if expected else f"{type(failure).__name__}: {error_text(failure)}"
        texts = [message]
        texts += [state.flop_text(flop) for flop in state.flops]
        firsts: dict[str, Violation] = {}  # a flood breaks one rule repeatedly; the evidence has all violations
        for violation in state.violations:
            firsts.setdefault(violation.rule, violation)
        texts += [str(each) for each in firsts.values() if each.message not in texts]
        own = () if isinstance(failure, Skipped) or _is_only_a_violation(failure, state) else self.rules[:1]
        return Verdict(
            self.name,
            self.rules,
            Outcome.FAIL,
            ALSO.join(dict.fromkeys(texts)),
            tuple(dict.fromkeys([*own, *(violation.rule for violation in state.violations)])),
            self._evidence(state, stacks=stacks, origin=failure),
            state.log.elapsed_seconds,
            self.origin.value,
            self.claim,
        )

    def _evidence(self, state: CheckEnvironment, *, stacks: str = "", origin: BaseException | None = None) -> Evidence:
        cause = origin if origin is None or not isinstance(origin, Failed) else origin.__cause__
        return Evidence(
            steps=state.log.steps,
            signals=state.log.signals,
            omitted_signals=state.log.omitted_signals,
            violations=state.violations,
            notes=state.notes,
            look_at=self.look_at,
            remedy=self.remedy,
            stacks=stacks,
            traceback="" if cause is None else "".join(traceback.format_exception(cause)),
        )


class CheckPair(NamedTuple):
    """Two checks with one body: for a subscriber that reports to a probe, and for an unchanged one."""

    whitebox: Check
    blackbox: Check


def check(
    *,
    rules: tuple[str, ...] = (),
    look_at: str = "",
    remedy: str = "",
    editions: Iterable[Edition | str] = ALL_EDITIONS,
    origin: Origin = Origin.REFERENCE,
    unmet: Outcome | None = None,
    is_alone: bool = False,
    is_long: bool = False,
) -> Callable[[Body], Check]:
    """Make a check from a function with a subject and the state of a check as parameters.

    Args:
        rules: The ids of the rules that it checks, the main one first; none for a check of the set-up.
        look_at: The part of a failing subject to look at.
        remedy: How to correct it.
        editions: The editions that have this check.
        origin: Whether it is from the standard's kit.
        unmet: The outcome if its own expectation is not met; by default `SKIP` for an optional check, else `FAIL`.
        is_alone: Whether it disturbs other running checks, so that it runs after all others.
        is_long: Whether it waits for silence more than once, so that it starts first and runs in parallel with the
            others.

    Raises:
        ArgumentError: The function's name does not begin with one of the four kinds, or a rule does not exist.
    """

    def decorate(body: Body) -> Check:
        name = body.__name__
        kind = next((kind for kind in Kind if name.startswith(f"{kind.value}_")), None)
        if kind is None and not name.startswith("must_"):
            raise ArgumentError(
                f"the check {name} has to begin with one of {', '.join(kind.value for kind in Kind)}; rename it"
            )
        unknown = [rule for rule in rules if rule not in RULES]
        if unknown and Edition.JVM in (chosen := tuple(map(Edition, editions))):
            raise ArgumentError(f"the check {name} ({chosen}) names an unknown rule: {unknown}; see spec.rules")
        default = Outcome.SKIP if kind is Kind.OPTIONAL else Outcome.FAIL
        return Check(
            name=name,
            body=body,
            rules=rules,
            kind=kind or Kind.REQUIRED,
            look_at=look_at,
            remedy=remedy,
            editions=tuple(map(Edition, editions)),
            origin=origin,
            unmet=default if unmet is None else unmet,
            is_alone=is_alone,
            is_long=is_long,
        )

    return decorate


def _run(body: Body, subject: Any, state: CheckEnvironment) -> BaseException | None:
    try:
        ignored: dict[str, str] = getattr(subject, "ignored_checks", dict)()
        if state.check_name in ignored:
            raise Skipped(f"ignored by the subject: {ignored[state.check_name]}")
        with running(state):
            body(subject, state)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        return error
    return _remaining(state)


def _remaining(state: CheckEnvironment) -> Failed | None:
    # Every check verifies at its end, also an optional one, so that a late failure is not lost.
    try:
        state.verify_no_async_errors_no_delay()
    except Failed as error:
        return error
    return None


def _is_only_a_violation(failure: BaseException, state: CheckEnvironment) -> bool:
    text = error_text(failure)
    return bool(state.violations) and any(text in {str(each), each.message} for each in state.violations)
