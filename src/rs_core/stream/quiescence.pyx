"""Keeps the nodes of a tree from moving while they are saved, so that their records are of one moment."""

cimport cython

from libc.stdint cimport int64_t

from rs_core.stream.subscription cimport Stage

from rs_core.dropped import dropped

__all__ = ["Quiescence", "WatchedNodes", "changed_places"]


@cython.final
cdef class WatchedNodes:
    """The nodes of a tree, as they were when it was last saved, to be asked in every pause whether one has changed.

    A node that came since then has changed the node that it is an input of. Once all were found to be stored, a stage
    that nobody has saved again can only differ by its own flags, so that nothing of Python is asked for it.

    Args:
        nodes: Nodes with state, of any kind.

    Threads: one at a time, while nothing flows.
    """

    cdef list stages, others
    cdef int64_t stored_saves            # how often the stages had been saved when all were stored; -1: never seen

    def __init__(self, nodes):
        self.stages, self.others = [], []
        self.stored_saves = -1
        for node in nodes:
            (self.stages if isinstance(node, Stage) else self.others).append(node)

    def has_changed(self) -> bool:
        """Return whether one of them has state that is not yet stored. Never runs user code but for foreign nodes."""
        return self.differ()

    cdef bint differ(self) except -1:
        cdef Stage stage
        cdef int64_t saves = 0
        for node in self.stages:
            stage = <Stage>node
            if stage.changed or stage.differs_from_saved():
                return True
            saves += stage.saves
        for node in self.others:
            if node.state_changed:
                return True
        if saves == self.stored_saves:
            return False
        for node in self.stages:
            stage = <Stage>node
            if stage.changes is None or stage.changes.state_changed:
                return True
        self.stored_saves = saves
        return False


def changed_places(list trees not None) -> list[int]:
    """Return the places in a list of `WatchedNodes` of those that have changed, for hosts of thousands of trees."""
    cdef Py_ssize_t place
    return [place for place in range(len(trees)) if (<WatchedNodes?>trees[place]).differ()]


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
