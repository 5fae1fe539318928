"""Artifacts that a compiler makes from handwritten C, each with one defect.

kbuild's generator cannot make a broken artifact. So these tests write the stub unit from a
`Design`, which describes the unit and its images.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kbuild.files import sha256
from kbuild.formats.offload import binary as offload_binary
from kbuild.model import ContainerRecord, ImageRecord, KernelRecord, Param, TargetRecord
from kbuild.records import RECORD_SCHEMA, dump
from support.commands import ROOT
from support.tools.toolchains import require_programs

INCLUDE = ROOT / "kbuild" / "native" / "include"
SCALE = "_ZN2ns5scaleEPffi"
SCALE_STUB = "_ZN2ns20__device_stub__scaleEPffi"
AXPY = "_Z4axpyIfEvT_PS0_"
ARCHITECTURES = ("x86-64", "x86-64-v3")

SCALE_PARAMS = (
    Param(index=0, offset=0, size=8, type="float*"),
    Param(index=1, offset=8, size=4, type="float"),
    Param(index=2, offset=12, size=4, type="int"),
)
AXPY_PARAMS = (
    Param(index=0, offset=0, size=4, type="float"),
    Param(index=1, offset=8, size=8, type="float*"),
)
ROWS = (
    KernelRecord(
        handle=SCALE,
        device_name=SCALE,
        display="ns::scale(float*, float, int)",
        linkage="external",
        container=0,
        params=SCALE_PARAMS,
    ),
    KernelRecord(
        handle=AXPY,
        device_name=AXPY,
        display="void axpy<float>(float, float*)",
        linkage="weak",
        container=0,
        params=AXPY_PARAMS,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Image:
    """A device image: its bytes and its description in the record."""

    arch: str
    kernels: tuple[str, ...]
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Design:
    """A stub unit. The default is sound. ``c`` replaces text of its C source."""

    images: tuple[Image, ...]
    packed: tuple[Image, ...] | None = None
    rows: tuple[KernelRecord, ...] = ROWS
    visibility: str = "hidden"
    hashes: tuple[str, ...] | None = None
    c: tuple[tuple[str, str], ...] = ()


def run(*argv: object) -> None:
    """Run a compiler, a linker, or a similar tool. Skip the test if it is not installed."""
    linkers = (str(a).removeprefix("-fuse-ld=") for a in argv if str(a).startswith("-fuse-ld="))
    require_programs(str(argv[0]), *(f"ld.{linker}" for linker in linkers))
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}\n{done.stderr}"


def build_image(
    directory: Path, arch: str, kernels: dict[str, tuple[Param, ...]], *options: str
) -> Image:
    """Return a CPU image whose table lists ``kernels``. ``options`` are for linking."""
    rows, tables = [], []
    for number, (name, params) in enumerate(kernels.items()):
        layout = ", ".join(f"{{{p.offset}, {p.size}}}" for p in params)
        types = ", ".join(json.dumps(p.type) for p in params)
        tables.append(
            f"static const struct kbuild_param params_{number}[] = {{ {layout} }};\n"
            f"static const char *const types_{number}[] = {{ {types} }};\n"
            f"static const char *const names_{number}[{len(params)}] = {{ 0 }};\n"
            f"static void run_{number}(void *const *args)\n"
            f'    __asm__("{name}");\n'
            f"static void run_{number}(void *const *args)\n"
            "{ (void)args; }\n"
        )
        rows.append(
            f'{{ "{name}", run_{number}, params_{number}, {len(params)}, 0, types_{number}, '
            f"names_{number} }},\n"
        )
    source = directory / f"image-{arch}-{len(list(directory.iterdir()))}.c"
    source.write_text(
        "#include <kbuild/cpu_image.h>\n"
        "static void attach(const struct kbuild_cpu_device_api *api) { (void)api; }\n"
        "static void builtins(struct kbuild_cpu_builtins *out) { (void)out; }\n"
        + "".join(tables)
        + f"static const struct kbuild_cpu_kernel rows[] = {{\n{''.join(rows)}}};\n"
        "const struct kbuild_cpu_image kbuild_cpu_image = {\n"
        f"    KBUILD_CPU_IMAGE_ABI, {len(kernels)}, rows, attach, builtins, 0, 0, 0 }};\n"
    )
    output = source.with_suffix(".so")
    run("gcc", "-shared", "-fPIC", "-nostdlib", *options, "-I", INCLUDE, source, "-o", output)
    return Image(arch=arch, kernels=tuple(kernels), data=output.read_bytes())


def make_record(design: Design) -> TargetRecord:
    hashes = design.hashes or tuple(sha256(image.data) for image in design.images)
    return TargetRecord(
        version="0.1.0",
        target="demo",
        backend="cpu",
        visibility="hidden" if design.visibility == "hidden" else "default",
        kernels=design.rows,
        containers=(
            ContainerRecord(
                source="demo.cu",
                images=tuple(
                    ImageRecord(
                        arch=image.arch,
                        kind="elf",
                        sha256=digest,
                        size=len(image.data),
                        kernels=image.kernels,
                    )
                    for image, digest in zip(design.images, hashes, strict=True)
                ),
            ),
        ),
    )


def build_object(
    directory: Path,
    design: Design,
    name: str = "stub",
    *options: str,
    compiler: Sequence[str] = ("gcc", "-fPIC"),
) -> Path:
    """Return the object of the stub unit of ``design``."""
    container = offload_binary.write(
        (1, (("triple", "x86_64-unknown-linux-gnu"), ("arch", image.arch)), image.data)
        for image in (design.images if design.packed is None else design.packed)
    )
    fat_binary, table = directory / f"{name}.fatbin", directory / f"{name}.json"
    fat_binary.write_bytes(container)
    table.write_bytes(dump(RECORD_SCHEMA, make_record(design)))
    text = _stub_source(design, fat_binary, table, len(container))
    for old, new in design.c:
        assert old in text, old
        text = text.replace(old, new)
    source = directory / f"{name}.c"
    source.write_text(text)
    output = directory / f"{name}.o"
    run(*compiler, "-O1", *options, "-I", INCLUDE, "-c", source, "-o", output)
    return output


def _stub_source(design: Design, fat_binary: Path, table: Path, size: int) -> str:
    handles, stubs, rows = [], [], []
    for number, row in enumerate(design.rows):
        weak = ", weak" if row.linkage == "weak" else ""
        attributes = f'__attribute__((visibility("{design.visibility}"){weak}))'
        content = "0"
        if row.stub:
            content = f"(void *)own_stub_{number}"
            stubs.append(
                f'void stub_{number}(void) __asm__("{row.stub}") {attributes};\n'
                f'__attribute__((used)) void stub_{number}(void) {{ __asm__ volatile(""); }}\n'
                # An alias that other files cannot interpose.
                f"extern void own_stub_{number}(void) __attribute__(("
                f'alias("{row.stub}"), visibility("hidden")));\n'
            )
        handles.append(
            f'extern void *handle_{number} __asm__("{row.handle}") '
            f"{attributes};\n"
            f"void *handle_{number} RELRO = {content};\n"
        )
        params = ", ".join(f"{{{p.offset}, {p.size}}}" for p in row.params)
        handles.append(f"static const struct kbuild_param params_{number}[] = {{ {params} }};\n")
        rows.append(
            f'{{ &handle_{number}, "{row.device_name}", params_{number}, '
            f"{len(row.params)}, {row.container} }},\n"
        )
    return (
        _PREAMBLE.replace("FAT_BINARY", str(fat_binary)).replace("TABLE", str(table))
        + "".join([*stubs, *handles])
        + f"static struct kbuild_kernel kernels[] RELRO = {{\n{''.join(rows)}}};\n"
        + _DESCRIPTOR.replace("KERNELS", str(len(rows))).replace("SIZE", str(size))
    )


_PREAMBLE = """\
#include <kbuild/module.h>
#define RELRO __attribute__((section(".data.rel.ro")))
__asm__(".pushsection .kbuild_fatbin,\\"a\\",@progbits\\n"
        ".balign 16\\n"
        "fat_binary:\\n"
        ".incbin \\"FAT_BINARY\\"\\n"
        ".popsection\\n"
        ".pushsection .note.kbuild,\\"a\\",@note\\n"
        ".balign 4\\n"
        ".long 7, 2f - 1f, 1\\n"
        ".asciz \\"kbuild\\"\\n"
        ".balign 4\\n"
        "1: .long 1, record - 1b\\n"
        ".quad module_data - .\\n"
        ".quad register_module - .\\n"
        ".quad unregister_module - .\\n"
        ".quad 2f - record\\n"
        "record: .incbin \\"TABLE\\"\\n"
        "2: .balign 4\\n"
        ".popsection\\n");
extern const unsigned char fat_binary[] __attribute__((visibility("hidden")));
extern const char record[] __attribute__((visibility("hidden")));
"""

_DESCRIPTOR = """\
static struct kbuild_container containers[] RELRO = { { fat_binary, SIZE, 0 } };
static struct kbuild_module module_data __asm__("module_data") RELRO __attribute__((used)) = {
    KBUILD_MODULE_ABI, sizeof(struct kbuild_module), "demo", "cpu", record, 0,
    kernels, KERNELS, containers, 1, 0 };
static volatile unsigned registered;
static void unregister_module(void) __asm__("unregister_module") __attribute__((used));
static void unregister_module(void) { registered = 0; }
static void register_module(void) __asm__("register_module")
    __attribute__((used, constructor(101)));
static void register_module(void) { registered = module_data.abi; }
"""


def link_shared(objects: Sequence[Path], output: Path, *options: str, linker: str = "bfd") -> Path:
    run("gcc", "-shared", f"-fuse-ld={linker}", *options, *objects, "-o", output)
    return output


def build_host(directory: Path, name: str, text: str, *options: str) -> Path:
    """Return the host object of this C source."""
    source = directory / f"{name}.c"
    source.write_text(text)
    run("gcc", "-O2", *options, "-c", source, "-o", source.with_suffix(".o"))
    return source.with_suffix(".o")


def with_stub(design: Design) -> Design:
    """Return the same design with a debug stub for its first kernel."""
    first, *others = design.rows
    return replace(design, rows=(replace(first, stub=SCALE_STUB), *others))
