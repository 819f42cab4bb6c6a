"""An extension that was built for another C interface is refused before it touches a type, and told what helps."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rs_core.abi import ABI_NUMBER, require
from rs_core.errors import AbiMismatchError
from tests.architecture.cython_source import imports
from tests.native.building import build_harnesses
from tests.native.compiling import copy_headers, installed_core, installed_modules, load

OTHER_ABI = ABI_NUMBER + 1

# Builds on the innermost class with a layout of its own, so that everything below it has to fit.
EXTENSION = """
from rs_core.stream.subscription cimport DemandOwner

cdef class Silence(DemandOwner):
    pass

NAME = Silence().name
"""

Change = Callable[[Path], None]


@pytest.fixture(autouse=True)
def headers_are_looked_for_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    # Cython keeps one tree of dependencies for the process, and with it where the first call found rs_core.
    dependencies = pytest.importorskip("Cython.Build.Dependencies", reason="the extensions are compiled by Cython")
    monkeypatch.setattr(dependencies, "_dep_tree", None)


def number_raised(core: Path) -> None:
    header = core / "abi.h"
    text = header.read_text(encoding="utf-8")
    changed = re.sub(r"(?m)^#define RS_ABI_NUMBER \d+$", f"#define RS_ABI_NUMBER {OTHER_ABI}", text)
    assert changed != text
    header.write_text(changed, encoding="utf-8")


def fields_added(core: Path) -> None:
    insert(core / "stream/subscription.pxd", "    cdef gil_uint32 state\n", "    cdef int64_t[8] new_fields\n")


def methods_moved(core: Path) -> None:
    insert(
        core / "stream/subscription.pxd",
        "    cdef int receive_complete(self) noexcept",
        "    cdef int new_method(self) noexcept\n",
    )


def insert(path: Path, place: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(place) == 1, f"{path.name} no longer has {place!r} once; choose another place for this test"
    path.write_text(text.replace(place, line + place), encoding="utf-8")


def built(folder: Path, *changes: Change, macros: tuple[tuple[str, str | None], ...] = ()) -> Path:
    """Build the extension against a copy of the headers that was changed."""
    core = folder / "headers" / "rs_core"
    copy_headers(core)
    for change in changes:
        change(core)
    source = folder / "silence.pyx"
    source.write_text(EXTENSION, encoding="utf-8")
    (binary,) = build_harnesses([source], folder / "built", core=core, macros=macros)
    return binary


def test_the_number_of_the_installed_interface_is_accepted() -> None:
    assert require("native.lines", ABI_NUMBER) is None


@pytest.mark.parametrize("number", [ABI_NUMBER - 1, OTHER_ABI, 0, -1])
def test_another_number_is_refused_with_both_numbers_and_the_remedy(number: int) -> None:
    with pytest.raises(AbiMismatchError, match="build it again against this release") as caught:
        require("native.lines", number)
    assert caught.value.name == "native.lines"
    assert str(caught.value).startswith(
        f"native.lines was built for ABI {number} of rs_core, and ABI {ABI_NUMBER} is installed (reactive-streams-core "
    )


def without_the_check(module: str, core: Path, seen: frozenset[str] = frozenset()) -> bool:
    """Tell whether an extension that cimports this module alone would miss abi.h."""
    text = (core / f"{module.replace('.', '/')}.pxd").read_text(encoding="utf-8")
    if 'cdef extern from "abi.h":' in text:
        return False
    below = {name.removeprefix("rs_core.") for _, name in imports(text) if name.startswith("rs_core.")} - seen
    return all(without_the_check(name, core, seen | {module}) for name in below)


@pytest.mark.parametrize("module", installed_modules())
def test_every_installed_pxd_brings_the_check_along(module: str) -> None:
    assert not without_the_check(module, installed_core())


def test_a_pxd_without_the_check_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "alone.pxd").write_text("from libc.stdint cimport int64_t\n", encoding="utf-8")
    (tmp_path / "above.pxd").write_text("from rs_core.alone cimport nothing\n", encoding="utf-8")
    assert without_the_check("above", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("macros", [(), (("CYTHON_PEP489_MULTI_PHASE_INIT", "0"),)], ids=["two phases", "one phase"])
@pytest.mark.parametrize("changes", [(), (fields_added,), (methods_moved,)], ids=["same", "fields", "methods"])
def test_an_extension_for_another_number_is_refused_whatever_else_differs(
    changes: tuple[Change, ...], macros: tuple[tuple[str, str | None], ...], tmp_path: Path
) -> None:
    binary = built(tmp_path, number_raised, *changes, macros=macros)
    with pytest.raises(AbiMismatchError, match=f"^silence was built for ABI {OTHER_ABI} of rs_core") as caught:
        load(binary)
    assert caught.value.name == "silence"


@pytest.mark.slow
def test_without_a_new_number_cython_itself_refuses_other_fields(tmp_path: Path) -> None:
    # What a user would see without the check: it names neither the remedy nor the extension.
    with pytest.raises(ValueError, match="size changed") as caught:
        load(built(tmp_path, fields_added))
    assert not isinstance(caught.value, AbiMismatchError)


@pytest.mark.slow
def test_an_extension_for_the_installed_number_loads(tmp_path: Path) -> None:
    assert load(built(tmp_path)).NAME == ""
