"""A run that is recorded at a place of a stream, its border, and sent again from the record.

A record is bytes: MAGIC, then a head, a value of saved state that says what was recorded, then frames. A frame is its
kind, one byte; the time since the frame before, as varint of microseconds; and what belongs to the kind:

    n   on_next           the element, a value of saved state
    x   on_error          the exception, a value of saved state
    .   on_complete       nothing
    c   cancel            nothing
    r   request           how many elements were requested at the border, as varint
    e   request           how many its end requested, at the end of the stream
    f   full              nothing: more would have exceeded the bound; the run went on
    o   goes on           nothing: in the next part, which begins with a head that also says what was before it

A record that keeps the newest signals has two parts, each of at most half the bound: what is written now, and the part
before it, named by OLDER behind the path. A part that is full takes the place of the older one.

A record without one of `x`, `.`, `c` and `f` at its end is cut off: the process was killed, or it still runs. Nothing
that a record names is imported, as for saved state (state/codec.pyx, I3).

Roles
    drainer    the holder of the token above the border: writes the frames, in its thread
    requester  any thread: notes what it requests; the drainer writes that before its next frame

Ordering: a note is put into the list before `has_notes` (release), which the drainer clears before it takes the list
(acq_rel); both in the critical section, so that no note is in a list that was taken.
"""

import os
import stat

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from rs_core.interp.calls cimport decref, incref
from rs_core.scheduling.virtual_time_queue cimport VirtualTimeQueue
from rs_core.state.codec cimport (
    TAG_FLOAT, TAG_INT, TAG_STR, ValueDecoder, ValueEncoder, put_byte, put_varint, take_byte, take_varint,
)
from rs_core.stream.subscription cimport (
    ACCEPTED, FORWARDED, LEAVE, TURN_OVER, DemandOwner, Stage, drop_signal, failed_for, others_wait_here, push,
)
from rs_core.sync.atomics cimport (
    gil_int64, gil_uint32, memory_order_acq_rel, memory_order_relaxed, memory_order_release,
)
from rs_core.sync.serial_word cimport set_relaxed

from time import monotonic_ns

from rs_core.errors import ArgumentError, StateError
from rs_core.state.limits import StateLimits

MAGIC = b"RSRECORD\x01"

cdef enum Frame:
    FRAME_NEXT = 0x6E          # n
    FRAME_ERROR = 0x78         # x
    FRAME_COMPLETE = 0x2E      # .
    FRAME_CANCEL = 0x63        # c
    FRAME_REQUEST = 0x72       # r
    FRAME_END_REQUEST = 0x65   # e
    FRAME_FULL = 0x66          # f
    FRAME_GOES_ON = 0x6F       # o

cdef enum:
    BLOCK_BYTES = 65_536       # how much is written at a time
    MOST_NOTES = 1_024         # requests between two frames; those that come then are added to the last of their kind
    MICROSECOND = 1_000        # nanoseconds
    LAST_BYTES = 16            # room for the last frame
    NO_FILE = -1
    AT_END = 0                 # of the record: the next frame is none
    CUT_OFF = -1               # as above, and it has no end

MOST_BYTES = 1_073_741_824

OLDER = ".1"
"""Behind the path of a record: its part before the newest."""

# What the head of a part that is not the first says of what was before it.
_COUNTS = ("passed", "requested", "end_requested", "given", "time")

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

# Whose -1 means that an exception is set: see subscription.pyx.
ctypedef int (*Writes)(RecordStage stage, object element) noexcept


# --- written ---------------------------------------------------------------------------------------------------------


@cython.final
cdef class RecordStage(Stage):
    """Write all signals that pass here to a file, and pass them on.

    Args:
        path: The file; one that is there is replaced when the stream starts.
        max_bytes: How large it may become, both parts together.
        keeps_newest: Whether a full part is replaced by the next one; else the record ends.
        describe: Called with the descriptions of the operators below, of which the first is the next one, and that of
            this one; returns the head of the record.
        kinds: The registered classes of saved state.

    State: none. The record of a stream that was loaded says so.
    """

    cdef str path
    cdef int64_t max_bytes         # of a part
    cdef int64_t written, passed
    cdef int64_t requested         # of what was written: at the border,
    cdef int64_t end_requested     # and by the end
    cdef bint keeps_newest
    cdef dict head
    cdef RequestLink link          # above the end; None: the border is
    cdef int64_t began             # the time of the start
    cdef object describe
    cdef int file                  # its number; NO_FILE
    cdef object clock              # of a scheduler in virtual time; None: that of the system
    cdef ValueEncoder encoder
    cdef int64_t last              # the time of the last frame, in microseconds
    cdef Py_ssize_t frame_start    # where the frame of an element begins in the block
    cdef int64_t last_before       # `last` before it
    cdef list notes                # of requesters: kind, time, count
    cdef gil_uint32 has_notes
    cdef bint has_ended, is_loaded

    def __cinit__(self, *args, **kwargs):
        self.file = NO_FILE
        self.is_translating = True
        self.has_notes.store(0, memory_order_relaxed)

    def __init__(self, str path, int64_t max_bytes, bint keeps_newest, describe, dict kinds):
        self.path = path
        self.max_bytes = max_bytes // 2 if keeps_newest else max_bytes
        self.keeps_newest = keeps_newest
        self.describe = describe
        self.encoder = ValueEncoder(kinds=kinds, limits=StateLimits(max_bytes=MOST_BYTES))
        self.notes = []

    def __str__(self):
        return f"element {self.passed + 1} of recorded({self.path!r})"

    # --- life cycle -----------------------------------------------------------------------------------------

    cdef int attach(self) except -1:
        cdef Stage last = self
        cdef RequestLink link
        while last.down is not None and last.down.down is not None:
            last = last.down
        if last.down is not None:
            link = RequestLink()
            link.border = self
            link.down = last.down
            link.owner = last.down.owner             # None: link_segment() sets them
            link.demand_link = last.down.demand_link
            if link.owner is not None:
                last.down.demand_link = link
            last.down = link
            self.link = link
        return Stage.attach(self)

    cdef int take_context(self, object context) except -1:
        Stage.take_context(self, context)
        scheduler = getattr(context, "scheduler", None)
        if getattr(scheduler, "is_virtual_time", False):
            self.clock = scheduler.clock  # before anybody requests
        return 0

    cdef int begin(self) except -1:
        try:
            self._open()
        except Exception as error:
            if self.owner is None:            # it is in no tree
                raise
            self.owner.fail_at(self, error)   # nobody drains yet: the note is read when the tree is opened
        return 0

    cdef int _open(self) except -1:
        cdef Stage stage = self.down
        cdef list below = []
        while stage is not None:
            if stage.description is not None:
                below.append(stage.description)
            stage = stage.down
        self.last = self.began = self.now()
        self.head = self.describe(below, self.description)
        self.head["loaded"] = self.is_loaded
        self.encoder.put_value(self.head, self)
        try:
            for path in (self.path, self.path + OLDER) if self.keeps_newest else (self.path,):
                if os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode):
                    os.unlink(path)   # a run that still writes it goes on with the file that has no name any more
            self.file = os.open(self.path, _FLAGS, 0o666)
        except OSError as error:
            raise ArgumentError(
                f"recorded({self.path!r}) cannot write this file: {error.strerror}; give one in a folder that exists "
                f"and may be written"
            ) from error
        return self._write_block(MAGIC)

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_loaded = True
        return 0

    cdef void release(self) noexcept:
        self.describe = None
        if not self.has_ended:
            self._write_end(FRAME_CANCEL, None)
        self.link = None

    # --- requesters: any thread -----------------------------------------------------------------------------

    cdef int64_t translate(self, int64_t n) noexcept:
        self.note(FRAME_REQUEST, n)
        return n

    cdef void note(self, int kind, int64_t n) noexcept:
        cdef Py_ssize_t place
        if self.has_ended:
            return
        try:
            now = self.now()
            with cython.critical_section(self):  # pairs with that in _write_notes()
                place = len(self.notes) - 1
                while place >= MOST_NOTES - 3 and self.notes[place][0] != kind:
                    place -= 1
                if place >= MOST_NOTES - 3:
                    n = min(n, INT64_MAX - <int64_t>self.notes[place][2])
                    self.notes[place] = (kind, self.notes[place][1], self.notes[place][2] + n)
                else:
                    self.notes.append((kind, now, n))
                self.has_notes.store(1, memory_order_release)  # release: see Ordering
        except Exception as error:  # there is no memory
            drop_signal(self, "record", error, self.name)

    # --- the drainer ----------------------------------------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        if self.file != NO_FILE and (<Writes>_write_element)(self, <object>element) == -1:
            _take_back(self)
            return failed_for(self, element)
        self.passed += 1
        return self.down.try_next(element)

    cdef int receive_complete(self) noexcept:
        self._write_end(FRAME_COMPLETE, None)
        return FORWARDED

    cdef int receive_error(self, object error) noexcept:
        self._write_end(FRAME_ERROR, error)
        return FORWARDED

    cdef int64_t now(self) except -1:
        """Return the time in microseconds."""
        if self.clock is not None:
            return self.clock.ticks
        return <int64_t>monotonic_ns() // MICROSECOND

    cdef int _put_frame(self, int kind, int64_t time) except -1:
        put_byte(self.encoder, kind)
        put_varint(self.encoder, <uint64_t>max(0, time - self.last))  # the notes of two threads may cross
        self.last = max(time, self.last)
        return 0

    cdef int _write_notes(self) except -1:
        cdef list notes
        with cython.critical_section(self):
            notes = self.notes
            self.notes = []
            self.has_notes.store(0, memory_order_relaxed)  # relaxed: in the section
        for kind, time, n in notes:
            self._put_frame(kind, time)
            put_varint(self.encoder, <uint64_t><int64_t>n)
            if kind == FRAME_REQUEST:
                self.requested = saturated(self.requested, n)
            else:
                self.end_requested = saturated(self.end_requested, n)
        return 0

    cdef int _go_on_in_next_part(self) except -1:
        """Let the part that is full be the older one, and begin another."""
        cdef int64_t given = 0 if self.link is None else self.link.given.load(memory_order_relaxed)  # relaxed: a count
        self._put_frame(FRAME_GOES_ON, self.last)
        self._write_block()
        if self.file == NO_FILE:  # it was given up
            return 0
        is_named = os.path.exists(self.path) and os.path.samestat(os.fstat(self.file), os.stat(self.path))
        self._close()
        if not is_named:  # a later run has taken the path
            return 0
        try:
            os.replace(self.path, self.path + OLDER)
            self.file = os.open(self.path, _FLAGS, 0o666)
        except OSError as error:
            self._give_up(error)
            return 0
        self.encoder.values = 0
        self.encoder.put_value(
            {
                **self.head, "passed": self.passed, "requested": self.requested, "end_requested": self.end_requested,
                "given": given, "time": self.last - self.began,
            },
            self,
        )
        self.written = 0
        return self._write_block(MAGIC)

    cdef void _write_end(self, int kind, object error) noexcept:
        """Write the last frame, and close the file."""
        self.has_ended = True
        if self.file == NO_FILE:
            return
        try:
            self._write_notes()
            self._put_frame(kind, self.now())
            if kind == FRAME_ERROR:
                self.encoder.values = 0
                self.encoder.put_value(error, self)
            self._write_block()
            self._close()
        except Exception as trouble:
            self._give_up(trouble)
        except BaseException as interrupt:
            self._give_up(interrupt)
            self.owner.fail_at(self, interrupt)

    cdef int _write_block(self, bytes before=b"") except -1:
        """Write what was encoded, so that it is there if the process is killed; a file that fails is given up."""
        cdef bytes block = before + <bytes>self.encoder.cut_from(0)
        self.written += len(block)
        try:
            self._write_all(block)
        except OSError as error:
            self._give_up(error)
        return 0

    cdef int _write_all(self, bytes block) except -1:
        cdef Py_ssize_t done = 0
        while done < len(block):
            done += <Py_ssize_t>os.write(self.file, block[done:] if done else block)
        return 0

    cdef int _close(self) except -1:
        cdef int file = self.file
        self.file = NO_FILE
        if file != NO_FILE:
            os.close(file)
        return 0

    def __dealloc__(self):
        if self.file != NO_FILE:  # nobody has cancelled the stream
            os.close(self.file)

    cdef void _give_up(self, object error) noexcept:
        """Record no more: the stream is more than its record."""
        drop_signal(self, "record", error, self.name)
        try:
            self._close()
        except Exception as trouble:
            drop_signal(self, "close", trouble, self.name)


cdef int _write_element(RecordStage stage, object element) except -1:
    cdef ValueEncoder encoder = stage.encoder
    # acq_rel: see Ordering
    if stage.has_notes.load(memory_order_relaxed) and stage.has_notes.exchange(0, memory_order_acq_rel):
        stage._write_notes()
    _put_element(stage, element)
    if stage.written + encoder.used > stage.max_bytes - LAST_BYTES:
        _take_back(stage)
        if stage.keeps_newest:
            stage._go_on_in_next_part()
            if stage.file == NO_FILE:
                return 0
            _put_element(stage, element)
            if stage.written + encoder.used <= stage.max_bytes - LAST_BYTES:
                return 0
            _take_back(stage)  # it is larger than a part
        stage._put_frame(FRAME_FULL, stage.last)
        stage._write_block()
        stage._close()
    elif encoder.used >= BLOCK_BYTES:
        stage._write_block()
    return 0


cdef inline int _put_element(RecordStage stage, object element) except -1:
    cdef ValueEncoder encoder = stage.encoder
    cdef object kind = type(element)
    stage.frame_start = encoder.used
    stage.last_before = stage.last
    stage._put_frame(FRAME_NEXT, stage.now())
    encoder.values = 0
    if kind is int or kind is str or kind is float:  # no user code runs that could write, too
        encoder.where = stage
        encoder.put(element, 0)
        encoder.where = None
    else:
        encoder.put_value(element, stage)
    return 0


cdef inline void _take_back(RecordStage stage) noexcept:
    """Remove the frame of an element, which is the last one."""
    stage.encoder.used = stage.frame_start
    stage.last = stage.last_before


cdef inline int64_t saturated(int64_t total, int64_t n) noexcept:
    return min(total, INT64_MAX - n) + n


@cython.final
cdef class RequestLink(Stage):
    """A link above the end of a stream that is recorded, which notes what the end requests; no visitor sees it."""

    cdef RecordStage border
    cdef gil_int64 given   # results, to the end; only the drainer of the end writes it

    def __cinit__(self, *args, **kwargs):
        self.is_translating = True
        self.given.store(0, memory_order_relaxed)  # relaxed: nobody else has it yet

    cdef int64_t translate(self, int64_t n) noexcept:
        cdef RecordStage border = self.border
        if border is not None:
            border.note(FRAME_END_REQUEST, n)
        return n

    cdef int try_next(self, PyObject* element) noexcept:
        # relaxed: whoever reads it wants a count of about now
        self.given.store(self.given.load(memory_order_relaxed) + 1, memory_order_relaxed)
        return self.down.try_next(element)


# --- read ------------------------------------------------------------------------------------------------------------


@cython.final
cdef class RecordReader:
    """Reads a record, frame by frame.

    Args:
        source: The bytes; of a record in two parts those of the first.
        kinds: The registered classes of saved state, by name.
        following: The bytes of the second part; the record is cut off if that does not go on where the first one ends.

    Raises:
        StateError: It is no record, one of another version, or its head is damaged.

    Threads: one at a time.
    """

    cdef ValueDecoder decoder
    cdef readonly dict head
    cdef readonly int64_t passed      # elements that were taken
    cdef readonly int64_t requested   # at the border, before the next frame
    cdef readonly int64_t time        # of the next frame, in microseconds since the start
    cdef readonly int64_t count       # of a request
    cdef readonly object error        # of an on_error; or why the record is cut off
    cdef object held                  # the element of the next frame, if it was looked at
    cdef bint is_held
    cdef int frame                    # the next one; AT_END; CUT_OFF
    cdef bint is_read                 # it was
    cdef bint has_end
    cdef bytes following
    cdef dict kinds

    def __init__(self, bytes source not None, dict kinds not None, bytes following=None):
        self.kinds = kinds
        self.following = following
        self.head = self._take_head(source)
        self.passed = self.head.get("passed", 0)
        self.requested = self.head.get("requested", 0)
        self.time = self.head.get("time", 0)

    cdef dict _take_head(self, bytes source):
        """Begin to read a part; return its head."""
        cdef Py_ssize_t length = len(MAGIC)
        if source[:length] != MAGIC:
            if source[: length - 1] == MAGIC[:-1]:
                raise StateError(
                    f"the record is of version {source[length - 1] if len(source) >= length else 'none'}, and this "
                    f"release reads version {MAGIC[-1]}; replay it with the release that has written it"
                )
            raise StateError("this is no record; give a file that recorded() has written")
        self.decoder = ValueDecoder(source[length:], kinds=self.kinds, limits=StateLimits(max_bytes=MOST_BYTES))
        try:
            head = self.decoder.take_value("the head of the record")
        except StateError as error:
            raise StateError(f"the record is cut off within its head: {error}; record the run again") from error
        if type(head) is not dict:
            raise StateError("the head of the record is damaged; record the run again")
        if not all([type(head.get(count, 0)) is int and 0 <= head.get(count, 0) <= INT64_MAX for count in _COUNTS]):
            raise StateError("the head of the record is damaged; record the run again")
        return head

    cdef int _go_on_in_next_part(self) except -1:
        cdef bytes source = self.following
        self.following = None
        if source is None:
            raise StateError("its newest part is gone")
        head = self._take_head(source)
        if head.get("started") != self.head.get("started") or head.get("passed") != self.passed:
            raise StateError("its newest part is of another run")
        self.is_read = False
        return 0

    @property
    def kind(self) -> str:
        """The next frame: its letter, empty at the end, or `"cut"` where the record is cut off."""
        self.look()
        return "cut" if self.frame == CUT_OFF else "" if self.frame == AT_END else chr(self.frame)

    def skip(self) -> None:
        """Pass over the next frame."""
        self.look()
        if self.frame == FRAME_NEXT:
            self.take()
        elif self.frame > 0:
            self.is_read = False

    cdef int look(self) except -1:
        """Read the kind and time of the next frame, and of a request the count."""
        cdef ValueDecoder decoder = self.decoder
        if self.is_read:
            return 0
        self.is_read = True
        if self.has_end or decoder.position >= decoder.end:
            self.frame = AT_END if self.has_end else CUT_OFF
            return 0
        try:
            decoder.where = "the record"
            self.frame = take_byte(decoder)
            self.time += <int64_t>take_varint(decoder)
            if self.frame == FRAME_REQUEST or self.frame == FRAME_END_REQUEST:
                self.count = <int64_t>take_varint(decoder)
                if self.frame == FRAME_REQUEST:
                    self.requested = min(self.requested, INT64_MAX - self.count) + self.count
            elif self.frame == FRAME_ERROR:
                decoder.values = 0
                self.error = decoder.take_value(f"the error after element {self.passed}")
                self.has_end = True
            elif self.frame in (FRAME_COMPLETE, FRAME_CANCEL, FRAME_FULL):
                self.has_end = True
            elif self.frame == FRAME_GOES_ON:
                self._go_on_in_next_part()
                return self.look()
            elif self.frame != FRAME_NEXT:
                raise StateError(f"{chr(self.frame)!r} is no kind of a frame")
        except StateError as error:
            self.cut(error)
        return 0

    cdef void cut(self, object error) noexcept:
        self.frame = CUT_OFF
        self.error = error
        self.has_end = self.is_read = True

    cdef object take(self):
        """Read the element of the frame that is next; of a frame that is cut off None, and there is no next one."""
        element = self.look_at_element()
        if self.is_held:
            self.held = None
            self.is_held = False
            self.passed += 1
            self.is_read = False
        return element

    cdef object look_at_element(self):
        """Read it, and leave it the next one."""
        cdef ValueDecoder decoder = self.decoder
        cdef int tag
        if not self.is_held:
            decoder.values = 0
            try:
                tag = decoder.data[decoder.position] if decoder.position < decoder.end else 0
                if tag == TAG_INT or tag == TAG_STR or tag == TAG_FLOAT:  # no user code runs that could read, too
                    decoder.where = self
                    self.held = decoder.take(0)
                else:
                    self.held = decoder.take_value(self)
                self.is_held = True
            except StateError as error:
                self.cut(error)
        return self.held

    def __str__(self):
        return f"element {self.passed + 1} of the record"


# --- sent again ------------------------------------------------------------------------------------------------------


@cython.final
cdef class ReplaySource(DemandOwner):
    """Send the elements of a record as they are requested, each when the virtual clock shows its time.

    It stops before what somebody else has to do first: tasks of the clock that are due, requests of the end of the
    stream, and the element before which the run is to stop.

    Args:
        record: The record.
        queue: The queue of the virtual clock.
        began: The tick of the start.
        stop_before: The number of that element, from 1; 0: none.

    State: none; a replay begins at its start.
    """

    cdef RecordReader record
    cdef VirtualTimeQueue queue
    cdef int64_t began, stop_before
    cdef int64_t asked                  # by this run
    cdef readonly int64_t differs_at    # the first element before which fewer were requested; 0: none

    def __init__(self, RecordReader record not None, VirtualTimeQueue queue not None, began, stop_before):
        self.record = record
        self.queue = queue
        self.began = began
        self.stop_before = stop_before
        self.asked = record.passed  # as it was for what came before

    def go_on(self, int64_t stop_before) -> None:
        """Send what can be sent, up to an element. May run user code."""
        self.stop_before = stop_before
        self.notify()

    def next_element(self):
        """Return the element that is sent next; None: it is cut off."""
        if self.record is None:
            raise StateError("this source has no record; make it with one")
        return self.record.look_at_element()

    cdef int add_demand(self, int64_t n) except -1:
        self.asked = min(self.asked, INT64_MAX - n) + n
        return DemandOwner.add_demand(self, n)

    cdef int64_t send(self, int64_t n) noexcept:
        cdef RecordReader record = self.record
        cdef int64_t sent = 0
        try:
            # relaxed: drain() looks again, with the order that the bits need
            while not self.state.load(memory_order_relaxed) & LEAVE and self._is_due():
                if record.frame == FRAME_REQUEST:
                    record.is_read = False
                    continue
                if record.frame == FRAME_COMPLETE or record.frame == FRAME_ERROR:
                    self.finish(self.down, record.error)
                    break
                if record.frame != FRAME_NEXT or sent == n or record.passed + 1 == self.stop_before:
                    break
                if self.asked < record.requested and not self.differs_at:
                    self.differs_at = record.passed + 1
                element = record.take()
                if record.frame == CUT_OFF:
                    break
                incref(<PyObject*>element)
                if push(self, <PyObject*>element) == ACCEPTED:
                    sent += 1
        except BaseException as error:
            self.fail_at(self, error)
        return sent

    cdef bint _is_due(self) except -1:
        """Look at the next frame, and let the clock show its time if nothing is to be done before."""
        cdef VirtualTimeQueue queue = self.queue
        self.record.look()
        if queue.ready.count and queue.ready.entries[0].key <= self.began + self.record.time:
            return False
        if queue.ticks < self.began + self.record.time:
            if others_wait_here():  # the operators below have to see what came before at its own time
                set_relaxed(self.state, TURN_OVER)
                return False
            queue.ticks = self.began + self.record.time
        return True


@cython.final
cdef class ResultsStage(Stage):
    """The last operator of a replay: keeps the last results, and passes on none.

    Args:
        most: How many it keeps.
    """

    cdef readonly int64_t count
    cdef int64_t most
    cdef list kept        # a ring, where it is full

    def __init__(self, int64_t most):
        self.most = most
        self.kept = []

    def results(self) -> list:
        """Return the last results in their order."""
        cdef int64_t first = self.count % self.most if len(self.kept) == self.most and self.most else 0
        return self.kept[first:] + self.kept[:first]

    cdef int try_next(self, PyObject* element) noexcept:
        if self.most:
            try:
                if len(self.kept) < self.most:
                    self.kept.append(<object>element)
                else:
                    self.kept[self.count % self.most] = <object>element
            except BaseException as error:  # there is no memory; or of what is dropped
                decref(element)
                return self.owner.fail_at(self, error)
        self.count += 1
        decref(element)
        return ACCEPTED
