"""A queue whose tasks run in the call that schedules them.

A ready item belongs to the thread that made it ready, which is about to run it; a parked one belongs to no thread. So
two threads never run one item, and no thread runs an item that another one scheduled.
"""

cimport cython
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.scheduling.serial_queue cimport SerialQueue, raise_first
from rs_core.scheduling.task_tree cimport PARKED, READY, RUNNING, TreeNode, WorkItem, new_item

__all__ = ["InlineQueue"]


@cython.final
cdef class InlineQueue(SerialQueue):
    """The queue of a scheduler that runs tasks in the calling thread.

    Args:
        physical: The physical scheduler, which handles exceptions.
    """

    def run_now(self, TreeNode node not None, task, Py_ssize_t capacity, /):
        """Run a task until it is done or has no work; if the node is paused, park it. Always runs user code.

        Args:
            node: The node of the scheduler of the task.
            task: The task.
            capacity: How many tasks of this node may wait.

        Returns:
            The item, if it was accepted, else `REFUSED_DISPOSED` or `REFUSED_FULL`.
        """
        cdef WorkItem item = new_item(node, task)
        admitted = self.admitted(item, 0, 0, capacity)
        if admitted is item:
            self.run_here(item)
        return admitted

    def run_parked(self, TreeNode node not None, bint with_children, /) -> None:
        """Run the waiting tasks of a node that have work now. Always runs user code.

        An exception of one of them is raised after all have run. Another BaseException, such as KeyboardInterrupt, is
        raised immediately; the tasks after it keep waiting.
        """
        cdef list items = [], failures = []
        cdef TreeNode each = node
        cdef WorkItem item
        cdef bint is_mine
        with cython.critical_section(self):
            self.mark_stale(node, with_children)
            while each is not None:
                item = each.first
                while item is not None:
                    items.append(item)
                    item = item.after
                each = each.next_below(node) if with_children else None
        for item in items:
            with cython.critical_section(self):
                # relaxed: in the section
                is_mine = item.place == PARKED and item.node.status.load(memory_order_relaxed) == RUNNING
                if is_mine:
                    item.place = READY
            if is_mine:
                try:
                    self.run_here(item)
                except BaseException as raised:
                    failures.append((raised, item.node.scheduler.name))
                    if not isinstance(raised, Exception):
                        break
        raise_first(failures)

    cdef int run_here(self, WorkItem item) except -1:
        """Run turns of an item that this thread made ready."""
        cdef bint is_mine
        cdef int64_t now = self.now()
        while True:
            with cython.critical_section(self):
                is_mine = item.place == READY
                if is_mine:
                    if item.node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                        self.start(item)
                    else:
                        item.place = PARKED
                        is_mine = False
            if not is_mine:
                return 0
            now = self.run_item(item, now)

    cdef int make_ready(self, WorkItem item) except -1:
        item.place = READY
        return 0

    cdef int ask_node(self, TreeNode node) except -1:
        return 0  # the caller that continues or recalculates asks in its own thread

    cdef int ask_again(self, WorkItem item) except -1:
        # relaxed: in the section
        if item.place == PARKED and item.node.status.load(memory_order_relaxed) == RUNNING:
            item.place = READY  # `run_here`, which ran this turn, asks again
        return 0

    cdef bint try_enqueue(self) noexcept:
        return False
