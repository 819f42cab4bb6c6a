"""The errors for arguments of signals that rule 2.13 refuses: worded once, for whoever takes signals or makes them."""

from rs_core.arguments cimport shown

from rs_core.errors import ArgumentTypeError, NullElementError


cdef object null_subscription():
    return NullElementError(
        "§2.13: on_subscribe(None): a subscription is needed; pass an object with request and cancel"
    )


cdef object null_element(str call):
    return NullElementError(f"§2.13: {call}(None): None cannot be an element; send a value of your own for it")


cdef object null_error():
    return NullElementError("§2.13: on_error(None): an exception is needed; pass what went wrong")


cdef object no_exception(object error):
    return ArgumentTypeError(
        f"fail(error) needs an exception instance, got {shown(error)}; pass e.g. ValueError('why')"
    )
