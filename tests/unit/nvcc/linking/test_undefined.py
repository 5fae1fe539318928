"""Messages about links that miss a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.nvcc.linking import undefined


@pytest.mark.parametrize(
    ("log", "fix"),
    [
        ("a.o: undefined reference to `k(int*)'", "kernel 'k' is launched, but no linked file"),
        ("a.o: undefined reference to `void ns::k<int>(int*)'", "kernel 'k' is launched"),
        ("ld.lld: error: undefined symbol: k(int*)", "kernel 'k' is launched"),
        (
            "undefined reference to `k(int)'\nundefined reference to `t<3>()'",
            "kernels 'k', 't' are launched, but no linked file defines them",
        ),
        ("a.o: undefined reference to `other_k(int*)'", ""),
        ("a.o: undefined reference to `f(k)'", ""),
        ("a.o: multiple definition of `k(int*)'", ""),
    ],
)
def test_launched_kernels_are_named(log: str, fix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undefined, "list_objects", lambda path, _: [(str(path), b"")])
    monkeypatch.setattr(undefined, "read_launched", lambda _: {"k", "t"})

    found = undefined.read_log(log, (Path("a.o"),))

    assert found.text == log
    assert found.fix.startswith(fix)
    assert bool(found.fix) == bool(fix)
