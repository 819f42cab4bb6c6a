"""A subscription without content that counts what is done to it."""

from collections.abc import Callable
from typing import Any


class CountedSubscription:
    """Counts visits and disposals; does what it is told inside of a disposal. A node without inputs."""

    inputs = ()

    def __init__(self, name: str = "", *, on_dispose: Callable[[], object] | None = None) -> None:
        self.name = name
        self.disposals = 0
        self.visits = 0
        self.on_dispose = on_dispose

    def accept(self, visitor: Any, /) -> None:
        self.visits += 1
        visitor.visit(self)

    def subscribe(self) -> None: ...

    def set_context(self, context: Any, /) -> None: ...

    def start(self) -> None: ...

    def dispose(self) -> None:
        self.disposals += 1
        if self.on_dispose is not None:
            self.on_dispose()

    def __repr__(self) -> str:
        return f"<{self.name or 'subscription'}>"


class Noting:
    """A visitor that notes what it visits, and goes no further."""

    def __init__(self) -> None:
        self.visited: list[Any] = []

    def visit(self, node: Any, /) -> None:
        self.visited.append(node)


def visited(subscription: Any) -> list[Any]:
    """Return what a visitor is shown behind a subscription."""
    noting = Noting()
    subscription.accept(noting)
    return noting.visited
