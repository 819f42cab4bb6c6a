"""`Processor`, in addition to the modules `publisher`, `subscriber` and `subscription`.

Inside the project the interface is imported from `reactivestreams.spec`.
"""

from reactivestreams.spec.processor import Processor

__all__ = ["Processor"]
