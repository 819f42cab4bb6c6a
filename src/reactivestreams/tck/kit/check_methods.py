"""Checks as methods of a verification, for test runners without verdicts; and the settings of a verification."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, cast

from reactivestreams.tck.kit.check import Check
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.failure import Failed, Skipped
from reactivestreams.tck.kit.verdict import Outcome
from reactivestreams.tck.kit.watchdog import judge

__all__ = ["CheckMethods", "check_methods", "chosen_settings", "has_own_settings", "run_as_method"]


class CheckMethods:
    """The base of a verification: the settings of checks that are called as methods."""

    _environment: Environment | None = None

    def create_environment(self) -> Environment:
        """Return the settings for checks that are called as methods; called once for each instance."""
        return Environment()

    def use_environment(self, environment: Environment) -> None:
        """Use these settings for checks that are called as methods, instead of those of `create_environment`."""
        self._environment = environment

    def method_environment(self) -> Environment:
        """Return the settings that `create_environment` made, once."""
        if self._environment is None:
            self._environment = self.create_environment()
        return self._environment


def run_as_method(check: Check, subject: CheckMethods) -> None:
    """Run a check and raise exceptions that test runners understand.

    Raises:
        Failed: It failed; an `AssertionError` with the evidence as text.
        Skipped: It was skipped, or its edition is another one; a `unittest.SkipTest` with the reason.
    """
    environment = subject.method_environment()
    if environment.edition not in check.editions:
        raise Skipped(f"the edition {environment.edition} does not have {check.name}")
    verdict = judge(check, subject, environment)
    if verdict.outcome is Outcome.FAIL:
        raise Failed(verdict.render(edition=environment.edition))
    if verdict.outcome is Outcome.SKIP:
        raise Skipped(verdict.message)


def check_methods(name: str, checks: Iterable[Check], *, module: str) -> type[CheckMethods]:
    """Return a class with a method for each check, under its name.

    Args:
        name: The name of the class.
        checks: The checks.
        module: The module that defines the class.
    """
    namespace: dict[str, Any] = {"__module__": module, "__doc__": "Checks as methods: each runs one, on this object."}
    for check in checks:
        namespace[check.name] = _method(check, name)
    return type(name, (CheckMethods,), namespace)


def _method(check: Check, owner: str) -> Any:
    def method(self: CheckMethods) -> None:
        run_as_method(check, self)

    method.__name__ = check.name
    method.__qualname__ = f"{owner}.{check.name}"
    method.__doc__ = check.body.__doc__
    return method


def has_own_settings(kind: type[CheckMethods]) -> bool:
    """Return whether a verification defines `create_environment` itself."""
    return not kind.create_environment.__module__.startswith("reactivestreams.tck.")


def chosen_settings(subject: Any, given: Mapping[str, Any], *, project: Mapping[str, Any] | None = None) -> Environment:
    """Return the settings for a verification.

    The command line overrides the verification's own `create_environment`, that overrides the project's configuration,
    and that overrides the environment variables.

    Args:
        subject: The verification.
        given: Arguments of `Environment` from the command line.
        project: Arguments of `Environment` from a project's configuration.

    Raises:
        ArgumentTypeError: A number is not an integer.
        ArgumentError: A number is out of bounds, or there is no such edition.

    Example:
        >>> from reactivestreams.tck import PublisherVerification
        >>> chosen_settings(PublisherVerification(), {"seed": 3}, project={"seed": 4, "edition": "rc1"}).seed
        3
    """
    if has_own_settings(cast("type[CheckMethods]", type(subject))):
        environment: Environment = subject.create_environment()
        return dataclasses.replace(environment, **given)
    return Environment(**{**(project or {}), **given})
