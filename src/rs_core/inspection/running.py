"""Which streams run in this process. Nothing is registered for that: the collector's list of objects has them."""

import gc

from rs_core.stream.subscription import Stage, root_below

__all__ = ["running"]


def running() -> list[Stage]:
    """Return the ends of the streams that run in this process, whoever holds them.

    It looks at every object that the collector knows: some 50 ms for each million of them. A stream that ends while it
    looks may be among the result.

    Returns:
        One end for each subscription, for `explain` and `diagnose`.

    Threads: any; never runs user code.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> handle in running()
        True
        >>> handle.cancel()
        >>> handle in running()
        False
    """
    stages: list[Stage] = [each for each in gc.get_objects() if issubclass(type(each), Stage)]
    ends = [each for each in stages if root_below(each) is each]
    inner = {id(above) for each in stages for above in each.inputs}  # of a stream that another one has bound
    return [each for each in ends if id(each) not in inner]
