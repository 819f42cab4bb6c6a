"""The page of the C interface lists what is installed, and every name that it promises is used by a harness."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.native.compiling import HARNESSES, installed_core, installed_modules
from tests.native.pxd_names import declared

PAGE = Path(__file__).parents[2] / "docs/reference/c-interface.md"
CODE = re.compile(r"`(\w+)`")


@dataclass
class Section:
    """What the page says about one module."""

    promised: dict[str, bool] = field(default_factory=dict)
    """Each name, and whether it may be used without the GIL."""
    members: set[str] = field(default_factory=set)
    not_promised: set[str] = field(default_factory=set)


def sections(page: str) -> dict[str, Section]:
    """Return the sections of the modules that are promised."""
    found = {}
    for name, text in re.findall(r"^### `rs_core\.([\w.]+)`\n(.*?)(?=^##)", page, re.MULTILINE | re.DOTALL):
        section = found[name] = Section()
        for cells in re.findall(r"^\| (`.*?) \|(.*)\|$", text, re.MULTILINE):
            columns = [column.strip() for column in cells[1].split("|")]
            names = CODE.findall(cells[0])
            if len(columns) == 2:
                section.promised |= dict.fromkeys(names, columns[0].startswith("yes"))
            else:
                section.members |= set(names)
        for sentence in re.findall(r"^Not promised: (.*?)\.$", text, re.MULTILINE | re.DOTALL):
            section.not_promised |= set(CODE.findall(sentence))
    return found


def internal_modules(page: str) -> set[str]:
    return set(re.findall(r"`rs_core\.([\w.]+)`", page.partition("## Modules that are not promised\n")[2]))


TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = sections(TEXT)


def harness_uses() -> str:
    """Return what the harnesses do with the names that they cimport."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(HARNESSES.glob("exported_*.pyx"))]
    return "\n".join(
        re.sub(r"^from [^\n(]*cimport (?:\([^)]*\)|[^\n]*)", "", text, flags=re.MULTILINE) for text in sources
    )


def test_the_page_lists_the_installed_pxd_files_and_no_others() -> None:
    assert set(SECTIONS) | internal_modules(TEXT) == set(installed_modules())
    assert set(SECTIONS) & internal_modules(TEXT) == set()


def test_each_promised_name_can_be_cimported_from_the_package() -> None:
    text = (installed_core() / "__init__.pxd").read_text(encoding="utf-8")
    cimported = re.findall(r"^from rs_core\.([\w.]+) cimport (\([^)]*\)|[^\n]*)$", text, re.MULTILINE)
    found = {(module, name) for module, names in cimported for name in re.findall(r"\w+", names)}
    promised = {(module, name) for module, section in SECTIONS.items() for name in section.promised}
    assert {each for each in found ^ promised if not each[1].startswith("memory_order")} == set()


@pytest.mark.parametrize("module", SECTIONS)
def test_each_name_of_a_module_is_promised_or_said_not_to_be(module: str) -> None:
    section = SECTIONS[module]
    names = set(declared(installed_modules()[module]))
    assert set(section.promised) | section.not_promised == names
    assert set(section.promised) & section.not_promised == set()


@pytest.mark.parametrize("module", SECTIONS)
def test_the_page_says_which_functions_may_be_called_without_the_gil(module: str) -> None:
    names = declared(installed_modules()[module])
    promised = SECTIONS[module].promised
    assert promised == {name: names[name].nogil for name in promised}


@pytest.mark.parametrize("module", SECTIONS)
def test_each_promised_name_and_member_is_used_by_a_harness(module: str) -> None:
    section, uses = SECTIONS[module], harness_uses()
    wanted = {*section.promised, *section.members}
    assert {name for name in wanted if not re.search(rf"\b{name}\b", uses)} == set()


def test_each_member_is_declared_by_the_class_or_one_beneath_it() -> None:
    beneath = {
        "stream.subscription": ["stream.subscription"],
    }
    members = {module: section.members for module, section in SECTIONS.items() if section.members}
    assert set(members) == set(beneath)
    for module, names in members.items():
        text = "\n".join(installed_modules()[each].read_text(encoding="utf-8") for each in beneath[module])
        assert {name for name in names if not re.search(rf"^    cdef .*\b{name}\b", text, re.MULTILINE)} == set()


def test_a_page_is_read_with_its_promises_members_and_internals() -> None:
    page = (
        "### `rs_core.ring`\n\n| name | without the GIL | what it is |\n|---|---|---|\n| `Ring` | | a type |\n"
        "| `offer`, `poll` | yes, always | put and take |\n\n"
        "| member | what it is |\n|---|---|\n| `slots` | where |\n\n"
        "Not promised: `a`,\n`b`.\n\n## Modules that are not promised\n\n`rs_core.other`.\n"
    )
    assert sections(page) == {"ring": Section({"Ring": False, "offer": True, "poll": True}, {"slots"}, {"a", "b"})}
    assert internal_modules(page) == {"other"}


def test_the_names_of_a_pxd_are_found_with_their_kinds(tmp_path: Path) -> None:
    path = tmp_path / "every_form.pxd"
    path.write_text(
        "from x cimport (\n    foreign,\n)\n"
        "ctypedef long[3] triple_t  # a comment\n"
        'cdef extern from "a.h" nogil:\n    ctypedef struct Slots:\n        int field\n'
        '    enum:\n        FULL "A_FULL"\n'
        '    int offer "a_offer"(Slots* slots, int n) noexcept\n    Slots* made() noexcept\n'
        'cdef extern from "b.h":\n    ctypedef int (*visit_t)(void* argument) noexcept\n'
        '    cdef cppclass Word "W"[T]:\n'
        '        T load() noexcept\n    int offer "b_offer"(int n) noexcept\n    object* none "Py_None"\n'
        "cdef enum Colour:\n    RED = 1\ncdef enum:\n    LIMIT = 8\n"
        "cdef class Kind(Other):\n    cdef int member\n    cdef int method(self) noexcept\n"
        "cdef inline int twice(int n) noexcept nogil:\n    return 2 * n\ncdef object late(object n)\n",
        encoding="utf-8",
    )
    found = {each.name: (each.kind, each.nogil) for each in declared(path).values()}
    assert found == {
        "triple_t": ("type", False),
        "Slots": ("type", False),
        "FULL": ("value", False),
        "offer": ("function", True),
        "made": ("function", True),
        "visit_t": ("type", False),
        "Word": ("type", False),
        "none": ("value", False),
        "Colour": ("type", False),
        "RED": ("value", False),
        "LIMIT": ("value", False),
        "Kind": ("type", False),
        "twice": ("function", True),
        "late": ("function", False),
    }
