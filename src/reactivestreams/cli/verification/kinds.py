"""Verifications of plain factories: the arguments of each kind's factory, and the verification that runs it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

from reactivestreams import tck
from reactivestreams.cli.usage_error import UsageError

__all__ = ["HOOKS", "KINDS", "Factories", "Form", "Hook", "Kind", "verification_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of subject.

    Attributes:
        verification: The name of the class in the kit.
        factory: The method of that class that a plain factory replaces.
        arguments: The descriptions of its positional arguments.
    """

    verification: str
    factory: str
    arguments: tuple[str, ...]

    @property
    def base(self) -> type[Any]:
        """The class in the kit."""
        base: type[Any] = getattr(tck, self.verification)
        return base

    def takes(self, factory: Callable[..., Any]) -> bool:
        """Return whether a factory accepts the arguments of this kind."""
        try:
            inspect.signature(factory).bind(*self.arguments)
        except TypeError:
            return False
        except ValueError:  # a callable without a signature, such as some in C
            return True
        return True


PUBLISHER = Kind("PublisherVerification", "create_publisher", ("the number of elements",))
BLACKBOX = Kind("SubscriberBlackboxVerification", "create_subscriber", ())
WHITEBOX = Kind("SubscriberWhiteboxVerification", "create_subscriber", ("the probe",))
PROCESSOR = Kind("ProcessorVerification", "create_identity_processor", ("the size of its buffer",))

KINDS: Mapping[str, tuple[Kind, ...]] = {
    "publisher": (PUBLISHER,),
    "subscriber": (BLACKBOX, WHITEBOX),
    "processor": (PROCESSOR,),
}
"""The kinds by their word on the command line; if a factory fits several, the first one is used."""


class Form(Enum):
    """What the value of an option is."""

    FUNCTION = "the name of a function, which takes the place of the hook"
    NUMBER = "what the hook returns"
    TRUTH = "whether the hook returns True"


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook of the kit that an option of the command line sets for a plain factory.

    Attributes:
        method: The name of the hook.
        kinds: The kinds of subjects that have it.
        help: The help text of the option, with what the hook says by default.
        form: What the value of the option is.
    """

    method: str
    kinds: tuple[str, ...]
    help: str
    form: Form = Form.FUNCTION


_ALL = ("publisher", "subscriber", "processor")
_SENT = ("publisher", "processor")
_FED = ("subscriber", "processor")

HOOKS: Mapping[str, Hook] = {
    "failed": Hook("create_failed_publisher", _SENT, "makes a publisher that has failed (none)"),
    "failing_at": Hook("create_publisher_failing_at", _SENT, "makes one whose source fails at a position (none)"),
    "with_executor": Hook(
        "create_publisher_with_executor", _SENT, "makes one of an executor and a number of elements (none)"
    ),
    "expected_elements": Hook("expected_elements", _SENT, "returns the elements of a publisher of N in order (any)"),
    "max_elements": Hook(
        "max_elements_from_publisher",
        _SENT,
        "length of the longest stream that the publisher can send; 2**63 - 1 if it never completes",
        Form.NUMBER,
    ),
    "recursion_depth": Hook(
        "bounded_depth_of_on_next_and_request_recursion",
        _SENT,
        "how deeply on_next and request may nest in one another (1)",
        Form.NUMBER,
    ),
    "element": Hook("create_element", _FED, "makes a subscriber's or processor's element for a number (the number)"),
    "helper_publisher": Hook("create_helper_publisher", _FED, "makes the publisher that feeds the subject (the kit's)"),
    "executor": Hook("publisher_executor_service", _FED, "makes the executor whose tasks feed the subject (threads)"),
    "has_value_type_elements": Hook(
        "has_value_type_elements", _FED, "None cannot replace an element, as with numbers in C (no)", Form.TRUTH
    ),
    "limited": Hook("create_limited_subscriber", ("subscriber",), "makes a subscriber of N elements (none)"),
    "failing": Hook("create_failing_subscriber", _FED, "makes a subscriber that fails in a signal (none)"),
    "trigger_request": Hook("trigger_request", ("subscriber",), "makes a subscriber request (nothing)"),
    "max_subscribers": Hook(
        "max_supported_subscribers",
        ("processor",),
        "how many subscribers a processor accepts at a time (any)",
        Form.NUMBER,
    ),
    "cancels_upstream": Hook(
        "cancels_upstream",
        ("processor",),
        "a processor cancels its upstream when its last subscriber has cancelled (yes)",
        Form.TRUTH,
    ),
    "does_coordinated_emission": Hook(
        "does_coordinated_emission",
        ("processor",),
        "a processor requests, or emits, only when all subscribers have requested (no)",
        Form.TRUTH,
    ),
    "delays_errors": Hook(
        "delays_errors",
        ("processor",),
        "an error of the upstream is sent after elements that wait for demand (no)",
        Form.TRUTH,
    ),
    "replays_elements": Hook(
        "replays_elements", ("processor",), "late subscribers get elements that were emitted before (no)", Form.TRUTH
    ),
    "same_element": Hook("same_element", _ALL, "compares two elements (==)"),
    "skip_stochastic_tests": Hook(
        "skip_stochastic_tests", _ALL, "leave out the checks that depend on chance (no)", Form.TRUTH
    ),
}
"""The hooks by the names of their options; `overflow` and `ignored_checks` have options of another form."""


@dataclass(frozen=True, slots=True)
class Factories:
    """The options of the command line for a subject, in addition to its factory.

    Attributes:
        kind: One of `KINDS`.
        whitebox: Whether a subscriber's factory gets a probe even if its signature does not require one.
        hooks: The given values, by the names of `HOOKS`: functions, numbers, or truth values. For others the subject's
            own values are used, or else the defaults.
        overflow: What happens to elements that arrive before they are requested; None means the same as for the hooks.
        ignored: The names of checks that are skipped.
    """

    kind: str = "publisher"
    whitebox: bool = False
    hooks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    overflow: tck.Overflow | None = None
    ignored: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """The options that describe the subject and not the run, as they are written."""
        given = [f"--{name.replace('_', '-')}" for name in self.hooks]
        return [*given, *["--on-overflow"] * (self.overflow is not None), *["--ignore-check"] * bool(self.ignored)]


def verification_of(factory: Any, given: Factories, *, shown: str) -> tuple[type[Any], Kind]:
    """Return a verification class for a plain factory, and its kind.

    Args:
        factory: Makes the subject; this can be the subject's class.
        given: The other options of the command line.
        shown: The factory, as the user named it.

    Raises:
        UsageError: It cannot be called, or not with the arguments of its kind; or an option is not for its kind.
        ArgumentError: There is no check that is to be ignored.
    """
    for name in given.hooks:
        judged = HOOKS[name].kinds
        if given.kind not in judged:
            raise UsageError(
                f"--{name.replace('_', '-')} applies to {' and '.join(f'{kind}s' for kind in judged)}, and {shown} is "
                f"judged as a {given.kind}; leave it out, or pass --kind {judged[0]}"
            )
    if given.overflow is not None and given.kind == "subscriber":
        raise UsageError(
            f"--on-overflow applies to publishers and processors, and {shown} is judged as a subscriber; leave it "
            f"out, or pass another --kind"
        )
    kinds = (WHITEBOX,) if given.whitebox else KINDS[given.kind]
    wanted = " or ".join(", ".join(kind.arguments) or "no argument" for kind in kinds)
    if not callable(factory):
        raise UsageError(
            f"{shown} is a {type(factory).__name__}, which cannot be called; a {given.kind}'s factory is called with "
            f"{wanted} and returns a new {given.kind} each time"
        )
    kind = next((kind for kind in kinds if kind.takes(factory)), None)
    if kind is None:
        raise UsageError(
            f"{shown}{_signature(factory)} cannot be called with {wanted}, as a {given.kind}'s factory is; change its "
            f"parameters, or pass another --kind"
        )
    for name in given.ignored:
        kind.base.catalog[name]  # raises an error that says what there is
    methods = {"__module__": __name__, **_methods(kind, factory, given)}
    return type(_name(shown), (kind.base,), methods), kind


def _methods(kind: Kind, factory: Callable[..., Any], given: Factories) -> dict[str, Any]:
    methods: dict[str, Any] = {kind.factory: _method(factory)}
    if kind is not PUBLISHER:
        methods["create_element"] = _method(int)
    for name, value in given.hooks.items():
        hook = HOOKS[name]
        methods[hook.method] = _method(value if hook.form is Form.FUNCTION else partial(_returned, value))
    if given.overflow is not None:
        methods["overflow"] = _method(partial(_returned, given.overflow))
    if given.ignored:
        methods["ignored_checks"] = _method(partial(dict.fromkeys, given.ignored, "--ignore-check names it"))
    return methods


def _returned(value: Any) -> Any:
    return value


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that calls a function with its arguments, without the instance."""

    def method(_: object, *arguments: Any) -> Any:
        return function(*arguments)

    return method


def _name(shown: str) -> str:
    return shown.rpartition(":")[2].replace(".", "_")


def _signature(factory: Callable[..., Any]) -> str:
    return str(inspect.signature(factory))
