"""Options that select what nvcc makes, and from which files."""

from __future__ import annotations

from typing import Final

from kbuild.nvcc.command_line.options.model import Option, Outcome, ignored, rejected, row

_TILES: Final = "kbuild compiles SIMT code; compile this source with nvcc"
_WINDOWS: Final = ignored("only for Windows")

PHASES: Final[tuple[Option, ...]] = (
    row("--link -link", "Compile and link. This is the default."),
    row("--compile -c", "Compile each source to an object."),
    row("--device-c -dc", "Compile to objects with relocatable device code."),
    row("--device-w -dw", "Compile to objects with device code that is complete."),
    row("--device-link -dlink", "Link relocatable device code to an object for the host linker."),
    row("--lib -lib", "Compile, and put the objects into a static library."),
    row("--preprocess -E", "Preprocess only."),
    row(
        "--ptx -ptx",
        "Compile device code to PTX.",
        on_cpu=Outcome(note="the CPU has no PTX, so the file is a device image, as with -cubin"),
    ),
    row("--cubin -cubin", "Compile device code to a cubin."),
    row("--fatbin -fatbin", "Compile device code to a fat binary."),
    row(
        "--cuda -cuda",
        "Write the C++ source for the host compiler.",
        "It contains the device code and its registration. Compile it without -flto.",
    ),
    row("--run -run", "Link, and run the program.", rejected("link, and run the program yourself")),
    row(
        "--run-args -run-args",
        "Arguments for -run.",
        rejected("link, and run the program yourself"),
        kind="list",
    ),
    row(
        "--optix-ir -optix-ir",
        "Compile to the intermediate code of OptiX.",
        rejected("compile this source with nvcc"),
    ),
    row(
        "--ltoir -ltoir",
        "Compile to the intermediate code of link-time optimization.",
        rejected("use -cubin or -fatbin, or compile this source with nvcc"),
    ),
    row(
        "--enable-tile -enable-tile",
        "Compile tile code, too.",
        "A source that contains tile code is an error.",
    ),
    row("--tile-only -tile-only", "Compile only tile code.", rejected(_TILES)),
    row(
        "--tile-preview -tile-preview",
        "Enable tile features of a preview.",
        rejected(_TILES),
        kind="one",
        choices="simt",
    ),
    row("--tilebc -tilebc", "Write tile bytecode.", rejected(_TILES)),
    row("--tilecubin -tilecubin", "Compile tile code to a cubin.", rejected(_TILES)),
    row("--tilefatbin -tilefatbin", "Compile tile code to a fat binary.", rejected(_TILES)),
    row(
        "--tileiras-options -Xtileiras",
        "Options for the assembler of tile code.",
        rejected(_TILES),
        kind="list",
        quoting="verbatim",
    ),
    row("--simt-only -simt-only", "Compile only SIMT code.", ignored("kbuild always does this")),
    row(
        "--clean-targets -clean",
        "Delete the outputs of the command.",
        rejected("delete the files yourself"),
    ),
    row("--x -x", "The language of all inputs.", kind="one", choices="c c++ cu"),
    row("--shared -shared", "Link a shared object."),
    row(
        "--relocatable-link -r",
        "Link to a relocatable object.",
        rejected("pass the objects to the link of the program or to -lib"),
    ),
    row("--no-device-link -nodlink", "Link the host code only."),
)

DEPENDENCIES: Final[tuple[Option, ...]] = (
    row("--generate-dependencies -M", "Write only a depfile."),
    row("--generate-nonsystem-dependencies -MM", "As -M, without headers of the system."),
    row("--generate-dependencies-with-compile -MD", "Compile, and write a depfile."),
    row(
        "--generate-nonsystem-dependencies-with-compile -MMD",
        "As -MD, without headers of the system.",
    ),
    row("--dependency-output -MF", "The depfile.", kind="one"),
    row("--dependency-target-name -MT", "The target in the depfile.", kind="one"),
    row("--generate-dependency-targets -MP", "Add an empty rule for each header."),
)

FILES: Final[tuple[Option, ...]] = (
    row("--output-file -o", "The output.", kind="one"),
    row("--output-directory -odir", "The directory of outputs that -o does not name.", kind="one"),
    row("--pre-include -include", "Headers to include first.", kind="list"),
    row("--include-path -I", "Directories of headers.", kind="list", is_joined=True),
    row("--system-include -isystem", "Directories of the system's headers.", kind="list"),
    row(
        "--define-macro -D",
        "Macros to define.",
        kind="list",
        quoting="escapes",
        is_joined=True,
    ),
    row(
        "--undefine-macro -U",
        "Macros to undefine.",
        kind="list",
        quoting="escapes",
        is_joined=True,
    ),
    row("--library -l", "Libraries to link.", kind="list", is_joined=True),
    row("--library-path -L", "Directories of libraries.", kind="list", is_joined=True),
    row(
        "--cudart -cudart",
        "How CUDA's runtime is linked.",
        kind="one",
        choices="none shared static",
    ),
    row(
        "--cudadevrt -cudadevrt",
        "How CUDA's device runtime is linked.",
        ignored("kbuild links it where device code needs it"),
        kind="one",
        choices="none static",
    ),
    row("--compiler-bindir -ccbin", "The host compiler, or its directory.", kind="one"),
    row(
        "--allow-unsupported-compiler -allow-unsupported-compiler",
        "Accept a host compiler that nvcc does not support.",
        receiver="device",
        on_cpu=ignored("the CPU needs no nvcc"),
    ),
    row(
        "--archiver-binary -arbin",
        "The archiver.",
        rejected("put the archiver first in PATH"),
        kind="one",
    ),
    row(
        "--options-file -optf",
        "Files with more options.",
        "A file can name further files.",
        kind="list",
    ),
    row(
        "--libdevice-directory -ldir",
        "The directory of libdevice.",
        kind="one",
        receiver="device",
        on_cpu=ignored("device code needs no libdevice"),
    ),
    row(
        "--target-directory -target-dir",
        "The toolkit's directory for another machine.",
        rejected("name the compiler for the other machine with -ccbin"),
        kind="one",
    ),
    row("--use-local-env -use-local-env", "Expect a prepared environment of MSVC.", _WINDOWS),
    row("--force-cl-env-setup -force-cl-env-setup", "Prepare the environment of MSVC.", _WINDOWS),
    row("--input-drive-prefix -idp", "The prefix of absolute paths.", _WINDOWS, kind="one"),
    row("--dependency-drive-prefix -ddp", "The prefix in depfiles.", _WINDOWS, kind="one"),
    row("--drive-prefix -dp", "Both prefixes.", _WINDOWS, kind="one"),
    row(
        "--host-linker-script -hls",
        "Write or use a linker script.",
        rejected("pass a linker script with -Xlinker -T"),
        kind="optional",
        choices="use-lcs gen-lcs",
    ),
    row(
        "--augment-host-linker-script -aug-hls",
        "Write a linker script that extends another one.",
        rejected("pass a linker script with -Xlinker -T"),
    ),
)
