"""The ctypes structures must have the layout of ``kbuild/module.h`` in C."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from kbuild import resources
from kbuild.backends.module import abi
from support.tools.toolchains import needs_programs

STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "kbuild_dim3": abi.Dim3,
    "kbuild_launch_config": abi.LaunchConfig,
    "kbuild_kernel": abi.Kernel,
    "kbuild_runtime": abi.Runtime,
    "kbuild_module": abi.Module,
}


@needs_programs("gcc")
def test_structures_match_the_header(tmp_path: Path) -> None:
    checks = [f'_Static_assert(KBUILD_MODULE_ABI == {abi.MODULE_ABI}, "abi");']
    checks.append(f'_Static_assert(KBUILD_COPY_TO_DEVICE == {abi.COPY_TO_DEVICE}, "copy");')
    checks.append(f'_Static_assert(KBUILD_COPY_TO_HOST == {abi.COPY_TO_HOST}, "copy");')
    for name, structure in STRUCTURES.items():
        size = ctypes.sizeof(structure)
        checks.append(f'_Static_assert(sizeof(struct {name}) == {size}, "{name}");')
        for field in structure._fields_:
            offset = getattr(structure, field[0]).offset
            checks.append(
                f"_Static_assert(__builtin_offsetof(struct {name}, {field[0]}) == {offset}, "
                f'"{name}.{field[0]}");'
            )
    source = tmp_path / "layout.c"
    source.write_text("#include <kbuild/module.h>\n" + "\n".join(checks) + "\n")
    include = resources.native_directory() / "include"
    done = subprocess.run(
        ["gcc", "-fsyntax-only", "-I", include, source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
