"""The metadata of AMDGPU code objects: a MessagePack map in an ELF note.

Source: "Code Object Metadata" for versions 3 to 6 in LLVM's "User Guide for AMDGPU Backend".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any, Final

import msgpack

from kbuild.errors import InputError
from kbuild.formats.amd.code_object.facts import CodeObjectParam, Dim3
from kbuild.formats.elf.notes import iterate_notes
from kbuild.values import dataclass

_OWNER: Final = b"AMDGPU\0"
_TYPE: Final = 32
# When unpacked, it needs many times as much memory.
_LARGEST: Final = 1 << 25
# Memory for an array is allocated before its elements are read.
_MOST_ELEMENTS: Final = 1 << 16
_MOST_KEYS: Final = 1 << 10
_TRIPLE_PARTS: Final = 4
_DIMENSIONS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelMetadata:
    """The metadata of a kernel. A field is None if the metadata does not contain it."""

    params: tuple[CodeObjectParam, ...] | None = None
    hidden_params: int | None = None
    kernarg_bytes: int | None = None
    kernarg_alignment: int | None = None
    vgprs: int | None = None
    agprs: int | None = None
    sgprs: int | None = None
    vgpr_spills: int | None = None
    sgpr_spills: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None
    max_threads: int | None = None
    required_block: Dim3 | None = None
    wavefront_size: int | None = None
    uses_dynamic_stack: bool | None = None


_NO_METADATA: Final = KernelMetadata()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of a code object.

    ``arch`` is the target id; None if it is missing. ``kernels`` is keyed by the name of the
    descriptor. ``trouble`` contains messages about damage.
    """

    arch: str | None = None
    kernels: dict[str, KernelMetadata] = field(default_factory=dict)
    trouble: tuple[str, ...] = ()


def read_metadata(sections: Iterable[memoryview]) -> Metadata:
    """Read the metadata in these note sections.

    Raises:
        InputError: The metadata is missing, or is not a MessagePack map.
    """
    for content in sections:
        for kind, description in iterate_notes(content, _OWNER):
            if kind == _TYPE:
                return _read(_unpack(description))
    raise InputError("the code object has no metadata")


def _unpack(description: memoryview) -> dict[str, Any]:
    if len(description) > _LARGEST:
        raise InputError(f"the metadata has {len(description)} bytes; the limit is {_LARGEST}")
    try:
        root = msgpack.unpackb(
            description,
            unicode_errors="replace",
            # Numeric keys can be forged so that their hashes collide.
            strict_map_key=True,
            max_array_len=_MOST_ELEMENTS,
            max_map_len=_MOST_KEYS,
            max_ext_len=0,
        )
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"the metadata is not valid MessagePack: {reason}") from error
    if not isinstance(root, dict):
        raise InputError("the metadata is not a map")
    return root


def _read(root: dict[str, Any]) -> Metadata:
    trouble: list[str] = []
    kernels: dict[str, KernelMetadata] = {}
    rows = root.get("amdhsa.kernels", [])
    if not isinstance(rows, list):
        trouble.append("the kernels in the metadata are not a list")
        rows = []
    for index, row in enumerate(rows):
        symbol = row.get(".symbol") if isinstance(row, dict) else None
        if not isinstance(symbol, str):
            trouble.append(f"kernel {index} of the metadata has no symbol")
            continue
        try:
            kernels[symbol] = _read_kernel(row)
        except InputError as error:
            trouble.append(f"the metadata of {symbol}: {error}")
            # The entry exists, so the kernel must not be reported as missing.
            kernels[symbol] = _NO_METADATA
    target = root.get("amdhsa.target")
    arch = _read_target(target) if isinstance(target, str) else None
    return Metadata(arch=arch, kernels=kernels, trouble=tuple(trouble))


def _read_target(target: str) -> str | None:
    """Return the target id in ``amdgcn-amd-amdhsa--gfx90a:xnack+``; it can contain dashes."""
    parts = target.split("-", _TRIPLE_PARTS)
    return parts[_TRIPLE_PARTS] if len(parts) > _TRIPLE_PARTS else None


def _read_kernel(row: dict[str, Any]) -> KernelMetadata:
    params, hidden_params = _read_params(row)
    dynamic = row.get(".uses_dynamic_stack")
    return KernelMetadata(
        params=params,
        hidden_params=hidden_params,
        kernarg_bytes=_number(row, ".kernarg_segment_size"),
        kernarg_alignment=_number(row, ".kernarg_segment_align"),
        vgprs=_number(row, ".vgpr_count"),
        agprs=_number(row, ".agpr_count"),
        sgprs=_number(row, ".sgpr_count"),
        vgpr_spills=_number(row, ".vgpr_spill_count"),
        sgpr_spills=_number(row, ".sgpr_spill_count"),
        lds_bytes=_number(row, ".group_segment_fixed_size"),
        scratch_bytes=_number(row, ".private_segment_fixed_size"),
        max_threads=_number(row, ".max_flat_workgroup_size"),
        required_block=_read_block(row),
        wavefront_size=_number(row, ".wavefront_size"),
        uses_dynamic_stack=bool(dynamic) if isinstance(dynamic, int) else None,
    )


def _read_params(row: dict[str, Any]) -> tuple[tuple[CodeObjectParam, ...], int]:
    """Return the parameters of the source, and the number that the compiler added."""
    params: list[CodeObjectParam] = []
    hidden = 0
    arguments = row.get(".args", [])
    if not isinstance(arguments, list):
        raise InputError("the arguments are not a list")
    for argument in arguments:
        if not isinstance(argument, dict):
            raise InputError("an argument is not a map")
        offset, size = _number(argument, ".offset"), _number(argument, ".size")
        kind = _text(argument, ".value_kind")
        if offset is None or size is None or kind is None:
            raise InputError("an argument has no offset, size, or kind")
        if kind.startswith("hidden_"):
            hidden += 1
            continue
        params.append(
            CodeObjectParam(
                index=len(params),
                offset=offset,
                size=size,
                value_kind=kind,
                name=_text(argument, ".name"),
                type_name=_text(argument, ".type_name"),
            )
        )
    return tuple(params), hidden


def _read_block(row: dict[str, Any]) -> Dim3 | None:
    block = row.get(".reqd_workgroup_size")
    if block is None:
        return None
    if not isinstance(block, list) or len(block) != _DIMENSIONS or not all(map(_is_size, block)):
        raise InputError(".reqd_workgroup_size must consist of three sizes")
    x, y, z = block
    return x, y, z


def _number(row: dict[str, Any], key: str) -> int | None:
    value = row.get(key)
    if value is not None and not _is_size(value):
        raise InputError(f"{key} must be a non-negative integer")
    return value


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _text(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    return value if isinstance(value, str) else None
