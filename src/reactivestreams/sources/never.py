"""never: send no signal."""

from typing import Any, ClassVar

from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery
from rs_core.sources.basic import NeverSource


class Never(OperatorDefinition):
    """Send no element and never end.

    Demand: is accumulated and never fulfilled.
    Errors: none.
    State: none but whether it is disposed; version 1.0.0.0.
    Recovery: `exact`.
    Threads: none.
    Rules: §3.12.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.never().take(0).to_list()
        []
    """

    id = "rx://sources/never"
    method = "never"
    stage = NeverSource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters() -> Checked[Any]:
        """Return the checked parameters."""
        return Checked(())
