"""Streams that are shared: one run of the upstream, a connection, for all who subscribe meanwhile.

A connection has the core of a subject, which delivers. What is here decides which connection a subscriber gets, when
the upstream is subscribed to, and when it is cancelled.

Roles
    subscriber  the thread that starts a source: counts it, adds it to the core of a connection, and may connect
    leaver      whoever tears a source down: counts it off, and may end the connection
    host        any thread that calls connect() or cancel()
    scheduler   whoever runs its tasks: ends a connection whose grace is over

Invariants
    C1  What changes of a connector, its connections and its entrances is read and changed in the critical section of
        the connector. Only references and numbers are moved there: no object is created or freed, so no user code runs.
        With a GIL, the GIL is the critical section.
    C2  A source counts in the connection that was current, and not over, in the step in which it was counted, until it
        is torn down. A connection is over from the step in which its last source was counted off, or that of cancel().
        So none ends that somebody has just entered, and who comes later gets another one.
    C3  Who sets `is_connected` subscribes to the upstream, once for each connection; a subscriber does so after its
        source is in the core, so that it misses nothing.
    C4  Who sets `is_over` disposes the core. That cancels the upstream, also one whose subscription arrives later.
    C5  At most one alarm of an entrance waits. Whoever counts the last source off takes the time away at which a grace
        was over before, then says when it is now, and sets the alarm if none waits. One that rings earlier is set
        again, and is forgotten in the step in which it sees that somebody is there, or no time: so the last to leave
        finds none, or one that will look once more.

tests/interleavings/test_sharing_model.py explores them, with each step broken.

Bound: a connection holds what its core holds; an entrance has one alarm.
Progress: nobody waits; where there is no GIL, for each other in the critical section. A subscriber looks again only if
somebody else has renewed or ended the connection meanwhile.
Source: the semantics are those of reactor-core's FluxRefCountGrace and of RxJava's FlowablePublish, in which the end of
a connection stays visible until another one begins.
"""

from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.multicaster cimport SubjectCore, SubjectSource
from rs_core.sources.emitter cimport EmitterSource, source_end
from rs_core.stream.subscription cimport release_failed

from rs_core.errors import ArgumentError, SourceUsedTwiceError, StateError, StreamCancelledError


@cython.final
cdef class Connection:
    """One run of a shared stream; made by `connect()`. Leaving its `with` block cancels it.

    Threads: any thread may call its methods.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.never().publish()
        >>> connection = numbers.connect()
        >>> connection.is_active
        True
        >>> connection.cancel()
        >>> connection.is_active
        False
    """

    cdef Connector connector
    cdef object subject          # subscribes to the upstream
    cdef SubjectCore core
    # Guarded by the connector.
    cdef bint is_connected, is_over

    @property
    def is_active(self) -> bool:
        """Whether the upstream was subscribed to, and has neither ended nor been cancelled."""
        return self.connector is not None and self.is_connected and not self.is_over and not self.has_ended()

    def cancel(self) -> None:
        """Cancel the upstream; subscribers that are there fail with StreamCancelledError. Idempotent.

        After the end it does nothing.
        """
        if self.connector is not None and not self.has_ended():
            self.end()

    def __enter__(self):
        return self

    def __exit__(self, *error) -> None:
        self.cancel()

    def __repr__(self) -> str:
        label = "connection" if self.connector is None else f"connection of {self.connector.label}"
        return f"<{label}: {'active' if self.is_active else 'not active'}>"

    cdef bint has_ended(self) noexcept:
        """Return whether no more elements will come, though some may still wait for subscribers."""
        return self.core.refuses_elements()

    cdef int end(self) except -1:
        """Make it over, unless it is, and cancel its upstream (C4)."""
        cdef bint is_first
        with cython.critical_section(self.connector):
            is_first = not self.is_over
            self.is_over = True
        if is_first:
            self.core.dispose(self.connector.cancelled)
        return 0


@cython.final
cdef class Connector:
    """The upstream of a shared stream, and its current connection.

    Args:
        label: The shared stream in messages.
        make: Makes the subject of a connection: returns it and its core. None: there is one connection only.
        first: What the first call of `make` returned.
        subscribe: Called with a subject and the context of a host, or None; subscribes the subject to the upstream.
        find_scheduler: Called with the context's scheduler, or None; returns the one that measures a grace.
    """

    cdef str label
    cdef object make, subscribe, find_scheduler, cancelled
    cdef Connection current      # guarded by the critical section

    def __init__(self, str label not None, make, tuple first not None, subscribe, find_scheduler):
        self.label = label
        self.make = make
        self.subscribe = subscribe
        self.find_scheduler = find_scheduler
        self.cancelled = _CancelledError(label)
        self.current = self.new_connection(first)

    def connect(self, context=None):
        """Subscribe to the upstream, unless it is done; return the connection."""
        cdef Connection connection
        cdef bint is_chosen
        cdef bint connects = False
        while True:
            connection = self.at()
            if connection.is_over or connection.is_connected and connection.has_ended():
                if self.make is None:
                    raise SourceUsedTwiceError(
                        f"{self.label} has one subject, whose only connection is over; pass a function that makes a "
                        f"subject for each connection",
                        rule="1.11",
                    )
                self.renew(connection)
                continue
            with cython.critical_section(self):
                is_chosen = self.current is connection and not connection.is_over
                if is_chosen:
                    connects = not connection.is_connected
                    connection.is_connected = True
            if is_chosen:
                break
        if connects:
            self.run(connection, context)
        return connection

    cdef Connection at(self):
        cdef Connection connection
        if self.current is None:
            raise StateError("a Connector that was made by hand has no stream; use publish(), replay() or multicast()")
        with cython.critical_section(self):
            connection = self.current
        return connection

    cdef Connection new_connection(self, tuple made):
        cdef Connection connection = Connection.__new__(Connection)
        connection.connector = self
        connection.subject, connection.core = made
        return connection

    cdef int renew(self, Connection old) except -1:
        """Make another connection the current one, unless somebody else has."""
        cdef Connection fresh = self.new_connection(self.make())
        if fresh.core.capacity != old.core.capacity or fresh.core.on_overflow is not old.core.on_overflow:
            raise ArgumentError(
                f"{self.label}: {self.make!r} made a subject with another policy than before; give all the same"
            )
        with cython.critical_section(self):
            if self.current is old:
                self.current = fresh
        return 0

    cdef int run(self, Connection connection, object context) except -1:
        """Subscribe to the upstream (C3)."""
        try:
            self.subscribe(connection.subject, context)
        except Exception as error:
            connection.core.accept_end(error)
        except BaseException:
            connection.core.accept_end(self.cancelled())
            raise
        return 0


class _CancelledError:
    """Make the error of subscribers whose connection is cancelled."""

    def __init__(self, label):
        self.label = label

    def __call__(self):
        return StreamCancelledError(
            f"the connection of {self.label} was cancelled while this subscriber was there; cancel the subscribers "
            f"first, or connect again and subscribe after that"
        )


@cython.final
cdef class Entrance:
    """How subscribers come to a shared stream, and what their number means for the connection.

    Args:
        connector: The stream.
        threshold: With the how manieth subscriber to connect; 0: never.
        is_counted: Whether those that are there count, and the connection is cancelled when the last has left; else
            all count that ever came, and it stays.
        grace: How long to wait after the last has left, a timedelta; None: not at all.
    """

    cdef Connector connector
    cdef int64_t threshold
    cdef bint is_counted
    cdef object grace
    # Guarded by the connector.
    cdef Connection connection   # in which `count` counts
    cdef int64_t count           # of those that are there
    cdef int64_t arrived         # ever
    cdef bint has_connected      # by the number of subscribers: in this connection, or ever
    cdef int64_t emptied         # how often the last one has left
    cdef Grace alarm             # None: none waits
    cdef object due              # when the grace of the last that left is over, of the clock of `alarm`; None: see C5

    def __init__(self, Connector connector not None, int64_t threshold, bint is_counted, grace):
        self.connector = connector
        self.threshold = threshold
        self.is_counted = is_counted
        self.grace = grace

    cdef int enter(self, SharedSource source) except -1:
        """Count a source and add it to a connection; connect, if it is the one that was waited for."""
        cdef Connector connector = self.connector
        cdef Connection connection
        cdef Connection _before = None   # freed outside
        cdef bint connects = False
        cdef bint is_counted = False
        cdef bint is_final = connector.make is None   # no other connection will come
        while not is_counted:
            connection = connector.at()
            if not is_final and (connection.is_over or self.is_counted and connection.has_ended()):
                connector.renew(connection)
                continue
            with cython.critical_section(connector):
                is_counted = connector.current is connection and (is_final or not connection.is_over)
                if is_counted:
                    if self.connection is not connection:
                        _before = self.connection
                        self.connection = connection
                        self.count = 0
                        if self.is_counted:
                            self.has_connected = False
                    self.count += 1
                    if self.arrived != INT64_MAX:
                        self.arrived += 1
                    source.connection = connection
                    if self.threshold and not self.has_connected and not connection.is_over:
                        if (self.count if self.is_counted else self.arrived) >= self.threshold:
                            self.has_connected = True
                            connects = not connection.is_connected
                            connection.is_connected = True
        source.core = connection.core
        source.core.add_source(source)
        if connects:
            connector.run(connection, source.context_of_host)
        return 0

    cdef int leave(self, SharedSource source) except -1:
        """Count a source off; end the connection if it was the last, at once or after the grace."""
        cdef Connector connector = self.connector
        cdef Connection connection = source.connection
        cdef object _before = None   # freed outside
        cdef int64_t emptied = 0
        cdef bint is_last = False
        if connection is None:   # it was never counted
            return 0
        with cython.critical_section(connector):
            source.connection = None
            if self.connection is connection:
                self.count -= 1
                is_last = self.count == 0 and self.is_counted and self.has_connected and not connection.is_over
                if is_last:
                    self.emptied += 1
                    emptied = self.emptied
                    _before = self.due
                    self.due = None
                    if self.grace is None:
                        connection.is_over = True
        if not is_last:
            return 0
        if self.grace is None:
            connection.core.dispose(connector.cancelled)
        elif not connection.has_ended():
            self.wait(connection, emptied, source.context_of_host)
        return 0

    cdef int wait(self, Connection connection, int64_t emptied, object context) except -1:
        """Have a connection ended when the grace is over, if nobody has come by then."""
        cdef Grace alarm
        cdef Grace fresh = None
        cdef object _before = None   # freed outside
        cdef bint is_set = False
        cdef bint is_done = False
        try:
            while not is_done:
                with cython.critical_section(self.connector):
                    alarm = self.alarm
                if alarm is None:
                    if fresh is None:
                        fresh = self.new_alarm(context)
                    alarm = fresh
                due = alarm.clock.now + self.grace
                with cython.critical_section(self.connector):
                    # Else the alarm that was there has rung since, and its scheduler is being disposed.
                    is_done = self.alarm is not None or alarm is fresh
                    if is_done and self.connection is connection and self.count == 0 and self.emptied == emptied:
                        _before = self.due
                        self.due = due
                        if self.alarm is None:
                            self.alarm = fresh
                            is_set = True
            if is_set:
                fresh.scheduler.schedule(fresh, due=due)
            elif fresh is not None:
                fresh.scheduler.dispose()
        except BaseException:
            self.give_up(connection)  # nobody else would end it
            raise
        return 0

    cdef Grace new_alarm(self, object context):
        cdef Grace alarm = Grace.__new__(Grace)
        scheduler = self.connector.find_scheduler(getattr(context, "scheduler", None))
        alarm.entrance = self
        alarm.clock = scheduler
        alarm.scheduler = scheduler.create_child()
        return alarm

    cdef int rang(self, Grace alarm) except -1:
        """End the connection in which nobody is, or set the alarm again."""
        cdef Connection connection
        cdef bint is_waiting
        cdef bint is_over = False
        while True:
            with cython.critical_section(self.connector):
                connection = self.connection
                due = self.due
                is_waiting = self.count == 0 and due is not None and not connection.is_over
                if not is_waiting:
                    self.alarm = None
            if not is_waiting:
                break
            if due > alarm.clock.now:
                try:
                    alarm.scheduler.schedule(alarm, due=due)
                except BaseException:
                    self.give_up(connection)
                    raise
                return 0
            with cython.critical_section(self.connector):
                is_over = self.count == 0 and self.due is due
                if is_over:
                    connection.is_over = True
                    self.alarm = None
            if is_over:
                connection.core.dispose(self.connector.cancelled)
                break
        alarm.scheduler.dispose()
        return 0

    cdef int give_up(self, Connection connection) except -1:
        """End a connection in which nobody is, since no alarm will."""
        cdef bint is_over
        with cython.critical_section(self.connector):
            self.alarm = None   # whoever rang, or was to, has a reference
            is_over = self.connection is connection and self.count == 0 and not connection.is_over
            if is_over:
                connection.is_over = True
        if is_over:
            connection.core.dispose(self.connector.cancelled)
        return 0


@cython.final
cdef class Grace:
    """A task of a scheduler that ends a connection which nobody has entered again."""

    cdef Entrance entrance
    cdef object clock        # the scheduler that was found
    cdef object scheduler    # a child of it, which is disposed with this

    def execute(self, scheduler=None) -> bool:
        """Run as a task of a scheduler; always done afterwards. Always runs user code."""
        if self.entrance is None:
            raise StateError("a Grace that was made by hand ends no connection; a shared stream makes its own")
        self.entrance.rang(self)
        return True

    def discard(self, error) -> None:
        """End the connection now: what a scheduler calls for a task it will not run."""
        cdef Connection connection
        if self.entrance is not None:
            with cython.critical_section(self.entrance.connector):
                connection = self.entrance.connection
            self.entrance.give_up(connection)


@cython.final
cdef class SharedSource(SubjectSource):
    """Send the elements of a shared stream to one subscriber, on its demand.

    Args:
        entrance: How it comes to the stream.

    State: none. After recovery it subscribes again, to what the connection sends then.
    """

    cdef Entrance entrance
    cdef Connection connection   # in which it is counted; None: in none. Guarded by the connector

    def __init__(self, Entrance entrance not None, *_source):
        SubjectSource.__init__(self, entrance.connector.at().core)
        self.entrance = entrance

    cdef int begin(self) except -1:
        EmitterSource.begin(self)
        if not self.is_closed():
            try:
                self.entrance.enter(self)
            except Exception as error:
                source_end(self, error)
        return 0

    cdef void release(self) noexcept:
        SubjectSource.release(self)
        try:
            self.entrance.leave(self)
        except BaseException as error:
            release_failed(self, "cancel", error, self.origin)

    cdef bint differs_from_saved(self) noexcept:
        return False

    cdef int write_fields(self, object writer) except -1:
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        return 0
