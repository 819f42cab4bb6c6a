"""The headers of the core keep to standard C++17 and to what Windows has too: no compiler that is at hand is MSVC."""

import re

import pytest

from tests.architecture.checkout import faults, files, text
from tests.architecture.cython_source import code

HEADERS = files("src/rs_core", suffixes=(".h",))
NATIVE = files("src/rs_core", suffixes=(".h", ".pxd", ".pyx"))

# Each with what to write in its place. MSVC knows none of them, or knows another thing by that name.
NOT_PORTABLE = {
    r"__attribute__|__extension__|__typeof__|\btypeof\b": "a standard attribute, or decltype",
    r"__builtin_\w+|__atomic_\w+|__sync_\w+": "std::atomic, or a macro that asks for __GNUC__ first",
    r"__int128|\bssize_t\b|\bu_?int\d*\b(?!_t)": "a type of <cstdint>, or Py_ssize_t",
    r"\basm\b|__asm__": "std::atomic",
    r"#\s*include\s*<(?:unistd|pthread|sched|semaphore|strings|dlfcn|sys/\w+|linux/\w+)\.h>": "CPython's own functions",
    r"#\s*pragma\s+(?:GCC|clang)\b": "code that needs no pragma",
    r"\w[\s*]+\w+\[0\]\s*;": "a pointer behind the struct",
    r"\bcase\s+\w+\s*\.\.\.": "one label for each value",
    r"#\s*include_next|#\s*warning": "#include, #error",
    r"\(\{": "an inline function",
    r"\?:": "both branches of the conditional",
    r"[{,]\s*\.\w+\s*=": "constructors: designated initializers are C++20",
    r"\balloca\b|\bvla\b": "an array of fixed size",
}
# What is long on 64-bit Unix has 32 bits on Windows.
LONG = re.compile(r"(?<!unsigned )(?<!long )\blong\b(?! long)(?! double)")


# Parts of the C++ library that are templates and inline functions through and through. Others, such as <thread>, bring
# the library itself along at run time, at least with MSVC.
NEEDS_NO_LIBRARY = {"atomic", "cstddef", "cstdint", "new", "type_traits"}


def library_headers(source: str) -> list[str]:
    """Return the headers of the C++ library that a header includes and that may need the library at run time."""
    return sorted(set(re.findall(r"#\s*include\s*<(\w+)>", code(source, header=True))) - NEEDS_NO_LIBRARY)


_CONDITIONAL = re.compile(r"\s*#\s*(if\w*|elif|else|endif)\b(.*)")


def unguarded(source: str) -> str:
    """Return the source without the branches that only GCC and Clang take, or that are chosen by the system."""
    hidden_by: list[str] = []
    kept = []
    for line in source.splitlines():
        match = _CONDITIONAL.match(line)
        if match is None:
            if not any(hidden_by):
                kept.append(line)
        elif match[1] == "endif":
            hidden_by.pop()
        elif match[1].startswith("if"):
            asked = re.search("_WIN32|__GNUC__", match[2])
            hidden_by.append(asked[0] if asked and match[1] != "ifndef" else "")
        elif hidden_by[-1] == "__GNUC__":
            hidden_by[-1] = ""
    return "\n".join(kept)


def compiler_extensions(source: str) -> list[str]:
    """Return a message for each place in a header that MSVC would refuse or take for something else."""
    stripped = unguarded(code(source, header=True))
    return [
        f"{match[0]!r} is not portable; take {better}"
        for pattern, better in NOT_PORTABLE.items()
        for match in re.finditer(pattern, stripped)
    ]


def longs(source: str, *, header: bool) -> list[str]:
    """Return the lines that use the type long without asking for its size."""
    lines = code(source, header=header).splitlines()
    declaring = re.compile(
        r"\b(?:cdef|cpdef|ctypedef|static|inline|extern|struct)\b|<\s*long\s*>|\(\s*long\s*\)|^\s*long\s"
    )
    return [
        line.strip()
        for line in lines
        if LONG.search(line) and (header or declaring.search(line)) and "sizeof(long)" not in line
    ]


def test_headers_are_portable() -> None:
    assert faults(HEADERS, lambda path: compiler_extensions(text(path))) == {}


def test_headers_need_no_cpp_library_at_run_time() -> None:
    assert faults(HEADERS, lambda path: library_headers(text(path))) == {}


def test_header_of_the_cpp_library_is_reported() -> None:
    assert library_headers("#include <Python.h>\n#include <atomic>\n# include <thread>\n/* #include <mutex> */") == [
        "thread"
    ]


def test_no_type_differs_in_size_between_systems() -> None:
    assert faults(NATIVE, lambda path: longs(text(path), header=path.suffix == ".h")) == {}


@pytest.mark.parametrize(
    "line",
    [
        "int f() __attribute__((noinline));",
        "if (__builtin_expect(full, 0)) return;",
        "ssize_t n = 0;",
        "uint n = 0;",
        '__asm__ volatile("pause");',
        "#include <unistd.h>",
        "# include <sys/futex.h>",
        "#pragma GCC diagnostic push",
        "struct S { int n; PyObject *slots[0]; };",
        "switch (n) { case 1 ... 5: break; }",
        "int n = ({ int m = 1; m; });",
        "int n = first ?: second;",
        "Slot slot = {.sequence = 1};",
        "#if defined(__GNUC__)\n#endif\nint n = __builtin_ctz(8);",
        "#if defined(__GNUC__)\n# define A 1\n#else\n# define A __builtin_ctz(8)\n#endif",
        "#ifdef _WIN32\n# ifndef NOMINMAX\n#  define NOMINMAX\n# endif\n#else\n#endif\n#include <sched.h>",
    ],
)
def test_extension_of_a_compiler_is_reported(line: str) -> None:
    assert len(compiler_extensions(line)) >= 1


@pytest.mark.parametrize(
    "line",
    [
        "#if defined(__GNUC__)\n# define LIKELY(c) __builtin_expect(!!(c), 1)\n#else\n# define LIKELY(c) (c)\n#endif",
        "/* no __attribute__ and no <unistd.h> here */ uint64_t n = 0;",
        "int n = found ? 1 : 0;",
        "#ifdef _WIN32\n# ifndef NOMINMAX\n#  define NOMINMAX\n# endif\n#else\n# include <sched.h>\n#endif",
        "alignas(64) std::atomic<uint32_t> word;",
    ],
)
def test_standard_code_is_not_reported(line: str) -> None:
    assert compiler_extensions(line) == []


@pytest.mark.parametrize("line", ["long demand;", "static inline long take(void) {", "demand = (long)n;"])
def test_long_is_reported(line: str) -> None:
    assert longs(line, header=True) == [line]


@pytest.mark.parametrize(
    "line", ["unsigned long thread;", "long long n;", "return sizeof(long) >= 8 ? (long)n : m;", "int n; /* long */"]
)
def test_type_of_known_size_is_not_reported(line: str) -> None:
    assert longs(line, header=True) == []


def test_long_is_reported_in_cython_declarations_and_not_in_prose() -> None:
    assert longs("cdef long demand\n    wait as long as it takes\n", header=False) == ["cdef long demand"]
