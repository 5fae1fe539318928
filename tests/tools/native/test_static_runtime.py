"""A program with the static runtime cannot link libraries that use the shared one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kbuild.backends.cpu.mathlibs.build import write_script
from kbuild.resources import find_runtime

SOURCE = (
    "int kbuild_cpu_device_count(int *); int main(void) { return kbuild_cpu_device_count(0); }\n"
)


def link(directory: Path, *words: str) -> tuple[int, str]:
    argv = ["g++", "-xc", str(directory / "a.c"), "-xnone", *words, "-lpthread", "-ldl"]
    done = subprocess.run(
        [*argv, "-o", str(directory / "a")], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_linkers_name_the_library(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    static, shared = (str(find_runtime(f"libkbuild_cpu.{end}")) for end in ("a", "so.1"))
    library = tmp_path / "libcublas.so"
    library.write_text(write_script(library.name, Path(shared)))
    problem = "libcublas.so on the cpu backend uses the shared runtime; remove RUNTIME static"
    for order in ((static, str(library)), (str(library), "-Wl,-u,kbuild_cpu_static", static)):
        code, log = link(tmp_path, *order)
        assert code != 0
        assert problem in log
    assert link(tmp_path, str(library), shared) == (0, "")
    assert link(tmp_path, static) == (0, "")
