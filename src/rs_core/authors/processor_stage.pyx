"""The operator inside a processor: an operator written in Python whose hooks are those of the processor.

Roles
    downstream  one thread, once: links the tree and opens it
    drainer     the holder of this stage's token: calls the hooks, and passes on the elements that they emit

An element is taken out of the queue only if there is demand and all elements emitted before have been sent. So elements
that wait for demand wait as input, within `prefetch`; and `capacity` bounds the elements that a single hook emits.
"""

cimport cython
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.sources.publisher cimport PublisherSource
from rs_core.operators.python_operator cimport HOOK_NONE, HOOK_OTHER, STARTED, PythonStage
from rs_core.interp.signal_arguments cimport null_element
from rs_core.ends.subscriber cimport serve_subscriber

from rs_core.errors import StateError


@cython.final
cdef class ProcessorStage(PythonStage):
    """Call the hooks of a processor.

    Args:
        source: The source that receives the upstream's elements.
        prefetch: How many elements may be on their way from the source or wait for the hook.
        capacity: How many elements one hook may emit.
        label: The name of the processor in messages.
    """

    demand = "own"

    def __init__(self, PublisherSource source not None, prefetch, capacity, str label not None):
        self.set_bounds(prefetch, capacity)
        self.replenish_at = self.prefetch - self.prefetch // 4
        self.waits_for_demand = True
        self.label = label
        self.source = source
        self.up = source

    @property
    def name(self) -> str:
        """The class of the processor."""
        return self.label

    def __repr__(self) -> str:
        return self.label

    cdef int serve(self, object processor, object subscriber) except -1:
        """Link the subscriber of the processor; once."""
        self.processor = processor
        self.life.fetch_or(STARTED, memory_order_relaxed)  # relaxed: no signals yet; from now on the last hook is due
        self.source.down = self
        return serve_subscriber(self, subscriber)

    # --- the hooks: under this stage's token ------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        if not self.has_begun and self.source.has_subscription() and not self._begin_hooks():
            return 0
        return PythonStage.send(self, n)

    cdef bint _begin_hooks(self) noexcept:
        """Call the first hook; return False if the stream ends."""
        self.has_begun = True
        self.in_hook = HOOK_OTHER
        self.hook_thread.enter()
        try:
            self.processor.hook_on_subscribe()
        except BaseException as error:
            return self.fail_in_hook(error)
        finally:
            self.hook_thread.leave()
            self.in_hook = HOOK_NONE
        return True

    def on_request(self, n) -> None:
        """Request the first window, because there is demand."""
        if not self.has_asked:
            self.has_asked = True
            self.request_upstream(self.prefetch)

    def on_next(self, element) -> None:
        """Pass an element to the processor; request more after three quarters of a window."""
        self.hook_thread.enter()
        try:
            self.processor.hook_on_next(element)
        finally:
            self.hook_thread.leave()
        self.consumed += 1
        if self.consumed == self.replenish_at:
            self.consumed = 0
            self.request_upstream(self.replenish_at)

    def on_complete(self) -> None:
        """Call the processor's hook for completion; then complete the processor."""
        self.hook_thread.enter()
        try:
            self.processor.hook_on_complete()
        finally:
            self.hook_thread.leave()
        self.end_with(None)  # the first terminal call counts

    def on_error(self, error) -> None:
        """Call the processor's hook for an error; then fail the processor unless it has recovered (§4.2)."""
        self.hook_thread.enter()
        try:
            self.processor.hook_on_error(error)
        finally:
            self.hook_thread.leave()
        if not self.output.is_ending:
            self.fail(error)

    def on_dispose(self) -> None:
        """Call the processor's last hook if it has not ended itself; release it (§3.13)."""
        processor = self.processor
        self.processor = None
        if processor is not None and (not self.output.is_ending or self.output.was_raised):
            processor.hook_on_cancel()

    # --- called by hooks ----------------------------------------------------------------------------------------------

    cdef int emit_in_hook(self, object element) except -1:
        if element is None:
            raise null_element("emit")
        self.require_hook("emit()")
        return self.keep_emitted(element)

    cdef int end_in_hook(self, str call, object error) except -1:
        self.require_hook(call)
        return self.end_with(error)

    cdef int require_hook(self, str call) except -1:
        if not self.hook_thread.is_mine():
            raise StateError(
                f"§1.3: {call} of {self.label} outside its hooks; call it in a hook, in the thread that runs the hook",
                rule="1.3",
            )
        return 0
