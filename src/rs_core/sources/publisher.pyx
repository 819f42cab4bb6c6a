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
from rs_core.interp.calls cimport decref
from rs_core.interp.object_handoff cimport handoff_reference
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.sync.exclusive_use cimport exclusive_enter, exclusive_leave
from rs_core.interp.signal_arguments cimport as_exception, null_element, null_error, null_subscription
from rs_core.queues.spsc_ring cimport spsc_offer, spsc_poll, spsc_size
from rs_core.stream.subscription cimport (
    ACCEPTED, LEAVE, TERMINAL, TURN_ELEMENTS, DemandOwner, count, drain_as_consumer, push, release_failed, turn_here,
)
from rs_core.ends.subscriber cimport SubscriberStage, describe
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
        if publisher is None or self.is_bound:
            return 0
        try:
            publisher.subscribe(self.new_input())
        except Exception as error:  # §1.9 allows it only for None; the stream must end nevertheless
            return self._begin_failed("subscribe", error)
        return 0

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

    cdef void _replenish(self, int64_t sent) noexcept:
        """Request the downstream demand that is neither requested nor buffered, within the bound."""
        # The whole demand, not that of this turn: otherwise a short turn would request only a little at a time.
        # relaxed: drain() has seen the demand of this turn; later demand sets MISSED
        cdef int64_t wanted = self.demand_word.load(memory_order_relaxed) - sent
        cdef int64_t more
        wanted = INT64_MAX if wanted > INT64_MAX - self.to_skip else wanted + self.to_skip
        # acquire: pairs with the release in accept_end(); no requests after the end (§1.6)
        if not self.has_subscription() or self.input_ended.load(memory_order_acquire):
            return
        more = min(wanted, self.prefetch) - self.outstanding
        if more <= 0 or (wanted > self.prefetch and more < self.replenish_at):
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
cdef class PublisherInput:
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
