"""The cache of results: what is found, what is not, and what is removed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.toolchain import store


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(store.SWITCH, raising=False)
    monkeypatch.delenv(store.LIMIT, raising=False)
    return tmp_path / "kbuild" / "results"


def list_entries(results: Path) -> list[Path]:
    return [path for path in results.rglob("*") if path.is_file()]


def make_keys(digit: str) -> Iterator[str]:
    """Yield keys of one directory."""
    numbers = iter(range(10**6))
    yield from (key for number in numbers if (key := store.make_key(str(number)))[0] == digit)


def test_an_entry_has_the_content_that_was_added_last() -> None:
    key = store.make_key("a")
    assert store.find(key) is None
    store.add(key, b"1")
    store.add(key, b"2")
    store.add(store.make_key("b"), b"")

    assert store.find(key) == b"2"
    assert store.find(store.make_key("b")) == b""


@pytest.mark.parametrize("others", [("ab", "c"), ("a", "bc", ""), ("abc",), ("", "a", "bc")])
def test_keys_tell_parts_apart(others: tuple[str, ...]) -> None:
    assert store.make_key("a", "bc") != store.make_key(*others)


def test_a_damaged_entry_is_removed(results: Path) -> None:
    key = store.make_key("a")
    store.add(key, b"content")
    (path,) = list_entries(results)
    for damaged in (b"", path.read_bytes()[:-1], path.read_bytes().replace(b"tent", b"sent")):
        path.write_bytes(damaged)
        assert store.find(key) is None
        assert not path.exists()


def test_the_cache_can_be_off(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(store.make_key("a"), b"1")
    monkeypatch.setenv(store.SWITCH, "off")
    store.add(store.make_key("b"), b"1")

    assert store.find(store.make_key("a")) is None
    assert len(list_entries(results)) == 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (store.SWITCH, "no", "KBUILD_CACHE is 'no'; expected on or off"),
        (store.LIMIT, "1G", "KBUILD_CACHE_BYTES is '1G'; expected a number of bytes"),
    ],
)
def test_bad_settings_are_errors(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=message):
        store.add(store.make_key("a"), b"")


def test_what_was_not_used_for_the_longest_time_is_removed(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.LIMIT, str(16 * 1100))
    keys = make_keys("7")
    old, used, new = (next(keys) for _ in range(3))
    for age, key in enumerate((used, old), start=1):
        store.add(key, bytes(400))
        os.utime(results / "7" / key, (age * 1000, age * 1000))
    assert store.find(used) is not None  # now it is the younger one
    store.add(new, bytes(400))

    assert store.find(old) is None
    assert store.find(used) is not None
    assert store.find(new) is not None


def test_what_is_too_large_is_not_kept(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.LIMIT, str(16 * 1000))
    store.add(store.make_key("a"), bytes(1000))

    assert not list_entries(results)


def test_what_killed_processes_left_is_removed(results: Path) -> None:
    key = store.make_key("a")
    left = results / key[0] / ".left"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"1")
    store.add(key, b"1")
    assert left.exists()  # perhaps it is being written
    os.utime(left, (1, 1))
    store.add(key, b"1")

    assert not left.exists()


def test_a_cache_that_cannot_be_written_is_not_an_error(results: Path) -> None:
    results.parent.mkdir(parents=True)
    results.write_text("a file in the place of the directory")
    store.add(store.make_key("a"), b"1")

    assert store.find(store.make_key("a")) is None


def test_writers_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.LIMIT, str(16 * 5000))
    keys = make_keys("3")
    shared = [next(keys) for _ in range(20)]
    wrong: list[str] = []

    def work() -> None:
        for key in shared * 5:
            found = store.find(key)
            if found not in (None, key.encode() * 9):
                wrong.append(key)
            store.add(key, key.encode() * 9)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert store.find(shared[-1]) == shared[-1].encode() * 9
