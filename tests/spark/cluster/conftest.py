"""One cluster for the run, and YARN on it for the modules that ask for it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.cluster.standalone import Cluster, missing
from tests.spark.cluster.yarn import Yarn


@pytest.fixture(scope="session")
def machines() -> Iterator[Cluster]:
    """The cluster. `make cluster-test` fails where there is none, and chooses the folder of its logs."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with (
        tempfile.TemporaryDirectory(prefix="reactivestreams-", dir=os.environ.get("RS_CLUSTER_FOLDER")) as folder,
        Cluster(Path(folder)) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def yarn(machines: Cluster) -> Iterator[Yarn]:
    """YARN on the machines of the cluster, for one module."""
    with Yarn(machines) as running:
        yield running
