"""Elements as bytes during a shuffle.

The bytes exist within one action and are read by the same version of the same code. So Spark's serializers are used,
which run code of the elements' classes, as in every shuffle of Python objects on Spark. State is never stored in this
form.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["payload_reader", "payload_writer"]


def payload_writer() -> Callable[[Any], bytes]:
    """Return a function from an element to its bytes."""
    from pyspark.serializers import CloudPickleSerializer, PickleSerializer

    quick: Callable[[Any], bytes] = PickleSerializer().dumps
    thorough: Callable[[Any], bytes] = CloudPickleSerializer().dumps

    def write(element: Any) -> bytes:
        try:
            return quick(element)
        except Exception:
            # Classes and functions of the user's script cannot be imported; cloudpickle sends them by value.
            return thorough(element)

    return write


def payload_reader() -> Callable[[bytes], Any]:
    """Return a function from an element's bytes to the element."""
    from pyspark.serializers import PickleSerializer

    read: Callable[[bytes], Any] = PickleSerializer().loads
    return read
