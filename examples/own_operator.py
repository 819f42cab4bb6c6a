"""Write an operator in Python: one class with `on_next`, used with `lift`.

An element is answered by one `emit` or by none; demand, order, errors and cancellation are the base class's work.

Prints:
    [3, 7, 8]
"""

from reactivestreams import Stream
from rs_core.operators.python_operator import PythonStage


class OnlyRecords(PythonStage):
    """Pass on an element that is greater than all before it."""

    name = "example/only_records"

    def __init__(self) -> None:
        self.best: int | None = None

    def on_next(self, element: int) -> None:
        if self.best is None or element > self.best:
            self.best = element
            self.emit(element)


print(Stream.just(3, 1, 7, 7, 2, 8, 5).lift(OnlyRecords).to_list())
