"""The CUDA backend: nvcc device-only, ptxas underneath, fatbinary.

This module names and invokes; :mod:`kbuild.backends.cuda.image` reads.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends.cuda import architectures
from kbuild.backends.file_names import name_files
from kbuild.backends.interface.build import (
    AssembleUnit,
    CompileUnit,
    Completion,
    CrossCompilers,
    FrontEndStep,
    ImageContent,
    ImageOutput,
    LinkUnit,
    MisreadCharacters,
    Packing,
    PackUnit,
    Runtime,
    StandIn,
    Toolchain,
    ToolchainHints,
)
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.model import Command, CompressionMode, Marks

NAME: Final = "cuda"
LANGUAGE: Final = "CUDA"
FAT_BINARY_SECTION: Final = ".nv_fatbin"
COMPILE_MEMORY: Final = 1024 << 20  # benchmarks/memory, docs/scale.md
FAT_BINARY_ALIGNMENT: Final = 8
REGISTRATION_HEADER: Final = "kbuild/cuda_registration.h"
LAUNCH_ENTRIES: Final = ("cuLaunchKernelEx", "cudaLaunchKernel")
# nvcc has a shell run its steps, between quotes that expand what a name holds: a command even.
MISREAD: Final = MisreadCharacters(sources='$`"', outputs='$`"', include_directories="$`\"'")

_OLDEST: Final = (12, 0)
_FIRST_WITH_MODES: Final = (12, 8)
# Types of CUB and Thrust carry the architecture in their inline namespaces, so that one
# kernel would bear another name on each edge and on the host.
_ONE_NAME_EVERYWHERE: Final = (
    "CUB_DISABLE_NAMESPACE_MAGIC",
    "CUB_IGNORE_NAMESPACE_MAGIC_ERROR",
    "THRUST_DISABLE_ABI_NAMESPACE",
    "THRUST_IGNORE_ABI_NAMESPACE_ERROR",
)
# PTX that waits for a link has to say so to the driver's own ptxas.
_LINKING: Final = {
    "none": (),
    "linked": ("--link",),
    "prelinked": ("--device-c", "--cmdline=--compile-only"),
}
_COMPRESSION: Final[dict[CompressionMode, tuple[str, ...]]] = {
    "none": ("--compress=false",),
    "speed": ("--compress-mode=speed",),
    "balance": (),  # the default, which every version has
    "size": ("--compress-mode=size",),
}
_LIBRARY_FOLDERS: Final = ("lib", "lib64", "targets/x86_64-linux/lib")
_DEBUG: Final = frozenset(("-G", "--device-debug"))
_LINES: Final = frozenset(("-lineinfo", "--generate-line-info"))
_WHEELS: Final = ("nvidia_cuda_nvcc", "nvidia_cuda_crt", "nvidia_nvvm")


def compiler_candidates(hints: ToolchainHints) -> tuple[str, ...]:
    """CMake's nvcc, else those of wheels, CUDA_PATH, CUDAToolkit_ROOT, PATH, /usr/local."""
    chosen = hints.compiler(LANGUAGE) or hints.variable("CUDACXX")
    if chosen:
        return (chosen,)
    return (*(str(root / "bin" / "nvcc") for root in _roots(hints)), "nvcc")


def _roots(hints: ToolchainHints) -> tuple[Path, ...]:
    wheels = [site / "nvidia" / "cu13" for site in hints.site_packages]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value) for value in variables if value]
    return (*wheels, *named, Path("/usr/local/cuda"))


def missing_compiler(hints: ToolchainHints) -> str:
    """How to get nvcc."""
    if hints.compiler(LANGUAGE) or hints.variable("CUDACXX"):
        return "check the path"
    return "pip install 'kbuild[cuda]', or set CUDA_PATH"


def find_stand_in(hints: ToolchainHints) -> StandIn | None:  # noqa: ARG001 - the seam's signature
    """None: it has one platform."""
    return None


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """nvcc's version, the architectures it knows, and the version of its assembler."""
    ptxas = compiler.parent / "ptxas"
    return (
        Command(argv=(str(compiler), "--version")),
        Command(argv=(str(compiler), "--list-gpu-code")),
        Command(argv=(str(ptxas), "--version")),
    )


def read_toolchain(compiler: Path, texts: tuple[str, ...], hints: ToolchainHints) -> Toolchain:
    """nvcc >= 12.0 whose parts are of one minor version."""
    version, known, assembler = texts
    match = re.search(r"release (\d+)\.(\d+), V([\d.]+)", version)
    if match is None:
        raise ToolchainError(f"{compiler}: cannot tell its version; is it nvcc?")
    if (int(match[1]), int(match[2])) < _OLDEST:
        raise ToolchainError(
            f"{compiler} is nvcc {match[3]}; kernels need {'.'.join(map(str, _OLDEST))} or newer"
        )
    if f"release {match[1]}.{match[2]}," not in assembler:
        raise ToolchainError(_describe_mix(compiler, f"nvcc {match[3]} and another ptxas"))
    _check_wheels(compiler, hints)
    return Toolchain(
        backend=NAME,
        compiler=compiler,
        compiler_id="nvcc",
        version=match[3],
        host_compiler=Path(hints.host_compiler) if hints.host_compiler else None,
        architectures=tuple(known.split()),
    )


def _check_wheels(compiler: Path, hints: ToolchainHints) -> None:
    """Refuse a toolchain put together of wheels of several versions: ptxas would fail."""
    site = next((s for s in hints.site_packages if s in compiler.parents), None)
    if site is None:
        return
    found = {name: version for folder, name, version in hints.wheels if folder == site}
    missing = [name for name in _WHEELS if name not in found]
    if missing:
        wheel = missing[0].replace("_", "-")
        raise ToolchainError(
            f"{compiler}: wheel {wheel} is not installed; pip install 'kbuild[cuda]'"
        )
    minors = {found[name].rpartition(".")[0] for name in _WHEELS}
    if len(minors) > 1:
        versions = ", ".join(f"{name.replace('_', '-')} {found[name]}" for name in _WHEELS)
        raise ToolchainError(_describe_mix(compiler, versions))


def _describe_mix(compiler: Path, what: str) -> str:
    return (
        f"{compiler}: its parts are of several versions ({what}); install them together: "
        "pip install 'cuda-toolkit[nvcc,cccl]==13.0.*', with the version that you want"
    )


def list_notes(tc: Toolchain, hints: ToolchainHints) -> tuple[str, ...]:  # noqa: ARG001 - the seam
    """None: it is what was asked for."""
    return ()


def expand_architectures(
    requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """What CMake means by them; its own default where the target names none."""
    defaults = tuple(value for language, value in hints.architectures if language == LANGUAGE)
    return architectures.expand(requested or defaults, tc.architectures, hints.devices)


def native_architectures(devices: tuple[str, ...]) -> tuple[str, ...]:
    """The devices' own, cubins alone."""
    return architectures.name_native(devices)


def check_compression(mode: CompressionMode, tc: Toolchain) -> None:
    """Modes came with CUDA 12.8."""
    major, minor = (int(number) for number in tc.version.split(".")[:2])
    if "mode" in "".join(_COMPRESSION[mode]) and (major, minor) < _FIRST_WITH_MODES:
        raise ConfigurationError(
            f"COMPRESSION {mode} needs nvcc {'.'.join(map(str, _FIRST_WITH_MODES))} or newer, and "
            f"{tc.compiler} is {tc.version}; leave it at balance, or name none"
        )


def device_links(requested: tuple[str, ...]) -> tuple[str, ...]:
    """Those with a cubin; PTX is linked by the driver, if at all."""
    real = tuple(arch for arch in requested if architectures.parse(arch).is_real)
    if not real:
        raise ConfigurationError(
            f"RDC ON links device code for real architectures, and there is none in "
            f"{', '.join(requested)}; add one, say {requested[0].replace('-virtual', '-real')}"
        )
    return real


def cross_compilers(arch: str, tc: Toolchain) -> CrossCompilers | None:  # noqa: ARG001 - the seam
    """nvcc compiles for every architecture that it knows."""
    return None


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """cudart of the toolkit whose nvcc is found, with the headers that hosts include."""
    for compiler in _existing_compilers(hints):
        root = compiler.resolve().parent.parent
        for name in _LIBRARY_FOLDERS:
            folder = root / name
            shared = sorted(folder.glob("libcudart.so.1?"))
            if shared:
                return _describe_runtimes(root, shared[-1])
    return ()


def _existing_compilers(hints: ToolchainHints) -> Iterator[Path]:
    for name in compiler_candidates(hints):
        folders = hints.search_path if "/" not in name else (Path(),)
        for folder in folders:
            if (folder / name).is_file():
                yield folder / name


def _describe_runtimes(root: Path, shared: Path) -> tuple[Runtime, ...]:
    # CUB, Thrust and libcu++ lie in a folder of their own since toolkit 13.
    include = tuple(f for f in (root / "include", root / "include/cccl") if f.is_dir())
    definitions = ("KBUILD_BACKEND_CUDA=1", *(f"{name}=1" for name in _ONE_NAME_EVERYWHERE))
    runtime = Runtime(
        linkage="shared", library=shared, include_directories=include, definitions=definitions
    )
    archive = shared.with_name("libcudart_static.a")
    if not archive.is_file():
        return (runtime,)
    static = Runtime(
        linkage="static",
        library=archive,
        include_directories=include,
        definitions=definitions,
        link_libraries=("dl", "pthread", "rt"),
    )
    return (runtime, static)


def language_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """nvcc's view of a kernel source."""
    host = ("-ccbin", str(tc.host_compiler)) if tc.host_compiler else ()
    native = resources.native_directory()
    return (
        *("-x", "cu", f"-std=c++{unit.standard}"),
        *host,
        "-DKBUILD_DEVICE_CODE=1",
        *(f"-D{name}=1" for name in _ONE_NAME_EVERYWHERE),
        f"-I{native / 'include'}",
        # Headers of HIP's names; a project's own come first.
        f"-isystem={native / 'device' / NAME}",
    )


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """One front-end run, which yields the preprocessed source and PTX on its way to the cubin."""
    target = architectures.parse(unit.arch)
    mode: tuple[str, ...]
    if target.is_real:
        output = unit.output.with_name(unit.output.name + ".cubin")
        mode = ("-cubin", f"-arch={target.virtual}", f"-code={target.real}", "-Xptxas", "-v")
    else:
        output = unit.output.with_name(unit.output.name + ".ptx")
        mode = ("-ptx", f"-arch={target.virtual}")
    if unit.relocatable:
        mode = ("-rdc=true", *mode)
    keep = _keep_folder(unit)
    argv = (
        str(tc.compiler),
        *language_options(unit, tc),
        *mode,
        *("--keep", "--keep-dir", str(keep)),
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{_keep_commas(directory)}" for directory in unit.include_directories),
        *_pass_on(name_files(unit)),
        *_translate(unit),
        *unit.options,
        # The preprocessor that runs anyway writes the depfile: nvcc -MD would run another.
        *("-Xcompiler", f"-MMD,-MF,{_quote(unit.depfile)},-MQ,{_quote(unit.stamp)}"),
        *_name_apart(unit),
        *(str(unit.source), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(unit.source,), outputs=(output,), folders=(keep,))


def _name_apart(unit: CompileUnit) -> tuple[str, ...]:
    """What nvcc names after the source, and would after its folder as well."""
    seed = ("--frandom-seed", unit.display_source)
    if _asks_for_debug(unit):  # debuggers look for the source by this path
        return seed
    # Entities that are local to the source bear a hash of it.
    return (*seed, "-Xcicc", "--orig_src_path_name", "-Xcicc", _name_plainly(unit.display_source))


def _name_plainly(path: str) -> str:
    """The path, or a name like it: nvcc passes quotes on to cicc changed."""
    plain = re.sub(r"[^\w./+-]", "_", path, flags=re.ASCII)
    return plain if plain == path else f"{plain}.{files.sha256(path.encode())[:8]}"


def _asks_for_debug(unit: CompileUnit) -> bool:
    return not _DEBUG.isdisjoint((*_translate(unit), *unit.options))


def _asks_for_lines(unit: CompileUnit) -> bool:
    """Whether its images say which lines of which files their code comes from."""
    return _asks_for_debug(unit) or not _LINES.isdisjoint((*_translate(unit), *unit.options))


def listing_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """``--dryrun``: caches that know nvcc do the same, but not for all its versions."""
    front_end = compile_command(unit, tc)
    return replace(front_end, argv=(*front_end.argv, "--dryrun"))


def cacheable_steps(
    unit: CompileUnit,
    tc: Toolchain,  # noqa: ARG001 - the seam's signature
    listing: str,
) -> tuple[FrontEndStep, ...]:
    """The preprocessor, ``cicc`` and ``ptxas``, the two of which caches take."""
    from kbuild.backends.cuda.steps import Naming, read_steps  # noqa: PLC0415 - caches alone

    naming = Naming(
        keep=_keep_folder(unit),
        root=None if _asks_for_lines(unit) else unit.root,
        is_full=_asks_for_debug(unit),
    )
    return read_steps(listing, unit, naming)


def _translate(unit: CompileUnit | LinkUnit) -> tuple[str, ...]:
    """The build type's C++ flags as nvcc has them for device code."""
    kept = [option for option in unit.build_options if option.startswith(("-D", "-U"))]
    is_optimised = any(re.fullmatch(r"-O[1-3s]|-Ofast", o) for o in unit.build_options)
    if unit.debug:
        kept.append("-lineinfo" if is_optimised else "-G")
    return tuple(kept)


def _quote(path: Path | str) -> str:
    # nvcc splits at commas, and what it calls the preprocessor by is a shell's line.
    return shlex.quote(str(path)).replace(",", "\\,")


def _keep_commas(directory: str) -> str:
    # Of -I, too, it makes a list, but not of what is in quotes.
    return f'"{directory}"' if "," in directory else directory


def _pass_on(options: tuple[str, ...]) -> tuple[str, ...]:
    """Options for the preprocessor."""
    return tuple(word for option in options for word in ("-Xcompiler", _quote(option)))


def _keep_folder(unit: CompileUnit) -> Path:
    return unit.output.with_name(unit.output.name + ".keep")


def complete(
    unit: CompileUnit,
    compiled: bytes,  # noqa: ARG001 - the seam's signature
    log: str,
    tc: Toolchain,  # noqa: ARG001 - likewise
) -> Completion:
    """The images of the edge: a cubin, PTX, or both."""
    from kbuild.backends.cuda import image as cuda_image  # noqa: PLC0415 - loads parsers

    return cuda_image.complete(unit, log, _keep_folder(unit))


def link_images(
    unit: LinkUnit,
    contents: tuple[bytes, ...],  # noqa: ARG001 - the seam's signature
    tc: Toolchain,
) -> Completion:
    """``nvlink`` over the cubins, with the device runtime for what launches kernels itself."""
    target = architectures.parse(unit.arch)
    output = unit.output.with_name(unit.output.name + ".cubin")
    cubins = tuple(path for path in unit.images if path.suffix == ".cubin")
    libraries = tc.compiler.resolve().parent.parent
    argv = (
        *(str(tc.compiler.parent / "nvlink"), f"-arch={target.real}"),
        *(("-g",) if "-G" in _translate(unit) else ()),
        *(f"-L{libraries / folder}" for folder in _LIBRARY_FOLDERS),
        *("-lcudadevrt", *map(str, cubins), "-o", str(output)),
    )
    return Completion(
        commands=(Command(argv=argv, inputs=cubins, outputs=(output,)),),
        images=(ImageOutput(path=output, arch=target.real, kind="elf"),),
    )


def mark_assembly(assembly: bytes, kernel: str, marks: Marks) -> bytes | None:
    """PTX with other performance-tuning directives."""
    from kbuild.formats.nvidia.ptx.marks import mark_entry  # noqa: PLC0415 - only launches need it

    return mark_entry(assembly, kernel, marks)


def assemble_command(unit: AssembleUnit, tc: Toolchain) -> Command:
    """ptxas alone, for this kernel alone, through nvcc, which knows what of options is its."""
    output = unit.output.with_name(unit.output.name + ".cubin")
    argv = (
        *(str(tc.compiler), "-cubin", f"-arch={unit.arch}"),
        *("-Xptxas", f"-v,--entry={unit.kernel}", *unit.options),
        *(str(unit.assembly), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(unit.assembly,), outputs=(output,))


def read_spills(log: str) -> tuple[tuple[str, int, int], ...]:
    """What ptxas says."""
    from kbuild.backends.cuda import image as cuda_image  # noqa: PLC0415 - loads parsers

    return cuda_image.read_spills(log)


def explain_link_failure(log: str) -> str:
    """What nvlink knows by names that it cannot mend."""
    if "Undefined reference" in log:
        return "define it in a source of the target: device code is linked target by target"
    if "Multiple definition" in log:
        return "make all but one of them static, inline or extern"
    return ""


def shorten_log(log: str) -> str:
    """Without the figures of ``ptxas -v``, which the record keeps."""
    figures = re.compile(r"ptxas info\s*:|\s+\d+ bytes (stack frame|cumulative)")
    kept = [line for line in log.splitlines(keepends=True) if not figures.match(line)]
    return "".join(kept)


def explain_failure(unit: CompileUnit, log: str) -> str:
    """Failures whose message does not say the mend."""
    if "unsupported GNU version" in log or "unsupported clang version" in log:
        return (
            "nvcc refuses this compiler as its preprocessor. Name an older one with "
            "HOST_COMPILER (host code keeps its own), or pass -allow-unsupported-compiler in "
            "COMPILE_OPTIONS"
        )
    if re.search(r"[Uu]nsupported \.version", log):
        return _describe_mix(unit.source, "cicc writes a newer PTX than ptxas reads")
    return ""


def read_image(data: bytes) -> ImageContent:
    """The kernels and variables of a cubin or of PTX."""
    from kbuild.backends.cuda import image as cuda_image  # noqa: PLC0415 - loads parsers

    return cuda_image.read_image(data)


def pack(unit: PackUnit, tc: Toolchain) -> Packing:
    """``fatbinary``, so that NVIDIA's own tools read the container as theirs.

    It runs where the container goes: in the words for an image, a comma ends the file's name.
    """
    folder = unit.output.parent
    argv = [str(tc.compiler.parent / "fatbinary"), "-64", f"--create={unit.output.name}"]
    argv += [*_LINKING[unit.linking], *_COMPRESSION[unit.compression]]
    for image in unit.images:
        number = image.arch.partition("_")[2]
        kind = "ptx" if image.kind == "ptx" else "elf"
        argv.append(f"--image3=kind={kind},sm={number},file={os.path.relpath(image.path, folder)}")
    command = Command(
        argv=tuple(argv),
        inputs=tuple(image.path for image in unit.images),
        outputs=(unit.output,),
        cwd=folder,
    )
    return Packing(commands=(command,))
