"""Test whether a loaded file stays loaded as long as another one, which driver launches require."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.commands import ROOT
from support.tools.toolchains import require_programs

INCLUDE = ROOT / "kbuild" / "native" / "include"

LIBRARY = "int thing = 1;\n"
HOST = """
#define _GNU_SOURCE
#include <kbuild/detail/module_search.h>
#include <dlfcn.h>
int here;
extern int thing;
int main(int count, char **paths)
{
    void *opened = dlopen(paths[1], RTLD_NOW);
    const void *const other = opened != 0 ? dlsym(opened, "thing") : 0;
    (void)count;
    if (other == 0)
        return 1;
    printf("own %d, needed %d, opened %d, reverse %d, unmapped %d\\n",
           kbuild_outlives(&here, &here), kbuild_outlives(kbuild_address, &here),
           kbuild_outlives(other, &here), kbuild_outlives(&here, other),
           kbuild_outlives((const void *)16, &here));
    return 0;
}
"""


def compile_with(compiler: str, *arguments: str | Path) -> None:
    require_programs(compiler)
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *map(str, arguments)], check=True)


@pytest.mark.parametrize("soname", ["-Wl,-soname,libneeded.so.1", ""])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_file_outlives_a_file_that_names_it_in_dt_needed(
    tmp_path: Path, compiler: str, soname: str
) -> None:
    (tmp_path / "library.c").write_text(LIBRARY)
    # The library stores the address itself: the linker can copy its variables into the program.
    (tmp_path / "host.c").write_text(
        HOST.replace("extern int thing;", "extern void *const kbuild_address;")
    )
    (tmp_path / "needed.c").write_text(
        "static int thing = 1;\nvoid *const kbuild_address = &thing;\n"
    )
    needed = tmp_path / ("libneeded.so.1" if soname else "libneeded.so")
    shared = ("-shared", "-fPIC")
    compile_with(compiler, *shared, tmp_path / "needed.c", *filter(None, [soname]), "-o", needed)
    opened = tmp_path / "libopened.so"
    compile_with(compiler, *shared, tmp_path / "library.c", "-o", opened)
    host = tmp_path / "host"
    # The bare name matters: without a soname, DT_NEEDED is the text from the command line.
    compile_with(
        compiler, f"-I{INCLUDE}", tmp_path / "host.c", f"-L{tmp_path}", f"-l:{needed.name}",
        f"-Wl,-rpath,{tmp_path}", "-ldl", "-o", host,
    )  # fmt: skip

    result = subprocess.run([host, opened], capture_output=True, text=True, check=True)

    assert result.stdout == "own 1, needed 1, opened 0, reverse 0, unmapped 0\n"
