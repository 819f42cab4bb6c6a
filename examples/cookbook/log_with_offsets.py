"""A log as Kafka has it, in a plain file: a group of consumers reads on where it committed, and loses nothing.

A record is a line; its offset is the number of its first byte. The offset of the group is in a file beside the log,
which is replaced at once, so a crash leaves the old one or the new one. It is committed after the records of a batch
were handled: after a crash the last batch may be handled again (at least once).

Prints:
    first consumer: ['order 0', 'order 1'] then ['order 2', 'order 3'], committed up to 32
    killed while it handled ['order 4', 'order 5']
    second consumer: ['order 4', 'order 5'] then ['order 6'], committed up to 56
"""

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from reactivestreams import Stream

Record = tuple[int, str]


class Group:
    """The consumers of one name, of which one reads at a time."""

    def __init__(self, log: Path, name: str) -> None:
        self._log = log
        self._offset = log.with_suffix(f".{name}.offset")

    @property
    def committed(self) -> int:
        return int(self._offset.read_text()) if self._offset.exists() else 0

    def commit(self, offset: int) -> None:
        new = self._offset.with_suffix(".new")
        new.write_text(str(offset))
        new.replace(self._offset)

    def records(self) -> Stream[Record]:
        """Return the records behind the committed one, each with the offset of the next; read as they are requested."""
        return Stream.defer(lambda: Stream.from_iterable(self._read(self.committed)))

    def _read(self, offset: int) -> Iterator[Record]:
        with self._log.open("rb") as log:
            log.seek(offset)
            for line in log:
                if not line.endswith(b"\n"):  # it is still being written
                    return
                offset += len(line)
                yield offset, line.decode().rstrip("\n")


def consume(group: Group, batches: int | None = None) -> list[list[str]]:
    """Handle the records in batches of two, and commit after each."""
    handled: list[list[str]] = []

    def handle(batch: list[Record]) -> None:
        handled.append([text for _, text in batch])
        if len(handled) == batches:
            raise KeyboardInterrupt  # as a crash would: after the work, before the commit
        group.commit(batch[-1][0])

    with suppress(KeyboardInterrupt):
        group.records().buffer(2).for_each(handle)
    return handled


with tempfile.TemporaryDirectory() as folder:
    log = Path(folder, "orders.log")
    log.write_text("".join(f"order {number}\n" for number in range(7)))
    first, second, third = consume(Group(log, "billing"), batches=3)
    print(f"first consumer: {first} then {second}, committed up to {Group(log, 'billing').committed}")
    print(f"killed while it handled {third}")
    again, rest = consume(Group(log, "billing"))
    print(f"second consumer: {again} then {rest}, committed up to {Group(log, 'billing').committed}")
