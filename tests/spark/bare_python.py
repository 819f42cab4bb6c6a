"""An interpreter that has what Spark's workers need and nothing of ours."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

__all__ = ["make_bare_python"]

MODULES = ("pyspark", "py4j", "pyarrow", "pandas", "numpy", "dateutil", "pytz", "tzdata", "six")
"""What a worker needs; `pyarrow.libs` and the like are found by their prefix."""


def make_bare_python(folder: Path) -> Path:
    """Make a virtual environment with links to the modules that a worker needs, and return its interpreter."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    subprocess.run([base, "-m", "venv", "--without-pip", "--symlinks", str(folder)], check=True, timeout=60)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    links = folder / "modules"
    links.mkdir()
    (site / "modules.pth").write_text(f"{links}\n")
    for module in MODULES:
        found = find_spec(module)
        if found is None or found.origin is None:
            continue
        place = Path(found.origin)
        place = place.parent if place.name == "__init__.py" else place
        for entry in {place, *place.parent.glob(f"{module}.libs")}:
            (links / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
    protobuf = find_spec("google.protobuf")
    if protobuf is not None and protobuf.origin is not None:
        (links / "google").symlink_to(Path(protobuf.origin).parents[1], target_is_directory=True)
    return folder / "bin" / "python"
