"""Which headers source text can include, without a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.runtime.compiling.caching import choose_cache, hash_key
from kbuild.runtime.compiling.includes import find_includes


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.h").write_text('#pragma once\n#include "sub/b.h"\n')
    (tmp_path / "sub" / "b.h").write_text('  #  include "c.h"\n#include <a.h>\n')
    (tmp_path / "sub" / "c.h").write_text("")
    (tmp_path / "other.h").write_text("")
    return tmp_path


def names(found: tuple[Path, ...] | None) -> set[str]:
    assert found is not None
    return {path.name for path in found}


def test_headers_are_found_through_headers(directory: Path) -> None:
    text = b"#if 0\n#include <a.h>\n#endif\n#include <cuda_fp16.h>\n"
    for options in ((f"-I{directory}",), ("-I", str(directory)), (f"--include-path={directory}",)):
        assert names(find_includes(text, options, ())) == {"a.h", "b.h", "c.h"}
    assert names(find_includes(text, (), (directory,))) == {"a.h", "b.h", "c.h"}
    assert find_includes(text, (), ()) == ()


def test_headers_of_options_are_found(directory: Path) -> None:
    header = f"--pre-include={directory / 'other.h'}"
    assert names(find_includes(b"", (header,), ())) == {"other.h"}


def test_headers_that_macros_name_are_unknown(directory: Path) -> None:
    (directory / "sub" / "c.h").write_text("#include HEADER\n")
    assert find_includes(b"#include <a.h>\n", (), (directory,)) is None


def test_options_that_read_other_files_switch_the_cache_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("KBUILD_KERNEL_CACHE", raising=False)
    assert choose_cache(requested=True, options=("-O3", "-DX")) is not None
    assert choose_cache(requested=True, options=("@file",)) is None
    assert choose_cache(requested=True, options=("--options-file=f",)) is None
    assert choose_cache(requested=None, options=()) is None
    monkeypatch.setenv("KBUILD_KERNEL_CACHE", "1")
    assert choose_cache(requested=None, options=()) is not None
    assert choose_cache(requested=False, options=()) is None


def test_keys_differ_if_anything_differs() -> None:
    assert hash_key(b"text", "80", ("-O1",)) == hash_key(b"text", "80", ("-O1",))
    keys = {
        hash_key(*parts)
        for parts in (
            (b"text", "80", ("-O1",)),
            (b"text2", "80", ("-O1",)),
            (b"text", "90", ("-O1",)),
            (b"text", "80", ("-O", "1")),
            (b"text", "80", ()),
        )
    }
    assert len(keys) == 5
