"""Elements as bytes while Spark moves them between tasks.

They exist within one action only and are read by the same version of the same code, so Spark's own serializers are
used, which run code of the elements' classes as every shuffle of Python objects on Spark does. No state is ever kept in
this form.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["payload_reader", "payload_writer"]


def payload_writer() -> Callable[[Any], bytes]:
    """Return the function from an element to its bytes."""
    from pyspark.serializers import CloudPickleSerializer, PickleSerializer

    quick: Callable[[Any], bytes] = PickleSerializer().dumps
    thorough: Callable[[Any], bytes] = CloudPickleSerializer().dumps

    def write(element: Any) -> bytes:
        try:
            return quick(element)
        except Exception:
            # Classes and functions of the user's script have no module to be found in; the thorough way sends them
            # whole.
            return thorough(element)

    return write


def payload_reader() -> Callable[[bytes], Any]:
    """Return the function from an element's bytes to the element."""
    from pyspark.serializers import PickleSerializer

    read: Callable[[bytes], Any] = PickleSerializer().loads
    return read
