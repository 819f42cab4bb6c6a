"""Java artifacts for tests beside other programs: Maven fetches them into a folder below `build/` once."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

FETCH_SECONDS = 300.0

DEPENDENCY = """<dependency>
  <groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}
</dependency>
"""

ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>fetched</artifactId><version>1</version>
  <dependencies>
{}  </dependencies>
</project>
"""


def fetch(jars: Path, artifacts: Sequence[str], *, alone: bool = False) -> str:
    """Fetch artifacts and what they need, unless the folder exists; return why that is not possible, or an empty text.

    Args:
        jars: The folder of the files, complete as soon as it exists.
        artifacts: Their coordinates, `group:artifact:version`.
        alone: Whether to leave out what the artifacts need.
    """
    if jars.is_dir():
        return ""
    if shutil.which("mvn") is None:
        return f"Maven is not installed, which fetches {jars.name} (on Debian: apt-get install maven)"
    jars.parent.mkdir(exist_ok=True)
    wanted = [DEPENDENCY.format(*artifact.split(":"), ALONE if alone else "") for artifact in artifacts]
    with tempfile.TemporaryDirectory(dir=jars.parent) as temporary:
        folder = Path(temporary)
        (folder / "pom.xml").write_text(POM.format("".join(wanted)))
        copied = [f"-DoutputDirectory={folder / 'jars'}", "-DincludeScope=runtime"]
        try:
            result = subprocess.run(
                ["mvn", "-q", "-B", "dependency:copy-dependencies", *copied],
                cwd=folder,
                capture_output=True,
                timeout=FETCH_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"Maven did not fetch {jars.name} within {FETCH_SECONDS:.0f} seconds"
        if result.returncode != 0:
            return f"Maven cannot fetch {jars.name}: {result.stdout.decode(errors='replace').strip()[:500]}"
        if not jars.is_dir():  # another process may have been faster
            (folder / "jars").rename(jars)
    return ""
