"""Text that kbuild's templates generate from fixed values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kbuild import resources
from kbuild.backends.cpu.adapters.generate import AdapterKernel, adapter_rows
from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.backends.interface.toolchain import Runtime, Toolchain
from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import name_stub
from kbuild.formats.dwarf import Member, Parameter, ValueType
from kbuild.model import (
    ContainerRecord,
    ImageRecord,
    KernelRecord,
    Param,
    TargetRecord,
    Variable,
    VariableKind,
    VariableRecord,
)
from kbuild.project.directory import BuildDirectory
from kbuild.project.generate import BuildSettings, generate_project
from kbuild.project.manifest.tables import Manifest, ManifestTarget, ProfileTable, TargetTable
from kbuild.stages.bindings.c import render_c_header
from kbuild.stages.bindings.fortran import render_fortran
from kbuild.stages.bindings.model import describe_bindings
from kbuild.stages.bindings.python import render_python
from kbuild.stages.bindings.rust import EDITIONS, render_rust
from kbuild.stages.calls.cmake_plan import render_plan
from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.edges import BuildPlan, CompileEdge, LinkEdge, PackPlan
from kbuild.stages.render import render
from kbuild.stages.settings import KernelSettings
from kbuild.stages.stubs.handles import render_handles
from kbuild.stages.stubs.unit import (
    StubInputs,
    render_cpp_header,
    render_stub_unit,
)
from kbuild.toolchain.runtime_targets import RuntimeTarget


def param(index: int, offset: int, size: int, spelled: str | None, name: str | None) -> Param:
    return Param(index=index, offset=offset, size=size, type=spelled, name=name)


def row(handle: str, display: str, *params: Param, **changes: object) -> KernelRecord:
    values: dict[str, object] = {
        "handle": handle,
        "device_name": handle,
        "display": display,
        "linkage": "external",
        "container": 0,
        "params": params,
        **changes,
    }
    return KernelRecord(**values)  # type: ignore[arg-type]


def variable(
    name: str, display: str, kind: VariableKind, size: int, container: int = 0
) -> VariableRecord:
    return VariableRecord(
        shadow=name, device_name=name, display=display, kind=kind, size=size, container=container
    )


TABLE = TargetRecord(
    version="0.0.0",
    target="my-kernels",
    backend="cpu",
    visibility="default",
    kernels=(
        row(
            "_ZN2ns5scaleEPffi",
            "ns::scale(float*, float, int)",
            param(0, 0, 8, "float*", "p"),
            param(1, 8, 4, "float", "a"),
            param(2, 12, 4, "int", None),
        ),
        row("_Z4axpyIfEvT_PS0_", "void axpy<float>(float, float*)", linkage="weak", container=1),
        row("_ZL4statPi.1", "stat(int*)", linkage="internal", device_name="_ZL4statPi"),
        row("plain", "plain", param(0, 0, 8, "unsigned long", "n")),
        row("_Z4fill1P", "fill(P)", param(0, 0, 16, "P", "p")),
        row("_Z4nonev", "none()"),
        row("_Z4overi", "over(int)", param(0, 0, 4, "int", None)),
        row("_Z4overf", "over(float)", param(0, 0, 4, "float", None)),
    ),
    containers=(
        ContainerRecord(
            source="a.cu",
            images=(
                ImageRecord(
                    arch="x86-64", kind="elf", sha256="ab" * 32, size=4, kernels=("plain",)
                ),
            ),
        ),
        ContainerRecord(source="b.cu", images=()),
    ),
    variables=(
        variable("weights", "weights", "device", 64),
        variable("_ZN2ns5scaleE", "ns::scale", "constant", 4, container=1),
        variable("_ZN2ns5callsE", "ns::calls", "managed", 4),
    ),
)
STUB = StubInputs(
    table=TABLE,
    headers=(),
    registration_header="kbuild/cpu_registration.h",
    section=".kbuild_fatbin",
    fat_binary=Path("/out/my kernels.fatbin"),
    fat_binary_sha256="0" * 64,
    spans=((0, 5), (8, 3)),
    kernel_table=Path("/out/table.json"),
    kernel_table_sha256="1" * 64,
    kernel_table_size=3,
)

HOST_HEADER = "kbuild/host_cpu.h"

TYPES = "struct P { long x, y; };\n"


def debug_stub_unit(header: Path) -> bytes:
    """Return a stub unit with one debug stub per kernel. ``header`` defines P."""
    kernels = tuple(
        replace(
            kernel,
            stub=name_stub(kernel.device_name),
            params=kernel.params or parameters_of(kernel.display),
        )
        for kernel in TABLE.kernels
    )
    table = replace(TABLE, kernels=kernels)
    return render_stub_unit(replace(STUB, table=table, headers=(header,)))


def parameters_of(display: str) -> tuple[Param, ...]:
    _, types = split_function(display)
    return tuple(
        param(index, 8 * index, 8, spelled, f"p{index}")
        for index, spelled in enumerate(types or ())
    )


def value(kind: str, name: str, size: int) -> ValueType:
    return ValueType(kind=kind, name=name, size=size, alignment=size)  # type: ignore[arg-type]


FLOAT = value("float", "float", 4)
POINTER = value("pointer", "float*", 8)
PAIR = ValueType(
    kind="union",
    name="ns::Pair",
    size=8,
    alignment=4,
    members=(
        Member(offset=0, type=FLOAT, count=2),
        Member(offset=0, type=value("signed", "int", 4)),
    ),
)
RECORD = ValueType(
    kind="record",
    name="ns::Step",
    size=24,
    alignment=8,
    members=(
        Member(offset=0, type=PAIR),
        Member(offset=8, type=POINTER),
        Member(offset=16, type=value("unsigned", "unsigned int", 4), bit_size=3),
    ),
)
LARGE = ValueType(kind="record", name="Big */ x", size=128, alignment=16)
EMPTY = ValueType(kind="record", name="Empty", size=1, alignment=1)


def adapter() -> bytes:
    kernels = (
        AdapterKernel(
            symbol="_ZN2ns3runEPfNS_4StepE",
            linkage=0,
            parameters=(Parameter(name="p", type=POINTER), Parameter(name=None, type=RECORD)),
        ),
        AdapterKernel(symbol="plain", linkage=0, parameters=()),
        AdapterKernel(
            symbol="big",
            linkage=2,
            parameters=(
                Parameter(name="b", type=LARGE),
                Parameter(name="e", type=EMPTY),
                Parameter(name="f", type=FLOAT),
            ),
        ),
    )
    return render("cpu_adapter.cpp.j2", adapter_rows(kernels, VARIABLES))


VARIABLES = (
    Variable(name="weights", display="weights", kind="device", size=64),
    Variable(name="_ZN2ns5callsE", display="ns::calls", kind="managed", size=4),
)


def plan() -> bytes:
    toolchain = Toolchain(
        backend="cpu", compiler=Path("/usr/bin/g++"), compiler_id="gcc", version="12"
    )
    edge = CompileEdge(
        kbuild_version="0",
        source=Path("/src/a ]==] b.cu"),
        display_source="a ]==] b.cu",
        arch="x86-64",
        device_standard=17,
        output=Path("/out/kbuild/t/a.x86-64"),
        toolchain=toolchain,
    )
    pack = PackPlan(
        kbuild_version="0",
        target="t",
        backend="cpu",
        visibility="hidden",
        headers=(),
        compiled=(edge.stamp,),
        output_directory=Path("/out/kbuild/t"),
        stub_suffix=".c",
        toolchain=toolchain,
    )
    link = LinkEdge(
        kbuild_version="0",
        target="t",
        arch="x86-64",
        compiled=(edge.stamp,),
        output=Path("/out/kbuild/t/t.x86-64.linked"),
        toolchain=toolchain,
    )
    built = BuildPlan(
        edges=(edge,),
        links=(link,),
        pack=pack,
        runtime_target="kbuild::runtime_cpu",
        editor_options=("-x", "c++"),
    )
    content = render_plan(kernel_call(), {"": built})
    return content.replace(str(resources.native_directory()).encode(), b"/kbuild/native")


def kernel_call() -> KernelCall:
    facts = {
        "CMAKE_BINARY_DIR": ("/out",),
        "CMAKE_CURRENT_BINARY_DIR": ("/out",),
        "CMAKE_CURRENT_SOURCE_DIR": ("/src",),
        "CMAKE_CXX_COMPILER_LOADED": ("ON",),
        "CMAKE_EXPORT_COMPILE_COMMANDS": ("ON",),
        "CMAKE_GENERATOR": ("Ninja",),
    }
    settings = KernelSettings(
        sources=("/src/a ]==] b.cu",),
        headers=("/src/inc/t.h", "/src/inc/u.h"),
        definitions=("A=1",),
        compile_options=("cpu:-Xa", "cuda:-Xb"),
        policy="/src/p.toml",
    )
    return KernelCall(
        record=CallRecord(
            function="kbuild_add_kernels", arguments=("t",), facts=facts, definitions={}
        ),
        target="t",
        name="t",
        is_mixed=False,
        settings=settings,
        keywords=(),
        sources=tuple(map(Path, settings.sources)),
        headers=tuple(map(Path, settings.headers)),
    )


def runtimes() -> bytes:
    shared = Runtime(linkage="shared", library=Path("/lib/libr.so.1"), definitions=("A", "B=1"))
    static = Runtime(linkage="static", library=Path("/lib/libr.a"), link_libraries=("dl",))
    rows = [
        {
            "target": RuntimeTarget(name=name, backend="r", runtime=runtime, run_paths=paths),
            "link_option": "LINKER:@/build/r.rpath",
        }
        for name, runtime, paths in (
            ("kbuild::runtime_r", shared, ("$ORIGIN/../lib", "/lib")),
            ("kbuild::runtime_r_static", static, ()),
        )
    ]
    made = Runtime(linkage="shared", library=Path("/cache/p.so.1"), is_provided=True)
    target = RuntimeTarget(name="kbuild::runtime_p", backend="p", runtime=made)
    rows.append({"target": target, "link_option": ""})
    context = {
        "rows": rows,
        "languages": ("CXX", "CUDA", "HIP"),
        "dependencies": (Path("/kbuild/plan.py"),),
        "compilers": ("CXX=/bin/aarch64-linux-gnu-g++",),
        "machine": "aarch64",
        "provided": {"p": (Path("/cache/p.so.1"), Path("/cache/p.a"))},
    }
    return render("runtimes.cmake.j2", context)


def project(tmp_path: Path) -> bytes:
    table = TargetTable(
        sources=("*.cu",),
        kind="object",
        architectures=("x86-64",),
        definitions=('X="a b"',),
        include_directories=("include",),
    )
    target = ManifestTarget(name="k", table=table, sources=(Path("/src/a.cu"),))
    profile = ProfileTable(definitions=("Y",), debug_stubs=True)
    manifest = Manifest(
        root=Path("/src"),
        targets=(target,),
        path=Path("/src/kbuild.toml"),
        profiles=(("debug", profile),),
    )
    directory = BuildDirectory(root=tmp_path)
    settings = BuildSettings(profile="debug", device_jobs=3)
    content = generate_project(manifest, directory, settings).content
    return content.replace(str(tmp_path).encode(), b"/out")


ENTRIES = Entries(
    kernels=(
        KernelEntry(
            device_name="_ZN2ns5scaleEPf",
            expression="((void ( *)(float *))ns::scale)",
            linkage="external",
        ),
        KernelEntry(
            device_name="_Z4axpyIfEvT_",
            expression="((void ( *)(float))axpy<float> )",
            linkage="weak",
        ),
        KernelEntry(
            device_name="_Z2onZ4mainEUliE_",
            expression="((void ( *)(_ZZ4mainEUliE_))on< ::Closure> )",
            linkage="internal",
        ),
        KernelEntry(device_name="plain", expression=None, linkage="external"),
        KernelEntry(device_name="_Z5localv", expression=None, linkage="internal"),
        KernelEntry(
            device_name="_Z4axpyIiEvT_",
            expression="((void ( *)(int))axpy<int> )",
            linkage="weak",
        ),
        KernelEntry(device_name="_Z4axpyIlEvT_", expression=None, linkage="weak"),
        KernelEntry(device_name="_Z4axpyIcEvT_", expression=None, linkage="weak"),
    ),
    variables=(
        VariableEntry(
            device_name="_ZN2ns1wE",
            expression="::ns::w",
            kind="device",
            size=64,
            linkage="external",
        ),
        VariableEntry(
            device_name="sv", expression="::sv", kind="constant", size=4, linkage="internal"
        ),
        VariableEntry(
            device_name="mm", expression="::mm", kind="managed", size=4, linkage="external"
        ),
        VariableEntry(
            device_name="named", expression=None, kind="managed", size=4, linkage="external"
        ),
    ),
    declarations=("typedef Closure _ZZ4mainEUliE_;",),
)
HANDLE_NAMES = tuple(kernel.device_name for kernel in ENTRIES.kernels)


def handles(*, has_weak_instances: bool = False) -> bytes:
    return render_handles(
        ENTRIES,
        HANDLE_NAMES,
        "1a2b",
        "hidden",
        "src/a.cu",
        has_weak_instances=has_weak_instances,
    )


GENERATED: dict[str, Callable[[], bytes]] = {
    "stub_unit.c": lambda: render_stub_unit(STUB),
    "debug_stub_unit.cpp": lambda: debug_stub_unit(Path("/src/types.hpp")),
    "kernels.hpp": lambda: render_cpp_header(TABLE, (), HOST_HEADER),
    "kernels_with_types.hpp": lambda: render_cpp_header(
        TABLE, (Path("/src/types.hpp"),), HOST_HEADER
    ),
    "handles.h": handles,
    "kernels.h": lambda: render_c_header(describe_bindings(TABLE), HOST_HEADER),
    "bindings.f90": lambda: render_fortran(describe_bindings(TABLE)),
    "bindings.rs": lambda: render_rust(describe_bindings(TABLE), EDITIONS[0]),
    "bindings.pyi": lambda: render_python(describe_bindings(TABLE)),
    "cpu_adapter.cpp": adapter,
    "plan.cmake": plan,
    "runtimes.cmake": runtimes,
}
