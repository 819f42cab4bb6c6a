"""A logger that adds the path of an artifact or operator to messages."""

import logging
from collections.abc import Mapping, MutableMapping
from typing import Any

__all__ = ["LOGGER_NAME", "OperatorTrace"]

LOGGER_NAME = "reactivestreams.operators"
"""The default logger of an `OperatorTrace`."""


class OperatorTrace(logging.LoggerAdapter[logging.Logger]):
    """Log messages after the path of an artifact or of one of its operators.

    Every record also has the attributes `instance_id` and `operator_path`, for formatters and filters.

    Args:
        instance_id: The artifact that owns the operators.
        logger: The logger; None means the logger `reactivestreams.operators`.
        operator_path: The path; None means the instance id.

    Example:
        >>> import logging, sys
        >>> logger = logging.getLogger("example.trace")
        >>> logger.addHandler(logging.StreamHandler(sys.stdout))
        >>> trace = OperatorTrace("rx://queries/flights", logger=logger)
        >>> trace.warning("late by %d minutes", 3)
        [rx://queries/flights] late by 3 minutes
    """

    def __init__(
        self, instance_id: str, *, logger: logging.Logger | None = None, operator_path: str | None = None
    ) -> None:
        path = instance_id if operator_path is None else operator_path
        self.instance_id = instance_id
        self.operator_path = path
        super().__init__(
            logging.getLogger(LOGGER_NAME) if logger is None else logger,
            {"instance_id": instance_id, "operator_path": path},
        )

    def at(self, node: Any) -> "OperatorTrace":
        """Return a trace for an operator, whose path is this path and the operator's name.

        Args:
            node: A node with `name`; a name without letters is replaced by that of its class.
        """
        name = getattr(node, "name", "") or type(node).__name__
        return OperatorTrace(self.instance_id, logger=self.logger, operator_path=f"{self.operator_path} > {name}")

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Return the message and the arguments with the additions of this trace; an `extra` of the caller is kept."""
        own: Mapping[str, object] = self.extra or {}
        return msg, {**kwargs, "extra": {**(kwargs.get("extra") or {}), **own}}

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log a message after the path; all other methods call this one."""
        if self.isEnabledFor(level):
            message, arguments = self.process(msg, kwargs)
            # The logger formats the text only if there are arguments.
            path = self.operator_path.replace("%", "%%") if args else self.operator_path
            text = f"[{path}] {message}"
            arguments["stacklevel"] = arguments.get("stacklevel", 1) + 1  # the caller's line, not this one
            self.logger.log(level, text, *args, **arguments)
