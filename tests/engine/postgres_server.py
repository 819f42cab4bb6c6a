"""A PostgreSQL of this machine's packages, on loopback, for the tests of one process.

On Debian: `apt-get install postgresql`. The server does not run as root; so as root it is run by the user `postgres`.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MOST_SECONDS = 60.0


def program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL, the newest that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(found[-1]) if found else shutil.which(name)


def missing() -> str:
    """Return why there is no server here, or an empty text."""
    try:
        import psycopg  # noqa: F401 - whether it is there
    except ImportError:
        return "psycopg is not installed (extra postgres)"
    if program("initdb") is None or program("postgres") is None:
        return "PostgreSQL is not installed (on Debian: apt-get install postgresql)"
    if sys.platform == "win32":
        return "the tests start PostgreSQL on POSIX systems only"
    import pwd

    if os.geteuid() == 0 and "postgres" not in (each.pw_name for each in pwd.getpwall()):
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


@contextmanager
def running() -> Iterator[str]:
    """Run a server inside of a `with` statement; return where it is."""
    import pwd

    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    as_user: dict[str, Any] = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
    given = as_user if os.geteuid() == 0 else {}
    folder = tempfile.mkdtemp(prefix="postgres-")
    shutil.chown(folder, user)
    try:
        subprocess.run(
            [str(program("initdb")), "-D", f"{folder}/data", "-A", "trust", "-U", "tests", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=folder,
            **given,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = [f"-p{port}", f"-k{folder}", "-clisten_addresses=127.0.0.1", "-cfsync=off", "-cshared_buffers=16MB"]
        with subprocess.Popen(
            [str(program("postgres")), "-D", f"{folder}/data", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            **given,
        ) as server:
            try:
                conninfo = f"host=127.0.0.1 port={port} user=tests dbname=postgres connect_timeout=10"
                _wait(conninfo, server)
                yield conninfo
            finally:
                server.send_signal(signal.SIGINT)  # ends all sessions, and then itself
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(conninfo: str, server: "subprocess.Popen[bytes]") -> None:
    import psycopg

    end = time.monotonic() + MOST_SECONDS
    while True:
        try:
            psycopg.connect(conninfo).close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)
