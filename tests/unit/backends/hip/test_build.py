"""Tests for the commands of the HIP backend, which are not run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.hip import build as hip
from kbuild.backends.hip import image as hip_image
from kbuild.backends.hip import read as hip_read
from kbuild.backends.hip.architectures import expand
from kbuild.backends.interface.build import CompileUnit, LinkUnit, PackedImage, PackUnit
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, KbuildError, ToolchainError

CLANG = Toolchain(
    backend="hip",
    compiler=Path("/rocm/llvm/bin/clang++"),
    compiler_id="clang",
    version="19.1.7",
    options=("--rocm-path=/rocm",),
    packer=Path("/rocm/llvm/bin/clang-offload-bundler"),
)
UNIT = CompileUnit(
    source=Path("/src/a.cu"),
    display_source="a.cu",
    arch="gfx90a:xnack-",
    output=Path("/out/a.cu.gfx90a_xnack-"),
    stamp=Path("/out/a.json"),
    depfile=Path("/out/a.d"),
    build_options=("-O3", "-DNDEBUG"),
    options=("-ffast-math",),
)
KNOWN = ("gfx906", "gfx908", "gfx90a", "gfx1030", "gfx9-generic")
LINK = LinkUnit(target="t", arch=UNIT.arch, images=(), output=Path("t"))


def argv(**changes: Any) -> str:
    return " ".join(hip.compile_command(replace(UNIT, **changes), CLANG).argv)


def test_front_end_makes_a_code_object_for_one_architecture() -> None:
    text = argv()

    assert text.startswith("/rocm/llvm/bin/clang++ --rocm-path=/rocm -x hip -std=c++17")
    assert "--offload-arch=gfx90a:xnack- --cuda-device-only" in text
    assert "--include=hip/hip_runtime.h" in text
    assert "-O3 -DNDEBUG -ffast-math -MMD -MF /out/a.d -MQ /out/a.json" in text
    assert text.endswith("-c /src/a.cu -o /out/a.cu.gfx90a_xnack-.hsaco")
    assert "-fgpu-rdc" not in text


def test_front_end_makes_bitcode_for_a_device_link() -> None:
    text = argv(relocatable=True)

    assert "-fgpu-rdc -emit-llvm" in text
    assert text.endswith(".bc")
    (image,) = hip.complete(replace(UNIT, relocatable=True), b"", "", CLANG).images
    assert (image.kind, image.arch) == ("bitcode", "gfx90a:xnack-")


def test_preprocessing_has_the_flags_and_does_not_write_the_depfile() -> None:
    completion = hip.complete(UNIT, b"", "", CLANG)
    assert completion.preprocessing is not None
    text = " ".join(completion.preprocessing.argv)

    assert "--offload-arch=gfx90a:xnack- --cuda-device-only" in text
    assert "-O3 -DNDEBUG -ffast-math" in text
    assert text.endswith(f"-E /src/a.cu -o {completion.preprocessed}")
    assert "-MF" not in text
    assert completion.temporary == completion.preprocessing.directories


def test_hash_of_a_source_depends_only_on_its_name() -> None:
    def name(text: str) -> str:
        return next(word for word in text.split() if word.startswith("-cuid="))

    assert name(argv()) == name(argv(source=Path("/elsewhere/a.cu"), arch="gfx1030"))
    assert name(argv()) != name(argv(display_source="b.cu"))


@pytest.mark.parametrize(
    ("options", "level"),
    [((), "O2"), (("-O0",), "O0"), (("-O3", "-Os"), "O2"), (("-Ofast",), "O3"), (("-O",), "O1")],
)
def test_device_link_runs_lld_on_bitcode(options: tuple[str, ...], level: str) -> None:
    unit = LinkUnit(
        target="t",
        arch="gfx90a:sramecc+:xnack-",
        images=(Path("/out/a.bc"), Path("/out/b.bc")),
        output=Path("/out/t.linked"),
        build_options=options,
    )

    (command,) = hip.link_images(unit, (b"", b""), CLANG).commands

    assert command.argv == (
        *("/rocm/llvm/bin/ld.lld", "-shared", "--no-undefined", "-plugin-opt=mcpu=gfx90a"),
        *("-plugin-opt=-mattr=+sramecc,-xnack", f"-plugin-opt={level}"),
        *("-plugin-opt=-amdgpu-internalize-symbols", "/out/a.bc", "/out/b.bc"),
        *("-o", "/out/t.linked.hsaco"),
    )


IMAGES = tuple(
    PackedImage(arch=arch, kind="elf", sha256="0", path=Path(f"/out/{n}"), data=b"")
    for n, arch in enumerate(("gfx90a:xnack-", "gfx1030"))
)


def test_pack_command_runs_the_bundler() -> None:
    (command,) = hip.pack(PackUnit(images=IMAGES, output=Path("/out/c")), CLANG).commands

    text = " ".join(command.argv)
    assert text.startswith("/rocm/llvm/bin/clang-offload-bundler -type=o -bundle-align=4096 -tar")
    assert ",hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-,hipv4-amdgcn-amd-amdhsa--gfx1030 " in text
    assert text.endswith("-input=/dev/null -input=/out/0 -input=/out/1 -output=/out/c")


def test_compression_needs_a_bundler_that_supports_it() -> None:
    unit = PackUnit(images=IMAGES, output=Path("/out/c"), compression="size")

    (command,) = hip.pack(unit, CLANG).commands
    assert command.argv[3:5] == ("-compress", "-compression-level=19")
    hip.check_compression("size", CLANG)
    hip.check_compression("balance", replace(CLANG, version="15.0.6"))
    with pytest.raises(ConfigurationError, match="COMPRESSION size needs clang 19 or newer"):
        hip.check_compression("size", replace(CLANG, version="15.0.6"))
    plain = hip.pack(replace(unit, compression="none"), replace(CLANG, version="15.0.6"))
    assert not any("compress" in word for word in plain.commands[0].argv)


def test_architectures_are_canonical_and_unique() -> None:
    requested = ("gfx90a:xnack-:sramecc+", "gfx1030", "gfx90a:sramecc+:xnack-", "gfx9-generic")
    assert expand(requested, KNOWN) == ("gfx90a:sramecc+:xnack-", "gfx1030", "gfx9-generic")


def test_default_architectures_are_supported_by_rocm_and_known() -> None:
    assert expand((), KNOWN) == ("gfx906", "gfx908", "gfx90a", "gfx1030")
    assert expand((), ("gfx803", "gfx900")) == ("gfx900",)


def test_native_expands_to_amd_devices_only() -> None:
    assert expand(("native",), KNOWN, ("sm_90", "gfx90a")) == ("gfx90a",)
    with pytest.raises(ConfigurationError, match="the driver lists no AMD device here"):
        expand(("native",), KNOWN, ("sm_90",))


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        (("80",), "unknown architecture '80'; expected one such as gfx90a or gfx90a:xnack-"),
        (("gfx1",), "unknown architecture 'gfx1'; there are device libraries for gfx906"),
        (("gfx942",), r"support it \(no oclc_isa_version_942.bc\), but only .*; install newer"),
        (("gfx90a:fast+",), "unknown feature 'fast[+]'; expected one of sramecc and xnack"),
        (("gfx90a:xnack",), "unknown feature 'xnack'"),
        (
            ("gfx90a:",),
            "a feature is missing after a colon; expected one of sramecc and xn",
        ),
        (("gfx90a::xnack+",), "a feature is missing after a colon"),
        (("gfx90a:xnack+:xnack-",), "names xnack twice"),
        (("gfx1030:xnack+",), "gfx1030 does not have the feature xnack"),
        (("gfx90a", "gfx90a:xnack-"), "gfx90a and gfx90a:xnack-: a device could use either"),
    ],
)
def test_error_names_an_invalid_architecture(requested: tuple[str, ...], message: str) -> None:
    with pytest.raises(KbuildError, match=message):
        expand(requested, KNOWN)


def test_both_settings_of_a_feature_can_be_combined() -> None:
    both = ("gfx90a:xnack+", "gfx90a:xnack-")
    assert expand(both, KNOWN) == both


def test_cmake_architectures_are_the_default() -> None:
    hints = ToolchainHints(architectures=(("HIP", "gfx1030"), ("CUDA", "80")))
    toolchain = replace(CLANG, architectures=KNOWN)

    assert hip.expand_architectures((), toolchain, hints) == ("gfx1030",)
    assert hip.expand_architectures(("gfx906",), toolchain, hints) == ("gfx906",)


def test_probes_set_the_platform() -> None:
    for command in hip.probe_commands(Path("/usr/bin/hipcc")):
        assert command.env == (("HIP_PLATFORM", "amd"),)


BUNDLER = "/usr/lib/llvm-15/bin/clang-offload-bundler\n"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("nvcc: NVIDIA (R) Cuda compiler driver",), "is not clang .nvcc: NVIDIA"),
        (("",), "is not clang .it prints no version"),
        (("Debian clang version 14.0.6", BUNDLER), "clang 14.0.6; HIP kernels need clang 15"),
        (
            ("clang version 17.0.0", "clang-offload-bundler\n"),
            "bundler, which writes fat binaries, is missing; install it .Debian: clang-tools-17",
        ),
    ],
)
def test_error_says_why_a_compiler_is_unusable(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(ToolchainError, match=message):
        hip.read_toolchain(Path("/c"), texts, ToolchainHints())


def test_other_platform_has_a_fallback() -> None:
    def ask(**hints: Any) -> tuple[str, str] | None:
        found = hip.find_fallback(ToolchainHints(**hints))
        return (found.backend, found.reason) if found else None

    assert ask() is None
    assert ask(environment=(("HIP_PLATFORM", "amd"),)) is None
    by_variable, by_cmake = ("HIP_PLATFORM", "nvidia"), ("HIP", "nvidia")
    assert ask(environment=(by_variable,)) == ("cuda", "HIP_PLATFORM is nvidia")
    both = ask(platforms=(by_cmake,), environment=(("HIP_PLATFORM", "amd"),))
    assert both == ("cuda", "CMAKE_HIP_PLATFORM is nvidia")
    with pytest.raises(ConfigurationError, match="HIP_PLATFORM is 'intel'; expected amd or nvid"):
        ask(environment=(("HIP_PLATFORM", "intel"),))


def test_note_mentions_hipcc_only_when_nvcc_is_on_path(tmp_path: Path) -> None:
    hints = ToolchainHints(search_path=(tmp_path,))
    (tmp_path / "hipcc").touch()
    assert hip.list_notes(CLANG, hints) == ()
    (tmp_path / "nvcc").touch()
    (note,) = hip.list_notes(CLANG, hints)
    assert "kbuild calls /rocm/llvm/bin/clang++ for HIP_PLATFORM=amd" in note
    selected = replace(hints, environment=(("HIP_PLATFORM", "amd"),))
    assert hip.list_notes(CLANG, selected) == ()


def test_failures_have_a_fix() -> None:
    assert "newer LLVM than this clang" in hip.read_log("x: Opaque pointers are only", UNIT).fix
    unknown = "clang: error: unsupported HIP gpu architecture: gfx90a"
    assert "does not support gfx90a:xnack-" in hip.read_log(unknown, UNIT).fix
    assert "RDC ON" in hip.read_log("lld: error: undefined hidden symbol: f()", UNIT).fix
    assert hip.read_log("a.cu:3:1: error: expected ';'", UNIT).fix == ""
    assert "define it in a source" in hip.read_log("ld.lld: error: undefined symbol: f", LINK).fix
    assert "make all but one" in hip.read_log("ld.lld: error: duplicate symbol: f", LINK).fix


def test_number_of_warnings_is_not_a_warning() -> None:
    warning = "a.cu:1:2: warning: unused variable 'x'\n"
    log = f"{warning}1 warning generated when compiling for gfx90a.\n"
    assert hip.read_log(log).text == warning


def test_kernel_is_read_with_its_amd_resources() -> None:
    kinds = [param.kind for param in hip_image._spell_params("_Z1kPii", LAYOUT)]
    types = [param.type for param in hip_image._spell_params("_Z1kPii", LAYOUT)]
    assert (kinds, types) == (["global_buffer", "by_value"], ["int*", "int"])


LAYOUT = ((0, 8, None, None, "global_buffer"), (8, 4, None, None, "by_value"))


def test_bitcode_has_no_kernels_before_the_link() -> None:
    assert hip_read.read_image(b"BC\xc0\xde....", "bitcode").kernels == ()


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("HIP_vector_type<float, 4u>*", "float4*"),
        ("HIP_vector_type<unsigned char, 2u> const*", "uchar2 const*"),
        ("HIP_vector_type<unsigned long long, 3u>", "ulonglong3"),
        ("HIP_vector_type<My, 4u>", "HIP_vector_type<My, 4u>"),
        ("Box<HIP_vector_type<int, 1u> >", "Box<int1 >"),
    ],
)
def test_vector_types_are_spelled_as_in_sources(spelled: str, expected: str) -> None:
    assert hip_image._spell_vector(spelled) == expected
