"""No layout that other extensions are compiled with changes without a decision about the ABI number."""

from pathlib import Path

import pytest

from tests.native.layouts import RECORD, differences, digest, present, with_all_that_they_use

QUESTION = (
    "other extensions are compiled with these files. If a field, a C method, a structure, an enumerator or a function "
    "moved or changed since the last release, and RS_ABI_NUMBER in src/rs_core/abi.h is still that release's, raise it "
    "by one (docs/reference/c-interface.md). Then run: python -m tests.native.layouts"
)


def test_the_layouts_are_those_that_the_number_stands_for() -> None:
    recorded = RECORD.read_text(encoding="utf-8").splitlines()
    assert differences(recorded, present()) == [], QUESTION


def test_a_changed_a_new_and_a_lost_file_are_reported() -> None:
    recorded = ["ABI 1", "demand.pxd 11", "lost.pxd 22", "same.h 33"]
    assert differences(recorded, ["ABI 1", "demand.pxd 12", "new.pxd 22", "same.h 33"]) == [
        "demand.pxd",
        "lost.pxd",
        "new.pxd",
    ]


def test_a_new_number_is_recorded_too() -> None:
    assert differences(["ABI 1", "demand.pxd 11"], ["ABI 2", "demand.pxd 12"]) == ["ABI 1 was recorded, ABI 2 is there"]


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("a.pxd", "cdef class A:  # what it is\n\n    cdef int  n\n", False),
        ("a.pxd", "cdef class A:\n    cdef long n\n", True),
        ("a.pxd", "cdef class A:\ncdef int n\n", True),
        ("a.pxd", "cdef class A:\n    cdef int m\n    cdef int n\n", True),
    ],
)
def test_only_what_a_compiler_sees_changes_a_digest(name: str, text: str, changed: bool) -> None:
    assert (digest(name, text) != digest(name, "cdef class A:\n    cdef int n\n")) is changed


def test_a_header_is_compared_without_its_comments() -> None:
    assert digest("a.h", "/* one\n two */\nint n; // three\n") == digest("a.h", "int n;\n")


def test_what_is_used_is_found_to_any_depth(tmp_path: Path) -> None:
    (tmp_path / "top.pxd").write_text("from rs_core.middle cimport x\nfrom libc.stdint cimport int64_t\n")
    (tmp_path / "middle.pxd").write_text('cdef extern from "word.h":\n    pass\n')
    (tmp_path / "word.h").write_text('#include <atomic>\n#include "line.h"\n')
    (tmp_path / "line.h").write_text("")
    (tmp_path / "unused.h").write_text("")
    assert with_all_that_they_use(["top.pxd"], tmp_path) == ["line.h", "middle.pxd", "top.pxd", "word.h"]
