"""The immutable description of a stream: which operators, with which parameters, assembled where."""

cimport cython
from cpython.object cimport PyObject

from rs_core.calls cimport decref, reference_count

from rs_core.errors import ArgumentError

cdef extern from "frames.h":
    PyObject* frame_innermost "rs_frame_innermost"() noexcept
    PyObject* frame_back "rs_frame_back"(object frame) noexcept
    object frame_code "rs_frame_code"(object frame)
    object frame_globals "rs_frame_globals"(object frame)
    int frame_offset "rs_frame_offset"(object frame) noexcept
    int code_line "rs_code_line"(object code, int offset) noexcept

cdef extern from "Python.h":
    PyObject* PyDict_GetItem(object dictionary, object key) noexcept   # borrowed
    Py_ssize_t PyUnicode_Tailmatch(object text, object part, Py_ssize_t start, Py_ssize_t end, int direction) except -1
    Py_ssize_t PY_SSIZE_T_MAX

MAX_DEPTH = 100_000
"""How many operators one stream may chain; a longer chain is refused when it is built."""

cdef int _MAX_DEPTH = MAX_DEPTH
cdef str _NAME = "__name__"
cdef str _PACKAGE = "reactivestreams"
cdef str _PACKAGE_PREFIX = "reactivestreams."
cdef str _DEMO_PREFIX = "reactivestreams.demo."  # uses the package as its users do, so its own lines are named


cdef bint _is_ours(object globals_) except -1:
    """Tell whether a frame belongs to the package whose callers are to be named."""
    cdef PyObject* name = PyDict_GetItem(globals_, _NAME)
    if name is NULL:
        return False
    module = <object>name
    if type(module) is not str or PyUnicode_Tailmatch(module, _DEMO_PREFIX, 0, PY_SSIZE_T_MAX, -1) == 1:
        return False
    return module == _PACKAGE or PyUnicode_Tailmatch(module, _PACKAGE_PREFIX, 0, PY_SSIZE_T_MAX, -1) == 1


cdef object _outer_frame(bint skips_one):
    """Return the innermost running frame outside the package, or None; the first one may be known to be inside."""
    cdef object frame
    cdef PyObject* outer = frame_innermost()
    if outer is not NULL and skips_one:
        inner = <object>outer
        decref(outer)  # `inner` holds its own reference now
        outer = frame_back(inner)
    while outer is not NULL:
        frame = <object>outer
        decref(outer)  # `frame` holds its own reference now
        if not _is_ours(frame_globals(frame)):
            return frame
        outer = frame_back(frame)
    return None


cdef class Assembly:
    """Where in the user's code an operator was added to a stream.

    Holds the code object and an instruction offset, so that building a stream stays cheap; file, line and
    function are worked out when somebody asks for them, and travel as such when the description is copied.

    Example:
        >>> from rs_core.description import Assembly
        >>> print(Assembly("flights.py", 12, "load"))
        flights.py:12 in load
    """

    def __init__(self, str file not None, int line, str function not None):
        self._file = file
        self._line = line
        self._function = function
        self.code = None

    cdef int _resolve(self) except -1:
        code = self.code
        if code is not None:
            self._line = code_line(code, self.offset)
            self._function = code.co_qualname
            self._file = code.co_filename
            self.code = None
        return 0

    @property
    def file(self) -> str:
        """The file name of the user's code."""
        self._resolve()
        return self._file

    @property
    def line(self) -> int:
        """The line number in that file, counted from 1."""
        self._resolve()
        return self._line

    @property
    def function(self) -> str:
        """The qualified name of the function that the line belongs to."""
        self._resolve()
        return self._function

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


cdef Assembly _here(bint skips_one):
    """Capture the line of the user's code that is being run now."""
    cdef Assembly assembly
    frame = _outer_frame(skips_one)
    if frame is None:
        return Assembly("<embedded>", 0, "<embedded>")
    assembly = Assembly.__new__(Assembly)
    assembly.code = frame_code(frame)
    assembly.offset = frame_offset(frame)
    return assembly


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
        ArgumentError: The chain would be longer than `MAX_DEPTH` nodes.

    Threads: immutable, so any.
    """

    def __init__(
        self, definition, tuple parameters not None=(), Description upstream=None, Assembly assembly=None
    ):
        self.definition = definition
        self.parameters = parameters
        self.upstream = upstream
        self.depth = 1 if upstream is None else upstream.depth + 1
        if self.depth > _MAX_DEPTH:
            raise ArgumentError(
                f"a stream of {self.depth} operators is longer than the {_MAX_DEPTH} allowed; "
                f"join neighboring functions into one operator"
            )
        self.assembly = _here(False) if assembly is None else assembly

    cdef Description derive(self, object definition, tuple parameters, Assembly assembly):
        cdef type kind = type(self)
        cdef Description node = kind.__new__(kind)
        node.definition = definition
        node.parameters = parameters
        node.upstream = self
        node.depth = self.depth + 1
        if node.depth > _MAX_DEPTH:
            raise ArgumentError(
                f"a stream of {node.depth} operators is longer than the {_MAX_DEPTH} allowed; "
                f"join neighboring functions into one operator"
            )
        node.assembly = _here(True) if assembly is None else assembly
        return node

    def _then(self, definition, tuple parameters not None=(), Assembly assembly=None):
        """Return a new node of the same class whose upstream is this one; called by methods of the package."""
        return self.derive(definition, parameters, assembly)

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


def _rebuild(type kind not None, list nodes not None):
    """Make a description from the flat form in which it travels."""
    cdef Description node = None
    for definition, parameters, assembly in nodes:
        if node is None:
            node = kind(definition, parameters, None, assembly)
        else:
            node = node.derive(definition, parameters, assembly)
    return node
