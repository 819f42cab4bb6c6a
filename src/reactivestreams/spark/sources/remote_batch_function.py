"""The batch function of a query of Spark Connect: it represents one micro-batch to the process that reads it.

It is sent by value and does not import this package, so that the server need not have it installed. `remote_batches.py`
describes its messages.
"""

from collections.abc import Callable
from typing import Any

from reactivestreams.spark.bridge.frames import LENGTH, MAX_FRAME_BYTES
from reactivestreams.spark.bridge.loopback_server import LOOPBACK
from reactivestreams.spark.sources.batch_push import PUSHED_SCHEMA, pusher_factory

__all__ = ["ATTENTION_SECONDS", "CONNECT_SECONDS", "LONGEST_FAILURE_CHARACTERS", "remote_batch_function"]

CONNECT_SECONDS = 10.0
"""How long the batch function waits for a connection to its reader."""

ATTENTION_SECONDS = 0.5
"""How often a waiting batch function checks that its server lives, and repeats the interruption of a job."""

KEEP_ALIVE_SECONDS = 60.0
"""How often both ends of a waiting batch read a setting from Spark: an unused session expires after an hour."""

ASKED_SETTING = "spark.sql.session.timeZone"

JOB_END_SECONDS = 20.0
"""How long the batch function waits for the end of a job that it has interrupted."""

LONGEST_FAILURE_CHARACTERS = 50_000
"""Maximum length of the text of a job's failure in a message."""


def remote_batch_function(port: int, token: str, secret: str) -> Callable[[Any, int], None]:
    """Return the function for `foreachBatch`.

    Args:
        port: The reader's port on the loopback interface.
        token: The token that the reader requires.
        secret: Proves the reader's identity: a program that gets its port after it has ended cannot let Spark commit.
    """
    # Variables of this call and no globals: the function is sent by value, with everything that it names.
    host, length, most_bytes, push_to, pushed = (
        LOOPBACK,
        LENGTH.format,
        MAX_FRAME_BYTES,
        pusher_factory(),
        PUSHED_SCHEMA,
    )
    connect_seconds, attention_seconds, job_end_seconds = CONNECT_SECONDS, ATTENTION_SECONDS, JOB_END_SECONDS
    keep_alive_seconds, asked_setting, longest_failure = KEEP_ALIVE_SECONDS, ASKED_SETTING, LONGEST_FAILURE_CHARACTERS

    def deliver(dataframe: Any, batch_id: int) -> None:
        import hmac
        import json
        import os
        import socket
        import struct
        import threading
        import time
        from contextlib import suppress

        session, server_pid = dataframe.sparkSession, os.getppid()
        sending = threading.Lock()
        jobs: dict[int, threading.Thread] = {}
        ending: set[int] = set()
        asked = time.monotonic()

        def keep_alive() -> None:
            nonlocal asked
            if time.monotonic() - asked >= keep_alive_seconds:
                asked = time.monotonic()
                # An error of the session is reported when it is used.
                with suppress(Exception):
                    session.conf.get(asked_setting)

        def send(message: object) -> None:
            content = json.dumps(message).encode()
            with sending:
                connection.sendall(struct.pack(length, len(content)) + content)

        def received(size: int) -> bytes:
            content = b""
            while len(content) < size:
                try:
                    part = connection.recv(size - len(content))
                except TimeoutError:
                    if os.getppid() != server_pid:
                        raise ConnectionError("the Spark server of this query has ended") from None
                    keep_alive()
                    continue
                if not part:
                    raise ConnectionError("the subscription of this query has ended")
                content += part
            return content

        def receive() -> Any:
            (size,) = struct.unpack(length, received(struct.calcsize(length)))
            if size > most_bytes:
                raise ConnectionError(f"the reader of this query announced a message of {size} bytes")
            return json.loads(received(size))

        def run(number: int, server_port: int, server_token: str) -> None:
            failure = None
            try:
                if number not in ending:
                    session.addTag(tag_of(number))
                    dataframe.mapInArrow(push_to((host, server_port), bytes.fromhex(server_token)), pushed).collect()
            except BaseException as error:
                failure = f"{type(error).__name__}: {error}"[:longest_failure]
            jobs.pop(number, None)
            # If the reader has ended, no one can receive this.
            with suppress(OSError):
                send(["ended", number, failure])

        def tag_of(number: int) -> str:
            return f"reactivestreams-batch-{batch_id}-{number}"

        def end(number: int) -> None:
            ending.add(number)
            job = jobs.pop(number, None)
            # Repeated, because Spark knows the tag only after the job has arrived.
            for _ in range(int(job_end_seconds / attention_seconds)):
                if job is None or not job.is_alive():
                    return
                with suppress(Exception):
                    session.interruptTag(tag_of(number))
                job.join(attention_seconds)

        try:
            connection = socket.create_connection((host, port), connect_seconds)
        except OSError as error:
            raise ConnectionError(
                f"the reader of this query cannot be reached at {host}:{port} from the Spark server ({error}): it has "
                "ended, or runs on another machine than the server"
            ) from None
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(attention_seconds)
            send(token)
            outcome, reason = receive()
            if outcome != "ok":
                raise ConnectionError(f"the reader of this query refused the batch function: {reason}")
            send(["batch", batch_id])
            order, *arguments = receive()
            if order != "welcome" or not hmac.compare_digest(str(*arguments), secret):
                raise ConnectionError("another program than the reader of this query answers at its port")
            try:
                while True:
                    order, *arguments = receive()
                    if order == "read":
                        number = arguments[0]
                        jobs[number] = threading.Thread(target=run, args=arguments, daemon=True)
                        jobs[number].start()
                    elif order == "end":
                        end(*arguments)
                    elif order == "compute":
                        # So stateful operators of the query save their state.
                        dataframe.write.format("noop").mode("overwrite").save()
                    elif order == "finish":
                        return
                    else:
                        raise RuntimeError(*arguments)
            finally:
                for number in tuple(jobs):
                    end(number)

    return deliver
