"""The compiled modules need nothing at run time but the interpreter and the C library."""

import importlib.util
import sys
from pathlib import Path

import pytest

from rs_core.build_profile import PROFILE
from tests.architecture.checkout import SOURCES, module_name

MODULES = sorted(module_name(path) for path in (SOURCES / "rs_core").rglob("*.pyx"))


def names_cpp_library(binary: bytes) -> bool:
    """Return whether a binary asks the loader for the C++ library of GCC."""
    return b"libstdc++.so" in binary


@pytest.mark.skipif(sys.platform != "linux", reason="macOS and Windows have their C++ library in the system")
@pytest.mark.skipif(PROFILE == "asan", reason="the sanitizers' own libraries need it")
@pytest.mark.parametrize("module", MODULES)
def test_module_does_not_load_the_cpp_library(module: str) -> None:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    assert not names_cpp_library(Path(found.origin).read_bytes())


def test_binary_that_loads_the_cpp_library_is_recognised() -> None:
    assert names_cpp_library(b"\x7fELF\0libstdc++.so.6\0libc.so.6\0")
    assert not names_cpp_library(b"\x7fELF\0libc.so.6\0")
