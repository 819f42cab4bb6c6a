"""The verification of a publisher: subclass it, make publishers in its factories, run its checks."""

from collections.abc import Sequence
from typing import Any, ClassVar

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.checks.publisher.methods import PublisherMethods
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, made
from reactivestreams.tck.verification import Verification

__all__ = ["PublisherVerification"]


class PublisherVerification(PublisherMethods, Verification):
    """Judge a publisher and its subscriptions; meant to be subclassed.

    Define `create_publisher`, and `create_failed_publisher` if there can be one; override other hooks if their default
    does not apply to the publisher. Then run all checks with `run`, or call a check as a method: it raises
    `AssertionError` with the evidence if it fails and `unittest.SkipTest` if it is skipped, for test runners. There is
    no constructor, because test runners own it.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.tck import PublisherVerification, run
        >>> class RangeVerification(PublisherVerification):
        ...     def create_publisher(self, elements):
        ...         return Stream.range(elements)
        >>> report = run(
        ...     RangeVerification, names=["required_spec105_must_signal_on_complete_when_finite_stream_terminates"]
        ... )
        >>> report.is_success
        True
    """

    catalog: ClassVar[Catalog] = PUBLISHER_CHECKS
    judged: ClassVar[str] = "publisher"
    element_factory: ClassVar[str] = "create_publisher"

    # --- factories ---

    def create_publisher(self, elements: int) -> Any:
        """Return a new publisher of exactly so many elements; `MAX_DEMAND` means endless.

        Called for 0, 1, 3, 5, 6, 10, 20 and more, up to `max_elements_from_publisher()`; so make the elements when they
        are requested, not in advance.
        """
        raise NotImplementedError

    def create_failed_publisher(self) -> Any:
        """Return a new publisher that signals `on_subscribe`, then `on_error`, without waiting for demand.

        None, the default, skips the checks that need one.
        """
        return None

    def create_publisher_failing_at(self, position: int) -> Any:
        """Return a new publisher whose source fails at element number `position`, counted from 0.

        None, the default, skips the checks that need one.
        """
        return None

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        """Return a new publisher of so many elements that sends them from tasks of an executor (`submit`).

        None, the default, skips the checks that need one.
        """
        return None

    # --- hooks ---

    def max_elements_from_publisher(self) -> int:
        """Return the length of the longest stream that `create_publisher` can make.

        Checks that need more elements are skipped; `MAX_DEMAND` means that the publisher never completes, which skips
        those that need completion.
        """
        return MAX_DEMAND - 1

    def expected_elements(self, count: int) -> "Sequence[Any] | None":
        """Return the elements that `create_publisher(count)` sends, in their order.

        None, the default, skips the check of the order, for a publisher without a defined order.
        """
        return None

    def publisher_unable_to_signal_on_complete(self) -> int:
        """Return the result of `max_elements_from_publisher` for a publisher that never completes."""
        return MAX_DEMAND

    def bounded_depth_of_on_next_and_request_recursion(self) -> int:
        """Return how deeply `on_next` and `request` may nest in one another, >= 1 (§3.3)."""
        return 1

    # --- for the runner ---

    def examine(self, environment: CheckEnvironment) -> None:
        """Make one publisher, to check the factory."""
        longest = self.max_elements_from_publisher()
        if isinstance(longest, bool) or not isinstance(longest, int):
            raise SubjectError(
                f"{type(self).__name__}.max_elements_from_publisher() returned {longest!r}; "
                f"it has to return an integer >= 0"
            )
        made(self, "create_publisher", max(0, min(1, longest)), methods=PUBLISHER_METHODS)
