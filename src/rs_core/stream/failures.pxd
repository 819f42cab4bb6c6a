# What becomes of an error that cannot be signalled, or has to be told where it comes from. For the holder of the token.

from rs_core.stream.stage cimport Stage


cdef void drop_signal(Stage stage, str signal, object value, object origin) noexcept
cdef void release_failed(Stage stage, str signal, object error, object origin) noexcept
cdef void drop_second_interrupt(Stage stage, object error) noexcept
cdef object new_error(object kind, str message)   # never runs Python code
cdef void add_assembly_note(object error, Stage stage) noexcept
