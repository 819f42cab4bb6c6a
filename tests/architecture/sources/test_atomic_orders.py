"""Every atomic operation spells its memory order, and every order that does something says what it pairs with."""

import re

import pytest

from tests.architecture.checkout import faults, files, text
from tests.architecture.cython_source import call_end, code

_OPERATION = re.compile(
    r"(?:\.|->)\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+|test_and_set)\s*\(|\b(atomic_\w+_fence)\s*\("
)
_ORDER = re.compile(r"memory_order(?:_|::)(\w+)")
_ATOMIC_FIELD = re.compile(
    r"\batomic(?:_\w+|\[[^\]\n]*\]|<[^>\n]*>)[ \t]+((?:\w+[ \t]*,[ \t]*)*\w+)[ \t]*(?:;|$)", re.MULTILINE
)


def atomic_operations(source: str, *, header: bool) -> list[tuple[int, int, str]]:
    """Return first line, last line and text of each call that is an atomic operation by its name."""
    stripped = code(source, header=header)
    found = []
    for match in _OPERATION.finditer(stripped):
        end = call_end(stripped, match.end() - 1)
        line = stripped.count("\n", 0, match.start()) + 1
        found.append((line, line + stripped.count("\n", match.start(), end), stripped[match.start() : end]))
    return found


def bare_operations(source: str, *, header: bool = False) -> list[str]:
    """Return a message for each atomic operation without an order: calls, and operators on atomic fields."""
    messages = [
        f"line {line}: {' '.join(call.split())} spells no memory order, so it is sequentially consistent by accident"
        for line, _, call in atomic_operations(source, header=header)
        if not _ORDER.search(call)
    ]
    stripped = code(source, header=header)
    fields = {name.strip() for match in _ATOMIC_FIELD.finditer(stripped) for name in match[1].split(",")}
    if fields:
        field = rf"(?:\.|->)(?:{'|'.join(sorted(map(re.escape, fields)))})\b"
        operator = re.compile(rf"{field}\s*(?:[-+&|^]?=(?!=)|\+\+|--)|(?:\+\+|--)\w+{field}")
        messages += [
            f"line {stripped.count(chr(10), 0, match.start()) + 1}: {match[0]} on an atomic spells no memory order; "
            "call store, fetch_add or the like with one"
            for match in operator.finditer(stripped)
        ]
    return messages


def uncommented_orders(source: str, *, header: bool = False) -> list[str]:
    """Return a message for each operation that orders others and has no comment on its lines or just above them."""
    lines = source.splitlines()
    sign = ("//", "/*") if header else ("#",)
    messages = []
    for first, last, call in atomic_operations(source, header=header):
        orders = set(_ORDER.findall(call)) - {"relaxed"}
        if not orders and not call.lstrip(".->").startswith("exchange"):
            continue
        above = lines[first - 2].strip() if first > 1 else ""
        if above.startswith(sign) or (header and above.endswith("*/")):
            continue
        if any(mark in line for line in lines[first - 1 : last] for mark in sign):
            continue
        messages.append(
            f"line {first}: {' '.join(call.split())} has no comment; name its pair and what would break without the "
            "order, on the line or just above it"
        )
    return messages


NATIVE = files("src/rs_core", suffixes=(".pyx", ".pxd", ".h"))


def test_every_atomic_operation_spells_its_order() -> None:
    assert faults(NATIVE, lambda path: bare_operations(text(path), header=path.suffix == ".h")) == {}


def test_every_order_has_its_comment() -> None:
    assert faults(NATIVE, lambda path: uncommented_orders(text(path), header=path.suffix == ".h")) == {}


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("n = self.index.load()", False),
        ("self.index.store(n + f(1))", False),
        ("self.index.fetch_add(\n    1,\n)", False),
        ("ring.index.exchange(n)  # memory_order_release", False),
        ("ring->index.compare_exchange_strong(a, b)", True),
        ("ring->index.load(/* memory_order_acquire */)", True),
        ("cdef atomic_int64 demand\nself.demand = 3", False),
        ("cdef atomic[int64_t] first, demand\nself.demand += 3", False),
        ("std::atomic<long> demand;\nself->demand++;", True),
    ],
)
def test_operation_without_an_order_is_reported(source: str, header: bool) -> None:
    assert len(bare_operations(source, header=header)) == 1


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("n = self.index.load(memory_order_acquire)", False),
        ("self.index.store(f(n), memory_order_relaxed)", False),
        ("while not x.compare_exchange_weak(\n    a, b,\n    memory_order_seq_cst, memory_order_relaxed):", False),
        ("return ring->index.load(std::memory_order_acquire);", True),
        ('"""Never write `index.load()`."""\n# nor index.store(1)', False),
        ("// never index.load()", True),
        ("cdef atomic_int64 demand\nif self.demand == 3 or self.other = 3: pass", False),
    ],
)
def test_operation_with_an_order_is_not_reported_as_bare(source: str, header: bool) -> None:
    assert bare_operations(source, header=header) == []


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("n = self.index.load(memory_order_acquire)", False),
        ("# pairs with poll\n\nself.index.store(n, memory_order_release)", False),
        ("old = self.slot.exchange(new, memory_order_relaxed)", False),
        ("i = 1  # one\nself.index.fetch_add(1, memory_order_acq_rel)", False),
        ("atomic_thread_fence(memory_order_seq_cst)", False),
        ("ring->index.store(n, std::memory_order_release);", True),
    ],
)
def test_order_without_a_comment_is_reported(source: str, header: bool) -> None:
    assert len(uncommented_orders(source, header=header)) == 1


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("n = self.index.load(memory_order_acquire)  # acquire: pairs with the release in offer()", False),
        ("# release: pairs with the acquire in poll()\nself.index.store(n, memory_order_release)", False),
        (
            "# seq_cst: Dekker\nif x.compare_exchange_weak(\n    a,\n    memory_order_seq_cst, memory_order_relaxed):",
            False,
        ),
        ("n = self.index.load(memory_order_relaxed)", False),
        ("// release: pairs with poll\nring->index.store(n, std::memory_order_release);", True),
        ("/* release: pairs\n   with poll */\nring->index.store(n, std::memory_order_release);", True),
        ("from rs_core.sync.atomics cimport memory_order_acquire", False),
    ],
)
def test_order_with_a_comment_is_not_reported(source: str, header: bool) -> None:
    assert uncommented_orders(source, header=header) == []
