# Nothing is visible from Python: other modules cimport what is here.
"""What becomes of an error that cannot be signalled, or has to be told where it comes from.

An error about an error would have the next one: where the interpreter's stack or memory is used up, each call fails
anew. So only what is no Exception, such as KeyboardInterrupt, goes on to the owner, which signals nothing about it. All
else that fails here goes to `sys.unraisablehook`; and a note for which there is no room is left out.
"""

from cpython.exc cimport PyErr_SetObject, PyErr_WriteUnraisable

from rs_core.stream.stage cimport Stage

from rs_core.dropped import dropped


cdef void drop_signal(Stage stage, str signal, object value, object origin) noexcept:
    """Hand a signal to the hook for dropped ones; an interrupt of the hook goes to the drain."""
    interrupt = _hand_to_hook(signal, value, origin)
    if interrupt is not None:
        _fail_at_owner(stage, interrupt)


cdef void drop_second_interrupt(Stage stage, object error) noexcept:
    """Hand what is no Exception to the hook, since another one is on its way to be raised.

    It is not chained to that one: a context says what was handled when an exception was raised, and these two may have
    nothing to do with each other. What the hook raises is let go; else one that always raises would be told of that
    without end.
    """
    _hand_to_hook("raise", error, stage.name)


cdef object _hand_to_hook(str signal, object value, object origin):
    """Call the hook; return what is no Exception and was raised by it, or None."""
    cdef object interrupt = None
    try:
        dropped(signal, value, origin=origin)
    except Exception as trouble:  # the hook was not reached: what it raises itself, dropped() has dealt with
        PyErr_SetObject(type(trouble), trouble)
        PyErr_WriteUnraisable(value)
    except BaseException as raised:
        interrupt = raised
    return interrupt


cdef void release_failed(Stage stage, str signal, object error, object origin) noexcept:
    """Pass on what user code raised while a stage was released, when nobody is left to signal it to."""
    if isinstance(error, Exception):
        drop_signal(stage, signal, error, origin)
    else:
        _fail_at_owner(stage, error)


cdef void _fail_at_owner(Stage stage, object error) noexcept:
    """Hand what is no Exception to the owner of demand, which raises it at the outermost entry."""
    cdef Stage owner = stage if stage.is_owner else stage.owner
    if owner is not None:
        owner.fail_at(stage, error)


cdef object new_error(object kind, str message):
    """Make an error of this project where an interrupt could go nowhere: its `__init__`, which is Python code, is left
    out, since a signal handler may run there. What it does for a message alone, `__new__` has done."""
    return kind.__new__(kind, message)


cdef void add_assembly_note(object error, Stage stage) noexcept:
    """Note on an exception which operator raised it and where that was assembled, once."""
    if stage.description is None:
        return
    try:
        note = f"in {stage.name}, assembled at {stage.description.assembly}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    except (MemoryError, RecursionError):
        return
    except Exception as trouble:  # an exception class may refuse notes; the error itself matters more
        drop_signal(stage, "note", trouble, stage.name)
    except BaseException as interrupt:
        _fail_at_owner(stage, interrupt)
