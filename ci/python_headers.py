"""Fetches the headers of CPython for interpreters and systems that this machine does not have.

Into build/headers: VERSION/include holds Python.h and all that comes with it but pyconfig.h, which differs from system
to system and lies in VERSION/SYSTEM. What was fetched once is kept. Debian's archive has the source packages and the
development packages of most versions; what it lacks comes from JavaCPP's builds of CPython, by Maven.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "build" / "headers"

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"

# The multiarch names and the architectures of Debian whose pyconfig.h is taken for a system.
LINUX = {"linux-x86_64": ("x86_64-linux-gnu", "amd64"), "linux-aarch64": ("aarch64-linux-gnu", "arm64")}

# Debian's suite with the source package, which has the configuration for Windows in its folder PC; with the development
# packages; and the builds for Java. 3.14 and 3.15 are in no suite that all mirrors carry the sources of.
SOURCE_SUITES = {"3.11": "bookworm", "3.13": "trixie"}
BINARY_SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid", "3.15": "sid"}
JAVA_BUILDS = {"3.12": "3.12.1-1.5.10", "3.14": "3.14.3-1.5.13"}

# Where a version's own configuration of a system is not to be had, that of another version stands in for it. A
# configuration tells what the system has, and little of that differs between versions.
STAND_INS = {
    ("3.12", "linux-x86_64"): "3.11",
    ("3.12", "linux-aarch64"): "3.11",
    ("3.15", "windows"): "3.14",
    **{(version, "macos"): "3.14" for version in ("3.11", "3.12", "3.13", "3.15")},
}

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
SYSTEMS = ("linux-x86_64", "linux-aarch64", "windows", "macos")


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command that is silent unless it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")


def debian_mirror() -> str:
    """Return the address of the mirror of Debian that this machine uses."""
    folder = Path("/etc/apt")
    lists = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    for path in lists:
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            if line.startswith(("URIs:", "deb ")):
                for word in line.split():
                    if word.rstrip("/").endswith("/debian"):
                        return word
    raise SystemExit(
        "The headers of the other interpreters come from Debian's archive, and apt knows no mirror of it here; run "
        "this on Debian, or put the headers into build/headers."
    )


class DebianArchive:
    """Downloads from suites that the machine itself does not install from; changes nothing of the machine's apt."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise SystemExit("apt-get and dpkg-deb are missing; the headers come from Debian's archive.")
        self.folder = folder
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True)
        mirror = debian_mirror()
        signed = f"signed-by={KEYRING} " if KEYRING.exists() else ""
        lines = [f"deb-src [{signed.strip()}] {mirror} {suite} main" for suite in sorted({*SOURCE_SUITES.values()})]
        lines += [
            f"deb [{signed}arch=amd64,arm64] {mirror} {suite} main" for suite in sorted({*BINARY_SUITES.values()})
        ]
        (folder / "sources.list").write_text("\n".join(lines).replace("[] ", "") + "\n", encoding="utf-8")
        settings = {
            "Dir::Etc::sourcelist": folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "root",
        }
        self._options: list[str] = ["-qq"]
        for name, value in settings.items():
            self._options += ["-o", f"{name}={value}"]
        for architecture in ("amd64", "arm64"):
            self._options += ["-o", f"APT::Architectures::={architecture}"]
        run("apt-get", *self._options, "update", cwd=folder)

    def source(self, package: str, suite: str) -> Path:
        """Return the original archive of a source package."""
        run("apt-get", *self._options, "source", "--download-only", f"{package}/{suite}", cwd=self.folder)
        (archive,) = (path for path in self.folder.glob(f"{package}_*.orig.tar.*") if path.suffix != ".asc")
        return archive

    def unpacked(self, package: str, suite: str, architecture: str) -> Path:
        """Return the folder with what a binary package would install."""
        place = self.folder / f"{package}-{architecture}"
        place.mkdir()
        run("apt-get", *self._options, "download", f"{package}:{architecture}/{suite}", cwd=place)
        (archive,) = place.glob("*.deb")
        run("dpkg-deb", "-x", archive, place, cwd=place)
        return place


def take(wanted: Iterable[tuple[str, Callable[[], bytes]]], place: Path) -> None:
    """Write the files that are named, each with what its function returns."""
    for name, content in wanted:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content())


def from_source_package(archive: Path, place: Path) -> None:
    """Take the configuration for Windows out of an original archive of CPython."""
    with tarfile.open(archive) as packed:
        for member in packed:
            # From 3.13 on the build edits it, to choose between the builds with and without the GIL.
            if member.isfile() and member.name.partition("/")[2] in {"PC/pyconfig.h", "PC/pyconfig.h.in"}:
                content = packed.extractfile(member)
                assert content is not None
                take([("windows/pyconfig.h", content.read)], place)
            elif member.isfile() and member.name.partition("/")[2].startswith("Include/"):
                content = packed.extractfile(member)
                assert content is not None
                take([("include/" + member.name.partition("/Include/")[2], content.read)], place)


def from_binary_package(unpacked: Path, version: str, system: str, place: Path) -> None:
    """Take the configuration, and the headers if no source package gave them, out of a development package."""
    include = unpacked / "usr" / "include"
    configuration = include / LINUX[system][0] / f"python{version}" / "pyconfig.h"
    take([(f"{system}/pyconfig.h", configuration.read_bytes)], place)
    if not (place / "include").exists():
        shutil.copytree(include / f"python{version}", place / "include")
        (place / "include" / "pyconfig.h").unlink()


def from_java_build(version: str, classifier: str, system: str, scratch: Path, place: Path) -> None:
    """Take the headers and the configuration out of a build for Java, which is a zip archive."""
    mvn = shutil.which("mvn")
    if mvn is None:
        raise SystemExit(
            f"Maven, which fetches the headers of {version} for {system}, is missing; on Debian: apt-get install maven"
        )
    artifact = f"org.bytedeco:cpython:{JAVA_BUILDS[version]}:jar:{classifier}"
    run(mvn, "-q", "-B", MAVEN_COPY, f"-Dartifact={artifact}", f"-DoutputDirectory={scratch}", cwd=scratch)
    (archive,) = scratch.glob(f"cpython-{JAVA_BUILDS[version]}-{classifier}.jar")
    with zipfile.ZipFile(archive) as packed:
        inside = f"org/bytedeco/cpython/{classifier}/include/"
        for name in packed.namelist():
            short = name.removeprefix(inside).removeprefix(f"python{version}/")
            if not name.startswith(inside) or not name.endswith(".h"):
                continue
            if short == "pyconfig.h":
                take([(f"{system}/pyconfig.h", lambda name=name: packed.read(name))], place)
            elif version not in BINARY_SUITES:
                take([(f"include/{short}", lambda name=name: packed.read(name))], place)


def fetch(into: Path) -> None:
    """Fetch everything into a folder: some 120 MB are downloaded, 20 MB are kept."""
    with tempfile.TemporaryDirectory(dir=into) as name:
        scratch = Path(name)
        archive = DebianArchive(scratch)
        for version, suite in SOURCE_SUITES.items():
            from_source_package(archive.source(f"python{version}", suite), into / version)
        for version, suite in BINARY_SUITES.items():
            for system, (_, architecture) in LINUX.items():
                unpacked = archive.unpacked(f"libpython{version}-dev", suite, architecture)
                from_binary_package(unpacked, version, system, into / version)
        for version in JAVA_BUILDS:
            from_java_build(version, "windows-x86_64", "windows", scratch, into / version)
        from_java_build("3.14", "macosx-arm64", "macos", scratch, into / "3.14")
    for (version, system), other in STAND_INS.items():
        take([(f"{system}/pyconfig.h", (into / other / system / "pyconfig.h").read_bytes)], into / version)


def fetched() -> Path:
    """Return the folder of the headers; fetch what is in it if it is not there."""
    if not HEADERS.exists():
        HEADERS.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=HEADERS.parent, prefix="headers-") as name:
            complete = Path(name) / "complete"
            complete.mkdir()
            fetch(complete)
            os.replace(complete, HEADERS)
    return HEADERS


if __name__ == "__main__":
    print(fetched())
