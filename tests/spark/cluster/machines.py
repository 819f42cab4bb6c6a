"""Machines made of namespaces: each has a network, mounts, a host name and processes of its own.

A machine reaches the others over a switch, by name, and nothing else: not the network of this system, and no other
machine's loopback. Its folder `disk`, which is the same path on all machines and the place of temporary files, is its
own, and lost when it is powered off. The folder `shared` is the same for all, like a mounted network file system. What
is installed on this system is installed on all of them.

The kernel ends all processes of a machine with its first one, and that one with this process, even if this process is
killed: no namespace, interface or mount is left. It needs Linux and root.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

NETWORK = "10.77.0"
MACHINES = ("storage", "master", "worker-1", "worker-2", "driver", "connect", "driver-2")
"""The names; the last number of an address is the position, counted from 1."""

DISK = "2g"
"""The size of a machine's disk, which is memory."""

START_SECONDS = 180.0
SHOWN_CHARACTERS = 3000
PROGRAMS = {"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "setpriv": "util-linux"}
SMALL_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
NAMESPACES = ("--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
UNTIL_THIS_ENDS = ("setpriv", "--pdeathsig", "KILL")

SWITCH = "ip link add switch type bridge && ip link set switch up && echo ready && exec sleep infinity"

BOOT = """
set -e
mount -t tmpfs -o size="$4" disk "$1"
mkdir "$1/tmp"
mount --bind "$2" /etc/hosts
echo "$3" > /proc/sys/kernel/hostname
ip link set lo up
echo ready
set +e
while :; do
    sleep infinity &
    wait
done
"""


def missing() -> str:
    """Return why machines cannot be made here, or an empty text."""
    if sys.platform != "linux":
        return f"machines are made of namespaces of Linux, and this is {sys.platform}"
    if os.geteuid() != 0:
        return f"only root may make namespaces and interfaces, and this is user {os.geteuid()}; run it with sudo"
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            return f"the program {program} is missing (on Debian: apt-get install {package})"
    made = subprocess.run(["unshare", *NAMESPACES, "true"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"this system refuses namespaces: {made.stderr.strip()}; in a container, run it with --privileged"
    return ""


def run(*command: str) -> None:
    """Run a program; raise with what it printed if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)} failed: {done.stderr.strip()}"


def started(command: list[str]) -> "subprocess.Popen[str]":
    """Start a process that holds namespaces, and wait until it prints that it is ready."""
    process = subprocess.Popen(
        [*UNTIL_THIS_ENDS, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the tests
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        process.kill()
        raise AssertionError(f"a machine cannot be made: {process.communicate()[1].strip()}")
    return process


class Network:
    """The switch between machines, and the folders that they have.

    Args:
        folder: A new folder; `disk`, `shared` and `logs` are made in it.
    """

    def __init__(self, folder: Path) -> None:
        self.disk: Path = folder / "disk"
        self.shared: Path = folder / "shared"
        self.logs: Path = folder / "logs"
        for each in (self.disk, self.shared, self.logs):
            each.mkdir()
        self.hosts: Path = folder / "hosts"
        lines = [f"{NETWORK}.{number} {name}" for number, name in enumerate(MACHINES, 1)]
        self.hosts.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
        self.ports = 0
        self.switch = started(["unshare", "--net", "sh", "-c", SWITCH])

    def connect(self, machine: "Machine") -> None:
        """Connect a machine to the switch."""
        self.ports += 1
        number = MACHINES.index(machine.name) + 1
        ours, theirs = (f"/proc/{process.pid}/ns/net" for process in (self.switch, machine.first))
        ends = ["netns", str(machine.first.pid), "type", "veth", "peer", "name", f"port{self.ports}"]
        # The same hardware address each time, so that the others find a machine that was powered off.
        run("ip", "link", "add", "eth0", "address", f"02:00:00:00:00:{number:02}", *ends, "netns", str(self.switch.pid))
        run("nsenter", f"--net={ours}", "ip", "link", "set", f"port{self.ports}", "master", "switch", "up")
        run("nsenter", f"--net={theirs}", "ip", "address", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
        run("nsenter", f"--net={theirs}", "ip", "link", "set", "eth0", "up")

    def close(self) -> None:
        """Remove the switch."""
        self.switch.kill()
        self.switch.communicate()


class Machine:
    """A machine that runs until it is powered off.

    Args:
        network: Its network.
        name: One of `MACHINES`; one machine of a name at a time.
    """

    def __init__(self, network: Network, name: str) -> None:
        self.network = network
        self.name = name
        self.daemons: list[subprocess.Popen[bytes]] = []
        boot = ["sh", "-c", BOOT, "sh", str(network.disk), str(network.hosts), name, DISK]
        self.first = started(["unshare", *NAMESPACES, *boot])
        self.namespaces: list[str] = [
            f"--{kind}=/proc/{self.first.pid}/ns/{file}"
            for kind, file in (("net", "net"), ("mount", "mnt"), ("uts", "uts"), ("pid", "pid_for_children"))
        ]
        try:
            network.connect(self)
        except BaseException:
            self.power_off()
            raise

    def command(self, *program: str, folder: Path | None = None) -> list[str]:
        """Return the command that runs a program on the machine, in a folder; None means its disk."""
        return ["nsenter", *self.namespaces, "--", "env", "-C", str(folder or self.network.disk), *program]

    @property
    def variables(self) -> dict[str, str]:
        """Variables for a program on the machine."""
        temporary = str(self.network.disk / "tmp")
        return {
            "TMPDIR": temporary,
            "SPARK_LOCAL_DIRS": temporary,
            "SPARK_LOCAL_IP": f"{NETWORK}.{MACHINES.index(self.name) + 1}",
            "JAVA_TOOL_OPTIONS": f"{SMALL_JAVA} -Djava.io.tmpdir={temporary}",
        }

    def start(self, name: str, *program: str, variables: Mapping[str, str] | None = None) -> "Daemon":
        """Start a program on the machine; its output is in a file of the network's folder `logs`."""
        log = self.network.logs / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(*UNTIL_THIS_ENDS, *program),  # the parent there is the process that is returned
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **self.variables, **(variables or {})},
                start_new_session=True,
            )
        self.daemons.append(process)
        return Daemon(process, log)

    def processes(self) -> dict[int, str]:
        """Return the commands of all processes of the machine, by their numbers on this system."""
        own = os.readlink(f"/proc/{self.first.pid}/ns/pid_for_children")
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended
                if os.readlink(process / "ns" / "pid") == own:
                    found[int(process.name)] = (process / "cmdline").read_bytes().decode(errors="replace")
        return found

    def fill_disk(self) -> None:
        """Make the disk as small as what is on it."""
        used = subprocess.check_output(self.command("df", "-k", "--output=used", "."), text=True).split()[-1]
        run(*self.command("mount", "-o", f"remount,size={used}k", str(self.network.disk)))

    def enlarge_disk(self) -> None:
        """Give the disk its size again."""
        run(*self.command("mount", "-o", f"remount,size={DISK}", str(self.network.disk)))

    def freeze(self) -> None:
        """Let the programs that were started on the machine stand still."""
        for process in self.daemons:
            if process.poll() is None:
                outside = Path(f"/proc/{process.pid}")
                os.kill(int((outside / "task" / str(process.pid) / "children").read_text()), signal.SIGSTOP)
                while ") T " not in (outside / "stat").read_text():  # the process outside stops with the one inside
                    time.sleep(0.01)

    def thaw(self) -> None:
        """Let them go on."""
        for process in self.daemons:
            process.send_signal(signal.SIGCONT)  # and it lets the one inside go on

    def power_off(self) -> None:
        """End all processes of the machine with kill -9, and lose its disk. Further calls do nothing."""
        if self.first.poll() is None:
            # While there is a network, so that the others learn of it at once, and not after their time-outs.
            subprocess.run(["nsenter", *self.namespaces, "sh", "-c", "kill -9 -1"], capture_output=True, check=False)
            children = Path(f"/proc/{self.first.pid}/task/{self.first.pid}/children").read_text().split()
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            if not children:
                self.first.kill()
        # It ends after its child, the first process inside, which ends after all others there.
        self.first.communicate()
        for process in self.daemons:
            process.wait()


class Daemon:
    """A program that runs on a machine.

    Args:
        process: Its process.
        log: The file with its output.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.process = process
        self.log = log

    def await_text(self, text: str, times: int = 1) -> None:
        """Wait until the program has printed a text so many times."""
        end = time.monotonic() + START_SECONDS
        while (printed := self.log.read_text(errors="replace")).count(text) < times:
            shown = printed[-SHOWN_CHARACTERS:]
            assert self.process.poll() is None, f"{self.log.stem} has ended, status {self.process.returncode}: {shown}"
            assert time.monotonic() < end, f"{self.log.stem} did not print {text!r} {times} times: {shown}"
            time.sleep(0.05)
