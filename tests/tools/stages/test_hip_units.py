"""Compile stub units of the HIP backend and the host API over HIP with all warnings."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.stages.stubs.unit import StubInputs, render_stub_unit
from support.files.generated import STUB, TYPES, debug_stub_unit
from support.tools.strict_compilers import COMPILERS, compile_strictly

# HIP's headers in the compilers' default include directory.
HAS_HIP = Path("/usr/include/hip/hip_runtime_api.h").is_file()
OWN = b"kbuild/cpu_registration.h"
HIP = b"kbuild/hip_registration.h"

pytestmark = pytest.mark.skipif(not HAS_HIP, reason="no HIP headers (Debian: libamdhip64-dev)")


def hip_inputs() -> StubInputs:
    table = replace(STUB.table, backend="hip")
    return replace(
        STUB,
        table=table,
        registration_header=HIP.decode(),
        section=".hip_fatbin",
        alignment=4096,
    )


def write_unit(directory: Path, text: bytes) -> Path:
    (directory / "my kernels.fatbin").write_bytes(bytes(11))
    (directory / "table.json").write_bytes(b"{}\n")
    source = directory / "stub.c"
    source.write_bytes(text.replace(b"/out/", f"{directory}/".encode()))
    return source


@pytest.mark.parametrize(
    "options", [("-O2", "-fPIC"), pytest.param(("-O0",), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_hip_stub_unit_compiles(
    tmp_path: Path, compiler: str, language: str, options: tuple[str, ...]
) -> None:
    source = write_unit(tmp_path, render_stub_unit(hip_inputs()))

    result = compile_strictly(compiler, language, source, *options)

    assert result.returncode == 0, result.stderr
    shown = subprocess.run(
        ["readelf", "-SW", source.with_suffix(".o")], capture_output=True, text=True, check=True
    ).stdout
    (container,) = (line for line in shown.splitlines() if ".hip_fatbin " in line)
    assert container.split()[-1] == "4096"


@pytest.mark.parametrize(
    "options", [("-O2", "-fPIC"), pytest.param(("-O0", "-g"), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_hip_debug_stub_unit_compiles(
    tmp_path: Path, compiler: str, options: tuple[str, ...]
) -> None:
    header = tmp_path / "types.hpp"
    header.write_text(TYPES)
    text = debug_stub_unit(header)
    assert OWN in text
    source = write_unit(tmp_path, text.replace(OWN, HIP))

    result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("header", "language", "standard"),
    [
        *(("kbuild.h", "c", standard) for standard in ("c99", "c11", "c17")),
        *(("kbuild.h", "c++", standard) for standard in ("c++17", "c++20")),
        *(("kbuild.hpp", "c++", standard) for standard in ("c++17", "c++20")),
    ],
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_hip_host_api_compiles(
    tmp_path: Path, compiler: str, header: str, language: str, standard: str
) -> None:
    source = tmp_path / "host.c"
    include = f"#include <kbuild/{header}>\n"
    kernel = "(const void *)k" if language == "c++" else "k"
    source.write_text(
        f"{include}{include}"
        "KBUILD_KERNEL void k(int);\n"
        "kbuild_error_t run(const kbuild_launch_config *config, void **args);\n"
        "kbuild_error_t run(const kbuild_launch_config *config, void **args)\n"
        "{\n"
        f"    return kbuild_launch({kernel}, config, args);\n"
        "}\n"
    )

    result = compile_strictly(
        compiler, language, source, f"-std={standard}", "-DKBUILD_BACKEND_HIP=1"
    )

    assert result.returncode == 0, result.stderr
