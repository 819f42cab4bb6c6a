"""Operators with one state per key: what follows key_by where keys end with the input.

All have their states in `Keys`, a dict whose values change in place, so that an element costs one look-up of its key.
Where a host stores tables, each key is a row of one, and a save writes those that have changed since the last one.
Those that answer an element with one or none are plain stages; those that send something for each key when the input
has completed are stages with a queue, since each result waits for a request of its own.
"""

from cpython.object cimport Py_GT, Py_LT, PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call1, call2, caught, decref, error_occurred, incref, int_from_int64
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.subscription cimport DROPPED, DemandOwner, Stage, count as count_tick, note_element, release_failed

from rs_core.errors import CapacityError, StateError
from rs_core.state.table_changes import TableChanges

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object dictionary, object key) noexcept   # borrowed
    int PyList_Append(object elements, object element) noexcept
    PyObject* PyTuple_Pack(Py_ssize_t count, PyObject* first, PyObject* second) noexcept
    int PyObject_RichCompareBool(object one, object other, int comparison) except -1
    int PySet_Add(object elements, object element) noexcept
    int PySet_Discard(object elements, object element) noexcept
    void PyErr_SetObject(object kind, object value) noexcept


# --- the states of all keys ------------------------------------------------------------------------------------------


@cython.final
cdef class _KeyState:
    """What an operator knows of one key: a value or a count."""

    cdef object key, value
    cdef int64_t count
    cdef int64_t number                  # of its row, in the order in which keys first came
    cdef int64_t mark                    # that of Keys: it is in the chain of changed ones
    cdef bint is_left, is_over           # after the completion: it waits for demand; its row is deleted
    cdef PyObject* next_changed          # borrowed: the dict of Keys has it as long as it is in the chain


@cython.final
cdef class Keys:
    """The states of all keys, in the order in which the keys first came; used under one token at a time.

    Args:
        function: Returns the key of an element.
        max_keys: How many keys may be known.
        kind: What is known of a key: `object` any value, `int` a count, `list` or `set` such a collection.
        seed: The value at first, where it is any.
        most: The largest count, or the most elements of a collection.

    Invariants
        I1  A state is never taken out of `states`, so the chain of changed ones need not own any.
        I2  With rows (`mark` > 0), each state that differs from its row in the last save is in the chain.
        I3  With absent keys, rows are numbered from 1 without a gap: no key was sent yet, since the input goes on.
    """

    cdef object function, kind, seed
    cdef dict states
    cdef int64_t max_keys, most
    cdef object rows                     # TableChanges; None: no host has stored rows
    cdef PyObject* first_changed
    cdef int64_t mark                    # 0: nothing is tracked; else one more with each save
    cdef int64_t last_number
    cdef int64_t absent                  # keys of the table that the host has not given, since they do not come

    def __init__(self, function, int64_t max_keys, kind, seed=None, int64_t most=INT64_MAX):
        self.function = function
        self.max_keys = max_keys
        self.kind = kind
        self.seed = seed
        self.most = most
        self.states = {}

    cdef PyObject* state_of(self, PyObject* element) noexcept:
        """Return the _KeyState of an element's key (a new reference), or NULL with an exception set."""
        cdef PyObject* state
        cdef PyObject* key = call1(<PyObject*>self.function, element)
        if key is NULL:
            return NULL
        state = PyDict_GetItemWithError(self.states, <object>key)
        if state is not NULL:
            incref(state)
        elif error_occurred() is NULL:
            state = self._add(<object>key)
        decref(key)
        return state

    cdef PyObject* _add(self, object key) noexcept:
        cdef _KeyState state
        try:
            if <int64_t>len(self.states) + self.absent >= self.max_keys:
                raise CapacityError(
                    f"key {safe_repr(key)} would be number {self.max_keys + 1}, and key_by(max_keys={self.max_keys}) "
                    f"holds {self.max_keys}; raise max_keys or use a coarser key"
                )
            state = _KeyState()
            state.key = key
            state.value = self._first_value()
            self.last_number += 1
            state.number = self.last_number
            self.states[key] = state
            self.touch(state)
        except BaseException as error:
            PyErr_SetObject(type(error), error)
            return NULL
        incref(<PyObject*>state)
        return <PyObject*>state

    cdef object _first_value(self):
        return [] if self.kind is list else set() if self.kind is set else self.seed

    cdef void touch(self, _KeyState state) noexcept:
        """Note that what is known of a key changes."""
        if state.mark != self.mark:
            state.mark = self.mark
            state.next_changed = self.first_changed
            self.first_changed = <PyObject*>state

    cdef list take_changed(self):
        cdef list changed = []
        cdef PyObject* each = self.first_changed
        while each is not NULL:
            changed.append(<object>each)
            each = (<_KeyState>each).next_changed
        self.first_changed = NULL
        self.mark += 1
        return changed

    cdef list take_over(self, list left):
        """Return the rows of the keys that were sent since the last save, or have nothing to send."""
        cdef _KeyState state
        cdef list over = []
        if left is not None:
            for each in left:
                (<_KeyState>each).is_left = True
            for each in self.states.values():
                state = <_KeyState>each
                if not state.is_left and not state.is_over:
                    state.is_over = True
                    over.append(state.number)
                state.is_left = False
        return over

    cdef int write(self, object writer, list left, Stage stage) except -1:
        """Write the keys with what is known of them, of all or of those that are left."""
        cdef _KeyState state
        table_of = getattr(writer, "table", None)
        table = None if table_of is None else table_of("keys")
        if table is not None:
            return self.write_rows(writer, table, left, stage)
        saved = {}
        for each in self.states.values() if left is None else reversed(left):
            state = <_KeyState>each
            if self.kind is int:
                saved[state.key] = state.count
            else:
                saved[state.key] = state.value if self.kind is object else self.kind(state.value)
        writer.write(saved)
        return 0

    cdef int write_rows(self, object writer, object table, list left, Stage stage) except -1:
        """Write the rows that differ from those that are stored, and how many there are."""
        cdef _KeyState state
        if self.rows is None:
            self.rows = TableChanges()
        taken = self.rows.take(table.is_full, self.take_changed(), self.take_over(left))
        if taken is None:
            table.replace()
            for each in self.states.values() if left is None else left:
                state = <_KeyState>each
                table.write(state.number, (state.key, state.count if self.kind is int else state.value))
        else:
            changed, over = taken
            for each in changed:
                state = <_KeyState>each
                if not state.is_over:
                    table.write(state.number, (state.key, state.count if self.kind is int else state.value))
            for number in over:
                table.delete(number)
        writer.write(self.absent + len(self.states if left is None else left))
        self.rows.saved_as(stage.changes.generation)
        return 0

    cdef int was_stored(self, Stage stage, object generation) except -1:
        if self.rows is not None:
            self.rows.was_stored(stage.changes.generation if generation is None else generation)
        return 0

    cdef int read(self, object reader, Stage stage) except -1:
        saved = reader.read((dict, int) if hasattr(reader, "table") else dict)
        count = saved if type(saved) is int else len(saved)
        if count > self.max_keys:
            raise StateError(
                f"{stage!r} cannot load {count} keys with max_keys={self.max_keys}; load the state with the bound "
                f"that it was saved with"
            )
        if type(saved) is dict:
            for key, value in (<dict>saved).items():
                self._read_one(key, value, self.last_number + 1, stage)
            return 0
        table = reader.table("keys")
        for number, row in table:
            if type(row) is not tuple or len(<tuple>row) != 2 or (<tuple>row)[0] in self.states:
                raise StateError(
                    f"{stage!r} cannot load row {number} of its table, {safe_repr(row)}: it is no key with its state, "
                    f"or comes twice; load an older checkpoint"
                )
            self._read_one((<tuple>row)[0], (<tuple>row)[1], number, stage)
        if table.is_partial and len(self.states) < count:
            self.absent = count - len(self.states)
            self.last_number = max(self.last_number, count)
        elif len(self.states) != count:
            raise StateError(
                f"{stage!r} cannot load {len(self.states)} rows of its table where {count} keys were saved; load an "
                f"older checkpoint"
            )
        self.rows = TableChanges(is_stored=True)
        self.mark = 1
        return 0

    cdef int _read_one(self, object key, object value, int64_t number, Stage stage) except -1:
        cdef _KeyState state = _KeyState()
        state.key = key
        state.number = self.last_number = number
        if self.kind is not object:
            self._require_sound(key, value, stage)
        if self.kind is int:
            state.count = value
        else:
            state.value = value
        self.states[key] = state
        return 0

    cdef int _require_sound(self, object key, object value, Stage stage) except -1:
        if type(value) is self.kind and 0 <= (value if self.kind is int else len(value)) <= self.most:
            return 0
        raise StateError(
            f"{stage!r} cannot load {safe_repr(value)} for key {safe_repr(key)}, for it needs "
            f"{'a count' if self.kind is int else f'a {self.kind.__name__} whose size is'} from 0 to {self.most}; load "
            f"the state with the operator that it was saved with"
        )


cdef PyObject* _fold(object function, _KeyState state, PyObject* element) noexcept:
    """Return the next accumulator of a key (a new reference), which is the state's from now on; NULL: as call2()."""
    cdef PyObject* result = call2(<PyObject*>function, <PyObject*>state.value, element)
    if result is not NULL:
        state.value = <object>result
    return result


cdef int _failed(DemandOwner owner, Stage stage, PyObject* element, PyObject* state) noexcept:
    """End the stream with the exception that a function raised, and note for which key; steals both references.

    Args:
        owner: Who signals it.
        stage: The operator.
        element: The element.
        state: Its _KeyState; NULL: the key is not known.
    """
    cdef int outcome
    error = caught()
    note_element(error, stage, <object>element)
    outcome = owner.fail_at(stage, error)
    decref(element)
    if state is not NULL:
        if isinstance(error, Exception):
            _note_key(stage, error, (<_KeyState>state).key)
        decref(state)
    return outcome


cdef void _note_key(Stage stage, object error, object key) noexcept:
    try:
        error.add_note(f"at an element of key {safe_repr(key)}")
    except BaseException as trouble:  # of the key's __repr__, or of a class that refuses notes
        release_failed(stage, "note", trouble, stage.name)


# --- at most one result for an element -------------------------------------------------------------------------------


cdef class _KeyedStage(Stage):
    """Base of the operators that answer each element with one or none.

    State: the keys with what is known of them.
    """

    cdef Keys keys

    cdef void release(self) noexcept:
        self.keys.function = None  # what is known is state: a disposed node may still be saved

    def on_state_saved(self, generation=None) -> None:
        """Take notice that a snapshot is stored safely, with the rows that are part of it."""
        Stage.on_state_saved(self, generation)
        if self.keys is not None:  # None: __new__ alone has made it
            self.keys.was_stored(self, generation)

    cdef int write_fields(self, object writer) except -1:
        return self.keys.write(writer, None, self)

    cdef int read_fields(self, object reader, object version) except -1:
        return self.keys.read(reader, self)


@cython.final
cdef class KeyedScanStage(_KeyedStage):
    """Pass on the accumulator of an element's key after each element; every key starts with the seed."""

    cdef object function

    def __init__(self, key_function, function, seed, int64_t max_keys):
        self.keys = Keys(key_function, max_keys, object, seed)
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = NULL
        cdef PyObject* state = self.keys.state_of(element)
        if state is not NULL:
            result = _fold(self.function, <_KeyState>state, element)
        if result is NULL:
            return _failed(self.owner, self, element, state)
        self.keys.touch(<_KeyState>state)
        decref(state)
        decref(element)
        self.changed = True
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None
        _KeyedStage.release(self)


@cython.final
cdef class KeyedTakeStage(_KeyedStage):
    """Pass on the first `count` elements of each key."""

    cdef int64_t count

    def __init__(self, key_function, int64_t count, int64_t max_keys):
        self.keys = Keys(key_function, max_keys, int, None, count)
        self.count = count

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* state = self.keys.state_of(element)
        cdef bint passes
        if state is NULL:
            return _failed(self.owner, self, element, NULL)
        passes = (<_KeyState>state).count < self.count
        if passes:
            (<_KeyState>state).count += 1
            self.keys.touch(<_KeyState>state)
        decref(state)
        self.changed = True  # also where it is only the key that came
        if passes:
            return self.down.try_next(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()


@cython.final
cdef class KeyedDistinctStage(_KeyedStage):
    """Pass on the first element of each key and value.

    Args:
        selector: Returns the value of an element; None: the element is the value.
        max_values: How many values a key may have.
    """

    cdef object selector

    def __init__(self, key_function, selector, int64_t max_values, int64_t max_keys):
        self.keys = Keys(key_function, max_keys, set, None, max_values)
        self.selector = selector

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* state = self.keys.state_of(element)
        cdef int is_new
        if state is NULL:
            return _failed(self.owner, self, element, NULL)
        is_new = self._add_value(<set>(<_KeyState>state).value, element)
        if is_new < 0:
            return _failed(self.owner, self, element, state)
        if is_new:
            self.keys.touch(<_KeyState>state)
        decref(state)
        self.changed = True
        if is_new:
            return self.down.try_next(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()

    cdef int _add_value(self, set seen, PyObject* element) noexcept:
        """1: the element's value is new; 0: it is not; -1: an exception is set."""
        cdef Py_ssize_t known = len(seen)
        cdef PyObject* value = element
        cdef int failed
        if self.selector is None:
            incref(value)
        else:
            value = call1(<PyObject*>self.selector, element)
            if value is NULL:
                return -1
        failed = PySet_Add(seen, <object>value)
        if not failed and <int64_t>len(seen) > self.keys.most:
            failed = PySet_Discard(seen, <object>value)
            if failed >= 0:
                failed = _set_too_many_values(self.keys.most, <object>value)
        decref(value)
        return -1 if failed < 0 else len(seen) != known

    cdef void release(self) noexcept:
        self.selector = None
        _KeyedStage.release(self)


cdef int _set_too_many_values(int64_t max_values, object value) noexcept:
    try:
        error = CapacityError(
            f"value {safe_repr(value)} would be number {max_values + 1} of its key, but "
            f"distinct(max_values={max_values}) allows {max_values}; increase max_values, or let keys end by "
            f"expire_after()"
        )
    except BaseException as interrupt:  # of the value's __repr__, or of a signal handler
        error = interrupt
    PyErr_SetObject(type(error), error)
    return -1


# --- something for each key when the input has completed -------------------------------------------------------------


cdef class _KeyedEndStage(CombineStage):
    """Base of the operators that send something for each key at the end, in the order in which the keys first came.

    State: what waits of the input, and the keys with what is known of them, at the end those that are left.
    """

    cdef Keys keys
    cdef list left   # after the completion: states of the keys that wait for demand, the next one last; before: None

    def __init__(self, int64_t prefetch, Keys keys not None):
        CombineStage.__init__(self, (), prefetch)
        self.keys = keys
        self.is_exact = True

    # What operators override, besides take_in().

    cdef bint has_result(self, _KeyState state) noexcept:
        return True

    cdef PyObject* result(self, _KeyState state) noexcept:
        """Return what to send for a key at the end (a new reference), or NULL with an exception set."""
        return NULL

    # What all of them do.

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        try:
            self.left = [state for state in self.keys.states.values() if self.has_result(<_KeyState>state)]
            self.left.reverse()
        except BaseException as error:  # there is no memory
            self.fail_at(self, error)
        return 0

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port
        cdef _KeyState state
        cdef PyObject* result
        if self.left is None:
            port = self.main()
            return self.wanted_of(port) > 0 and self.replenish(port)
        if not self.left:
            self.finish(self.down, None)
            return False
        if self.remaining <= 0:
            return False
        state = <_KeyState>self.left.pop()
        result = self.result(state)
        if result is NULL:
            error = caught()
            self.fail_at(self, error)
            if isinstance(error, Exception):
                _note_key(self, error, state.key)
            return False
        self.changed = True
        pass_on(self, result)
        count_tick(self)
        return True

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.keys.function = None

    def on_state_saved(self, generation=None) -> None:
        """Take notice that a snapshot is stored safely, with the rows that are part of it."""
        Stage.on_state_saved(self, generation)
        if self.keys is not None:  # None: __new__ alone has made it
            self.keys.was_stored(self, generation)

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        return self.keys.write(writer, self.left, self)

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        return self.keys.read(reader, self)


@cython.final
cdef class KeyedFoldStage(_KeyedEndStage):
    """Fold the elements of each key, and send what comes out at the end.

    Args:
        prefetch: As for CombineStage.
        key_function: Returns the key of an element.
        function: Called with the accumulator of the key and an element; returns the next one. None: elements are
            counted.
        seed: The first accumulator of every key.
        finisher: Called with a key and its accumulator; returns what is sent. None: a pair of both is sent.
        max_keys: How many keys may be known.
    """

    cdef object function, finisher

    def __init__(self, int64_t prefetch, key_function, function, seed, finisher, int64_t max_keys):
        _KeyedEndStage.__init__(
            self, prefetch, Keys(key_function, max_keys, int if function is None else object, seed)
        )
        self.function = function
        self.finisher = finisher

    cdef bint accepts(self, InputPort port) noexcept:
        return True

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        return self.prefetch - port.outstanding if self.remaining > 0 else 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef PyObject* result
        cdef PyObject* state = self.keys.state_of(element)
        if state is NULL:
            return _failed(self, self, element, NULL)
        if self.function is None:
            (<_KeyState>state).count += 1
        else:
            result = _fold(self.function, <_KeyState>state, element)
            if result is NULL:
                return _failed(self, self, element, state)
            decref(result)
        self.keys.touch(<_KeyState>state)
        decref(state)
        decref(element)
        return 0

    cdef PyObject* result(self, _KeyState state) noexcept:
        cdef PyObject* value = <PyObject*>state.value
        cdef PyObject* pair
        if self.finisher is not None:
            return call2(<PyObject*>self.finisher, <PyObject*>state.key, value)
        if self.function is not None:
            return PyTuple_Pack(2, <PyObject*>state.key, value)
        value = int_from_int64(state.count)
        if value is NULL:
            return NULL
        pair = PyTuple_Pack(2, <PyObject*>state.key, value)
        decref(value)
        return pair

    cdef void release(self) noexcept:
        _KeyedEndStage.release(self)
        self.function = None
        self.finisher = None


@cython.final
cdef class KeyedBufferStage(_KeyedEndStage):
    """Pass on lists of `count` consecutive elements of a key, at the end those that are not full.

    Args:
        prefetch: As for CombineStage.
        key_function: Returns the key of an element.
        count: Elements in a list.
        max_keys: How many keys may be known.
    """

    cdef Py_ssize_t count

    def __init__(self, int64_t prefetch, key_function, Py_ssize_t count, int64_t max_keys):
        _KeyedEndStage.__init__(self, prefetch, Keys(key_function, max_keys, list, None, count - 1))
        self.count = count

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef PyObject* full
        cdef PyObject* found = self.keys.state_of(element)
        cdef _KeyState state
        if found is NULL:
            return _failed(self, self, element, NULL)
        state = <_KeyState>found
        decref(found)
        self.keys.touch(state)
        if PyList_Append(state.value, <object>element) < 0:
            decref(element)
            return self.fail_at(self, caught())
        decref(element)
        if len(<list>state.value) == self.count:
            full = <PyObject*>state.value
            incref(full)
            try:
                state.value = []
            except BaseException as error:  # there is no memory
                decref(full)
                return self.fail_at(self, error)
            pass_on(self, full)
        return 0

    cdef bint has_result(self, _KeyState state) noexcept:
        return len(<list>state.value) > 0

    cdef PyObject* result(self, _KeyState state) noexcept:
        incref(<PyObject*>state.value)
        return <PyObject*>state.value


# --- several folds at a time -----------------------------------------------------------------------------------------


cdef enum _Aggregate:   # in the order of AGGREGATES
    COUNT
    SUM
    MIN
    MAX
    MEAN
    FIRST
    LAST

AGGREGATES = ("count", "sum", "min", "max", "mean", "first", "last")


@cython.final
cdef class Aggregates:
    """Several aggregates, as the function of one fold over a tuple of accumulators. None counts as no value.

    Args:
        kinds: For each entry of the result its name, kind and function; None: the element is the value.
    """

    cdef tuple kinds
    cdef readonly tuple seed
    cdef list codes

    def __init__(self, tuple kinds not None):
        self.kinds = kinds
        self.codes = [AGGREGATES.index(kind) for _, kind, _ in kinds]
        self.seed = tuple([0 if kind == "count" else (None, 0) if kind == "mean" else None for _, kind, _ in kinds])

    def __reduce__(self):
        return Aggregates, (self.kinds,)

    def __repr__(self) -> str:
        return ", ".join([
            f"{name}={kind!r}" if function is None else f"{name}=({kind!r}, {getattr(function, '__qualname__', '...')})"
            for name, kind, function in self.kinds
        ])

    def __call__(self, tuple accumulators not None, element):
        """Return the next accumulators."""
        cdef list after = list(accumulators)
        cdef Py_ssize_t place
        for place in range(len(after)):
            function = (<tuple>self.kinds[place])[2]
            value = element if function is None else function(element)
            if value is not None:
                after[place] = _step(self.codes[place], after[place], value)
        return tuple(after)

    def merged(self, tuple earlier not None, tuple later not None) -> tuple:
        """Return the accumulators of all elements, of which the ones in `earlier` count as the first ones."""
        return tuple([_merge_step(code, one, other) for code, one, other in zip(self.codes, earlier, later)])

    def result(self, tuple accumulators not None) -> dict:
        """Return the entries of the result."""
        return {
            name: (accumulator[0] / accumulator[1] if accumulator[1] else None) if kind == "mean" else accumulator
            for accumulator, (name, kind, _) in zip(accumulators, self.kinds)
        }

    def record(self, key, tuple accumulators not None) -> dict:
        """Return the result of a key."""
        return {"key": key, **self.result(accumulators)}


cdef object _step(int kind, object accumulator, object value):
    """Return the next accumulator of one aggregate."""
    cdef bint is_first = accumulator is None
    if kind == COUNT:
        return accumulator + 1
    if kind == MEAN:
        total, count = accumulator
        return (value if count == 0 else total + value), count + 1
    if is_first or kind == LAST:
        return value
    if kind == SUM:
        return accumulator + value
    if kind == FIRST or not PyObject_RichCompareBool(value, accumulator, Py_LT if kind == MIN else Py_GT):
        return accumulator
    return value


cdef object _merge_step(int kind, object earlier, object later):
    """Return the accumulator of one aggregate for the values of two."""
    if kind == COUNT:
        return earlier + later
    if kind == MEAN:
        if earlier[1] == 0 or later[1] == 0:
            return later if earlier[1] == 0 else earlier
        return earlier[0] + later[0], earlier[1] + later[1]
    return earlier if later is None else _step(kind, earlier, later)
