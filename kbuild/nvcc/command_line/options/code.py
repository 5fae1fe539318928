"""Options that select how code is compiled."""

from __future__ import annotations

from typing import Final

from kbuild.nvcc.command_line.options.model import Option, ignored, rejected, row, warned

_NO_PTX: Final = ignored("the C++ compiler has no such step")
_NO_FRONT_END: Final = ignored("the C++ compiler reads device code")
_GPU_CODE: Final = ignored("it concerns code for GPUs")
_EXACT: Final = ignored("floating-point operations follow IEEE 754")
_ALWAYS: Final = ignored("device code is always read like this")
_ARCHITECTURES: Final = ignored("the architectures of GPUs mean nothing; KBUILD_BACKEND selects")
_NO_LTO: Final = ignored("device code is linked without optimization across files")

LANGUAGE: Final[tuple[Option, ...]] = (
    row(
        "--std -std",
        "The C++ standard.",
        kind="one",
        choices="c++03 c++11 c++14 c++17 c++20 c++23",
    ),
    row(
        "--stdlib -stdlib",
        "The C++ library of clang.",
        kind="one",
        choices="libc++ libstdc++",
        receiver="host",
    ),
    row("--no-exceptions -noeh", "Compile host code without exceptions."),
    row(
        "--extended-lambda -extended-lambda",
        "Accept __device__ lambdas in host code.",
        receiver="device",
    ),
    row(
        "--expt-extended-lambda -expt-extended-lambda",
        "The older name of --extended-lambda.",
        receiver="device",
    ),
    row(
        "--expt-relaxed-constexpr -expt-relaxed-constexpr",
        "Let device code call constexpr functions of the host.",
        receiver="device",
        on_cpu=_ALWAYS,
    ),
    row(
        "--no-host-device-initializer-list -nohdinitlist",
        "Treat std::initializer_list as host code.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--no-host-device-move-forward -nohdmoveforward",
        "Treat std::move and std::forward as host code.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--restrict -restrict",
        "Treat all pointers of kernels as restrict pointers.",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--ftemplate-depth -ftemplate-depth",
        "The limit of nested templates.",
        kind="number",
        receiver="both",
    ),
    row(
        "--ftemplate-backtrace-limit -ftemplate-backtrace-limit",
        "The limit of notes about templates.",
        kind="number",
        receiver="both",
    ),
    row(
        "--default-stream -default-stream",
        "The stream of launches that name none.",
        kind="one",
        choices="legacy null per-thread",
    ),
    row(
        "--static-global-template-stub -static-global-template-stub",
        "Keep the kernels that a source instantiates implicitly local to it (default); with "
        "`false`, other sources find them, too.",
        kind="boolean",
    ),
    row(
        "--device-entity-has-hidden-visibility -device-entity-has-hidden-visibility",
        "Hide the host symbols of kernels and device variables.",
        "Without it, they are visible, so that other files can name them.",
        kind="boolean",
    ),
    row("--utf-8 -utf-8", "Read sources as UTF-8.", ignored("this is the default on Linux")),
    row("--machine -m", "The size of pointers.", kind="one", choices="64", is_joined=False),
    row("--m64 -m64", "The same as --machine=64."),
    row("--no-align-double", "Do not align double on 32-bit hosts.", ignored("hosts have 64 bits")),
    row(
        "--apply-controls -apply-controls",
        "A file with options for single steps.",
        rejected("write the options on the command line, or compile this source with nvcc"),
        kind="one",
    ),
)

ARCHITECTURES: Final[tuple[Option, ...]] = (
    row(
        "--gpu-architecture -arch",
        "The architecture, or native, all, or all-major.",
        kind="one",
        on_cpu=_ARCHITECTURES,
    ),
    row(
        "--gpu-code -code",
        "The images for the architecture of -arch.",
        "kbuild compiles each image for its own architecture: with -arch=compute_80 "
        "-code=sm_86, __CUDA_ARCH__ is 860, and with nvcc 800.",
        kind="list",
        on_cpu=_ARCHITECTURES,
    ),
    row(
        "--generate-code -gencode",
        "An architecture and its images.",
        "As for --gpu-code.",
        kind="one",
        on_cpu=_ARCHITECTURES,
    ),
    row("--relocatable-device-code -rdc", "Compile device code that is linked.", kind="boolean"),
    row(
        "--extensible-whole-program -ewp",
        "Compile device code that can call functions of a later link.",
        rejected("use -rdc=true"),
    ),
    row(
        "--dlink-time-opt -dlto",
        "Optimize device code when it is linked.",
        "Objects also contain machine code, so that they can be linked without -dlto.",
        receiver="device",
        on_cpu=_NO_LTO,
    ),
    row("--lto -lto", "The same as -dlto.", receiver="device", on_cpu=_NO_LTO),
    row(
        "--gen-opt-lto -gen-opt-lto",
        "Optimize before link-time optimization.",
        receiver="device",
        on_cpu=_NO_LTO,
    ),
    row(
        "--relocatable-ptx -reloc-ptx",
        "Put the PTX of relocatable objects into the result.",
        rejected("compile for the architectures of all devices"),
    ),
    row(
        "--prune -prune",
        "Remove code for other architectures from libraries.",
        warned("the output contains the libraries' other code, too"),
    ),
    row(
        "--entries -e",
        "The kernels to compile.",
        kind="list",
        receiver="device",
        on_cpu=ignored("all kernels are compiled"),
    ),
)

GENERATION: Final[tuple[Option, ...]] = (
    row(
        "--optimize -O",
        "The level of optimization of host code.",
        "Levels above 3 are 3.",
        kind="number",
        is_joined=True,
    ),
    row(
        "--Ofast-compile -Ofc",
        "Compile device code faster.",
        kind="optional",
        choices="0 max mid min",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--dopt -dopt",
        "Optimize device code in spite of -G.",
        kind="one",
        choices="on",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row("--debug -g", "Debug information for host code."),
    row(
        "--device-debug -G",
        "Debug information for device code, without optimization.",
        receiver="device",
    ),
    row(
        "--generate-line-info -lineinfo",
        "Line numbers for device code.",
        receiver="device",
        on_cpu=ignored("device code always has line numbers"),
    ),
    row("--profile -pg", "Instrument host code for gprof."),
    row(
        "--maxrregcount -maxrregcount",
        "The most registers per thread.",
        kind="number",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--use_fast_math -use_fast_math",
        "Use faster, less exact functions for float.",
        receiver="device",
        on_cpu=_EXACT,
    ),
    row(
        "--ftz -ftz",
        "Replace subnormal numbers with 0.",
        kind="boolean",
        receiver="device",
        on_cpu=_EXACT,
    ),
    row(
        "--prec-div -prec-div",
        "Divide exactly.",
        kind="boolean",
        receiver="device",
        on_cpu=_EXACT,
    ),
    row(
        "--prec-sqrt -prec-sqrt",
        "Compute exact square roots.",
        kind="boolean",
        receiver="device",
        on_cpu=_EXACT,
    ),
    row(
        "--fmad -fmad",
        "Combine multiplications and additions.",
        kind="boolean",
        receiver="device",
    ),
    row(
        "--extra-device-vectorization -extra-device-vectorization",
        "Vectorize device code more.",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--jump-table-density -jtd",
        "The density at which a switch becomes a table.",
        kind="number",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--device-stack-protector -device-stack-protector",
        "Check the stack in device code.",
        kind="boolean",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--fdevice-sanitize -fdevice-sanitize",
        "Instrument device code for compute-sanitizer.",
        kind="one",
        choices="memcheck",
        receiver="device",
        on_cpu=warned("device code is not instrumented; --check does it"),
    ),
    row(
        "--keep-device-functions -keep-device-functions",
        "Keep functions that no kernel calls.",
        receiver="device",
        on_cpu=_GPU_CODE,
    ),
    row(
        "--source-in-ptx -src-in-ptx",
        "Put the source into PTX.",
        receiver="device",
        on_cpu=_NO_PTX,
    ),
    row(
        "--skip-ptx-semantics-check -skip-ptx-semantics-check",
        "Do not check PTX.",
        receiver="device",
        on_cpu=_NO_PTX,
    ),
    row(
        "--safety-compatibility -safety-compat",
        "Write code for drivers with a safety certificate.",
        rejected("compile this source with nvcc"),
    ),
    row(
        "--compile-as-tools-patch -astoolspatch",
        "Write code for CUDA's tools.",
        rejected("compile this source with nvcc"),
    ),
    row(
        "--frandom-seed -frandom-seed",
        "The seed of generated names.",
        "For device code, kbuild derives names from the source: they are always deterministic.",
        kind="one",
    ),
)
