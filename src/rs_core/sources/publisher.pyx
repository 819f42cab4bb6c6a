"""A source whose elements come from a publisher of any library, through the four interfaces.

Roles
    publisher   any thread, one signal at a time (§1.3): puts elements into the ring
    drainer     the holder of this owner's token: takes them out, requests, cancels; so `request` and `cancel` of the
                publisher's subscription are serial (§2.7)

Elements that arrive while the drainer requests, e.g. from a publisher that emits inside `request`, wait in the ring and
are passed on when `request` has returned: nothing nests (§3.3).

Bound: no more than `prefetch` elements are requested and not yet passed on, for any downstream demand.

Ordering: of several threads that bring a subscription, the one whose exchange of `is_claimed` finds 0 may write
`subscription`. It then exchanges `link` to LINKED, and teardown exchanges it to UNLINKED: the second one sees the
other's writes, and cancels; so exactly one of them does. Queue and end of the input: as in queue_stage.pyx. A branch,
the handle that `bind` returns, is stored in a critical section in which attach() checks that `publisher` is still set;
release() takes both in one such section. So the second one sees the other's writes, and disposes: exactly one of them
does. tests/interleavings/test_branch_model.py explores it, with each step broken.

Turns: a branch runs in tasks of the same host as its source. Elements from such a task are passed on immediately, in
the turn of that task; but after TURN_ELEMENTS elements, or as many calls, the source waits for its own turn, and with
it the branch, from which no more is requested meanwhile. Otherwise two that answer each other immediately would keep
the scheduler from all other tasks.

Past the ring: what a subject sends to a source that is bound to it goes past the ring, as in Fan-out of
stream/subscription.pyx, if nothing waits there, there is demand and nobody drains: the branch is the only producer, and
has its own token while it sends. Under a host that is the turn of a task of this scheduler, since nothing else drains
the branch, and in variables equal to those of this source, since the branch calls no function that could set one. Once
the host pauses, what comes waits in the ring. Where more is to be requested, the source drains, and so requests.

Without a publisher the signals come from any sender that got the owner of this source as a subscriber. They may arrive
before the source is opened: a subscription and a terminal signal wait, elements break rule 1.1.
"""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from rs_core.demand cimport demand_add, demand_take
from rs_core.interp.calls cimport decref, incref
from rs_core.interp.object_handoff cimport handoff_reference
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.sync.exclusive_use cimport exclusive_enter, exclusive_leave
from rs_core.interp.signal_arguments cimport as_exception, null_element, null_error, null_subscription
from rs_core.queues.spsc_ring cimport spsc_offer, spsc_poll, spsc_size
from rs_core.stream.subscription cimport (
    ACCEPTED, LEAVE, TERMINAL, TURN_ELEMENTS, DemandOwner, FanOut, begin_past_queue, count, drain_as_consumer,
    end_past_queue, push, release_failed, turn_here,
)
from rs_core.scheduling.task_tree cimport RUNNING, TreeNode
from rs_core.ends.subscriber cimport CompiledSubscriber, SubscriberStage, describe
from rs_core.sync.turns cimport Turn, turn_of_task

from rs_core.dropped import dropped
from rs_core.errors import DemandExceededError, SignalOverlapError, StateError


cdef class PublisherSource(QueueStage):
    """Send the elements of a publisher.

    Args:
        publisher: The publisher, with `subscribe(subscriber)`; None: the signals arrive without a subscribe call.
        prefetch: How many elements may be requested and not yet passed on.
        is_bound: Whether the publisher has `bind(subscriber)`, which returns the handle of a subscription: it becomes
            the input of this source, which visitors reach, and shares its life cycle.
        skips: Whether the publisher sends the same elements to each subscriber: a loaded source skips as many as were
            passed on before.

    Errors: signals that overlap end the stream with SignalOverlapError (§1.3), more elements than were requested
    with DemandExceededError (§1.1).
    State: elements that arrived and were not passed on, or, if it skips, how many were passed on; after recovery it
    subscribes to the publisher again.
    """

    def __init__(self, publisher, prefetch, is_bound=False, skips=False):
        QueueStage.__init__(self, prefetch)
        self.skips = skips
        self.publisher = publisher
        self.is_bound = is_bound
        self.is_concurrent = True
        self.is_claimed.store(0, memory_order_relaxed)
        self.link.store(NOT_LINKED, memory_order_relaxed)
        self.credit.store(0, memory_order_relaxed)
        self.turn_left = TURN_ELEMENTS

    @property
    def name(self) -> str:
        """The operator's id; without a description, the name of the owner."""
        return self.label if self.description is None else self.description.definition.id

    cdef str receiver(self):
        """The receiver of the elements, for messages."""
        return describe(self.description) if self.label is None else self.label

    cdef str sender(self):
        """The sender of the elements, for messages."""
        publisher = self.publisher
        return "the publisher" if publisher is None else safe_repr(publisher)

    cdef int attach(self) except -1:
        QueueStage.attach(self)
        publisher = self._unreleased_publisher()
        if publisher is None or not self.is_bound:
            return 0
        try:
            branch = publisher.bind(self.new_input())
        except Exception as error:
            return self._begin_failed("bind", error)
        with cython.critical_section(self):
            self.branch = branch
            is_late = self.publisher is None
        if is_late:
            self._dispose_branch(branch)
            return self._raise_fatal()
        return 0

    cdef int begin(self) except -1:
        self.outstanding = <int64_t>spsc_size(self.slots)
        publisher = self._unreleased_publisher()
        if publisher is None:
            return 0
        if self.is_bound:
            self.passes_at_once = isinstance(self.branch, SubscriberStage) and self._may_pass_at_once(self.branch)
            return 0
        try:
            publisher.subscribe(self.new_input())
        except Exception as error:  # §1.9 allows it only for None; the stream must end nevertheless
            return self._begin_failed("subscribe", error)
        return 0

    cdef bint _may_pass_at_once(self, SubscriberStage branch) except -1:
        """Whether a branch sends in the turn and the variables in which this source would; see Past the ring."""
        cdef DemandOwner sender
        if branch.up is None or not branch.up.is_owner:
            return False  # functions of operators might set variables
        sender = <DemandOwner>branch.up
        if not sender.is_forwarding or sender.scheduler is not self.scheduler:
            return False
        if self.scheduler is None:
            return True
        node = getattr(self.scheduler, "node", None)
        if not isinstance(node, TreeNode) or sender.variables != self.variables:
            return False
        self.host = <TreeNode>node
        return True

    cdef object new_input(self):
        return PublisherInput(self)

    cdef object _unreleased_publisher(self):
        with cython.critical_section(self):  # another thread may cancel and release it now
            publisher = self.publisher
        return publisher

    cdef int _begin_failed(self, str call, object error) except -1:
        if self.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: it may be cancelled meanwhile
            release_failed(self, call, error, self.receiver())
        else:
            self.fail_at(self, error)  # no thread drains yet: the note is read when the tree is opened
        return 0

    cdef int schedule_drain(self) except -1:
        return drain_in_turn_here(self, &self.turn_left) if self.is_bound else DemandOwner.schedule_drain(self)

    # --- the publisher's thread ---------------------------------------------------------------------------------

    cdef bint has_subscription(self) noexcept:
        # acquire: pairs with the exchange in accept_subscription(); otherwise `subscription` may not be seen
        return self.link.load(memory_order_acquire) != NOT_LINKED

    cdef int accept_subscription(self, object subscription) except -1:
        # acq_rel: only one of several threads continues; a publisher's second attempt and a second publisher look alike
        if self.is_claimed.exchange(1, memory_order_acq_rel):
            return self._refuse_subscription(subscription)  # §2.5
        # relaxed: a hint; an ended stream needs no elements
        if self.state.load(memory_order_relaxed) & TERMINAL:
            return self._refuse_subscription(subscription)
        if isinstance(subscription, SubscriberStage):
            drain_as_consumer(subscription)
        self.subscription = subscription
        # acq_rel: see Ordering
        if self.link.exchange(LINKED, memory_order_acq_rel) == UNLINKED:
            self.subscription = None
            return self._refuse_subscription(subscription)
        return self.notify()

    cdef int _refuse_subscription(self, object subscription) except -1:
        try:
            subscription.cancel()
        except Exception as error:  # §3.15 forbids it
            dropped("cancel", error, origin=self.receiver())
        return 0

    cdef int accept_element(self, object element) except -1:
        cdef bint is_legal
        if self.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: a hint that avoids using the ring
            return self._drop_late(element)
        if not exclusive_enter(self.signalling):
            return self._overlap("on_next")
        # acquire: pairs with the release in accept_end(), which the same publisher called before
        if self.input_ended.load(memory_order_acquire):
            exclusive_leave(self.signalling)
            return self._drop_late(element)
        # acq_rel: the drainer adds credit before it requests, so a legal element always finds it
        is_legal = self.credit.fetch_sub(1, memory_order_acq_rel) > 0
        if is_legal and self.passes_at_once and spsc_size(self.slots) == 0:
            exclusive_leave(self.signalling)
            if self._pass_at_once(<PyObject*>element):
                return 0
            if not exclusive_enter(self.signalling):
                return self._overlap("on_next")
        if is_legal:
            spsc_offer(self.slots, handoff_reference(<PyObject*>element))  # never full: credit never exceeds capacity
        exclusive_leave(self.signalling)
        if not is_legal:
            return self.refuse_request(DemandExceededError(
                f"§1.1: {self.sender()} sent {safe_repr(element)} without demand for it, to {self.receiver()}; "
                f"a publisher may send only what was requested"
            ))
        return self.notify()

    cdef int _drop_late(self, object element) except -1:
        """Drop a late element: legal after cancel() (§2.8), but not after the publisher's terminal signal (§1.7)."""
        # acquire: pairs with the release in accept_end(), which the same publisher called before
        if self.input_ended.load(memory_order_acquire):
            dropped("on_next", element, origin=self.receiver())
        return 0

    cdef int accept_end(self, str signal, object error) except -1:
        cdef bint is_late
        if not exclusive_enter(self.signalling):
            return self._overlap(signal)
        # relaxed: a hint, as in accept_element(). acquire: as there
        is_late = self.state.load(memory_order_relaxed) & TERMINAL or self.input_ended.load(memory_order_acquire)
        if not is_late:
            self.input_error = as_exception(error)
            self.input_ended.store(1, memory_order_release)  # release: pairs with the acquire in finish_if_ended()
        exclusive_leave(self.signalling)
        if not is_late:
            return self.notify()
        if error is not None:
            dropped(signal, error, origin=self.receiver())  # as in accept_element()
        return 0

    cdef int _overlap(self, str signal) except -1:
        return self.refuse_request(SignalOverlapError(
            f"§1.3: {self.sender()} called {signal} while another of its signals was running, at {self.receiver()}; "
            f"a publisher must signal one at a time"
        ))

    cdef bint _pass_at_once(self, PyObject* element) except -1:
        cdef FanOut fan_out
        # relaxed: the demand is looked at again; a pause that begins now waits for the turn
        if self.demand_word.load(memory_order_relaxed) == 0 or self.loops is not None:
            return False
        # relaxed: as above
        if self.host is not None and self.host.status.load(memory_order_relaxed) != RUNNING:
            return False
        if not begin_past_queue(&fan_out, self):
            return False
        if self.turn_left <= 0 or self.to_skip:
            end_past_queue(&fan_out, self)
            return False
        self.turn_left -= self.host is not None
        self.changed = True
        self.outstanding -= 1
        self.passed += 1
        demand_take(self.demand_word, 1)  # before it is sent: who gets it may ask what is wanted
        incref(element)
        if push(self, element) != ACCEPTED:
            demand_add(self.demand_word, 1)
        # relaxed: only a hint that something is to be requested, which drain() finds out
        if self._missing(self.demand_word.load(memory_order_relaxed)):
            self.mark_missed()
        end_past_queue(&fan_out, self)
        return True

    # --- the drainer --------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef int64_t passed = 0
        cdef PyObject* element
        if self.to_skip and not self._skip():
            return 0
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if sent == n:
                self.finish_if_ended()
                break
            element = spsc_poll(self.slots)
            if element is NULL:
                if not self.finish_if_ended():
                    self._replenish(sent)
                break
            self.changed = True
            self.outstanding -= 1
            passed += 1
            if push(self, element) == ACCEPTED:
                sent += 1
            if self.outstanding == self.prefetch - self.replenish_at and not self.should_leave():
                self._replenish(sent)  # while there are still elements, so that the publisher need not pause
        self.turn_left -= sent
        self.passed += passed
        return sent

    cdef bint _skip(self) noexcept:
        """Skip the elements passed on before the state was saved; return False to leave, or if more must arrive."""
        cdef PyObject* element
        while self.to_skip and not self.should_leave():
            element = spsc_poll(self.slots)
            if element is not NULL:
                decref(element)
                self.outstanding -= 1
                self.to_skip -= 1
                if self.outstanding == self.prefetch - self.replenish_at:
                    self._replenish(0)
                count(self)
            elif not self.finish_if_ended():
                self._replenish(0)
                return False
        return not self.should_leave()

    cdef int on_input_end(self) noexcept:
        if self.to_skip and self.input_error is None:
            return self.fail_at(self, StateError(
                f"the saved state stands after element {self.passed}, but {self.sender()} has sent only "
                f"{self.passed - self.to_skip}; load the state with the source that it was saved with"
            ))
        return QueueStage.on_input_end(self)

    cdef int64_t _missing(self, int64_t wanted) noexcept:
        cdef int64_t more
        if self.to_skip:
            wanted = INT64_MAX if wanted > INT64_MAX - self.to_skip else wanted + self.to_skip
        more = min(wanted, self.prefetch) - self.outstanding
        return 0 if more <= 0 or (wanted > self.prefetch and more < self.replenish_at) else more

    cdef void _replenish(self, int64_t sent) noexcept:
        """Request the downstream demand that is neither requested nor buffered, within the bound."""
        # The whole demand, not that of this turn: otherwise a short turn would request only a little at a time.
        # relaxed: drain() has seen the demand of this turn; later demand sets MISSED
        cdef int64_t wanted = self.demand_word.load(memory_order_relaxed) - sent
        cdef int64_t more
        # acquire: pairs with the release in accept_end(); no requests after the end (§1.6)
        if not self.has_subscription() or self.input_ended.load(memory_order_acquire):
            return
        more = self._missing(wanted)
        if more == 0:
            return
        self.outstanding += more
        self.credit.fetch_add(more, memory_order_acq_rel)  # acq_rel: pairs with the fetch_sub of accept_element()
        try:
            self.subscription.request(more)
        except BaseException as error:  # §3.16 forbids it
            self.fail_at(self, error)

    cdef void release(self) noexcept:
        with cython.critical_section(self):  # see Ordering
            _released, self.publisher = self.publisher, None
            branch = self.branch
        # acq_rel: see Ordering
        if self.link.exchange(UNLINKED, memory_order_acq_rel) == LINKED:
            subscription = self.subscription
            self.subscription = None
            # acquire: pairs with the release in _end_input(); an ended subscription needs no cancel (§1.6)
            if subscription is not None and not self.input_ended.load(memory_order_acquire):
                try:
                    subscription.cancel()
                except BaseException as error:  # §3.15 forbids it
                    release_failed(self, "cancel", error, self.receiver())
        if branch is not None:
            self._dispose_branch(branch)
        QueueStage.release(self)

    cdef void _dispose_branch(self, object branch) noexcept:
        try:
            branch.dispose()  # it stays visitable
        except BaseException as error:
            release_failed(self, "dispose", error, self.receiver())

    cdef bint differs_from_saved(self) noexcept:
        return not self.skips and QueueStage.differs_from_saved(self)

    cdef int write_fields(self, object writer) except -1:
        if not self.skips:
            return self.save_queue(writer)
        writer.write(self.passed)  # the publisher sends the waiting elements and the end again
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        if not self.skips:
            return self.load_queue(reader)
        self.passed = reader.read_count()
        self.to_skip = self.passed
        return 0


@cython.final
@cython.binding(False)  # see is_method_of() in ends/subscriber.pyx
cdef class PublisherInput(CompiledSubscriber):
    """The subscriber of the publisher."""

    cdef PublisherSource source
    cdef object __weakref__

    def __cinit__(self, PublisherSource source not None):
        self.source = source

    @property
    def stage(self) -> PublisherSource:
        """The source that gets the elements."""
        return self.source

    def on_subscribe(self, subscription) -> None:
        if subscription is None:
            raise null_subscription()
        self.source.accept_subscription(subscription)

    cdef int receive(self, PyObject* element) noexcept:
        cdef int outcome = (<Accepts>_accept)(self.source, element)
        decref(element)
        return outcome

    def on_next(self, element) -> None:
        if element is None:
            raise null_element("on_next")
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        if error is None:
            raise null_error()
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        self.source.accept_end("on_complete", None)


# Whose -1 means that an exception is set, as in stream/subscription.pyx.
ctypedef int (*Accepts)(PublisherSource source, PyObject* element) noexcept


cdef int _accept(PublisherSource source, PyObject* element) except -1:
    return source.accept_element(<object>element)


cdef int drain_in_turn_here(DemandOwner owner, int64_t* left) except -1:
    """Drain in the turn of the host's task in this thread, if there is one, or else like any owner; see Turns.

    Requires the token. The sender subtracts its elements from `left`.
    """
    cdef Turn turn
    if owner.scheduler is not None and left[0] > 0 and _is_in_turn(owner.scheduler):
        left[0] -= 1
        turn = turn_here()
        return owner.run_scheduled_drain(turn_of_task(owner.scheduler) if turn is None else turn)
    left[0] = TURN_ELEMENTS
    return DemandOwner.schedule_drain(owner)


cdef bint _is_in_turn(object scheduler) except -1:
    is_in_turn = getattr(scheduler, "is_in_turn", None)
    return is_in_turn is not None and is_in_turn()
