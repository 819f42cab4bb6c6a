"""A server of S3 for the test cluster: moto's, which checks credentials and lists late where it is told to.

usage: python -m tests.spark.cluster.s3_server HOST PORT [--keys FILE] [--late SECONDS]

* `--keys FILE`: JSON with secrets by access key, read at each request; before it is made, all may come in. A request
  with another key, another secret or none is refused as S3 refuses it, and one with the token `expired`, too.
* `--late SECONDS`: a new object is listed so many seconds after it was written, as in stores that list eventually. It
  can be read and asked for by name at once.
"""

import argparse
import copy
import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.core.utils import utcnow
from moto.s3.models import S3Backend
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple
from werkzeug.wrappers import Request, Response

ERROR = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>{}</Code><Message>{}</Message></Error>"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class CheckedKeys:
    """An application behind a check of the credentials.

    Args:
        application: What answers requests with right credentials.
        keys: The file with the secrets.
    """

    def __init__(self, application: Application, keys: Path) -> None:
        self.application = application
        self.keys = keys

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        request = Request(environment)
        refused = self.refusal(request)
        if refused is None:
            return self.application(environment, start)
        status, code, message = refused
        content = "" if request.method == "HEAD" else ERROR.format(code, message)
        return Response(content, status, content_type="application/xml")(environment, start)

    def refusal(self, request: Request) -> tuple[int, str, str] | None:
        """Return status, code and message of S3 for wrong credentials, or None."""
        if not self.keys.exists():
            return None
        kind, _, rest = request.headers.get("Authorization", "").partition(" ")
        if kind != "AWS4-HMAC-SHA256":
            return 403, "AccessDenied", "Access Denied"
        if request.headers.get("X-Amz-Security-Token") == "expired":
            return 400, "ExpiredToken", "The provided token has expired."
        fields = dict(field.strip().split("=", 1) for field in rest.split(","))
        access, _, region, service, _ = fields["Credential"].split("/")
        secret = json.loads(self.keys.read_text()).get(access)
        if secret is None:
            return 403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."
        signed = {name: request.headers[name] for name in fields["SignedHeaders"].split(";")}
        # The address as it was sent: its escapes are signed.
        copied = AWSRequest(request.method, f"http://{request.host}{request.environ['RAW_URI']}", signed)
        copied.context["timestamp"] = signed["x-amz-date"]
        signing = S3SigV4Auth(Credentials(access, secret), service, region)
        text = signing.string_to_sign(copied, signing.canonical_request(copied))
        if signing.signature(text, copied) != fields["Signature"]:
            return 403, "SignatureDoesNotMatch", "The request signature we calculated does not match."
        return None


def list_late(seconds: float) -> None:
    """Have new objects listed late."""
    delay = timedelta(seconds=seconds)
    list_objects = S3Backend.list_objects
    written: dict[tuple[str, str], datetime] = {}

    def listed(self: S3Backend, bucket: Any, *arguments: Any, **named: Any) -> Any:
        keys = dict(bucket.keys.items())
        for name in [name for name in written if name[0] == bucket.name and name[1] not in keys]:
            del written[name]
        shown = copy.copy(bucket)
        shown.keys = {
            # What is written again stays listed.
            name: key
            for name, key in keys.items()
            if written.setdefault((bucket.name, name), key.last_modified) + delay <= utcnow()
        }
        return list_objects(self, shown, *arguments, **named)

    S3Backend.list_objects = listed  # type: ignore[method-assign]


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark.cluster.s3_server", description=__doc__)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--keys", type=Path)
    parser.add_argument("--late", type=float)
    arguments = parser.parse_args()
    # Both it and its base answer "100 Continue"; the client would take the second one for the end of the request.
    WSGIRequestHandler.handle_expect_100 = lambda handler: True  # type: ignore[attr-defined]
    if arguments.late is not None:
        list_late(arguments.late)
    application: Application = DomainDispatcherApplication(create_backend_app)
    if arguments.keys is not None:
        application = CheckedKeys(application, arguments.keys)
    run_simple(arguments.host, arguments.port, application, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main()
