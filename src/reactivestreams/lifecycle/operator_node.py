"""The base of nodes that are written in Python and are no stages."""

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
    """Be a node of an operator tree; documented as a base.

    An operator with one input is best written as a `PythonStage`, which has demand, state and its place in a stream.
    This is for what does not fit there; `MultiInputNode` and `ObserverNode` go further.

    Hooks, all optional: `bind_inputs()`, `on_context(context)`, `on_start()`, `on_dispose()`. Each runs once at most,
    in this order; `on_dispose` also where nothing else ran. A subclass may forget `super().__init__()`.

    Errors: what a hook raises is raised by the phase that runs it; what `on_dispose` raises goes to the hook for
    dropped signals.

    Threads: the phases by the host; `dispose` by any, also from inside a hook. `on_start` and
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

    # These begin with `_node_`, so that a subclass may give most names to what is its own.
    _node_life: NodeLife
    _node_inputs: Iterable[OperatorSubscription]
    _node_context: Any

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self:
        """Make a node; the constructor is the subclass's own business."""
        node = super().__new__(cls)
        node._node_life = NodeLife()
        node._node_inputs = ()
        node._node_context = None
        return node

    # --- hooks ----------------------------------------------------------------------------------------------------

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        """Return the handles of the inputs, such as `stream.bind(...)` returns; a composite where they come and go."""
        return ()

    def on_context(self, context: Any) -> None:
        """Take what the host provides; `self.context` has it too."""

    def on_start(self) -> None:
        """Begin."""

    def on_dispose(self) -> None:
        """Clean up; the inputs were disposed before."""

    # --- the life cycle ---------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Iterable[OperatorSubscription]:
        """The upstream subscriptions; empty before `subscribe`, kept after `dispose`."""
        return self._node_inputs

    @property
    def context(self) -> Any:
        """What the host handed to this node; None before that, and without a host."""
        return self._node_context

    @property
    def trace(self) -> OperatorTrace | None:
        """What to log with: the host's trace, with this node in its path; None where the host wants no messages."""
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
        """Take what the host provides, once. Runs `on_context`."""
        if self._node_life.begin_context():
            self._node_take_context(context)

    def start(self) -> None:
        """Begin, once, unless it was disposed. Runs `on_start`; what that raises is raised here."""
        if not self._node_life.begin_start():
            return
        try:
            self._node_begin()
        finally:
            if self._node_life.end_start():
                self._node_tear_down()

    def dispose(self) -> None:
        """Dispose the inputs, then clean up; idempotent. Runs `on_dispose`, or has the thread that starts do so."""
        if self._node_life.begin_dispose():
            self._node_tear_down()

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Have a visitor visit this node, disposed or not."""
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
