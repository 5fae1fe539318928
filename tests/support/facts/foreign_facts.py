"""Facts of files that another tool built, sound or with a defect."""

from __future__ import annotations

from dataclasses import replace

from kbuild.demangle.stub_names import name_stub
from kbuild.facts import (
    ArtifactFacts,
    HostKernel,
    LinkageFacts,
    Place,
    Pointer,
    RuntimeFacts,
    Segment,
    ShadowFacts,
    Symbol,
    WrapperFacts,
)
from kbuild.formats.elf.constants import SHF_X86_64_LARGE
from support.facts.build_facts import (
    AXPY,
    DYNAMIC,
    KERNELS,
    SCALE,
    change_module,
    export,
    host_facts,
    make_symbol,
)
from support.facts.build_facts import sound_facts as own_facts

WRAPPER = WrapperFacts(
    backend="other",
    place=Place(section=4, offset=0),
    version=1,
    is_device_linked=False,
    container=0,
)
SHARED_RUNTIME = RuntimeFacts(
    backend="other", name="run", linkage="shared", soname="librun.so.5", version="5"
)
STATIC_RUNTIME = replace(SHARED_RUNTIME, linkage="static", soname=None, version=None)
COPIED_RUNTIME = replace(
    SHARED_RUNTIME, soname="librun-1a2b3c4d.so.5.1", version="5.1", is_copy=True
)
DRIVER = replace(
    SHARED_RUNTIME, name="drive", soname="libdrive.so.1", is_driver=True, is_bound_to_kernel=True
)
LINKAGE = LinkageFacts(
    backend="other", unlinked=(), needs=("runLaunch", "runRegister"), unregisters=True
)
SEGMENTS = (
    Segment(type="PT_LOAD", flags=5, address=0, offset=0, file_size=9, memory_size=9),
    Segment(type="PT_LOAD", flags=6, address=9, offset=9, file_size=9, memory_size=9),
    Segment(type="PT_GNU_RELRO", flags=4, address=9, offset=9, file_size=9, memory_size=9),
    Segment(type="PT_GNU_STACK", flags=6, address=0, offset=0, file_size=0, memory_size=0),
)


def _host_kernel(number: int) -> HostKernel:
    kernel = KERNELS[number]
    stub = make_symbol(
        name_stub(kernel.name), Place(section=2, offset=64 * number), type="function", size=60
    )
    return HostKernel(
        backend="other",
        kernel=kernel.name,
        symbol=make_symbol(kernel.name, Place(section=1, offset=8 * number)),
        stub=stub,
        is_registered=True,
    )


def foreign_facts() -> ArtifactFacts:
    """Return a sound shared object with two hidden kernels, registered and unregistered."""
    own = own_facts()
    return replace(
        own,
        path="libforeign.so",
        modules=(),
        handles=(),
        images=tuple(replace(i, backend="other", sha256=None) for i in own.images),
        containers=tuple(replace(c, backend="other") for c in own.containers),
        segments=SEGMENTS,
        wrappers=(WRAPPER,),
        host_kernels=tuple(map(_host_kernel, range(len(KERNELS)))),
        runtimes=(SHARED_RUNTIME,),
        linkage=(LINKAGE,),
    )


FOREIGN = foreign_facts()
OWN = own_facts()


def visible(facts: ArtifactFacts, path: str) -> ArtifactFacts:
    """Return the library with exported identities."""

    def show(symbol: Symbol) -> Symbol:
        return replace(symbol, visibility="default", dynamic=True)

    kernels = tuple(
        replace(one, symbol=one.symbol and show(one.symbol), stub=one.stub and show(one.stub))
        for one in facts.host_kernels
    )
    symbols = [s for one in kernels for s in (one.symbol, one.stub) if s]
    return replace(facts, path=path, host_kernels=kernels, symbols=tuple(symbols))


def user(*names: str, runtime: RuntimeFacts | None = None) -> ArtifactFacts:
    """Return a program that needs these names from libraries."""
    symbols = (make_symbol(n, None, type="none", visibility="default", dynamic=True) for n in names)
    return replace(
        host_facts("executable"),
        symbols=tuple(symbols),
        runtimes=(runtime,) if runtime else (),
    )


def runtime_library(*names: str) -> ArtifactFacts:
    """Return the runtime with these functions."""
    place = Place(section=2, offset=0)
    facts = host_facts("shared-object")
    assert facts.dynamic is not None
    return replace(
        facts,
        path="librun.so.5",
        dynamic=replace(facts.dynamic, soname="librun.so.5"),
        symbols=tuple(
            make_symbol(n, place, type="function", visibility="default", dynamic=True)
            for n in names
        ),
    )


def versioned_runtime(*versions: str) -> ArtifactFacts:
    """Return the runtime with the needed functions, in the last version."""
    facts = runtime_library("runLaunch", "runRegister")
    assert facts.dynamic is not None
    return replace(
        facts,
        dynamic=replace(facts.dynamic, versions=versions),
        symbols=tuple(replace(symbol, version=versions[-1]) for symbol in facts.symbols),
    )


VISIBLE = visible(FOREIGN, "libforeign.so")
RELOCATABLE = replace(FOREIGN.containers[0], is_relocatable=True)
DEVICE_LINKED = replace(
    FOREIGN,
    containers=(FOREIGN.containers[0], replace(RELOCATABLE, place=Place(section=3, offset=64))),
    wrappers=(WRAPPER, replace(WRAPPER, version=2, is_device_linked=True)),
)
ARCHIVED = replace(own_facts(), path="libk.a!k.o", kind="object", dynamic=None)


def _near(address: int, flags: int = 0) -> ArtifactFacts:
    """Return the library with its data at this address and with additional flags."""
    code, data = FOREIGN.sections[2], replace(FOREIGN.sections[4], address=address)
    data = replace(data, flags=data.flags | flags)
    code = replace(code, flags=code.flags | 4)
    return replace(FOREIGN, sections=(*FOREIGN.sections[:2], code, FOREIGN.sections[3], data))


def _with_priority(priority: int | None) -> ArtifactFacts:
    return change_module(
        replace(export(OWN), kind="object", dynamic=None),
        lambda module: replace(module, constructor_priority=priority),
    )


def with_variable(
    base: ArtifactFacts = OWN,
    *,
    name: str = "weights",
    path: str = "libvariable.so",
    visibility: str = "default",
) -> ArtifactFacts:
    """Return a library with an exported device variable, of kbuild or not."""
    place = Place(section=4, offset=0)
    symbol = make_symbol(name, place, visibility=visibility, dynamic=True)
    is_own = bool(base.modules)
    shadow = ShadowFacts(
        backend="cpu" if is_own else "other",
        symbol=symbol,
        registered=Pointer(place=place, symbol=name, interposable=True) if is_own else None,
        is_own=is_own,
    )
    return replace(base, path=path, symbols=(*base.symbols, symbol), shadows=(shadow,))


def symbolic(facts: ArtifactFacts) -> ArtifactFacts:
    """Return the library, linked with -Bsymbolic."""
    assert facts.dynamic is not None
    shadows = tuple(
        replace(shadow, registered=shadow.registered and Pointer(place=shadow.symbol.place))
        for shadow in facts.shadows
    )
    return replace(facts, dynamic=replace(facts.dynamic, is_symbolic=True), shadows=shadows)


def in_wheel(name: str, version: str) -> ArtifactFacts:
    """Return the library in a wheel, linked to that version of a runtime."""
    runtime = RuntimeFacts(
        backend="cuda",
        name="cudart",
        linkage="shared",
        soname=f"libcudart.so.{version}",
        version=version,
    )
    return replace(FOREIGN, path=f"dist/{name}!k/_k.so", runtimes=(runtime,))


def versioned(library: str, needed: tuple[str, ...] = ("libc.so.6",)) -> ArtifactFacts:
    """Return a library that needs versions of another one, and these libraries."""
    dynamic = replace(DYNAMIC, needed=needed, versioned=("ld-linux-x86-64.so.2", library))
    return replace(FOREIGN, dynamic=dynamic)


HELPER = replace(
    host_facts("shared-object"),
    path="libhelper.so.1",
    dynamic=replace(DYNAMIC, soname="libhelper.so.1", needed=("libdeep.so.1",)),
)
FOREIGN_CLEAN: tuple[tuple[ArtifactFacts, ...], ...] = (
    (FOREIGN,),
    (DEVICE_LINKED,),
    (_near(0x9000_0000, SHF_X86_64_LARGE),),
    (FOREIGN, runtime_library("runLaunch", "runRegister", "runMore")),
    # Another library defines a name that looks like one of the runtime.
    (
        FOREIGN,
        runtime_library("runLaunch"),
        replace(runtime_library("runRegister"), path="libhelper.so", dynamic=DYNAMIC),
    ),
    (
        replace(FOREIGN, runtimes=(replace(SHARED_RUNTIME, needs=("run_1",)),)),
        versioned_runtime("run_1", "run_2"),
    ),
    (user(AXPY, runtime=SHARED_RUNTIME), FOREIGN),
    (replace(OWN, kind="executable"), ARCHIVED),
    (
        replace(FOREIGN, runtimes=(COPIED_RUNTIME,)),
        replace(FOREIGN, path="libnext.so", runtimes=(replace(SHARED_RUNTIME, version="6"),)),
        replace(FOREIGN, path="libvendor.so", runtimes=(STATIC_RUNTIME,)),
    ),
    (versioned("libc.so.6", needed=()),),
    (versioned("libm.so.6", ("libstdc++.so.6",)),),
    (versioned("libdeep.so.1", ("libhelper.so.1",)), HELPER),
    (in_wheel("k_cu12-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", "12"),),
    (in_wheel("k-1.0+cu121-1-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl", "12"),),
    (in_wheel("k_cuda13_plugin-1.0-py3-none-linux_x86_64.whl", "13"),),
    (in_wheel("cub200-1.0-py3-none-linux_x86_64.whl", "13"),),
)

# Rule id, defect, and the facts of one file or of several.
FOREIGN_BAD: tuple[tuple[str, str, ArtifactFacts | tuple[ArtifactFacts, ...]], ...] = (
    ("KB102", "no kernel", replace(FOREIGN, images=(), host_kernels=())),
    (
        "KB102",
        "empty images",
        replace(
            FOREIGN,
            images=tuple(replace(image, kernels=()) for image in FOREIGN.images),
            host_kernels=(),
        ),
    ),
    (
        "KB104",
        "not registered",
        replace(
            FOREIGN,
            host_kernels=(
                FOREIGN.host_kernels[0],
                replace(FOREIGN.host_kernels[1], is_registered=False),
            ),
        ),
    ),
    (
        "KB302",
        "function of another tool",
        replace(
            FOREIGN,
            host_kernels=tuple(
                replace(one, symbol=one.stub and replace(one.stub, name=one.kernel), stub=None)
                for one in FOREIGN.host_kernels
            ),
        ),
    ),
    (
        "KB304",
        "folded by another tool",
        replace(
            FOREIGN,
            host_kernels=(
                FOREIGN.host_kernels[0],
                replace(FOREIGN.host_kernels[1], symbol=FOREIGN.host_kernels[0].symbol),
            ),
        ),
    ),
    (
        "KB307",
        "hidden stub of another tool",
        replace(
            FOREIGN,
            host_kernels=tuple(
                replace(one, stub=one.stub and replace(one.stub, visibility="default"))
                for one in FOREIGN.host_kernels
            ),
        ),
    ),
    ("KB310", "variable of the C library", with_variable(name="environ")),
    ("KB310", "variable of another tool", with_variable(FOREIGN, name="environ")),
    ("KB310", "function that no other library uses", with_variable(FOREIGN, name="gamma")),
    ("KB310", "function of a runtime", with_variable(name="cudaMalloc")),
    (
        "KB401",
        "wrapper leads nowhere",
        replace(FOREIGN, wrappers=(replace(WRAPPER, container=None, problem="it is null"),)),
    ),
    (
        "KB402",
        "undefined",
        replace(FOREIGN, linkage=(replace(LINKAGE, unlinked=("registerLinked1",)),)),
    ),
    (
        "KB402",
        "undefined, which unregisters too",
        replace(
            FOREIGN,
            linkage=(replace(LINKAGE, unlinked=("registerLinked1",), unregisters=False),),
        ),
    ),
    ("KB402", "not linked", replace(FOREIGN, containers=(RELOCATABLE,))),
    (
        "KB402",
        "undefined, which would bring the images",
        replace(
            FOREIGN,
            images=(),
            containers=(),
            host_kernels=(),
            linkage=(replace(LINKAGE, unlinked=("fatbinary1",)),),
        ),
    ),
    (
        "KB402",
        "entries that nobody registers",
        replace(
            FOREIGN,
            images=(),
            containers=(),
            host_kernels=(),
            wrappers=(),
            linkage=(replace(LINKAGE, unregisters=None, waiting=("entries",)),),
        ),
    ),
    ("KB403", "older runtime", (FOREIGN, runtime_library("runLaunch"))),
    (
        "KB403",
        "version of its symbols",
        (
            replace(FOREIGN, runtimes=(replace(SHARED_RUNTIME, needs=("run_2",)),)),
            versioned_runtime("run_1"),
        ),
    ),
    (
        "KB403",
        "version of a symbol",
        (
            replace(
                FOREIGN,
                symbols=(
                    make_symbol("runLaunch", None, dynamic=True, version="run_1"),
                    make_symbol("runRegister", None, dynamic=True),
                ),
            ),
            versioned_runtime("run_2"),
        ),
    ),
    (
        "KB404",
        "static beside shared",
        (
            user(SCALE, runtime=replace(STATIC_RUNTIME, backend="cpu")),
            replace(export(OWN), runtimes=(replace(SHARED_RUNTIME, backend="cpu"),)),
        ),
    ),
    (
        *("KB404", "copied beside shared"),
        (
            replace(FOREIGN, runtimes=(COPIED_RUNTIME,)),
            replace(FOREIGN, path="libnext.so", runtimes=(SHARED_RUNTIME,)),
        ),
    ),
    ("KB404", "copied beside static", replace(FOREIGN, runtimes=(COPIED_RUNTIME, STATIC_RUNTIME))),
    ("KB405", "in two libraries", (export(OWN), replace(export(OWN), path="libsecond.so"))),
    (
        "KB405",
        "variable in two libraries",
        (with_variable(path="a.so"), with_variable(path="b.so")),
    ),
    (
        "KB405",
        "variable of another tool",
        (with_variable(FOREIGN, path="a.so"), with_variable(path="b.so")),
    ),
    ("KB406", "exported", VISIBLE),
    ("KB407", "kbuild", change_module(OWN, lambda m: replace(m, unregister=None))),
    ("KB407", "other tool", replace(FOREIGN, linkage=(replace(LINKAGE, unregisters=False),))),
    ("KB408", "priority", _with_priority(200)),
    ("KB408", "no priority", _with_priority(None)),
    (
        *("KB408", "others before"),
        change_module(OWN, lambda m: replace(m, earlier_constructors=("early", ""))),
    ),
    ("KB409", "left out", (user(), ARCHIVED)),
    ("KB410", "needed driver", replace(FOREIGN, runtimes=(SHARED_RUNTIME, DRIVER))),
    (
        *("KB411", "needed copy"),
        replace(
            FOREIGN, runtimes=(replace(DRIVER, soname="libdrive-1a2b3c4d.so.1", is_copy=True),)
        ),
    ),
    *(
        ("KB411", name, replace(host_facts("shared-object"), path=f"k-1.0.zip!k.libs/{name}"))
        for name in ("libcuda-1a2b3c4d.so.580.65.06", "libnvidia-ml.1a2b3c4d.so.1")
    ),
    (
        *("KB411", "shipped under its own name"),
        tuple(
            replace(
                host_facts("shared-object"),
                path=f"k-1.0-py3-none-linux_x86_64.whl!{path}",
                dynamic=replace(DYNAMIC, needed=needed, runpath=("$ORIGIN/../lib",)),
            )
            for path, needed in (
                ("k/lib/libcuda.so.1", ()),
                ("k/ext/_k.so", ("libcuda.so.1",)),
                ("k/lib/stubs/libcuda.so", ()),
            )
        ),
    ),
    ("KB412", "unneeded library", versioned("libgone.so.1")),
    ("KB412", "unneeded library beside a helper", (versioned("libdeep.so.1"), HELPER)),
    ("KB501", "variable copied", (host_facts("executable", ("copy", "weights")), with_variable())),
    (
        "KB501",
        "variable copied and protected",
        (
            host_facts("executable", ("copy", "weights")),
            with_variable(FOREIGN, visibility="protected"),
        ),
    ),
    ("KB502", "symbolic variable", symbolic(with_variable())),
    ("KB502", "symbolic variable of another tool", symbolic(with_variable(FOREIGN))),
    ("KB504", "out of reach", _near(0x9000_0000)),
    ("KB504", "nearly", _near(0x6800_0000)),
    (
        "KB506",
        "executable stack",
        replace(FOREIGN, segments=(*SEGMENTS[:3], replace(SEGMENTS[3], flags=7))),
    ),
    (
        "KB506",
        "writable code",
        replace(FOREIGN, segments=(replace(SEGMENTS[0], flags=7), *SEGMENTS[1:])),
    ),
    (
        "KB602",
        "path",
        replace(
            FOREIGN,
            images=tuple(replace(i, source_paths=("/home/me/k.cu",)) for i in FOREIGN.images),
        ),
    ),
    (
        "KB603",
        "stripped image with a table",
        replace(OWN, images=(replace(OWN.images[0], nameless=(SCALE, AXPY)), *OWN.images[1:])),
    ),
    (
        "KB603",
        "stripped image alone",
        replace(
            FOREIGN,
            kind="image",
            wrappers=(),
            host_kernels=(),
            images=(replace(FOREIGN.images[0], kernels=(), nameless=(SCALE,)),),
        ),
    ),
    ("KB604", "runtime", in_wheel("k_cu11-1.0-py3-none-linux_x86_64.whl", "12")),
    ("KB604", "local version", in_wheel("k-1.0+cu130-py3-none-linux_x86_64.whl", "12")),
    ("KB604", "machine", in_wheel("k-1.0-py3-none-manylinux_2_28_aarch64.whl", "12")),
    ("KB604", "any platform", in_wheel("k-1.0-py3-none-any.whl", "12")),
    ("KB506", "no RELRO", replace(FOREIGN, segments=(*SEGMENTS[:2], SEGMENTS[3]))),
)
