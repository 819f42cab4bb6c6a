"""What the ingress from Kafka and the egress to it have in common: the library, and the settings of its clients."""

import logging
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from reactivestreams.engine.errors import StoreError
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["KAFKA_LOGGER", "checked_options", "checked_text", "kafka"]

KAFKA_LOGGER = logging.getLogger("reactivestreams.engine.kafka")
"""Gets what the Kafka library has to say of connections."""


def kafka(needed_by: str) -> ModuleType:
    """Return the library.

    Raises:
        StoreError: It is not installed.
    """
    try:
        import confluent_kafka.admin  # pyright: ignore[reportUnusedImport] - it does not come with the rest
    except ImportError:
        raise StoreError(f"{needed_by} needs confluent-kafka; install reactive-streams-core[kafka]") from None
    library: ModuleType = confluent_kafka
    return library


def checked_text(value: object, *, operator: str, name: str, example: str) -> str:
    """Return a text that is not empty.

    Raises:
        ArgumentTypeError: It is no text.
        ArgumentError: It is empty.
    """
    if not isinstance(value, str):
        raise ArgumentTypeError(
            f"{operator}({name}) needs a text, got {value!r} ({type(value).__name__}); pass e.g. {example!r}"
        )
    if not value:
        raise ArgumentError(f"{operator}({name}) needs a text that is not empty, got ''; pass e.g. {example!r}")
    return value


def checked_options(options: object, *, operator: str, own: Iterable[str]) -> dict[str, object]:
    """Return settings of librdkafka, without those that an ingress or egress sets itself.

    Raises:
        ArgumentTypeError: They are no mapping of texts.
        ArgumentError: One is among its own.
    """
    given: Any = options
    if not isinstance(options, Mapping) or not all(isinstance(each, str) for each in given):
        raise ArgumentTypeError(
            f"{operator}(options) needs a mapping of the names of settings, got {given!r} "
            f"({type(given).__name__}); pass e.g. {{'security.protocol': 'SSL'}}"
        )
    for name in own:
        if name in given:
            raise ArgumentError(
                f"{operator}(options) has {name!r}: {given[name]!r}, which it sets itself, since what it promises "
                f"rests on that; leave it out"
            )
    return dict(given)
