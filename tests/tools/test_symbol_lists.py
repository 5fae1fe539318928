"""The script that lists the symbols of system libraries for KB310."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kbuild.verify.system_symbols import read_system_symbols
from support.commands import ROOT, run, succeed

SCRIPT = ROOT / "scripts" / "update_symbol_lists.py"
SOURCE = """\
int chosen(void) { return 1; }
int old_1(void) { return 2; }
int renewed_2(void) { return 3; }
int renewed_1(void) { return 4; }
int _Z4fillPi(void) { return 5; }
static int hidden(void) { return 6; }
int data = 7;
int (*keep)(void) = hidden;
__asm__(".symver old_1,old@V_1");
__asm__(".symver renewed_2,renewed@@V_2");
__asm__(".symver renewed_1,renewed@V_1");
"""
VERSIONS = """\
V_1 { global: old; };
V_2 { global: chosen; renewed; data; keep; _Z4fillPi; local: *; } V_1;
"""
USER = "int chosen(void);\nint use(void) { return chosen(); }\n"
HEADER = "#define cuFree cuFree_v2\nCUresult cuInit(unsigned);\nCUresult cuFree(void *);\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a copy of the script that writes its lists below the temporary directory."""
    copy = tmp_path / "scripts" / SCRIPT.name
    copy.parent.mkdir()
    copy.write_text(SCRIPT.read_text())
    (tmp_path / "kbuild" / "verify" / "symbol_lists").mkdir(parents=True)
    return copy


def build(directory: Path) -> tuple[Path, Path]:
    (directory / "v.map").write_text(VERSIONS)
    (directory / "s.c").write_text(SOURCE)
    (directory / "u.c").write_text(USER)
    library, user = directory / "libs.so", directory / "libu.so"
    words = ("gcc", "-shared", "-fPIC")
    script = f"-Wl,--version-script={directory / 'v.map'},-soname,libs.so.1"
    succeed(run(*words, directory / "s.c", script, "-o", library))
    succeed(run(*words, directory / "u.c", "-o", user))
    return library, user


def test_lists_of_libraries_and_headers(tmp_path: Path, script: Path) -> None:
    library, user = build(tmp_path)
    (tmp_path / "cuda.h").write_text(HEADER)
    lists = tmp_path / "kbuild" / "verify" / "symbol_lists"

    words = (sys.executable, script, library, user, f"libcuda.so={tmp_path / 'cuda.h'}")
    succeed(run(*words))
    first = {path.name: path.read_text() for path in lists.iterdir()}
    assert first["libs.so.1.txt"] == "chosen*\ndata\nkeep\nrenewed\n"
    assert first["libu.so.txt"] == "use\n"
    assert first["libcuda.so.txt"] == "cuFree\ncuFree_v2\ncuInit\n"

    succeed(run(*words))
    assert {path.name: path.read_text() for path in lists.iterdir()} == first

    # Names and marks of other releases stay, unless the list is started anew.
    succeed(run(sys.executable, script, f"libs.so.1={user}"))
    assert (lists / "libs.so.1.txt").read_text() == first["libs.so.1.txt"] + "use\n"
    succeed(run(sys.executable, script, "--replace", f"libs.so.1={user}"))
    assert (lists / "libs.so.1.txt").read_text() == "use\n"


def test_header_needs_a_name(tmp_path: Path, script: Path) -> None:
    result = run(sys.executable, script, tmp_path / "cuda.h")
    assert result.returncode != 0
    assert "because a header does not name a library" in result.stderr


def test_lists_of_this_repository() -> None:
    known = read_system_symbols()
    assert {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"} <= {
        symbol.library for symbol in known.values()
    }
    used = ("write", "malloc", "pthread_create", "__tls_get_addr", "pow")
    unused = ("gamma", "index", "cudaMalloc", "cuMemAlloc_v2", "hipMalloc")
    assert {name: known[name].is_imported for name in (*used, *unused)} == {
        **dict.fromkeys(used, True),
        **dict.fromkeys(unused, False),
    }
    # Old programs alone can find these, and kernels do have such names.
    assert not {"step", "advance"} & known.keys()
    assert not [name for name in known if name.startswith("_Z")]
