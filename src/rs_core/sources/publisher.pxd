# A source whose elements come from a publisher of any library. The argument is in sources/publisher.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.ends.subscriber cimport SubscriberStage
from rs_core.scheduling.task_tree cimport TreeNode
from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport DemandOwner
from rs_core.sync.exclusive_use cimport ExclusiveUse


cdef enum Link:
    NOT_LINKED = 0   # no subscription was received
    LINKED = 1       # `subscription` was written
    UNLINKED = 2     # torn down: the thread that brings a subscription cancels it


cdef class PublisherSource(QueueStage):
    cdef object publisher        # None: the signals arrive without a subscribe call
    cdef bint skips              # after a recovery
    cdef int64_t passed          # elements passed on, including those before a recovery; drainer
    cdef int64_t to_skip         # of those, how many the publisher must still send again; drainer
    cdef bint is_bound           # its subscription is a node of the tree, `branch`
    cdef str label               # the owner of a source without a description, for messages
    cdef object subscription
    cdef gil_uint32 is_claimed   # a thread writes, or has written, `subscription`
    cdef gil_uint32 link         # a Link
    cdef gil_int64 credit        # requested and not yet received
    cdef int64_t outstanding            # requested and not yet passed on; drainer
    cdef int64_t turn_left       # remaining elements in turns of other tasks, see Turns; holder of the token
    cdef bint passes_at_once     # elements go past the ring where nothing waits in it, see Past the ring
    cdef TreeNode host           # of its scheduler, whose tasks send these elements; None: it has none
    cdef ExclusiveUse signalling

    # The publisher's side: any thread, one signal at a time (§1.3).
    cdef int accept_subscription(self, object subscription) except -1
    cdef int accept_element(self, object element) except -1
    cdef int accept_end(self, str signal, object error) except -1

    cdef object new_input(self)                 # the subscriber of the publisher
    cdef bint has_subscription(self) noexcept   # any thread
    cdef str receiver(self)
    cdef str sender(self)
    cdef int _refuse_subscription(self, object subscription) except -1
    cdef int _drop_late(self, object element) except -1
    cdef object _unreleased_publisher(self)
    cdef int _begin_failed(self, str call, object error) except -1
    cdef void _dispose_branch(self, object branch) noexcept
    cdef int _overlap(self, str signal) except -1
    cdef bint _skip(self) noexcept
    cdef bint _may_pass_at_once(self, SubscriberStage branch) except -1
    cdef bint _pass_at_once(self, PyObject* element) except -1   # steals it; False: nothing was done
    cdef int64_t _missing(self, int64_t wanted) noexcept         # how many to request now
    cdef void _replenish(self, int64_t sent) noexcept


cdef int drain_in_turn_here(DemandOwner owner, int64_t* left) except -1
