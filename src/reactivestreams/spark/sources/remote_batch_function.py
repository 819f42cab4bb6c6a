"""The batch function of a query of Spark Connect: it stands for one micro-batch before the process that reads it.

It is sent as it stands and imports nothing of this project, so that the server need not have it installed.
`remote_batches.py` describes what it says and is told.
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
"""How often a waiting batch function looks whether its server lives, and asks again for the end of a job."""

KEEP_ALIVE_SECONDS = 60.0
"""How often both ends of a held batch ask Spark for a setting: a session that nobody uses expires, after an hour."""

ASKED_SETTING = "spark.sql.session.timeZone"

JOB_END_SECONDS = 20.0
"""How long the batch function waits for the end of a job that it has interrupted."""

LONGEST_FAILURE_CHARACTERS = 50_000
"""Where the text of a job's failure is cut, so that it fits a message."""


def remote_batch_function(port: int, token: str, secret: str) -> Callable[[Any, int], None]:
    """Return the function for `foreachBatch`.

    Args:
        port: The reader's port on the loopback interface.
        token: What the reader asks for.
        secret: By which the reader is known; whoever gets its port after it has ended cannot let Spark commit.
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
                # What is wrong with the session is told when it is used.
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
            # Where the reader is gone nobody is left to be told.
            with suppress(OSError):
                send(["ended", number, failure])

        def tag_of(number: int) -> str:
            return f"reactivestreams-batch-{batch_id}-{number}"

        def end(number: int) -> None:
            ending.add(number)
            job = jobs.pop(number, None)
            # Again and again, since Spark knows the tag only when the job has arrived there.
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
                raise ConnectionError("somebody else than the reader of this query answers at its port")
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
                        # Stateful operators of the query save their state with it.
                        dataframe.write.format("noop").mode("overwrite").save()
                    elif order == "finish":
                        return
                    else:
                        raise RuntimeError(*arguments)
            finally:
                for number in tuple(jobs):
                    end(number)

    return deliver
