"""Which settings a verification runs with, where several places name some."""

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

from reactivestreams.tck.kit.check_methods import CheckMethods
from reactivestreams.tck.kit.environment import Environment

__all__ = ["chosen_settings", "has_own_settings"]


def has_own_settings(kind: type[CheckMethods]) -> bool:
    """Tell whether a verification defines `create_environment` itself."""
    return not kind.create_environment.__module__.startswith("reactivestreams.tck.")


def chosen_settings(subject: Any, given: Mapping[str, Any], *, project: Mapping[str, Any] | None = None) -> Environment:
    """Return the settings for a verification.

    What a command line gives wins over the verification's own `create_environment`, that over what a project has
    written down, and that over the environment variables.

    Args:
        subject: The verification.
        given: Arguments of `Environment` from the command line.
        project: Arguments of `Environment` from a project's configuration.

    Raises:
        ArgumentTypeError: A number is no integer.
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
