"""Keeps the nodes of a tree from moving while they are saved, so that their records are of one moment."""

cimport cython

from rs_core.stream.subscription cimport Stage

from rs_core.dropped import dropped

__all__ = ["Quiescence", "has_changed"]


def has_changed(list nodes not None) -> bool:
    """Return whether one of the nodes has state that is not yet stored. Never runs user code but for foreign nodes.

    The same as asking each for `state_changed`, for hosts that ask many thousands of nodes in every pause.

    Args:
        nodes: Nodes with state, of any kind.
    """
    cdef Stage stage
    for node in nodes:
        if not isinstance(node, Stage):
            if node.state_changed:
                return True
            continue
        stage = <Stage>node
        if stage.changed or stage.differs_from_saved():
            return True
        changes = stage.changes
        if changes is None or changes.state_changed:
            return True
    return False


@cython.final
cdef class Quiescence:
    """Holds nodes as they are, from `hold` to the end of the `with` statement: nothing is sent, ended or torn down.

    What other threads, or the code that saves, push, request or cancel meanwhile is done at the end, in this thread or
    on the stream's scheduler.

    Threads: one, from the first call to the end.
    """

    cdef list held

    def __cinit__(self):
        self.held = []

    def hold(self, node) -> bool:
        """Hold a node of any kind; False: elements flow through it, and it is not held. Never runs user code.

        A node that is no stage is not held, and True is returned: it has a protocol of its own.
        """
        if not isinstance(node, Stage):
            return True
        if not (<Stage>node).quiesce():
            return False
        self.held.append(node)
        return True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        cdef Stage stage
        interrupt = None
        while self.held:
            stage = self.held.pop()
            try:
                stage.unquiesce()
            except BaseException as trouble:  # of what was drained here: the first is raised when all are released
                if interrupt is None:
                    interrupt = trouble
                else:
                    dropped("raise", trouble, origin=stage.name)
        if interrupt is not None:
            raise interrupt
