"""The immutable description of a stream: which operators, with which parameters, assembled where."""

import sys

cimport cython
from cpython.object cimport PyObject
from cpython.type cimport PyType_Check, PyType_IsSubtype

from rs_core.interp.calls cimport reference_count
from rs_core.interp.function_kind cimport runs_at_once

from rs_core.errors import ArgumentError

cdef extern from "interp/frames.h":
    object frame_code "rs_frame_code"(object frame)
    object frame_globals "rs_frame_globals"(object frame)
    int frame_offset "rs_frame_offset"(object frame) noexcept
    int code_line "rs_code_line"(object code, int offset) noexcept

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object dictionary, object key) except? NULL   # borrowed
    Py_ssize_t PyUnicode_Tailmatch(object text, object part, Py_ssize_t start, Py_ssize_t end, int direction) except -1
    Py_ssize_t PY_SSIZE_T_MAX

    object PyObject_GenericGetAttr(object self, object name)

    ctypedef object (*getattrofunc)(object self, object name)
    ctypedef object (*newfunc)(type kind, tuple arguments, PyObject* named)
    ctypedef struct TypeSlots "PyTypeObject":
        getattrofunc tp_getattro
        newfunc tp_new
    TypeSlots PyType_Type

MAX_DEPTH = 100_000
"""How many operators one stream may chain; a longer chain is refused when it is built."""

MAX_NESTING = 100
"""How deep streams may be nested as inputs of operators; deeper ones are refused when the stream is built."""

cdef object _getframe = sys._getframe
cdef tuple _NOTHING = ()
cdef int _MAX_DEPTH = MAX_DEPTH
cdef int _MAX_NESTING = MAX_NESTING
cdef str _NAME = "__name__"
cdef str _PACKAGE = "reactivestreams"
cdef str _PACKAGE_PREFIX = "reactivestreams."
cdef str _DEMO_PREFIX = "reactivestreams.demo."  # uses the package as its users do, so its own lines are named


cdef bint _is_ours(object globals_) except -1:
    """Tell whether a frame belongs to the package whose callers are to be named."""
    cdef PyObject* name = PyDict_GetItemWithError(globals_, _NAME)
    if name is NULL:
        return False
    module = <object>name
    if type(module) is not str or not _begins(module, _PACKAGE):
        return False
    return module == _PACKAGE or (_begins(module, _PACKAGE_PREFIX) and not _begins(module, _DEMO_PREFIX))


cdef inline bint _begins(str text, str start) except -1:
    return PyUnicode_Tailmatch(text, start, 0, PY_SSIZE_T_MAX, -1)


cdef class Assembly:
    """Where in the user's code an operator was added to a stream; a value, which can be serialized.

    Args:
        file: The file name of the user's code.
        line: The line number in that file, counted from 1.
        function: The qualified name of the function that the line belongs to.

    Example:
        >>> from rs_core.stream.description import Assembly
        >>> print(Assembly("flights.py", 12, "load"))
        flights.py:12 in load
    """

    def __init__(self, str file not None, int line, str function not None):
        self.file = file
        self.line = line
        self.function = function

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"

    def __repr__(self) -> str:
        return f"Assembly({self.file!r}, {self.line!r}, {self.function!r})"

    def __eq__(self, other) -> bool:
        if not isinstance(other, Assembly):
            return NotImplemented
        return (self.file, self.line, self.function) == (other.file, other.line, other.function)

    def __hash__(self) -> int:
        return hash((self.file, self.line, self.function))

    def __reduce__(self):
        return Assembly, (self.file, self.line, self.function)


cdef class DescriptionType(type):
    """The class of a class of nodes, which says, as its nodes do, what a missing name is called here.

    Both do it in C: with a `__getattr__` written in Python, though it is called only for missing names, it takes 100 ns
    more to find one that is there.
    """

    def __getattribute__(cls, name):
        try:
            return PyType_Type.tp_getattro(cls, name)
        except AttributeError:
            pass
        raise cls._missing_name(name)


@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class Description:
    """One node of a described stream: an operator, its parameters and what it takes its elements from.

    A description is a value: it is never changed after it was made, may be shared between threads, and does
    not run. `Stream` and `Pipeline` derive from it and add the fluent methods.

    Args:
        definition: The class that names and documents the operator; its attribute `stage` makes the live node.
        parameters: The checked parameters of the operator.
        upstream: The node before this one, or None for a source.
        assembly: Where the node was added; None means the innermost running frame outside the package.

    Raises:
        ArgumentError: The chain would be longer than `MAX_DEPTH` nodes, or an operator in it has an input in which
            streams are nested more than `MAX_NESTING` deep.

    Threads: immutable, so any.
    """

    def __init__(
        self, definition, tuple parameters not None=(), Description upstream=None, Assembly assembly=None
    ):
        self.definition = definition
        self.parameters = parameters
        if upstream is None:
            self.lead()
        else:
            self.follow(upstream)
        self.place = assembly
        if assembly is None:
            self.capture(0)

    cdef int lead(self) except -1:
        """Make this the first node; the parameters are there."""
        self.depth = 1
        return self.nest(_nesting_of(self.parameters, 0))  # a publisher that is a stream is visited in a loop

    cdef int follow(self, Description upstream) except -1:
        """Place this after another node; the parameters are there."""
        self.upstream = upstream
        self.depth = upstream.depth + 1
        if self.depth > _MAX_DEPTH:
            raise ArgumentError(
                f"a stream of {self.depth} operators is longer than the {_MAX_DEPTH} allowed; "
                f"join neighboring functions into one operator"
            )
        return self.nest(max(upstream.nesting, _nesting_of(self.parameters, 1)))

    cdef int nest(self, int nesting) except -1:
        self.nesting = nesting
        if self.nesting > _MAX_NESTING:
            raise ArgumentError(
                f"streams are nested {self.nesting} deep as inputs of {self.definition.id}, more than the "
                f"{_MAX_NESTING} allowed; give all of them to one operator, or call the method of the stream that "
                f"holds the others and let a single one be its input"
            )
        return 0

    cdef int capture(self, int depth) except -1:
        """Note the line of the user's code that is being run now; so many frames are known to be the package's.

        Asks `sys._getframe`, since the functions of the C interface make a frame object of every frame on the way.
        """
        user_code = None if self.upstream is None else self.upstream.place  # spares a chain the look at the module
        while True:
            try:
                frame = _getframe(depth)
            except ValueError:  # the stack is not that deep
                self.place = Assembly("<embedded>", 0, "<embedded>")
                return 0
            code = frame_code(frame)
            if code is user_code or not _is_ours(frame_globals(frame)):
                self.place = code
                self.offset = frame_offset(frame)
                return 0
            depth += 1

    @property
    def assembly(self) -> Assembly:
        """Where in the user's code this node was added."""
        place = self.place
        if type(place) is Assembly:
            return place
        return Assembly(place.co_filename, code_line(place, self.offset), place.co_qualname)

    cdef Description derive(self, object definition, tuple parameters, Assembly assembly):
        cdef type kind = type(self)
        cdef Description node = <Description>(<TypeSlots*>kind).tp_new(<type>kind, _NOTHING, NULL)
        node.definition = definition
        node.parameters = parameters
        node.follow(self)
        node.place = assembly
        if assembly is None:
            node.capture(1)
        return node

    def _then(self, definition, tuple parameters not None=(), Assembly assembly=None, /):
        """Return a new node of the same class whose upstream is this one; called by methods of the package."""
        return self.derive(definition, parameters, assembly)

    def _then_call(self, definition, function, /):
        """Return a new node whose one parameter is a function; its definition looks at what is no ordinary one.

        A shorter way for what is used most: to check the function and to wrap it in Python costs a third of the node.
        """
        parameters = (function,) if runs_at_once(function) else definition.parameters(function)
        return self.derive(definition, parameters, None)

    def __getattribute__(self, name):
        try:
            return PyObject_GenericGetAttr(self, name)
        except AttributeError:
            pass
        raise type(self)._missing_name(name)

    @classmethod
    def _missing_name(cls, name, /):
        """Return the error for a name that this class and its nodes do not have; subclasses suggest another one."""
        return AttributeError(f"{cls.__name__} has no {name!r}")

    def nodes(self) -> list:
        """Return the nodes of the chain, the head first; never runs user code.

        Returns:
            A list of `Description`, from the source (or the head of the pipeline) to this node.
        """
        cdef list chain = []
        cdef Description node = self
        while node is not None:
            chain.append(node)
            node = node.upstream
        chain.reverse()
        return chain

    def __reduce__(self):
        # Flat, since a recursive form would exhaust the stack for a long chain.
        return _rebuild, (type(self), [(node.definition, node.parameters, node.assembly) for node in self.nodes()])

    def __dealloc__(self):
        # Frees a chain of any length with a flat stack: each node is unlinked before it is dropped.
        cdef Description node = self.upstream
        cdef Description above
        self.upstream = None
        while node is not None and reference_count(<PyObject*>node) == 1:
            above = node.upstream
            node.upstream = None
            node = above
            above = None  # else `node` would never be the only reference


cdef int _nesting_of(tuple parameters, int own) except -1:
    """How deep streams are nested in parameters, where one that is a parameter itself counts `own`.
    """
    cdef int nesting = 0
    for each in parameters:
        if isinstance(each, Description):
            nesting = max(nesting, own + (<Description>each).nesting)
        elif type(each) is tuple:
            for source in <tuple>each:
                if isinstance(source, Description):
                    nesting = max(nesting, 1 + (<Description>source).nesting)
    return nesting


def new_head(kind, definition, tuple parameters not None=(), /):
    """Return a node without an upstream; called by methods of the package, whose callers are named.

    Args:
        kind: The class of the node, `Description` or one that derives from it.
        definition: The class that documents and names the source.
        parameters: Its checked parameters.

    Returns:
        The node, assembled where the innermost running function outside the package is. Never runs user code.
    """
    # Any metaclass will do. issubclass() would cost a tenth of the node.
    if not PyType_Check(kind) or not PyType_IsSubtype(<type>kind, Description):
        raise TypeError(f"new_head(kind) needs Description or a class that derives from it, got {kind!r}")
    cdef Description node = <Description>(<TypeSlots*>kind).tp_new(<type>kind, _NOTHING, NULL)
    node.definition = definition
    node.parameters = parameters
    node.lead()
    node.capture(1)
    return node


cdef object _stream_of_group = None


def make_groups_by(function, /):
    """Set what makes the stream of a group, for `group_by`, `window` and their saved state.

    Args:
        function: Called with a Group; the class of streams is above this package.
    """
    global _stream_of_group
    _stream_of_group = function


cdef object group_stream(object group):
    """Return the stream of a group."""
    return _stream_of_group(group)


def _rebuild(kind, list nodes not None):
    """Make a description from the flat form in which it is serialized."""
    cdef Description node = None
    for definition, parameters, assembly in nodes:
        if node is None:
            node = kind(definition, parameters, None, assembly)
        else:
            node = node.derive(definition, parameters, assembly)
    return node
