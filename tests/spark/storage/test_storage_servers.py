"""Servers of file systems that accept no connection, without Spark."""

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams.spark.storage import file_system
from reactivestreams.spark.storage.file_system import require_answer

CLASSIC: Any = SimpleNamespace(_jvm=object())
CONNECT: Any = SimpleNamespace()


@pytest.fixture
def closed() -> Iterator[int]:
    """A port at which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def set_options(monkeypatch: pytest.MonkeyPatch, **options: str) -> None:
    """Let sessions have these options of Hadoop."""
    named = {f"fs.s3a.{name.replace('_', '.')}": value for name, value in options.items()}
    monkeypatch.setattr(file_system, "hadoop_configuration", lambda session: named)


def test_server_that_the_uri_names_is_refused_by_host_and_port(closed: int) -> None:
    with pytest.raises(OSError, match="accepts no connection") as caught:
        require_answer(f"hdfs://127.0.0.1:{closed}/c", CLASSIC)

    assert str(caught.value).startswith(f"127.0.0.1 accepts no connection at port {closed}, which the URI names (")


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:{}", "127.0.0.1:{}"])
def test_server_of_s3_is_refused_with_its_option(monkeypatch: pytest.MonkeyPatch, closed: int, endpoint: str) -> None:
    set_options(monkeypatch, endpoint=endpoint.format(closed))

    with pytest.raises(OSError, match=f"port {closed}, which the option spark.hadoop.fs.s3a.endpoint names"):
        require_answer("s3a://flights/c", CLASSIC)


def test_server_that_listens_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"127.0.0.1:{listening.getsockname()[1]}"
        set_options(monkeypatch, endpoint=f"http://{place}")

        require_answer(f"hdfs://{place}/c", CLASSIC)
        require_answer("s3a://flights/c", CLASSIC)


def test_server_that_is_not_named_or_not_reached_from_here_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, closed: int
) -> None:
    set_options(monkeypatch)
    require_answer("s3a://flights/c", CLASSIC)
    require_answer("hdfs://names/c", CLASSIC)
    require_answer("viewfs://names/c", CLASSIC)
    require_answer(f"hdfs://127.0.0.1:{closed}/c", CONNECT)
    set_options(monkeypatch, endpoint=f"http://127.0.0.1:{closed}", proxy_host="proxy")
    require_answer("s3a://flights/c", CLASSIC)
