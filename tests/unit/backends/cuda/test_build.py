"""Tests for the commands of the CUDA backend, which are not run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.backends.cuda.architectures import expand
from kbuild.backends.interface.build import CompileUnit, LinkUnit, PackedImage, PackUnit
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.model import CompressionMode

NVCC = Toolchain(
    backend="cuda", compiler=Path("/cuda/bin/nvcc"), compiler_id="nvcc", version="13.0.88"
)
UNIT = CompileUnit(
    source=Path("/src/a.cu"),
    display_source="a.cu",
    arch="90a",
    output=Path("/out/a.cu.90a"),
    stamp=Path("/out/a.cu.90a.json"),
    depfile=Path("/out/a,b.d"),
    build_options=("-O3", "-DNDEBUG", "-fomit-frame-pointer"),
    options=("--use_fast_math",),
)
KNOWN = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_103", "sm_120")
VERSION = "Cuda compilation tools, release 13.0, V13.0.88\n"
PTXAS = "ptxas: NVIDIA (R) Ptx optimizing assembler\n" + VERSION
LINK = LinkUnit(target="t", arch=UNIT.arch, images=(), output=Path("t"))


def argv(**changes: object) -> str:
    command = cuda.compile_command(replace(UNIT, **changes), NVCC)  # type: ignore[arg-type]
    return " ".join(command.argv)


def test_one_front_end_run_makes_cubin_and_ptx() -> None:
    text = argv()

    assert "-cubin -arch=compute_90a -code=sm_90a -Xptxas -v" in text
    assert "--keep --keep-dir /out/a.cu.90a.keep" in text
    assert text.endswith("/src/a.cu -o /out/a.cu.90a.cubin")
    assert "-Xcompiler -MMD,-MF,/out/a\\,b.d,-MQ,/out/a.cu.90a.json" in text


def test_real_or_virtual_architecture_makes_one_image() -> None:
    assert "-ptx" not in argv(arch="80-real")
    assert "-ptx -arch=compute_80" in argv(arch="80-virtual")
    assert "-cubin" not in argv(arch="80-virtual")


@pytest.mark.parametrize("mode", ["speed", "size"])
def test_compression_modes_need_a_newer_toolkit(mode: CompressionMode) -> None:
    cuda.check_compression(mode, replace(NVCC, version="12.8.61"))
    with pytest.raises(ConfigurationError, match=f"COMPRESSION {mode} needs nvcc 12.8 or newer"):
        cuda.check_compression(mode, replace(NVCC, version="12.6.85"))


@pytest.mark.parametrize("mode", ["none", "balance"])
def test_basic_compression_modes_work_with_every_toolkit(mode: CompressionMode) -> None:
    cuda.check_compression(mode, replace(NVCC, version="12.0.76"))


def test_options_of_the_build_type_are_translated() -> None:
    assert "-DNDEBUG" in argv()
    assert "-fomit-frame-pointer" not in argv()
    assert " -G " in argv(build_options=("-g",), debug=True)
    assert "-lineinfo" in argv(build_options=("-O2", "-g"), debug=True)
    assert "--use_fast_math" in argv()


def test_host_compiler_reaches_only_nvcc() -> None:
    command = cuda.compile_command(UNIT, replace(NVCC, host_compiler=Path("/usr/bin/g++-12")))

    assert ("-ccbin", "/usr/bin/g++-12") in zip(command.argv, command.argv[1:], strict=False)


def test_include_directories_can_contain_commas() -> None:
    words = argv(include_directories=("/a,b", "/plain"))

    assert ' -I"/a,b" -I/plain ' in words


def test_names_do_not_depend_on_the_architecture() -> None:
    assert "-DCUB_DISABLE_NAMESPACE_MAGIC=1" in argv()
    assert "-DTHRUST_DISABLE_ABI_NAMESPACE=1" in argv()


CUBIN = PackedImage(arch="sm_90a", kind="elf", sha256="0", path=Path("/out/sm_90a"), data=b"")
PTX = PackedImage(
    arch="compute_90a", kind="ptx", sha256="0", path=Path("/out/compute_90a"), data=b""
)


def test_pack_names_each_image() -> None:
    unit = PackUnit(images=(CUBIN, PTX), output=Path("/out/c"))

    (command,) = cuda.pack(unit, NVCC).commands

    assert command.argv == (
        *("/cuda/bin/fatbinary", "-64", "--create=c"),
        "--image3=kind=elf,sm=90a,file=sm_90a",
        "--image3=kind=ptx,sm=90a,file=compute_90a",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"linking": "linked"}, ("--link",)),
        ({"linking": "prelinked"}, ("--device-c", "--cmdline=--compile-only")),
        ({"compression": "none"}, ("--compress=false",)),
        ({"compression": "size"}, ("--compress-mode=size",)),
        ({"compression": "speed"}, ("--compress-mode=speed",)),
    ],
)
def test_pack_command_describes_the_images(
    changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    unit = replace(PackUnit(images=(CUBIN,), output=Path("/out/c")), **changes)

    (command,) = cuda.pack(unit, NVCC).commands

    assert command.argv[3:-1] == expected


def test_device_link_reads_the_cubins() -> None:
    unit = LinkUnit(
        target="t",
        arch="90a",
        images=(Path("/out/a.cubin"), Path("/out/a.ptx"), Path("/out/b.cubin")),
        output=Path("/out/t.90a.linked"),
    )

    completion = cuda.link_images(unit, (), NVCC)

    (command,) = completion.commands
    assert command.argv[:2] == ("/cuda/bin/nvlink", "-arch=sm_90a")
    assert command.argv[-5:] == (
        *("-lcudadevrt", "/out/a.cubin", "/out/b.cubin"),
        *("-o", "/out/t.90a.linked.cubin"),
    )
    (image,) = completion.images
    assert (image.arch, image.kind) == ("sm_90a", "elf")


def test_only_real_architectures_are_linked() -> None:
    assert cuda.device_links(("80", "90-virtual", "100-real")) == ("80", "100-real")
    with pytest.raises(ConfigurationError, match="add one, such as 90-real"):
        cuda.device_links(("90-virtual",))


def test_link_time_code_is_made_beside_machine_code() -> None:
    unit = replace(UNIT, options=("-dlto", "-lineinfo"), relocatable=True)
    text = argv(options=unit.options, relocatable=True)

    assert "-rdc=true -fatbin -gencode=arch=compute_90a,code=[sm_90a,lto_90a]" in text
    assert "-dlto" not in text
    assert "-lineinfo" in text
    completion = cuda.complete(unit, b"", "", NVCC)
    assert [(i.arch, i.kind, i.path.name) for i in completion.images] == [
        ("sm_90a", "elf", "a.cu.90a.cubin"),
        ("compute_90a", "ptx", "a.cu.90a.ptx"),
        ("lto_90a", "bitcode", "a.cu.90a.ltoir"),
    ]
    assert {(old.name, new) for old, new in completion.moves} == {
        ("a.ptx", completion.images[1].path),
        ("a.sm_90a.cubin", completion.images[0].path),
        ("a.ltoir", completion.images[2].path),
    }
    # Code that is not linked has nothing to optimize, and PTX is not linked.
    assert "lto" not in argv(options=("-dlto",))
    assert "lto" not in argv(options=("-dlto",), relocatable=True, arch="90-virtual")


def test_relocatable_code_is_requested() -> None:
    assert "-rdc=true -cubin" in argv(relocatable=True)
    assert "-rdc" not in argv()


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("nvlink error   : Undefined reference to '_Z5twicei' in 'a.cubin'", "both need RDC ON"),
        ("nvlink error   : Multiple definition of 'x' in 'b.cubin'", "static, inline, or extern"),
        ("nvlink fatal   : Input file not found", ""),
    ],
)
def test_link_failures_have_a_fix(log: str, expected: str) -> None:
    explained = cuda.read_log(log, LINK).fix

    assert expected in explained
    assert bool(expected) == bool(explained)


def test_compiler_candidates_are_in_order_of_preference() -> None:
    hints = ToolchainHints(
        environment=(("CUDA_PATH", "/opt/cuda"),), site_packages=(Path("/env/site-packages"),)
    )

    assert cuda.list_candidates(hints).names == (
        "/env/site-packages/nvidia/cu13/bin/nvcc",
        "/opt/cuda/bin/nvcc",
        "/usr/local/cuda/bin/nvcc",
        "nvcc",
    )
    chosen = ToolchainHints(compilers=(("CUDA", "/my/nvcc"),))
    assert cuda.list_candidates(chosen).names == ("/my/nvcc",)


def read(version: str = VERSION, ptxas: str = PTXAS, **hints: object) -> Toolchain:
    return cuda.read_toolchain(
        Path("/env/site-packages/nvidia/cu13/bin/nvcc"),
        (version, "sm_80\nsm_90\n", ptxas),
        ToolchainHints(**hints),  # type: ignore[arg-type]
    )


def test_toolchain() -> None:
    toolchain = read(host_compiler="/usr/bin/g++-12")

    assert toolchain.version == "13.0.88"
    assert toolchain.architectures == ("sm_80", "sm_90")
    assert toolchain.host_compiler == Path("/usr/bin/g++-12")


SITE = Path("/env/site-packages")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"version": VERSION.replace("13.0", "11.8")}, "need 12.0 or newer"),
        ({"version": "hello"}, "expected nvcc"),
        ({"ptxas": PTXAS.replace("13.0", "13.5")}, "its parts have different versions"),
        (
            {"site_packages": (SITE,), "wheels": ((SITE, "nvidia_cuda_nvcc", "13.0.88"),)},
            "wheel nvidia-cuda-crt is not installed; pip install 'kbuild[cuda]'",
        ),
        (
            {
                "site_packages": (SITE,),
                "wheels": (
                    (SITE, "nvidia_cuda_nvcc", "13.0.88"),
                    (SITE, "nvidia_cuda_crt", "13.5.1"),
                    (SITE, "nvidia_nvvm", "13.5.1"),
                ),
            },
            "pip install 'cuda-toolkit[nvcc,cccl]==13.0.*'",
        ),
    ],
)
def test_unusable_toolchains_state_the_fix(arguments: dict[str, object], expected: str) -> None:
    with pytest.raises(ToolchainError) as caught:
        read(**arguments)  # type: ignore[arg-type]

    assert expected in str(caught.value)


def test_failures_have_a_fix() -> None:
    gnu = "error: -- unsupported GNU version! gcc versions later than 15 are not supported!"

    assert "HOST_COMPILER" in cuda.read_log(gnu, UNIT).fix
    version = "ptxas a.ptx, line 9; fatal   : Unsupported .version 9.5; current version is '9.0'"
    assert "cuda-toolkit" in cuda.read_log(version, UNIT).fix
    assert "RDC ON" in cuda.read_log("ptxas fatal: Unresolved extern function '_Z1fv'", UNIT).fix
    assert cuda.read_log("error: expected a ;", UNIT).fix == ""


def test_resource_usage_of_ptxas_is_not_a_warning() -> None:
    log = (
        "a.cu(3): warning #177-D: variable was declared but never referenced\n"
        "ptxas info    : 0 bytes gmem\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    )

    assert cuda.read_log(log).text == log.splitlines(keepends=True)[0]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (("80",), ("80",)),
        (("80-real", "80-virtual"), ("80",)),
        (("80-real", "90-virtual", "90a"), ("80-real", "90-virtual", "90a")),
        (("80", "80-real"), ("80",)),
        (("sm_80", "compute_90", "sm_90a"), ("80-real", "90-virtual", "90a-real")),
        (("sm_80", "80-virtual", "80-real"), ("80",)),
        (("100f",), ("100f",)),
        ((), ("75",)),
        (("all-major",), ("75-real", "80-real", "90-real", "100-real", "120")),
    ],
)
def test_architectures(requested: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert expand(requested, KNOWN) == expected


def test_native_expands_to_the_devices_of_the_driver() -> None:
    assert expand(("native", "80"), KNOWN, ("sm_90",)) == ("90-real", "80")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "70",
            "by this toolkit; expected one of 75, 80, 86, 90, 100, 103, 120",
        ),
        ("sm_80-real", "unknown architecture 'sm_80-real'; expected 80, 80-real or sm_80, "),
        ("905", "did you mean '90'"),
        (
            "sm_70",
            "'sm_70' is not supported by this toolkit; .*120; CUDA 12.9 was the last with 70",
        ),
        ("37", "CUDA 11.8 was the last with 37"),
        ("76", "did you mean '75'"),
        ("native", "name an architecture"),
    ],
)
def test_unknown_architectures(name: str, expected: str) -> None:
    with pytest.raises(ConfigurationError, match=expected):
        expand((name,), KNOWN)


def test_names_of_local_entities_depend_only_on_the_source() -> None:
    named = "--frandom-seed a.cu -Xcicc --orig_src_path_name -Xcicc a.cu"

    assert named in argv()
    assert named in argv(options=("-lineinfo",))
    assert "-Xcicc" not in argv(options=("-G",))
    assert "-Xcicc" not in argv(build_options=("-O0",), debug=True)
    assert "-Xcompiler -ffile-prefix-map=/src/=" in argv()


def test_dry_run_listing_does_not_run_commands() -> None:
    whole, listing = cuda.compile_command(UNIT, NVCC), cuda.listing_command(UNIT, NVCC)

    assert listing.argv == (*whole.argv, "--dryrun")
