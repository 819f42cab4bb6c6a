"""Which folders the executors of a session see."""

from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.storage.shared_storage import SHARED_FOLDERS, require_shared

CLUSTER = {"spark.master": "spark://master:7077"}


class Session:
    """A session with options."""

    def __init__(self, options: dict[str, str]) -> None:
        self.options = options

    @property
    def conf(self) -> dict[str, str]:
        return self.options


@pytest.mark.parametrize(
    ("folder", "options"),
    [
        ("out", {"spark.master": "local[2]"}),
        ("out", {"spark.master": "local-cluster[2,1,1024]"}),
        ("mnt/out", {**CLUSTER, SHARED_FOLDERS: "{base}/mnt"}),
        ("mnt", {**CLUSTER, SHARED_FOLDERS: "{base}/other , {base}/mnt/"}),
        ("mnt/out", {**CLUSTER, SHARED_FOLDERS: "{base}/link"}),
    ],
)
def test_folder_that_executors_see(tmp_path: Path, folder: str, options: dict[str, str]) -> None:
    (tmp_path / "mnt").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "mnt")
    session: Any = Session({name: value.format(base=tmp_path) for name, value in options.items()})

    require_shared(tmp_path / folder, session, name="path")


@pytest.mark.parametrize("options", [CLUSTER, {}, {**CLUSTER, SHARED_FOLDERS: ""}, {**CLUSTER, SHARED_FOLDERS: "/mnt"}])
def test_folder_that_executors_do_not_see_is_refused(options: dict[str, str]) -> None:
    session: Any = Session(options)

    with pytest.raises(ArgumentError) as caught:
        require_shared(Path("/mnt2/out"), session, name="checkpoint")

    text = str(caught.value)
    assert text.startswith("checkpoint is the folder '/mnt2/out' of this machine, but the executors of the master ")
    assert text.endswith("such as session.conf.set('spark.reactivestreams.sharedFolders', '/mnt/shared')")
