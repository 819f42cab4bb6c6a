"""Verifications of plain factories: the arguments of each kind's factory, and the verification that runs it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from reactivestreams import tck
from reactivestreams.cli.usage_error import UsageError

__all__ = ["HOOKS", "KINDS", "Factories", "Kind", "verification_of"]


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

HOOKS: Mapping[str, str] = {
    "cancels_upstream": "a processor cancels its upstream when its last subscriber has cancelled (yes)",
    "does_coordinated_emission": "a processor requests, or emits, only when all subscribers have requested (no)",
    "delays_errors": "an error of the upstream is sent after elements that wait for demand (no)",
    "replays_elements": "late subscribers get elements that were emitted before (no)",
}
"""The hooks of a processor that are true or false, and their help texts."""


@dataclass(frozen=True, slots=True)
class Factories:
    """The options of the command line for a subject, in addition to its factory.

    Attributes:
        kind: One of `KINDS`.
        whitebox: Whether a subscriber's factory gets a probe even if its signature does not require one.
        failed: Makes a failed publisher, if there is one.
        element: Makes the element for a number, for subscribers and processors; by default the number itself.
        most_elements: The length of the longest stream that a publisher can send; None means any length.
        most_subscribers: How many subscribers a processor accepts at a time; None means any number.
        hooks: The given values of a processor's hooks, by the names of `HOOKS`; for the others its own values are used,
            or else the defaults.
        overflow: What happens to elements that arrive before they are requested; None means the same as for the hooks.
    """

    kind: str = "publisher"
    whitebox: bool = False
    failed: Callable[[], Any] | None = None
    element: Callable[[int], Any] = int
    most_elements: int | None = None
    most_subscribers: int | None = None
    hooks: Mapping[str, bool] = field(default_factory=dict[str, bool])
    overflow: tck.Overflow | None = None


def verification_of(factory: Any, given: Factories, *, shown: str) -> tuple[type[Any], Kind]:
    """Return a verification class for a plain factory, and its kind.

    Args:
        factory: Makes the subject; this can be the subject's class.
        given: The other options of the command line.
        shown: The factory, as the user named it.

    Raises:
        UsageError: It cannot be called, or not with the arguments of its kind.
    """
    if given.hooks and given.kind != "processor":
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given.hooks)
        raise UsageError(
            f"{options} applies to processors, and {shown} is judged as a {given.kind}; pass --kind processor"
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
    methods = {"__module__": __name__, **_methods(kind, factory, given)}
    return type(_name(shown), (kind.base,), methods), kind


def _methods(kind: Kind, factory: Callable[..., Any], given: Factories) -> dict[str, Any]:
    methods: dict[str, Any] = {kind.factory: _method(factory)}
    if given.failed is not None:
        methods["create_failed_publisher"] = _method(given.failed)
    if given.most_elements is not None:
        methods["max_elements_from_publisher"] = _method(lambda: given.most_elements)
    if given.most_subscribers is not None:
        methods["max_supported_subscribers"] = _method(lambda: given.most_subscribers)
    for name, answer in given.hooks.items():
        methods[name] = _method(partial(bool, answer))
    if given.overflow is not None:
        methods["overflow"] = _method(lambda: given.overflow)
    if kind is not PUBLISHER:
        methods["create_element"] = _method(given.element)
    return methods


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that calls a function with its arguments, without the instance."""

    def method(_: object, *arguments: Any) -> Any:
        return function(*arguments)

    return method


def _name(shown: str) -> str:
    return shown.rpartition(":")[2].replace(".", "_")


def _signature(factory: Callable[..., Any]) -> str:
    return str(inspect.signature(factory))
