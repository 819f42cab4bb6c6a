"""The location of the headers of the C interface, for building extensions against it."""

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the folder that a C++ compiler has to search for the headers (`include_dirs`, `-I`).

    The `.pxd` files are there too, as files of the package `rs_core`; Cython finds them if the package is installed.
    Never runs user code.

    Returns:
        An absolute path.

    Example:
        >>> from pathlib import Path
        >>> import rs_core
        >>> Path(rs_core.get_include(), "abi.h").is_file()
        True
    """
    return str(Path(__file__).resolve().parent)
