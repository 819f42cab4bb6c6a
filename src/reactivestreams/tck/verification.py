"""The base of the verifications of all kinds of subjects."""

from typing import ClassVar

from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_methods import CheckMethods
from reactivestreams.tck.kit.element_text import same_element
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.processor_traits import Overflow
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["Verification"]


@refuses_deferred_hooks("and run asynchronous code on an event loop that the subject owns")
class Verification(CheckMethods):
    """The base of a verification: its catalog of checks, and the hooks that every kit has.

    Class attribute `judged`: the name of the subject in messages. Class attribute `element_factory`: the factory of
        elements.
    """

    catalog: ClassVar[Catalog]
    judged: ClassVar[str]
    element_factory: ClassVar[str]
    __test__ = False  # a subclass that should be collected as tests overrides it

    def skip_stochastic_tests(self) -> bool:
        """Return whether to skip the checks that depend on chance."""
        return False

    def same_element(self, first: object, second: object) -> bool:
        """Return whether two elements are the same; override it if `==` gives no truth value, as with arrays."""
        try:
            return same_element(first, second)
        except TypeError as error:
            name = type(self).__name__
            raise SubjectError(
                f"the elements of {name}.{self.element_factory} cannot be compared: {error}; expected is a "
                f"truth value: override {name}.same_element(first, second)"
            ) from error

    def overflow(self) -> Overflow | None:
        """Return what happens to elements that arrive before a subscriber requests them; None, the default: they wait.

        Checks that count elements use at most the number that may wait without loss; those that need more are skipped
        as "drops by policy". All others are unchanged.
        """
        return None

    def ignored_checks(self) -> dict[str, str]:
        """Return names of checks that are skipped, each with the reason."""
        return {}
