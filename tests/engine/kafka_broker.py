"""A Kafka broker in KRaft mode, on loopback, for the tests of one process.

It needs Java 17 and Maven, which fetches the broker's artifacts (org.apache.kafka) into `build/` once; on Debian:
`apt-get install openjdk-17-jre-headless maven`.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.maven import fetch

VERSION = "4.1.0"
JARS = Path(__file__).parents[2] / "build" / f"kafka-{VERSION}"
MOST_SECONDS = 90.0

NO_LEADER_YET = (-156, 3, 5, 6, 74, 75)
"""Codes that are answered while a new partition begins."""

ARTIFACTS = (f"org.apache.kafka:kafka_2.13:{VERSION}", "org.slf4j:slf4j-simple:1.7.36")

SETTINGS = """
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
log.retention.check.interval.ms=1000
log.segment.delete.delay.ms=0
"""


def missing() -> str:
    """Return why there is no broker here, or an empty text; fetches the broker the first time."""
    try:
        import confluent_kafka  # noqa: F401 - whether it is there
    except ImportError:
        return "confluent-kafka is not installed (extra kafka)"
    if sys.platform == "win32":
        return "the tests start Kafka on POSIX systems only"
    if shutil.which("java") is None:
        return "Java is not installed (on Debian: apt-get install openjdk-17-jre-headless)"
    return fetch(JARS, ARTIFACTS)


class Broker:
    """A broker that runs, and can be stopped and started again with what it has.

    Attributes:
        servers: Where it listens.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        port, controller = _free_ports(2)
        self.servers: str = f"127.0.0.1:{port}"
        (folder / "server.properties").write_text(SETTINGS.format(port=port, controller=controller, folder=folder))
        self._process: subprocess.Popen[bytes] | None = None
        self._run("kafka.tools.StorageTool", "format", "-t", "dGVzdHMtb2YtdGhlLWVuZw", "-c", "server.properties").wait()

    def _run(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        small = [
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        ]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                ["java", *small, "-cp", f"{JARS}/*", program, *arguments],
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        process = self._process = self._run("kafka.Kafka", "server.properties")
        end = time.monotonic() + MOST_SECONDS
        host, _, port = self.servers.partition(":")
        while True:
            try:
                socket.create_connection((host, int(port)), 1).close()
                AdminClient({"bootstrap.servers": self.servers, "log_level": 0}).list_topics(timeout=5)
                return
            except (OSError, KafkaException):
                said = (self._folder / "log").read_text(errors="replace")[-2000:]
                assert process.poll() is None, f"the broker has ended: {said}"
                assert time.monotonic() < end, f"the broker does not answer: {said}"
                time.sleep(0.1)

    def stop(self) -> None:
        """Stop it; what it has stays."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    @cached_property
    def admin(self) -> Any:
        """A client that administrates it; kept, since what it is asked ends with it."""
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def make_topic(self, name: str, partitions: int = 1, **config: Any) -> None:
        """Make a topic, and wait until it can be written."""
        from confluent_kafka.admin import NewTopic

        settings = {key.replace("_", "."): str(value) for key, value in config.items()}
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)
        self.admin.create_topics([topic])[name].result(MOST_SECONDS)
        for partition in range(partitions):
            self.offset(name, partition)

    def offset(self, topic: str, partition: int = 0, *, first: bool = False) -> int:
        """Return the offset behind the last record of a partition, or that of the first."""
        from confluent_kafka import KafkaException, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        spec = OffsetSpec.earliest() if first else OffsetSpec.latest()
        end = time.monotonic() + MOST_SECONDS
        while True:
            try:
                (answer,) = self.admin.list_offsets({TopicPartition(topic, partition): spec}).values()
                offset: int = answer.result(MOST_SECONDS).offset
                return offset
            except KafkaException as error:
                if error.args[0].code() not in NO_LEADER_YET or time.monotonic() > end:
                    raise
                del self.admin  # it may stay with what it knows of the topic
                time.sleep(0.1)

    def send(self, topic: str, *values: str, partition: int = 0, key: str | None = None, timestamp: int = 0) -> None:
        """Append records."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.servers, "log_level": 0})
        for value in values:
            producer.produce(topic, value.encode(), key, partition, timestamp=timestamp)
        assert producer.flush(MOST_SECONDS) == 0

    def read(self, topic: str) -> list[tuple[int, bytes | None, bytes | None]]:
        """Return partition, key and value of all records of a topic that are committed."""
        from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

        settings = {"bootstrap.servers": self.servers, "group.id": "tests", "fetch.wait.max.ms": 20}
        reader = Consumer(
            {**settings, "enable.partition.eof": True, "isolation.level": "read_committed", "log_level": 0}
        )
        partitions = list(reader.list_topics(topic, MOST_SECONDS).topics[topic].partitions)
        behind = {each: self.offset(topic, each) for each in partitions}
        reader.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions])
        found: list[tuple[int, bytes | None, bytes | None]] = []
        end = time.monotonic() + MOST_SECONDS
        while behind:
            assert time.monotonic() < end, f"not all of {topic} is committed: {behind}"
            for message in reader.consume(1000, 0.1):
                if message.error() is None:
                    found.append((message.partition(), message.key(), message.value()))
                elif message.error().code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(message.error())
                elif message.offset() >= behind.get(message.partition(), -1):
                    behind.pop(message.partition(), None)
        reader.close()
        return found


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


@contextmanager
def running() -> Iterator[Broker]:
    """Run a broker inside of a `with` statement."""
    with tempfile.TemporaryDirectory(prefix="kafka-") as folder:
        broker = Broker(Path(folder))
        try:
            broker.start()
            yield broker
        finally:
            broker.stop()
