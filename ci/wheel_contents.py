"""Prints what a wheel holds, by kind, and refuses one that holds what it must not.

usage: python ci/wheel_contents.py WHEEL
"""

import sys
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

# Sources of Cython and what is generated from them, tests, and libraries that a repair has copied.
REFUSED_SUFFIXES = {".c", ".cpp", ".o", ".pyc", ".pyx"}
REFUSED_FOLDERS = {"__pycache__", "tests"}
WANTED = (".dist-info/sboms/", ".dist-info/licenses/", "rs_core/py.typed", "reactivestreams/py.typed")


def faults(names: list[str]) -> list[str]:
    """Return a message for each thing that the wheel lacks or holds too much."""
    paths = [PurePosixPath(name) for name in names]
    messages = [f"{path} does not belong into a wheel" for path in paths if path.suffix in REFUSED_SUFFIXES]
    messages += [f"{path} does not belong into a wheel" for path in paths if not REFUSED_FOLDERS.isdisjoint(path.parts)]
    messages += [f"{path} was copied from the system" for path in paths if path.parts[0].endswith(".libs")]
    messages += [f"nothing is in {wanted}" for wanted in WANTED if not any(wanted in name for name in names)]
    return messages


def main(path: Path) -> None:
    """Print the table; end with status 1 if something is wrong."""
    with zipfile.ZipFile(path) as wheel:
        entries = [entry for entry in wheel.infolist() if not entry.is_dir()]
    files: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for entry in entries:
        kind = ".dist-info" if ".dist-info/" in entry.filename else PurePosixPath(entry.filename).suffix or "other"
        files[kind] += 1
        stored[kind] += entry.file_size
    print(
        f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, {len(entries)} files, unpacked {stored.total() / 1e6:.2f} MB"
    )
    for kind, size in stored.most_common():
        print(f"  {kind:12} {files[kind]:4} files {size / 1e3:10.1f} kB")
    if wrong := faults([entry.filename for entry in entries]):
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
