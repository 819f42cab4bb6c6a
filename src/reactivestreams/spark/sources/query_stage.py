"""The operator after the elements of a query: it passes them on, and refuses to be saved."""

from typing import Any

from reactivestreams.errors import StateError
from reactivestreams.spark.sources.query_elements import IDLE
from rs_core.operators.python_operator import PythonStage

__all__ = ["QueryStage"]


class QueryStage(PythonStage[Any, Any]):
    """Pass on the elements of a query and leave `IDLE` out.

    Saved state would not match the checkpoint, which advances independently: a stream that loads it would count
    elements twice or leave some out.

    Args:
        label: Names the query.

    Demand: as requested.
    Errors: the query's are passed on.
    State: none: saving raises StateError until the stream has ended. Version 1.0.0.0.
    """

    name = "rx://spark/from_query"

    def __init__(self, label: str) -> None:
        self.label = label
        self.has_ended: bool = False
        self.is_idle: bool = False

    def on_next(self, element: Any) -> None:
        """Pass an element on."""
        self.is_idle = element is IDLE
        if not self.is_idle:
            self.emit(element)

    def inspect(self) -> dict[str, Any]:
        """Return what is known of this node, as `Stage.inspect` does, and whether Spark has no rows for it."""
        facts = super().inspect()
        if self.is_idle:
            facts["waits_outside"] = (
                f"the streaming query {self.label} runs, and Spark has found no new rows in its source",
                (
                    "let something write to that source, wait for the next interval of the trigger, bound the stream "
                    'with take_for() or take_until(), or read what is there with trigger="available_now"'
                ),
            )
        return facts

    def on_dispose(self) -> None:
        """Record the end."""
        self.has_ended = True

    def save_fields(self, writer: Any) -> None:
        """Refuse before the end.

        Raises:
            StateError: The stream has not ended.
        """
        if not self.has_ended:
            raise StateError(
                f"the stream of the streaming query {self.label} cannot be saved: the query's checkpoint is its state, "
                "and advances independently; subscribe again to continue from the checkpoint, and store results by "
                "MicroBatch.batch_id, or put operators with state into the query by spark.apply(pipeline, df)"
            )

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Record that the stream had ended; only ended streams are saved."""
        self.has_ended = True
