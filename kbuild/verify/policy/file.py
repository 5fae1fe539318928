"""Find and read a project's policy.

The policy is the ``[verify]`` table of ``kbuild.toml``, ``[tool.kbuild.verify]`` of
``pyproject.toml``, or a separate file with or without the ``[verify]`` header::

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

from pathlib import Path
from typing import Any, TypeVar

from kbuild.backends import name_devices, name_images
from kbuild.errors import ConfigurationError, InputError
from kbuild.files import read_toml
from kbuild.records import from_json
from kbuild.values import replace
from kbuild.verify.policy.baseline import read_baseline
from kbuild.verify.policy.model import Policy, Requirements

T = TypeVar("T", bound=Requirements)


def load_policy(path: Path, *, reads_baseline: bool = True) -> Policy:
    """Return the policy in a file.

    Args:
        path: The policy, ``kbuild.toml``, or ``pyproject.toml``.
        reads_baseline: Whether to read the baseline that the policy names. False if the caller
            uses another baseline or needs none yet.

    Raises:
        ConfigurationError: The file cannot be read, has no policy, or is not valid.
    """
    document = read_toml(path)
    table, where = _find_table(path, document)
    if table is None:
        raise ConfigurationError(f"{path}: no {where} table; add one, or name another policy file")
    return _read_file(path, table, where, reads_baseline=reads_baseline)


def find_policy(directory: Path, *, reads_baseline: bool = True) -> Policy | None:
    """Return the policy of the project in a directory, or None if it has none.

    The arguments and errors are those of `load_policy`.
    """
    for name in ("kbuild.toml", "pyproject.toml"):
        path = directory / name
        if path.is_file():
            table, where = _find_table(path, read_toml(path))
            if table is not None:
                return _read_file(path, table, where, reads_baseline=reads_baseline)
    return None


def read_policy(table: object, where: str) -> Policy:
    """Return the policy that a TOML table describes; ``where`` names the table in messages."""
    try:
        policy = from_json(Policy, table, where)
    except InputError as error:
        raise ConfigurationError(str(error)) from error
    return replace(
        _name_required_images(policy),
        parts=tuple(
            replace(_name_required_images(part), architectures=name_images(part.architectures))
            for part in policy.parts
        ),
        waivers=tuple(replace(waiver, arch=name_images(waiver.arch)) for waiver in policy.waivers),
    )


def _name_required_images(part: T) -> T:
    """Return the requirements with the vendors' names of architectures, which facts contain."""
    required, allowed = part.required_architectures, part.allowed_architectures
    devices = part.required_devices
    return replace(
        part,
        required_architectures=None if required is None else name_images(required),
        required_devices=None if devices is None else name_devices(devices),
        allowed_architectures=None if allowed is None else name_images(allowed),
    )


def _read_file(path: Path, table: object, where: str, *, reads_baseline: bool) -> Policy:
    policy = replace(read_policy(table, f"{path}: {where}"), source=str(path))
    if policy.baseline_file is None:
        return policy
    # The path is relative to the policy, wherever the command runs.
    file = path.parent / policy.baseline_file
    try:
        baseline = read_baseline(file) if reads_baseline else None
    except InputError as error:
        raise ConfigurationError(f"{path}: {where}.baseline: {error}") from error
    return replace(policy, baseline=baseline, baseline_file=str(file))


def _find_table(path: Path, document: dict[str, Any]) -> tuple[object, str]:
    """Return the policy's table, or None if the file has none, and its name for messages."""
    if path.name == "pyproject.toml":
        table: object = document
        for key in ("tool", "kbuild", "verify"):
            table = table.get(key) if isinstance(table, dict) else None
        return table, "[tool.kbuild.verify]"
    if "verify" in document or path.name == "kbuild.toml":
        return document.get("verify"), "[verify]"
    return document, "policy"
