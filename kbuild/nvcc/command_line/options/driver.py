"""Options for the steps of a compile, for diagnostics, and for the driver itself."""

from __future__ import annotations

from typing import Final

from kbuild.nvcc.command_line.options.model import Option, ignored, rejected, row, warned

_NO_STEP: Final = ignored("the C++ compiler has no such step")
_NO_FRONT_END: Final = ignored("the C++ compiler reads device code, and has its own warnings")
_NO_TIMES: Final = warned("no file with times is written")

STEPS: Final[tuple[Option, ...]] = (
    row(
        "--compiler-options -Xcompiler",
        "Options for the host compiler.",
        "Quotes group words, as in a shell. Variables are not replaced.",
        kind="list",
        quoting="escapes",
    ),
    row("--linker-options -Xlinker", "Options for the linker.", kind="list", quoting="verbatim"),
    row("--archive-options -Xarchive", "Options for ar.", kind="list", quoting="verbatim"),
    row(
        "--ptxas-options -Xptxas",
        "Options for ptxas.",
        kind="list",
        quoting="escapes",
        receiver="device",
        on_cpu=_NO_STEP,
    ),
    row(
        "--nvlink-options -Xnvlink",
        "Options for the device linker.",
        kind="list",
        quoting="escapes",
        on_cpu=_NO_STEP,
    ),
    row(
        "--cudafe-options -Xcudafe",
        "Options for the front end. nvcc does not list this option.",
        kind="list",
        quoting="verbatim",
        receiver="device",
        on_cpu=_NO_STEP,
    ),
    row(
        "--cicc-options -Xcicc",
        "Options for the device compiler. nvcc does not list this option.",
        kind="list",
        quoting="escapes",
        receiver="device",
        on_cpu=_NO_STEP,
    ),
    row(
        "--fatbin-options -Xfatbin",
        "Options for the fat binary. nvcc does not list this option.",
        "Only options that compress, which kbuild does anyway.",
        kind="list",
        quoting="verbatim",
        choices="-compress-all --compress-all -compress=true --compress=true",
    ),
    row(
        "--nvprune-options -Xnvprune",
        "Options for -prune.",
        warned("as for -prune"),
        kind="list",
        quoting="verbatim",
    ),
    row(
        "--no-compress -no-compress",
        "Do not compress fat binaries.",
    ),
    row(
        "--compress-mode -compress-mode",
        "How fat binaries are compressed.",
        "Without it, kbuild balances size and speed.",
        kind="one",
        choices="default size speed balance none",
    ),
    row("--concat -concat", "Compress the images together.", ignored("as for --compress-mode")),
)

DIAGNOSTICS: Final[tuple[Option, ...]] = (
    row("--disable-warnings -w", "No warnings.", receiver="both"),
    row("--Wreorder -Wreorder", "Warn about the order of initializers.", receiver="device"),
    row(
        "--Wdefault-stream-launch -Wdefault-stream-launch",
        "Warn about launches without a stream.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--Wmissing-launch-bounds -Wmissing-launch-bounds",
        "Warn about kernels without __launch_bounds__.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--Wext-lambda-captures-this -Wext-lambda-captures-this",
        "Warn about device lambdas that capture this.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--Wconversion -Wconversion",
        "Warn about narrowing.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--Wno-deprecated-declarations -Wno-deprecated-declarations",
        "Do not warn about deprecated entities.",
        receiver="both",
    ),
    row(
        "--Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets",
        "Do not warn about old architectures.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--Werror -Werror",
        "Warnings that are errors.",
        kind="list",
        choices="all-warnings conversion cross-execution-space-call default-stream-launch "
        "deprecated-declarations ext-lambda-captures-this missing-launch-bounds reorder",
        receiver="device",
    ),
    row(
        "--diag-error -diag-error",
        "Warnings of the front end that are errors.",
        kind="list",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--diag-suppress -diag-suppress",
        "Warnings of the front end to hide.",
        kind="list",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--diag-warn -diag-warn",
        "Remarks of the front end that are warnings.",
        kind="list",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--display-error-number -err-no",
        "Show the numbers of warnings.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--no-display-error-number -no-err-no",
        "Hide the numbers of warnings.",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--brief-diagnostics -brief-diag",
        "Show warnings without the source line.",
        kind="boolean",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--fmax-errors -fmax-errors",
        "The most errors to show.",
        kind="number",
        receiver="device",
        on_cpu=_NO_FRONT_END,
    ),
    row(
        "--optimization-info -opt-info",
        "Show what is optimized.",
        kind="list",
        choices="inline",
        receiver="device",
        on_cpu=_NO_STEP,
    ),
    row(
        "--resource-usage -res-usage",
        "Show registers and memory of kernels.",
        warned("kbuild inspect shows them"),
    ),
    row(
        "--fdevice-syntax-only -fdevice-syntax-only",
        "Check device code without compiling it.",
        rejected("compile the source with -c -o /dev/null"),
    ),
)

DRIVER: Final[tuple[Option, ...]] = (
    row(
        "--forward-unknown-to-host-compiler -forward-unknown-to-host-compiler",
        "Pass unknown options to the host compiler.",
    ),
    row(
        "--forward-unknown-to-host-linker -forward-unknown-to-host-linker",
        "Pass unknown options to the linker.",
    ),
    row("--forward-unknown-opts -forward-unknown-opts", "Pass unknown options to both."),
    row("--dryrun -dryrun", "Print commands, and do not run them."),
    row("--verbose -v", "Print commands, and run them."),
    row("--verbose2 -v2", "Print more.", "As --verbose."),
    row("--keep -keep", "Keep intermediate files."),
    row("--save-temps -save-temps", "The same as --keep."),
    row("--keep-dir -keep-dir", "The directory of intermediate files.", kind="one"),
    row(
        "--objdir-as-tempdir -objtemp",
        "Write intermediate files beside the object.",
        ignored("kbuild chooses the directory; --keep keeps the files"),
    ),
    row(
        "--threads -t",
        "How many architectures are compiled at once.",
        "0 means one per core.",
        kind="number",
        is_joined=True,
    ),
    row(
        "--split-compile -split-compile",
        "How many threads optimize device code.",
        kind="number",
        receiver="device",
        on_cpu=_NO_STEP,
    ),
    row(
        "--split-compile-extended -split-compile-extended",
        "How many threads link-time optimization uses.",
        ignored("one thread is enough for the same result"),
        kind="number",
    ),
    row("--jobserver -jobserver", "Take part in make's jobserver."),
    row(
        "--dont-use-profile -noprof",
        "Ignore nvcc.profile.",
        rejected("nvcc finds its own headers in this file; remove the option"),
        on_cpu=ignored("the CPU has no such file"),
    ),
    row("--time -time", "Write the times of the steps.", _NO_TIMES, kind="one"),
    row(
        "--fdevice-time-trace -fdevice-time-trace",
        "Write a trace of the device compiler.",
        _NO_TIMES,
        kind="one",
    ),
    row(
        "--fdevice-time-trace-granularity -fdevice-time-trace-granularity",
        "The shortest event in the trace.",
        _NO_TIMES,
        kind="number",
    ),
    row(
        "--qpp-config -qpp-config",
        "The configuration of the host compiler q++.",
        rejected("use g++ or clang++ as host compiler"),
        kind="one",
    ),
    row(
        "--list-gpu-code -code-ls",
        "List the architectures.",
        rejected("kbuild doctor lists the toolchains"),
    ),
    row(
        "--list-gpu-arch -arch-ls",
        "List the virtual architectures.",
        rejected("kbuild doctor lists the toolchains"),
    ),
    row("--help -h", "Print the options."),
    row("--version -V", "Print the version."),
)

OWN: Final[tuple[Option, ...]] = (
    row("--backend", "The backend. Without it, KBUILD_BACKEND selects.", kind="one"),
    row(
        "--cuda-version",
        "On the CPU, use headers like those of CUDA 11, 12, or 13 (default).",
        kind="one",
    ),
    row("--check", "Instrument device code for the checks of kbuild run and kbuild smoke."),
)
