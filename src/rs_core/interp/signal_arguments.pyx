"""The errors for arguments of signals that rule 2.13 refuses, for senders and receivers of signals."""

from rs_core.interp.arguments cimport safe_repr

from rs_core.errors import ArgumentTypeError, NullElementError


cdef object null_subscription():
    return NullElementError(
        "§2.13: on_subscribe(None): a subscription is needed; pass an object with request and cancel"
    )


cdef object null_element(str call):
    return NullElementError(f"§2.13: {call}(None): None cannot be an element; send a value of your own for it")


cdef object null_error():
    return NullElementError("§2.13: on_error(None): an exception is needed; pass the error")


cdef object as_exception(object error):
    """Return the error of a foreign publisher as an exception, or None for completion.

    An error that is not an exception becomes the `payload` of the returned one.
    """
    if error is None or isinstance(error, BaseException):
        return error
    wrapped = ArgumentTypeError(
        f"§2.13: on_error({safe_repr(error)}): an exception is needed, got {type(error).__name__}; it is the payload "
        f"of this error; the publisher has to pass an exception",
        rule="2.13",
    )
    wrapped.payload = error
    return wrapped


cdef object no_exception(object error):
    return ArgumentTypeError(
        f"fail(error) needs an exception instance, got {safe_repr(error)}; pass e.g. ValueError('why')"
    )
