"""The number of the installed C interface, and the check that every extension built against it runs when imported."""

from rs_core.errors import AbiMismatchError

__all__ = ["ABI_NUMBER", "require"]

ABI_NUMBER = BUILT_FOR_ABI
"""Raised by a release whose exported layouts differ from those of the release before."""


def require(str extension not None, int built_for) -> None:
    """Refuse an extension that was built for another C interface; abi.h calls it before the extension does anything.

    Never runs user code.

    Args:
        extension: The full name of the extension module.
        built_for: The `ABI_NUMBER` of the headers that it was built with.

    Raises:
        AbiMismatchError: The installed number is another one; its `name` is the extension's.

    Example:
        >>> from rs_core.abi import ABI_NUMBER, require
        >>> require("native_lines.source", ABI_NUMBER)
        >>> require("native_lines.source", ABI_NUMBER + 1)
        Traceback (most recent call last):
        ...
        rs_core.errors.AbiMismatchError: native_lines.source was built for ABI 2 of rs_core, and ABI 1 is installed ...
    """
    if built_for == BUILT_FOR_ABI:
        return
    from rs_core.version import __version__

    error = AbiMismatchError(
        f"{extension} was built for ABI {built_for} of rs_core, and ABI {ABI_NUMBER} is installed "
        f"(reactive-streams-core {__version__}); its classes would not fit: build it again against this release, "
        f"or install a release of reactive-streams-core with ABI {built_for}"
    )
    error.name = extension
    raise error
