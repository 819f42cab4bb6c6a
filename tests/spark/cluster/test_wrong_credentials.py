"""Keys of S3 that are wrong, expired, missing or withdrawn: the error says so at once, and no row is lost."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from tests.spark.cluster import keyed_query
from tests.spark.cluster.keyed_query import SCHEMA, Rows
from tests.spark.cluster.standalone import Cluster, Driver
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, require_results

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

ROWS = 300
GUARDED = "http://storage:5001"
KEY, SECRET = "AKIAOFTHETESTS", "secret-of-the-tests"
CREDENTIALS: dict[str, dict[str, str]] = {
    "right": {"access.key": KEY, "secret.key": SECRET},
    "key": {"access.key": "AKIAOFNOBODY", "secret.key": SECRET},
    "secret": {"access.key": KEY, "secret.key": "another"},
    "none": {},
    "expired": {"access.key": KEY, "secret.key": SECRET, "session.token": "expired"},
}
"""Options of the client of S3 by the name of a bucket, for each of which it makes a client of its own."""

ANSWERS = {
    "key": "The AWS Access Key Id you provided does not exist in our records.",
    "secret": "The request signature we calculated does not match.",
    "none": "Unable to load credentials from system settings.",
    "expired": "The provided token has expired.",
}


@pytest.fixture(scope="module")
def keys(machines: Cluster) -> Iterator[Callable[[dict[str, str]], None]]:
    """A server of S3 that checks credentials, with a bucket for each; the function sets the secrets by key."""
    file = machines.shared / "keys.json"
    server = machines.start_s3(GUARDED, "--keys", str(file))
    for bucket in CREDENTIALS:
        machines.put_s3(bucket, endpoint=GUARDED)

    def set_keys(secrets: dict[str, str]) -> None:
        new = file.with_suffix(".new")
        new.write_text(json.dumps(secrets))
        new.rename(file)

    set_keys({KEY: SECRET})
    yield set_keys
    server.process.kill()


@pytest.fixture(scope="module")
def user(machines: Cluster) -> Iterator[Driver]:
    """A driver with other credentials for each bucket of that server."""
    options = {
        f"spark.hadoop.fs.s3a.bucket.{bucket}.{name}": value
        for bucket, credentials in CREDENTIALS.items()
        for name, value in {"endpoint": GUARDED, **credentials}.items()
    }
    # Else the buckets without a key of their own would have these.
    none = {f"spark.hadoop.fs.s3a.{name}": "" for name in ("access.key", "secret.key")}
    with machines.driver({**options, **none}) as running:
        yield running


def refused(spark: Any, uri: str) -> list[Any]:
    """Start a query with a checkpoint there; return what is said, and whether it was said within seconds."""
    from reactivestreams.spark import from_query, to_streaming_dataframe

    begun = time.monotonic()
    try:
        from_query(to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=100, tasks=2), checkpoint=uri)
    except ArgumentError as error:
        return [str(error), time.monotonic() - begun < 30]
    return ["nothing", False]


@pytest.mark.parametrize("bucket", ANSWERS)
@pytest.mark.usefixtures("keys")
def test_wrong_credentials_are_refused_with_what_the_storage_says(user: Driver, bucket: str) -> None:
    said, is_soon = user.run(refused, f"s3a://{bucket}/checkpoint")

    assert f"got 's3a://{bucket}/checkpoint'" in said
    assert ANSWERS[bucket] in said
    assert "with what it needs to log in" in said
    assert "\tat " not in said
    assert is_soon


def test_query_whose_key_is_withdrawn_ends_and_goes_on_with_a_right_one(
    machines: Cluster, user: Driver, keys: Callable[[dict[str, str]], None]
) -> None:
    base = "s3a://right/withdrawn"
    user.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
    user.run(keyed_query.await_batch, 1, timeout_seconds=ANSWER_SECONDS)
    keys({"AKIANEW": "new"})
    said = user.run(keyed_query.run_on, 600)
    keys({KEY: SECRET})
    user.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
    there = user.run(keyed_query.await_rows, base, timeout_seconds=ANSWER_SECONDS)

    assert base in said
    assert "403" in said
    require_results(there)
