"""Machines have disks of their own, and end with the process that made them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.cluster.machines import Machine, Network, missing
from tests.spark.in_process import ROOT

END_SECONDS = 30.0

MAKES_A_MACHINE = """
import sys, time
from pathlib import Path
from tests.spark.cluster.machines import Machine, Network
network = Network(Path(sys.argv[1]))
machine = Machine(network, "driver")
program = machine.start("sleeper", "sleep", "infinity")
print(network.switch.pid, machine.first.pid, program.process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    made = Network(tmp_path)
    yield made
    made.close()


def output(machine: Machine, *program: str) -> str:
    """Run a program on a machine, and return what it prints."""
    done = subprocess.run(machine.command(*program), capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def test_machines_reach_each_other_by_name_and_share_one_folder(network: Network) -> None:
    one, other = Machine(network, "worker-1"), Machine(network, "worker-2")
    try:
        for folder in (network.disk, network.shared):
            output(one, "sh", "-c", f"echo here > {folder}/note")
        asks = f"import socket; print(socket.gethostbyname('{one.name}'), socket.gethostname())"

        assert output(other, sys.executable, "-c", asks) == "10.77.0.3 worker-2"
        assert output(other, "cat", f"{network.shared}/note") == "here"
        assert "No such file" in output(other, "cat", f"{network.disk}/note")
        one.power_off()
        again = Machine(network, "worker-1")
        assert "No such file" in output(again, "cat", f"{network.disk}/note")
        again.power_off()
    finally:
        one.power_off()
        other.power_off()


@pytest.mark.usefixtures("network")
def test_machines_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "machines"
    folder.mkdir()
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKES_A_MACHINE, str(folder)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert maker.stdout is not None
    with maker.stdout as lines:
        pids = [int(pid) for pid in lines.readline().split()]
    assert [Path(f"/proc/{pid}").exists() for pid in pids] == [True] * 3

    maker.send_signal(signal.SIGKILL)
    maker.wait()

    end = time.monotonic() + END_SECONDS
    while any(is_running(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert [pid for pid in pids if is_running(pid)] == []
    (folder / "disk").rmdir()  # nothing is mounted on it


def is_running(pid: int) -> bool:
    """Return whether a process has not ended; one that nobody waits for has ended, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere that is what is missing")
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 1000)
        assert missing() == "only root may make namespaces and interfaces, and this is user 1000; run it with sudo"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "which", lambda program: None if program == "ip" else program)
        assert missing() == "the program ip is missing (on Debian: apt-get install iproute2)"
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert missing().startswith("this system refuses namespaces: unshare: unshare failed: Operation not permitted; in")


def test_frozen_programs_stand_still_until_they_are_thawed(network: Network) -> None:
    machine = Machine(network, "worker-1")
    try:
        counter = machine.start("counter", "sh", "-c", "while true; do echo one; sleep 0.01; done")
        counter.await_text("one")
        machine.freeze()
        time.sleep(0.2)
        before = counter.log.read_text()
        time.sleep(0.5)
        assert counter.log.read_text() == before
        machine.thaw()
        counter.await_text("one", before.count("one") + 1)
        machine.freeze()
        machine.thaw()
    finally:
        machine.power_off()
