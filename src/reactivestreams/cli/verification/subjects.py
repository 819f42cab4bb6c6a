"""Finds the verifications to run for the text of a subject."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reactivestreams.cli.usage_error import UsageError
from reactivestreams.cli.verification.kinds import Factories, verification_of
from reactivestreams.cli.verification.loading import Loaded, load
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_methods import CheckMethods, chosen_settings
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.runner import example_of

__all__ = ["Subject", "find_subjects"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One verification to run.

    Attributes:
        target: The text of the subject.
        verification: A class or an instance.
        factory: The factory method that a plain factory replaces, or empty.
    """

    target: str
    verification: Any
    factory: str = ""

    @property
    def name(self) -> str:
        """The name of the class."""
        kind = self.verification if isinstance(self.verification, type) else type(self.verification)
        return kind.__name__

    def in_words_of_the_user(self, message: str) -> str:
        """Return a message of the kit, with the user's name for a plain factory."""
        if not self.factory:
            return message
        return message.replace(f"{self.name}.{self.factory}(", f"{self.target}(")

    @property
    def catalog(self) -> Catalog:
        """The checks of its kit."""
        catalog: Catalog = self.verification.catalog
        return catalog

    def environment(self, given: Mapping[str, Any]) -> Environment:
        """Return the settings to run with.

        Args:
            given: Arguments of `Environment` from the command line.

        Raises:
            SubjectError: The class cannot be called without arguments, or its `create_environment` raises.
            ArgumentError: A setting is out of bounds.
        """
        return chosen_settings(example_of(self.verification), given)


def find_subjects(text: str, given: Factories) -> list[Subject]:
    """Return the verifications for a text: of a factory, of a class, or all that a module defines.

    Args:
        text: `module`, `module:name`, `path/to/file.py` or `path/to/file.py:name`.
        given: The other options of the command line for a factory.

    Raises:
        UsageError: There is no verification, or options for a plain factory are given with a verification class.
    """
    loaded = load(text)
    value = loaded.value
    if not loaded.name or isinstance(value, CheckMethods) or _is_verification(value):
        if given.options:
            raise UsageError(
                f"{given.options[0]} describes what a plain factory makes, and {text} is no factory; leave it out: a "
                f"verification class has hooks for that, which it overrides"
            )
        return [Subject(text, value)] if loaded.name else _all_of(loaded)
    verification, kind = verification_of(value, given, shown=text)
    return [Subject(text, verification, kind.factory)]


def _is_verification(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, CheckMethods) and hasattr(value, "catalog")


def _all_of(loaded: Loaded) -> list[Subject]:
    found = [
        Subject(f"{loaded.place}:{name}", value)
        for name, value in vars(loaded.module).items()
        if _is_verification(value) and value.__module__ == loaded.module.__name__ and not name.startswith("_")
    ]
    if not found:
        raise UsageError(
            f"{loaded.place} defines no verification; give {loaded.place}:factory, or define a subclass of "
            f"PublisherVerification in it"
        )
    return found
