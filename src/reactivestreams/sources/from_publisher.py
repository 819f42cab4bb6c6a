"""from_publisher: send the elements of any publisher."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import Subscribable
from reactivestreams.operators.definition import (
    Checked,
    OperatorDefinition,
    Recovery,
    U,
    checked_recovery,
    written_recovery,
)
from reactivestreams.spec import Publisher
from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.sources.publisher import PublisherSource

if TYPE_CHECKING:
    from rs_core.authors.processor import BaseProcessor
    from rs_core.authors.publisher import BasePublisher

DEFAULT_PREFETCH = 1024
"""By default, how many elements may be requested from a publisher and not yet passed on."""


class FromPublisher(OperatorDefinition):
    """Send the elements of any publisher that has the four interfaces.

    Args:
        publisher: Has `subscribe(subscriber)`; each subscription subscribes to it again.
        prefetch: How many elements may be requested from it and not yet passed on, from 1 to 2**24.
        recovery: How a stream recovered from saved state uses the publisher, if not in the default way; see Recovery.

    Demand: a request of n requests n from the publisher, but never more than `prefetch` at a time.
    Errors: the publisher's error is passed on after the elements before it; a publisher that breaks §1.1 or §1.3 is
        cancelled, and the stream ends with an error that names the rule.
    State: the elements that arrived and were not passed on; with `recovery="skips"` the number of elements passed on,
        because the publisher sends the others again. Version 1.0.0.0.
    Recovery: `exact` for a publisher that is `Subscribable`, such as another stream: its nodes are part of the tree,
        are saved with it, and state their own. Any other is subscribed to again: `restarts`, and a tree with it can
        only be saved with `allow_restart=True`. Pass `recovery="skips"` for one that sends the same elements to each
        subscriber: as many as were passed on are skipped. Pass `recovery="exact"` for one that continues after the
        elements that it has sent.
    Threads: signals run in the publisher's thread, or in the thread that requests.
    Rules: §1.1, §1.3, §2.5, §2.7, §2.12, §2.13, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> inner = Stream.range(3)
        >>> Stream.from_publisher(inner).map(str).to_list()
        ['0', '1', '2']
    """

    id = "rx://sources/from_publisher"
    method = "from_publisher"
    serializable = False
    recovery: ClassVar[Recovery | None] = "restarts"

    @staticmethod
    def parameters(
        publisher: "Publisher[U] | BasePublisher[U] | BaseProcessor[Any, U]",
        *,
        prefetch: int = DEFAULT_PREFETCH,
        recovery: Recovery | None = None,
    ) -> Checked[U]:
        """Return the checked parameters."""
        if not isinstance(publisher, Publisher):
            raise ArgumentTypeError(
                f"from_publisher(publisher) needs a Publisher, got {publisher!r} ({type(publisher).__name__}); "
                f"pass an object with subscribe(subscriber), or use from_iterable"
            )
        refuse_deferred(
            publisher.subscribe,
            "from_publisher(publisher): subscribe",
            "define it with def, or use from_async_iterable",
        )
        is_in_tree = isinstance(publisher, Subscribable)
        stated = checked_recovery(recovery, operator="from_publisher", default="exact" if is_in_tree else "restarts")
        if is_in_tree and stated != "exact":
            raise ArgumentError(
                f"from_publisher(recovery={recovery!r}) of {publisher!r}: its nodes are part of the tree, are saved "
                f"with it and state their own recovery; leave it out, or pass it where its source is made"
            )
        count = checked_count(prefetch, operator="from_publisher", name="prefetch", at_least=1, at_most=2**24)
        return Checked((publisher, count, stated))

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return the given recovery, or the default for the publisher."""
        return parameters[2]  # type: ignore[no-any-return]

    @staticmethod
    def stage(publisher: Publisher[Any], prefetch: int, recovery: Recovery) -> PublisherSource:
        """Return a new live stage."""
        return PublisherSource(publisher, prefetch, isinstance(publisher, Subscribable), recovery == "skips")

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        publisher, prefetch, recovery = parameters
        ahead = "" if prefetch == DEFAULT_PREFETCH else f", prefetch={prefetch}"
        is_default = recovery == ("exact" if isinstance(publisher, Subscribable) else "restarts")
        return f"from_publisher({show(publisher)}{ahead}{written_recovery(None if is_default else recovery)})"
