"""from_publisher: send the elements of any publisher."""

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import Subscribable
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.spec import Publisher
from rs_core.deferred_functions import refuse_deferred
from rs_core.publisher_source import PublisherSource

DEFAULT_PREFETCH = 1024
"""How many elements may be requested of a publisher and not yet passed on, unless it is told otherwise."""


class FromPublisher(OperatorDefinition):
    """Send the elements of a publisher of any origin, reached through the four interfaces.

    Args:
        publisher: Has `subscribe(subscriber)`; subscribed anew by every subscription.
        prefetch: The most that may be requested of it and not yet passed on, from 1 to 2**24.

    Demand: n requested are n requested of the publisher, but never more than `prefetch` at a time.
    Errors: the publisher's are passed on behind the elements that came before; one that breaks §1.1 or §1.3 is
        cancelled and the stream ends with an error that names the rule.
    State: the elements that came and were not passed on; version 1.0.0.0. Of a publisher that is `Subscribable`, such
        as another stream, the nodes are part of the tree, and saved with it; any other is subscribed anew.
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
    movable = False

    @staticmethod
    def parameters(publisher: Publisher[Any], prefetch: int) -> tuple[Any, int]:
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
        return (
            publisher,
            checked_count(prefetch, operator="from_publisher", name="prefetch", at_least=1, at_most=2**24),
        )

    @staticmethod
    def stage(publisher: Publisher[Any], prefetch: int) -> PublisherSource:
        """Return a new live stage."""
        return PublisherSource(publisher, prefetch, isinstance(publisher, Subscribable))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        publisher, prefetch = parameters
        ahead = "" if prefetch == DEFAULT_PREFETCH else f", prefetch={prefetch}"
        return f"from_publisher({show(publisher)}{ahead})"
