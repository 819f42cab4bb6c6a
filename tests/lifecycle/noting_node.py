"""A node that notes its hooks."""

from collections.abc import Callable, Iterable
from typing import Any

from reactivestreams.lifecycle import OperatorSubscription, StatefulNode

Action = Callable[[], object]


class Noting(StatefulNode):
    """Notes its hooks, and acts in them as told."""

    name = "test/noting"

    def __init__(self, *inputs: OperatorSubscription, actions: dict[str, Action] | None = None) -> None:
        self.sources: Iterable[OperatorSubscription] = inputs
        self.actions = {} if actions is None else actions
        self.log: list[str] = []
        self.value = 0

    def _act(self, hook: str) -> None:
        self.log.append(hook)
        self.actions.get(hook, int)()

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        self._act("bind_inputs")
        return self.sources

    def on_context(self, context: Any) -> None:
        self._act("on_context")

    def on_start(self) -> None:
        self._act("on_start")
        self.log.append("on_start returned")

    def on_dispose(self) -> None:
        self._act("on_dispose")

    def save_fields(self, writer: Any) -> None:
        writer.write(self.value)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.value = reader.read(int)


STARTED = ["bind_inputs", "on_context", "on_start", "on_start returned"]
