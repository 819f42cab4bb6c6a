"""What the thread sanitizer is shown is what it says: the headers with one release made relaxed."""

import re
from pathlib import Path

import pytest

from tests.native.compiling import installed_core
from tests.native.weakened_rings import WEAKENINGS, copied_core, weakened

# Releases that carry no element, so that weakening them is no data race: the models look for these.
# The claim of evict, which orders the two indices (P4).
NOT_DATA = {"queues/mpsc_ring.h": ["position, position + 1, "]}

RELEASE = re.compile(r"->(\w+\.\w+\([^;]*?)std::memory_order_release")


def releases(header: str) -> list[str]:
    """Return what stands before each release of a header, as far as the arguments go."""
    text = (installed_core() / header).read_text(encoding="utf-8")
    return [match[1].strip() for match in RELEASE.finditer(text)]


@pytest.mark.parametrize("header", ["queues/spsc_ring.h", "queues/mpsc_ring.h"])
def test_every_release_of_the_rings_is_weakened_once(header: str) -> None:
    shown = {
        release.strip() for weakening in WEAKENINGS if weakening.header == header for release in weakening.releases
    }
    known = {*shown, *(release.strip() for release in NOT_DATA.get(header, []))}
    assert {release for release in releases(header) if not any(release.endswith(each) for each in known)} == set()


def test_a_copy_of_the_core_differs_in_the_weakened_release_alone(tmp_path: Path) -> None:
    weakening = next(each for each in WEAKENINGS if each.name == "SpscRing, publish relaxed")
    copied = (copied_core(tmp_path, weakening) / "queues/spsc_ring.h").read_text(encoding="utf-8").splitlines()
    original = (installed_core() / "queues/spsc_ring.h").read_text(encoding="utf-8").splitlines()
    changed = [(before, after) for before, after in zip(original, copied, strict=True) if before != after]
    assert changed == [
        (
            "    ring->producer_index.store(index + 1, std::memory_order_release);",
            "    ring->producer_index.store(index + 1, std::memory_order_relaxed);",
        )
    ]


def test_a_release_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AssertionError, match="stands 0 times in the header"):
        weakened("nothing.store(1, std::memory_order_relaxed);", ("nothing.store(1, ",))
