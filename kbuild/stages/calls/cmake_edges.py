"""Describe the edges of a plan as CMake creates them: with their outputs and dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kbuild.stages.calls.flags import read_late
from kbuild.stages.calls.kernels import KernelCall
from kbuild.stages.edges import BuildPlan, CompileEdge, LinkEdge
from kbuild.stages.freshness import list_inputs
from kbuild.stages.mixed.edge import HostEdge
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeEdge:
    """One custom command, which runs ``kbuild <command> <handoff> <options>``.

    ``pool`` is the Ninja job pool, and ``depfile`` the list of further inputs, if there are any.
    """

    command: str
    handoff: Path
    comment: str
    outputs: tuple[str, ...]
    byproducts: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    depfile: Path | None = None
    pool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredPlan:
    """The plan of a call for one configuration, which is empty if there is only one.

    ``pool`` is the Ninja job pool of edges that compile or link device code.
    """

    call: KernelCall
    configuration: str
    plan: BuildPlan
    pool: str | None = None

    def limit(self, path: Path) -> str:
        """Return a path as an item of a list that exists only in this configuration.

        Without this, a build of one configuration would also build the others.
        """
        return f"$<$<CONFIG:{self.configuration}>:{path}>" if self.configuration else str(path)

    def limit_all(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Return paths as items of lists that exist only in this configuration."""
        return tuple(map(self.limit, paths))

    @property
    def directory(self) -> Path:
        """The directory of the outputs."""
        return self.plan.pack.output_directory

    @property
    def flags(self) -> str:
        """The file with the flags for device code."""
        return f"{self.directory}/flags.{self.call.language}.txt"

    @property
    def host_flags(self) -> str:
        """The file with the flags for host passes."""
        return f"{self.directory}/host_flags.CXX.txt"

    @property
    def shares_device_code(self) -> bool:
        """Whether the device code of static libraries can be linked to the target."""
        return self.call.is_mixed and bool(self.plan.links)

    @property
    def compiled(self) -> tuple[str, ...]:
        """The stamps of the compile edges."""
        return self.limit_all(edge.stamp for edge in self.plan.edges)

    @property
    def stamps(self) -> tuple[str, ...]:
        """What the target needs before it is compiled itself."""
        # Host passes belong to the target of the device code, so that they do not wait for it.
        return self.limit_all((self.plan.pack.stamp, *(host.text for host in self.plan.hosts)))

    @property
    def generated_headers(self) -> tuple[str, ...]:
        """The ``HEADERS`` that the build generates."""
        return tuple(str(path) for path in self.call.headers if path in self.call.generated)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The option that names the libraries whose device code is linked."""
        path = f"{self.directory}/libraries.txt"
        return ("--libraries", path) if self.shares_device_code else ()

    @property
    def library_stamps(self) -> tuple[str, ...]:
        """The stamps of the device code of these libraries, and other files."""
        names = ("_KBUILD_LINKED_STAMPS", "_KBUILD_LINKED_FILES")
        found = (read_late(self.call.target, name) for name in names)
        return tuple(found) if self.shares_device_code else ()


def list_edges(configured: ConfiguredPlan) -> Iterator[CMakeEdge]:
    """List the edges of a plan."""
    for host in configured.plan.hosts:
        yield from _list_host_edges(configured, host)
    for edge in configured.plan.edges:
        yield _describe_compile(configured, edge)
    for link in configured.plan.links:
        yield _describe_link(configured, link)
    yield _describe_pack(configured)


def _list_host_edges(configured: ConfiguredPlan, host: HostEdge) -> Iterator[CMakeEdge]:
    """List the edges of a mixed source.

    The first one preprocesses it and writes its device key, and the second one writes its host
    text. The key changes only if device code can change, so that editing host code runs no device
    compiler.
    """
    options = ("--flags", configured.host_flags)
    yield CMakeEdge(
        command="preprocess",
        handoff=host.handoff,
        comment=f"Preprocessing {host.display_source}",
        outputs=configured.limit_all((host.preprocessed, host.key)),
        options=options,
        depends=tuple(map(str, list_inputs(host, Path(configured.host_flags)))),
        depfile=host.depfile,
    )
    yield CMakeEdge(
        command="host-pass",
        handoff=host.handoff,
        comment=f"Reading host code of {host.display_source}",
        outputs=configured.limit_all((host.stamp, host.text)),
        byproducts=configured.limit_all((host.launches,)),
        options=options,
        depends=configured.limit_all((host.preprocessed,)),
    )


def _describe_compile(configured: ConfiguredPlan, edge: CompileEdge) -> CMakeEdge:
    # The key of a mixed source contains what the flags mean to it.
    flags = configured.host_flags if edge.key is not None else configured.flags
    return CMakeEdge(
        command="compile",
        handoff=edge.handoff,
        comment=f"Compiling kernels of {edge.display_source} for {edge.arch}",
        outputs=configured.limit_all((edge.stamp,)),
        options=("--flags", flags),
        depends=(
            *map(str, list_inputs(edge, Path(flags))),
            *configured.generated_headers,
        ),
        depfile=edge.depfile,
        pool=configured.pool,
    )


def _describe_link(configured: ConfiguredPlan, link: LinkEdge) -> CMakeEdge:
    compiled = configured.limit_all(link.compiled)
    return CMakeEdge(
        command="device-link",
        handoff=link.handoff,
        comment=f"Linking device code of {link.target} for {link.arch}",
        outputs=configured.limit_all((link.stamp,)),
        options=("--flags", configured.flags, *configured.libraries),
        depends=(
            *(*compiled, str(link.handoff), configured.flags),
            *configured.library_stamps,
        ),
        pool=configured.pool,
    )


def _describe_pack(configured: ConfiguredPlan) -> CMakeEdge:
    pack = configured.plan.pack
    handles = (host.handles for host in configured.plan.hosts)
    written = (f for unit in pack.units for f in (unit.stub, unit.fat_binary, unit.kernel_table))
    headers = (pack.cpp_header, pack.c_header)
    linked = configured.limit_all(link.stamp for link in configured.plan.links)
    inputs = (str(pack.handoff), *configured.library_stamps, *configured.generated_headers)
    return CMakeEdge(
        command="pack",
        handoff=pack.handoff,
        comment=f"Packing kernels of {configured.call.name}",
        outputs=configured.limit_all((pack.stamp,)),
        byproducts=configured.limit_all((*written, *headers, *handles)),
        options=configured.libraries,
        depends=(*configured.compiled, *linked, *inputs),
    )
