"""The policy: what a project requires of its artifacts.

The dataclasses describe the ``[verify]`` table: `kbuild.records` reads it into them, and
`kbuild.verify.policy.schema` generates the JSON schema from the same fields. An editor that
uses the schema therefore accepts exactly what `kbuild verify` accepts.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import field
from typing import Annotated, Any, Final, Literal, TypeAlias

from kbuild.records import Accept, key
from kbuild.values import dataclass
from kbuild.verify.glob import matches, matches_file, matches_kernel
from kbuild.verify.policy.baseline import Baseline
from kbuild.verify.policy.indexes import IndexName

Severity: TypeAlias = Literal["info", "warning", "error"]
PtxPolicy: TypeAlias = Literal["required", "forbidden", "optional"]
Limit: TypeAlias = Literal[
    "max_registers",
    "max_spill_bytes",
    "max_local_bytes",
    "max_shared_bytes",
    "max_kernel_bytes",
    "max_architecture_bytes",
    "max_artifact_bytes",
]
ArchitectureList: TypeAlias = Literal[
    "required_architectures", "required_devices", "allowed_architectures"
]

SEVERITIES: Final[tuple[Severity, ...]] = ("info", "warning", "error")

Count: TypeAlias = Annotated[int, Accept(expected="an integer of at least 0", minimum=0)]
Text: TypeAlias = Annotated[
    str, Accept(expected="a string that is not blank", pattern=r"[\s\S]*\S[\s\S]*")
]
Globs: TypeAlias = Annotated[
    tuple[Text, ...], Accept(expected="a pattern or a list of patterns", one_or_many=True)
]
# At most two digits before the dot: a driver's own number (550.54.14) is not a CUDA release.
Release: TypeAlias = Annotated[
    str,
    Accept(
        expected='a quoted release such as "12.4" (not the driver\'s own number)',
        pattern=r"[0-9]{1,2}(\.[0-9]{1,3}){1,2}",
    ),
]

_KERNELS: Final = (
    "Kernels, by symbol or by demangled name, with or without parameters and return type."
)
_FILES: Final = "Files, by path or by name. A member of a wheel or an archive is outer!inner."


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityChange:
    """The severity that a project sets for a rule. Lowering one requires a reason."""

    rule: str
    severity: Severity = field(metadata=key("The new severity."))
    reason: Text | None = field(
        default=None, metadata=key("The reason, required to lower a severity.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The requirements on all or some kernels. None means no requirement."""

    required_architectures: tuple[Text, ...] | None = field(
        default=None,
        metadata=key(
            "Architectures that every kernel must have an image of its own for, as the vendor "
            "writes them: sm_90, compute_90 for PTX, gfx90a, x86-64-v3. Names are compared, not "
            "validated. CMake's spellings mean the same: 90-real, 90-virtual, and 90 for both.",
            not_with=("architectures",),
        ),
    )
    required_devices: tuple[Text, ...] | None = field(
        default=None,
        metadata=key(
            "Devices that every kernel must run on, each by its architecture: sm_86, gfx90a, "
            "x86-64-v3. Every image counts that such a device runs by its vendor's rules. For "
            "example, sm_86 runs images for sm_80, and compiles PTX for compute_80.",
            not_with=("architectures",),
        ),
    )
    allowed_architectures: tuple[Text, ...] | None = field(
        default=None,
        metadata=key(
            "The only architectures that may have images, in addition to the required ones.",
            not_with=("architectures",),
        ),
    )
    ptx: PtxPolicy | None = field(
        default=None,
        metadata=key(
            "Whether files must contain PTX, which drivers compile for newer devices.",
            not_with=("kernels", "architectures"),
        ),
    )
    max_registers: Count | None = field(default=None, metadata=key("Registers per thread."))
    max_spill_bytes: Count | None = field(
        default=None, metadata=key("Bytes per thread of registers that are spilled to memory.")
    )
    max_local_bytes: Count | None = field(
        default=None, metadata=key("Bytes per thread of local memory: stack and spills.")
    )
    max_shared_bytes: Count | None = field(
        default=None, metadata=key("Bytes per block of static shared memory.")
    )
    max_kernel_bytes: Count | None = field(
        default=None, metadata=key("Bytes of a kernel's code for one architecture.")
    )
    max_architecture_bytes: Count | None = field(
        default=None,
        metadata=key(
            "Bytes of all images for one architecture in a file, as stored.",
            not_with=("kernels",),
        ),
    )
    max_artifact_bytes: Count | None = field(
        default=None,
        metadata=key(
            "Bytes of all images in a file, as stored.",
            not_with=("kernels", "architectures"),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Requirements):
    """A ``[[verify.for]]`` table: requirements for the kernels, files, or images it selects.

    An empty selector selects everything. A table with ``kernels`` does not apply to a file as
    a whole.
    """

    kernels: Globs = field(default=(), metadata=key(_KERNELS, is_selector=True))
    files: Globs = field(default=(), metadata=key(_FILES, is_selector=True))
    architectures: Globs = field(
        default=(), metadata=key("Images, by architecture.", is_selector=True)
    )

    def covers(self, path: str, kernel: str | None, arch: str | None) -> bool:
        """Return whether the table applies to a file, or to a kernel or architecture in it."""
        if self.files and not matches_file(self.files, path):
            return False
        if self.kernels and not (kernel is not None and matches_kernel(self.kernels, kernel)):
            return False
        return not self.architectures or (arch is not None and matches(self.architectures, arch))


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Findings of ``rule`` that do not count until the end of the day ``expires``."""

    rule: Text = field(metadata=key("The rule whose findings are waived."))
    reason: Text = field(metadata=key("Why the project accepts the findings."))
    expires: dt.date = field(metadata=key("The last day of the waiver."))
    kernels: Globs = field(default=(), metadata=key(_KERNELS))
    files: Globs = field(default=(), metadata=key(_FILES))
    arch: Globs = field(default=(), metadata=key("Findings, by architecture."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy(Requirements):
    """The requirements of a project. The default policy requires only what the rules check anyway.

    Attributes:
        minimum_driver: The oldest driver to run on, as a CUDA release.
        minimum_runtime: The oldest runtime library to run on, as a release.
        require_device_code: Whether an artifact must contain kernels. None means that it must if
            the policy requires architectures of it.
        required_kernels: Patterns, each of which must match a kernel of the artifact.
        loaded_together: The files of a wheel that one process loads together. None means only
            those that one of them needs.
        exported: The kernels that may be exported, or None if the policy does not say.
        wheel_policy: The package index whose rules wheels must follow. None means that wheels are
            not judged as wholes.
        max_wheel_bytes: The size of the largest wheel. None means the index's limit.
        external_libraries: The libraries that a wheel can need from other distributions and from
            the system. None means that others are no error.
        stable_torch_abi: Whether a wheel can need only the stable ABI of libtorch.
        severities: Changed severities of rules.
        parts: Requirements for some kernels, files, and architectures. Later parts win.
        waivers: Findings that do not count.
        baseline_file: The baseline's path, as the policy writes it.
        baseline: The figures in that file, which must not get worse.
        source: The file that the policy was read from.
    """

    minimum_driver: Release | None = field(
        default=None,
        metadata=key('The oldest driver to run on, by its CUDA release, such as "12.4".'),
    )
    minimum_runtime: Release | None = field(
        default=None,
        metadata=key('The oldest runtime library to run on, by its release, such as "6.2".'),
    )
    require_device_code: bool | None = field(
        default=None,
        metadata=key(
            "Whether an artifact must contain device code: a wheel as a whole, or the other files "
            "of a call together. By default, it must if `required_architectures` or "
            "`required_devices` applies to it."
        ),
    )
    required_kernels: Globs | None = field(
        default=None,
        metadata=key(
            "Kernels that an artifact must contain: each pattern matches one by symbol or by "
            "demangled name, with or without parameters and return type."
        ),
    )
    loaded_together: Globs | None = field(
        default=None,
        metadata=key(
            "Files of a wheel that one process loads together, although none needs the others, "
            "such as modules that are imported with RTLD_GLOBAL. " + _FILES
        ),
    )
    exported: Globs | None = field(default=None, metadata=key("Kernels that may be exported."))
    wheel_policy: IndexName | None = field(
        default=None,
        metadata=key(
            "The package index whose rules wheels must follow: `pypi`. It also makes kbuild check "
            "the platform tag, the stable ABIs of Python and torch, the bill of materials, and "
            "RECORD. Needs the extra `publish`."
        ),
    )
    max_wheel_bytes: Count | None = field(
        default=None,
        metadata=key(
            "Bytes of a wheel, if the index granted another limit. Judged with `wheel_policy`."
        ),
    )
    external_libraries: Globs | None = field(
        default=None,
        metadata=key(
            "The only libraries that wheels can need from other distributions and from the "
            "driver, such as `libtorch*.so`. Judged with `wheel_policy`."
        ),
    )
    stable_torch_abi: bool = field(
        default=False,
        metadata=key(
            "Whether libraries in wheels can need only the stable ABI of libtorch. Judged with "
            "`wheel_policy`."
        ),
    )
    severities: tuple[SeverityChange, ...] = field(
        default=(),
        metadata=key("Severities, by rule id.", keyed_by="rule", shorthand="severity"),
    )
    parts: Annotated[tuple[Part, ...], Accept(expected="tables written as [[verify.for]]")] = field(
        default=(),
        metadata=key(
            "Requirements for some kernels, files, or architectures. Later tables win.",
            name="for",
        ),
    )
    waivers: Annotated[
        tuple[Waiver, ...], Accept(expected="tables written as [[verify.waivers]]")
    ] = field(default=(), metadata=key("Findings that do not count, each until a date."))
    baseline_file: Text | None = field(
        default=None,
        compare=False,
        metadata=key(
            "The file of figures that must not get worse, as --write-baseline writes it. "
            "Relative to the policy.",
            name="baseline",
        ),
    )
    baseline: Baseline | None = field(default=None, metadata=key(is_internal=True))
    source: str | None = field(default=None, compare=False, metadata=key(is_internal=True))

    def limit(
        self, name: Limit, path: str, kernel: str | None = None, arch: str | None = None
    ) -> int | None:
        """Return a limit for a file, or for a kernel or architecture in it."""
        found: int | None = self._find(name, path, kernel, arch)
        return found

    def has_limit(self, *names: Limit) -> bool:
        """Return whether one of these limits is set for anything."""
        return any(
            getattr(part, name) is not None for part in (self, *self.parts) for name in names
        )

    def architectures(
        self, name: ArchitectureList, path: str, kernel: str | None = None
    ) -> tuple[str, ...] | None:
        """Return a list of architectures that applies to a file or to a kernel in it."""
        found: tuple[str, ...] | None = self._find(name, path, kernel, None)
        return found

    def ptx_of(self, path: str) -> PtxPolicy | None:
        """Return whether the file must contain PTX."""
        found: PtxPolicy | None = self._find("ptx", path, None, None)
        return found

    def _find(self, name: str, path: str, kernel: str | None, arch: str | None) -> Any:
        value = getattr(self, name)
        for part in self.parts:
            own = getattr(part, name)
            if own is not None and part.covers(path, kernel, arch):
                value = own
        return value
