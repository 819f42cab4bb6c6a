"""The egress to a server over HTTP, a request for each batch, with an idempotency key."""

import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS, IdempotentEgress
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = ["HttpEgress"]

REQUEST_SECONDS = 30.0
"""How long a request may take by default."""

EXACTLY = PartGuarantee("egress", Guarantee.EXACTLY_ONCE, "the server is declared to know a repeated idempotency key")
REPEATED = PartGuarantee(
    "egress",
    Guarantee.AT_LEAST_ONCE,
    "a batch is sent again when the process died before its answer came",
    "let the server ignore a repeated Idempotency-Key, and pass idempotent=True",
)


class HttpEgress(IdempotentEgress):
    """Send each batch as a POST request whose header `Idempotency-Key` is `<name>-<number of the batch>`.

    An answer from 200 to 299 says that the server has it; any other, and none, that it is to be sent again, at the next
    checkpoint. Exactly once if the server does nothing for a key that it has seen, and answers as before; that is
    declared by `idempotent`. Redirections are not followed.

    Args:
        url: Where to, with `http` or `https`.
        name: The beginning of the keys: one that no other egress uses for this server, and another one when the store
            is begun anew, since numbers then begin at 1 again.
        idempotent: Whether the server ignores a repeated key.
        encode: Returns the body for the rows of a batch; by default a JSON list.
        headers: More headers, such as one that authorizes.
        max_rows: How many rows are held at most until they are stored, from 2.
        timeout_seconds: How long a request may take, above 0.

    Raises:
        ArgumentTypeError: The address or the name is not a text, or the function cannot be called.
        ArgumentError: The address is none of HTTP, the name is empty, or a number is out of its bounds.

    Example:
        >>> HttpEgress("https://example.org/totals", name="totals-2", idempotent=True)
        HttpEgress('https://example.org/totals', name='totals-2')
    """

    def __init__(
        self,
        url: str,
        *,
        name: str,
        idempotent: bool = False,
        encode: Callable[[Sequence[Any]], bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        max_rows: int = DEFAULT_MAX_ROWS,
        timeout_seconds: float = REQUEST_SECONDS,
    ) -> None:
        for parameter, value in (("url", url), ("name", name)):
            if not isinstance(value, str):
                raise ArgumentTypeError(
                    f"HttpEgress({parameter}) needs a text, got {value!r} ({type(value).__name__}); pass e.g. 'totals'"
                )
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ArgumentError(
                f"HttpEgress(url) needs an address with http or https and a host, got {url!r}; pass e.g. "
                f"'https://example.org/totals'"
            )
        if not name or not name.isascii() or not name.isprintable():
            raise ArgumentError(
                f"HttpEgress(name) needs printable letters of ASCII, got {name!r}; pass e.g. 'totals-1'"
            )
        if not 0 < timeout_seconds <= 3_600:
            raise ArgumentError(
                f"HttpEgress(timeout_seconds) needs a time above 0 and up to 3600, got {timeout_seconds!r}; pass one"
            )
        self.url: str = url
        self.name: str = name
        self.guarantee: PartGuarantee = EXACTLY if idempotent else REPEATED
        self.max_rows: int = checked_count(max_rows, operator="HttpEgress", name="max_rows", at_least=2, at_most=2**24)
        self._encode = _as_json if encode is None else checked_callable(encode, operator="HttpEgress", name="encode")
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._timeout_seconds = timeout_seconds
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.HTTPHandler, urllib.request.HTTPSHandler, urllib.request.ProxyHandler):
            self._opener.add_handler(handler())

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Send a batch, and wait for the answer."""
        request = urllib.request.Request(
            self.url,
            data=self._encode(rows),
            headers={**self._headers, "Idempotency-Key": f"{self.name}-{batch_id}"},
            method="POST",
        )
        with self._opener.open(request, timeout=self._timeout_seconds) as answer:
            status: int = answer.status
            answer.read(65_536)
        if not 200 <= status <= 299:
            raise OSError(
                f"{self!r}: the server answered batch {batch_id} with {status}; it is sent again at the next checkpoint"
            )

    def __repr__(self) -> str:
        return f"HttpEgress({self.url!r}, name={self.name!r})"


def _as_json(rows: Sequence[Any]) -> bytes:
    return json.dumps(list(rows)).encode()
