"""The layouts of kbuild/module.h and kbuild/cpu_image.h must not change.

A change needs a new KBUILD_MODULE_ABI, KBUILD_NOTE_VERSION, or KBUILD_CPU_IMAGE_ABI, because
artifacts are used with later versions of kbuild than the one that built them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild import resources

STRUCTS = {
    "kbuild_dim3": (12, {"x": 0, "y": 4, "z": 8}),
    "kbuild_launch_config": (
        64,
        {
            "grid": 0,
            "block": 12,
            "shared_bytes": 24,
            "stream": 32,
            "cluster": 40,
            "cooperative": 52,
            "programmatic_dependent_launch": 56,
            "priority": 60,
        },
    ),
    "kbuild_param": (8, {"offset": 0, "size": 4}),
    "kbuild_kernel": (
        32,
        {"handle": 0, "device_name": 8, "params": 16, "param_count": 24, "container": 28},
    ),
    "kbuild_container": (24, {"data": 0, "size": 8, "wrapper": 16}),
    "kbuild_runtime": (
        64,
        {
            "device_count": 0,
            "resolve": 8,
            "launch": 16,
            "allocate": 24,
            "release": 32,
            "copy": 40,
            "synchronize": 48,
            "error_message": 56,
        },
    ),
    "kbuild_variable": (
        32,
        {"shadow": 0, "device_name": 8, "size": 16, "container": 24, "kind": 28},
    ),
    "kbuild_managed": (24, {"data": 0, "initialize": 8, "initial": 16}),
    "kbuild_module": (
        96,
        {
            "abi": 0,
            "size": 4,
            "target": 8,
            "backend": 16,
            "record": 24,
            "record_size": 32,
            "kernels": 40,
            "kernel_count": 48,
            "containers": 56,
            "container_count": 64,
            "runtime": 72,
            "variables": 80,
            "variable_count": 88,
        },
    ),
    "kbuild_note_header": (
        40,
        {
            "version": 0,
            "header_size": 4,
            "descriptor": 8,
            "constructor": 16,
            "unregister": 24,
            "record_size": 32,
        },
    ),
    "kbuild_cpu_kernel": (
        80,
        {
            "name": 0,
            "run": 8,
            "params": 16,
            "param_count": 24,
            "linkage": 28,
            "param_types": 32,
            "param_names": 40,
            "function": 48,
            "max_threads": 56,
            "execution": 64,
            "cluster": 72,
        },
    ),
    "kbuild_cpu_shared": (
        40,
        {"offset": 0, "dynamic": 8, "dynamic_bytes": 16, "statics": 24, "static_bytes": 32},
    ),
    "kbuild_cpu_progress": (
        28,
        {"start": 0, "suspensions": 12, "more_blocks": 16, "order": 20, "runs_whole_block": 24},
    ),
    "kbuild_cpu_call": (24, {"function": 0, "file": 8, "line": 16, "warp_size": 20}),
    "kbuild_cpu_lanes": (520, {"values": 0, "arrived": 512}),
    "kbuild_cpu_builtins": (
        56,
        {
            "thread_idx": 0,
            "block_idx": 8,
            "block_dim": 16,
            "grid_dim": 24,
            "runner": 32,
            "progress": 40,
            "shared": 48,
        },
    ),
    "kbuild_cpu_device_api": (
        120,
        {
            "barrier": 0,
            "exchange": 8,
            "converge": 16,
            "grid_barrier": 24,
            "cluster_barrier": 32,
            "spin": 40,
            "is_cooperative": 48,
            "cluster_extent": 56,
            "map_shared": 64,
            "find_shared_rank": 72,
            "fail": 80,
            "trap": 88,
            "fail_assertion": 96,
            "runtime": 104,
            "checks": 112,
        },
    ),
    "kbuild_cpu_variable": (32, {"name": 0, "address": 8, "size": 16, "kind": 24}),
    "kbuild_cpu_image": (
        56,
        {
            "abi": 0,
            "kernel_count": 4,
            "kernels": 8,
            "attach": 16,
            "builtins": 24,
            "variables": 32,
            "variable_count": 40,
            "is_instrumented": 48,
        },
    ),
}
VERSIONS = {
    "KBUILD_MODULE_ABI": 1,
    "KBUILD_NOTE_VERSION": 1,
    "KBUILD_CPU_IMAGE_ABI": 12,
    "KBUILD_VARIABLE_INDIRECT": 0x80000000,
    "KBUILD_VARIABLE_FOREIGN": 0x40000000,
}


@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_layout_is_unchanged(tmp_path: Path, compiler: str, language: str) -> None:
    checks = []
    for name, (size, fields) in STRUCTS.items():
        checks.append(f"CHECK(sizeof(struct {name}) == {size});")
        checks += [f"CHECK(offsetof(struct {name}, {f}) == {at});" for f, at in fields.items()]
    checks += [f"CHECK({name} == {version});" for name, version in VERSIONS.items()]
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <kbuild/cpu_image.h>\n"
        "#ifdef __cplusplus\n#define CHECK(x) static_assert(x, #x)\n"
        "#else\n#define CHECK(x) _Static_assert(x, #x)\n#endif\n" + "\n".join(checks) + "\n"
    )

    include = resources.native_directory() / "include"
    result = subprocess.run(
        [*(compiler, "-x", language, "-fsyntax-only", source), "-I", include],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stderr
