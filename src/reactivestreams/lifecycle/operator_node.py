"""The base of nodes that are written in Python and are not stages."""

from collections.abc import Iterable
from typing import Any, Self

from reactivestreams.dropped import dropped
from reactivestreams.lifecycle.node_life import NodeLife
from reactivestreams.lifecycle.operator import Operator
from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription
from reactivestreams.lifecycle.subscriptions import CompositeSubscription, dispose_all
from reactivestreams.lifecycle.trace import OperatorTrace
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["OperatorNode"]


@refuses_deferred_hooks("and await in a task of the event loop", generators=("bind_inputs", "sources"))
class OperatorNode(Operator):
    """A node of an operator tree; documented as a base.

    Write an operator with one input as a `PythonStage`, which has demand, state and its place in a stream. This class
    is for other nodes; `MultiInputNode` and `ObserverNode` provide more.

    Hooks, all optional: `bind_inputs()`, `on_context(context)`, `on_start()`, `on_dispose()`. Each runs at most once,
    in this order; `on_dispose` runs even if no other hook ran. A subclass need not call `super().__init__()`.

    Errors: the exception of a hook is raised by the phase that runs it; an exception of `on_dispose` is passed to the
    hook for dropped signals.

    Threads: the host runs the phases; `dispose` may be called in any thread, also inside a hook. `on_start` and
    `on_dispose` do not overlap.

    Example:
        >>> from reactivestreams.lifecycle import initialize_tree
        >>> class Alarm(OperatorNode):
        ...     def on_start(self):
        ...         print("armed")
        ...
        ...     def on_dispose(self):
        ...         print("off")
        >>> alarm = Alarm()
        >>> initialize_tree(alarm, None)
        armed
        >>> alarm.dispose()
        off
    """

    # These names begin with `_node_`, so that they do not conflict with those of a subclass.
    _node_life: NodeLife
    _node_inputs: Iterable[OperatorSubscription]
    _node_context: Any

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self:
        """Make a node; the subclass defines its constructor."""
        node = super().__new__(cls)
        node._node_life = NodeLife()
        node._node_inputs = ()
        node._node_context = None
        return node

    # --- hooks ----------------------------------------------------------------------------------------------------

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        """Return the handles of the inputs, such as results of `stream.bind(...)`; use a composite if they change."""
        return ()

    def on_context(self, context: Any) -> None:
        """Handle the context of the host, which is also `self.context`."""

    def on_start(self) -> None:
        """Start."""

    def on_dispose(self) -> None:
        """Clean up, after the inputs were disposed."""

    # --- the life cycle ---------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Iterable[OperatorSubscription]:
        """The upstream subscriptions; empty before `subscribe`, kept after `dispose`."""
        return self._node_inputs

    @property
    def context(self) -> Any:
        """The context of the host; None before `set_context`, and without a host."""
        return self._node_context

    @property
    def trace(self) -> OperatorTrace | None:
        """The logger: the host's trace with this node in its path, or None."""
        trace: OperatorTrace | None = getattr(self._node_context, "trace", None)
        return None if trace is None else trace.at(self)

    @property
    def is_disposed(self) -> bool:
        """Whether this node was disposed."""
        return self._node_life.is_disposed

    def subscribe(self) -> None:
        """Make the inputs, once. Runs `bind_inputs`."""
        if not self._node_life.begin_subscribe():
            return
        inputs = self.bind_inputs()
        self._node_inputs = inputs if isinstance(inputs, CompositeSubscription) else tuple(inputs)
        if self._node_life.is_disposed:  # who disposed it may not have seen them
            self._node_dispose_inputs()

    def set_context(self, context: Any, /) -> None:
        """Store the context of the host, once. Runs `on_context`."""
        if self._node_life.begin_context():
            self._node_take_context(context)

    def start(self) -> None:
        """Start, once, unless it was disposed. Runs `on_start`, and raises its exceptions."""
        if not self._node_life.begin_start():
            return
        try:
            self._node_begin()
        finally:
            if self._node_life.end_start():
                self._node_tear_down()

    def dispose(self) -> None:
        """Dispose the inputs, then clean up; idempotent. `on_dispose` runs here or in the starting thread."""
        if self._node_life.begin_dispose():
            self._node_tear_down()

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Call the visitor with this node, disposed or not."""
        visitor.visit(self)

    # --- what the bases below override ------------------------------------------------------------------------------

    def _node_take_context(self, context: Any) -> None:
        self._node_context = context
        self.on_context(context)

    def _node_begin(self) -> None:
        self.on_start()

    def _node_tear_down(self) -> None:
        try:
            self._node_dispose_inputs()
        finally:
            try:
                self.on_dispose()
            except Exception as error:  # §3.15: who disposes is not to blame
                dropped("on_dispose", error, origin=type(self).__name__)

    def _node_dispose_inputs(self) -> None:
        inputs = self._node_inputs
        dispose_all([inputs] if isinstance(inputs, CompositeSubscription) else inputs, origin=type(self).__name__)
