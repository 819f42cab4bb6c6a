"""empty: complete without an element."""

from typing import Any, ClassVar

from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery
from rs_core.sources.basic import EmptySource


class Empty(OperatorDefinition):
    """Complete without an element.

    Demand: none is needed.
    Errors: none.
    State: none but whether it is disposed; version 1.0.0.0.
    Recovery: `exact`.
    Threads: completes in the thread that subscribes.
    Rules: §1.5, §2.9.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.empty().to_list()
        []
    """

    id = "rx://sources/empty"
    method = "empty"
    stage = EmptySource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters() -> Checked[Any]:
        """Return the checked parameters."""
        return Checked(())
