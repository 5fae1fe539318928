"""The kernel cache: valid and damaged entries, its size, and several processes."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, InputError
from kbuild.report.doctor import render_text
from kbuild.toolchain.caches import KernelCache, is_switched_on
from kbuild.toolchain.doctor import diagnose


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KernelCache:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return KernelCache()


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "a.h"
    path.write_text("1")
    os.utime(path, (1, 1))
    return path


def store(cache: KernelCache, key: str, content: bytes, *headers: Path) -> None:
    def write(directory: Path) -> None:
        (directory / "code").write_bytes(content)

    cache.store(key, headers, write, time.time())


def find(cache: KernelCache, key: str) -> bytes | None:
    def load(directory: Path) -> bytes:
        content = (directory / "code").read_bytes()
        if content == b"bad":
            raise InputError("bad")
        return content

    return cache.find(key, load)


def test_entries_are_found_by_key_and_counted(cache: KernelCache, header: Path) -> None:
    assert find(cache, "k") is None
    store(cache, "k", b"code", header)
    assert find(cache, "k") == b"code"
    assert find(KernelCache(), "k") == b"code"
    assert find(cache, "other") is None
    found = cache.diagnose()
    assert (found.entries, found.hits, found.misses) == (1, 2, 2)
    assert 4 < found.size < 1000


def test_changed_headers_are_misses_until_they_change_back(
    cache: KernelCache, header: Path
) -> None:
    store(cache, "k", b"one", header)
    header.write_text("2")
    assert find(cache, "k") is None
    os.utime(header, (1, 1))
    store(cache, "k", b"two", header)
    assert find(cache, "k") == b"two"
    header.write_text("1")
    assert find(cache, "k") == b"one"
    header.unlink()
    assert find(cache, "k") is None


def test_headers_that_change_during_the_compilation_are_not_trusted(
    cache: KernelCache, header: Path, tmp_path: Path
) -> None:
    os.utime(header)
    store(cache, "k", b"code", header)
    store(cache, "k", b"code", tmp_path / "absent.h")
    assert find(cache, "k") is None
    assert cache.diagnose().entries == 0


@pytest.mark.parametrize("damage", ["content", "dependencies"])
def test_damaged_entries_are_removed(cache: KernelCache, header: Path, damage: str) -> None:
    store(cache, "k", b"bad" if damage == "content" else b"good", header)
    if damage == "dependencies":
        (file,) = cache.root.glob("k/*/dependencies.json")
        file.write_text("{")
    assert find(cache, "k") is None
    assert cache.diagnose().entries == 0
    store(cache, "k", b"new", header)
    assert find(cache, "k") == b"new"


def test_least_recently_used_entries_are_removed(
    header: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KBUILD_KERNEL_CACHE_BYTES", "10000")
    cache = KernelCache()
    left = cache.root / ".new-0123"
    left.mkdir(parents=True)
    os.utime(left, (1, 1))
    for number in range(8):
        store(cache, f"k{number}", bytes(2000), header)
        for entry in cache.root.glob(f"k{number}/*"):
            os.utime(entry, (number + 1, number + 1))
        find(cache, "k0")
    assert cache.diagnose().size <= 10000
    assert find(cache, "k0") is not None
    assert find(cache, "k7") is not None
    assert find(cache, "k2") is None
    assert not left.exists()


def test_threads_and_processes_store_the_same_entry(cache: KernelCache, header: Path) -> None:
    def work(number: int) -> bytes | None:
        own = KernelCache()
        store(own, f"k{number % 3}", b"code", header)
        return find(own, f"k{number % 3}")

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(60))) == {b"code"}
    found = cache.diagnose()
    assert (found.entries, found.hits, found.misses) == (3, 60, 0)
    assert not list(cache.root.glob(".*"))


def test_cache_that_cannot_be_written_is_not_an_error(
    header: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache = KernelCache()
    store(cache, "k", b"code", header)
    assert find(cache, "k") is None
    assert cache.diagnose().misses == 0


def test_variables_switch_and_limit_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, expected in (("", False), ("0", False), ("1", True)):
        monkeypatch.setenv("KBUILD_KERNEL_CACHE", value)
        assert is_switched_on() == expected
    monkeypatch.setenv("KBUILD_KERNEL_CACHE_BYTES", "1 GB")
    with pytest.raises(ConfigurationError, match="is '1 GB'; expected a number of bytes"):
        KernelCache()


def test_user_without_a_home_directory_gets_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    with pytest.raises(ConfigurationError, match=r"no home directory .* set XDG_CACHE_HOME"):
        KernelCache()
    assert "not usable" in render_text(replace(diagnose(), toolchains=()))
