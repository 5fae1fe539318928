"""The tables of a policy: every key once, for the reader and for the JSON schema alike.

The policy is the ``[verify]`` table of ``kbuild.toml``, ``[tool.kbuild.verify]`` of
``pyproject.toml``, or a file of its own, with or without the ``[verify]`` header::

    [verify]
    required_architectures = ["sm_80", "sm_90", "compute_90"]
    minimum_driver = "12.4"
    max_spill_bytes = 0
    baseline = "kbuild.baseline"

    [[verify.for]]
    kernels = "attention*"
    max_registers = 255

    [[verify.waivers]]
    rule = "KB201"
    kernels = "legacy_*"
    reason = "goes away with 2.0"
    expires = 2027-01-31

    [verify.severities]
    KB108 = { severity = "warning", reason = "the old images go away with 2.0" }
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from kbuild.errors import ConfigurationError
from kbuild.verify.policy.file import SEVERITIES, Part, Policy, SeverityChange, Waiver
from kbuild.verify.policy.kinds import (
    COUNT,
    DATE,
    FILE,
    GLOBS,
    STRINGS,
    TEXT,
    VERSION,
    Key,
    Kind,
    Schema,
    Table,
    choice,
    list_of,
)

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_RULE: Final = Kind(read=TEXT.read, schema=TEXT.schema)

# What can be demanded of some kernels, files or images alone; ``not_with`` are the
# selectors that a key cannot depend on.
_DEMANDS: Final = {
    "required_architectures": Key(
        kind=STRINGS,
        what="Architectures that every kernel has an image for, as the vendor writes them: "
        "sm_90, compute_90 for PTX, gfx90a, x86-64-v3. Names are compared, not validated.",
        not_with=("architectures",),
    ),
    "allowed_architectures": Key(
        kind=STRINGS,
        what="The only architectures that there may be images for, besides the required ones.",
        not_with=("architectures",),
    ),
    "ptx": Key(
        kind=choice("required", "forbidden", "optional"),
        what="Whether there is to be code that drivers compile for newer devices.",
        not_with=("kernels", "architectures"),
    ),
    "max_registers": Key(kind=COUNT, what="Registers a thread."),
    "max_spill_bytes": Key(kind=COUNT, what="Bytes a thread of registers in memory."),
    "max_local_bytes": Key(kind=COUNT, what="Bytes a thread of local memory: stack and spills."),
    "max_shared_bytes": Key(kind=COUNT, what="Bytes a block of static shared memory."),
    "max_kernel_bytes": Key(kind=COUNT, what="Bytes of a kernel's code for one architecture."),
    "max_architecture_bytes": Key(
        kind=COUNT,
        what="Bytes of all images for one architecture in a file, as stored.",
        not_with=("kernels",),
    ),
    "max_artifact_bytes": Key(
        kind=COUNT,
        what="Bytes of all images in a file, as stored.",
        not_with=("kernels", "architectures"),
    ),
}

_KERNELS: Final = (
    "Kernels by symbol, demangled name, or that without its parameters and return type."
)
_FILES: Final = "Files by path or by name; a member of a wheel or an archive is outer!inner."

_PART: Final = Table(
    keys={
        "kernels": Key(kind=GLOBS, what=_KERNELS),
        "files": Key(kind=GLOBS, what=_FILES),
        "architectures": Key(kind=GLOBS, what="Images by their architecture."),
        **_DEMANDS,
    },
    any_of=("kernels", "files", "architectures"),
    make=Part,
)

_WAIVER: Final = Table(
    keys={
        "rule": Key(kind=_RULE, what="The rule whose findings are waived.", is_required=True),
        "kernels": Key(kind=GLOBS, what=_KERNELS),
        "files": Key(kind=GLOBS, what=_FILES),
        "arch": Key(kind=GLOBS, what="Findings by their architecture."),
        "reason": Key(kind=TEXT, what="Why the project lives with them.", is_required=True),
        "expires": Key(kind=DATE, what="The last day of the waiver.", is_required=True),
    },
    make=Waiver,
)

_CHANGE: Final = Table(
    keys={
        "severity": Key(kind=choice(*SEVERITIES), what="The new severity.", is_required=True),
        "reason": Key(kind=TEXT, what="Why; lowering a severity takes a reason."),
    }
)


def _read_severities(value: object, where: str) -> tuple[SeverityChange, ...]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: expected a table of rule ids")
    return tuple(_read_change(name, entry, f"{where}.{name}") for name, entry in value.items())


def _read_change(name: str, entry: object, where: str) -> SeverityChange:
    table: object = {"severity": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or "severity" not in table:
        raise ConfigurationError(f'{where}: expected {{ severity = "...", reason = "..." }}')
    return SeverityChange(rule=name, **_CHANGE.read(table, where))


_SEVERITIES: Final = Kind(
    read=_read_severities,
    schema={
        "type": "object",
        "additionalProperties": {"oneOf": [{"enum": list(SEVERITIES)}, _CHANGE.schema]},
    },
)

_POLICY: Final = Table(
    keys={
        **{name: replace(key, not_with=()) for name, key in _DEMANDS.items()},
        "minimum_driver": Key(
            kind=VERSION, what='The oldest driver to run on, by its CUDA release: "12.4".'
        ),
        "minimum_runtime": Key(
            kind=VERSION, what='The oldest runtime library to run on, by its release: "6.2".'
        ),
        "baseline": Key(
            kind=FILE,
            what="The file of figures that may not get worse, as --write-baseline writes it; "
            "relative to the policy.",
        ),
        "exported": Key(kind=GLOBS, what="Kernels that may be exported."),
        "severities": Key(kind=_SEVERITIES, what="Severities by rule id."),
        "for": Key(
            kind=list_of(_PART),
            what="Other demands for some kernels, files or architectures; later tables win.",
        ),
        "waivers": Key(kind=list_of(_WAIVER), what="Findings that the project lives with."),
    }
)


def read_policy(table: object, where: str, source: str | None = None) -> Policy:
    """The policy that a TOML table describes; ``where`` names the table in messages."""
    values: dict[str, Any] = _POLICY.read(table, where)
    parts, baseline = values.pop("for", ()), values.pop("baseline", None)
    return Policy(**values, parts=parts, baseline_file=baseline, source=source)


def make_schema() -> Schema:
    """The JSON schema of a policy: of the ``[verify]`` table, dates written as strings."""
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "kbuild verify policy",
        "description": "The [verify] table of kbuild.toml, [tool.kbuild.verify] of "
        "pyproject.toml, or a policy file of its own.",
        **_POLICY.schema,
    }
