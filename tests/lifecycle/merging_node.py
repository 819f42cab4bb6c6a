"""An operator with any number of inputs that passes on what comes."""

from collections.abc import Callable, Iterable
from typing import Any

from reactivestreams.lifecycle import MultiInputNode, Subscribable, initialize_tree

Action = Callable[[], object]


class Merging(MultiInputNode[Any]):
    """Sends the elements of all inputs as they come, and acts in its hooks as told."""

    name = "test/merging"
    capacity = 4

    def __init__(
        self, subscriber: Any, *streams: Subscribable, actions: dict[str, Action] | None = None, window: int = 1
    ) -> None:
        super().__init__(subscriber)
        self.streams = streams
        self.actions = {} if actions is None else actions
        self.window = window
        self.disposals = 0

    def sources(self) -> Iterable[Subscribable]:
        return self.streams

    def _act(self, hook: str) -> None:
        self.actions.get(hook, int)()

    def on_start(self) -> None:
        for index in range(len(self.streams)):
            self.request_input(index, self.window)
        self._act("on_start")

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)
        self._act("on_next")
        self.request_input(index, 1)

    def on_request(self, n: int) -> None:
        self._act("on_request")

    def on_complete(self, index: int) -> None:
        self._act("on_complete")
        super().on_complete(index)

    def on_dispose(self) -> None:
        self.disposals += 1


def bound(node: MultiInputNode[Any]) -> MultiInputNode[Any]:
    initialize_tree(node, None)
    return node
