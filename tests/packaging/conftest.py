"""The sdist and the wheel that is built from it, once for all tests of this folder."""

import shutil
import tarfile
from pathlib import Path

import pytest

from tests.packaging.installing import ROOT, build


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (project,) = folder.iterdir()
    return project


@pytest.fixture(scope="session")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("source") / unpacked.name
    shutil.copytree(unpacked, project)  # the build leaves files, and tests look at what the sdist has
    # Unoptimised: how fast the wheel is does not matter here, how soon it is built does.
    return build("wheel", project, tmp_path_factory.mktemp("wheel"), RS_BUILD="debug")
