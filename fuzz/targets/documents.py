"""Text files that people and kbuild write: policies, manifests, baselines, and records."""

from __future__ import annotations

import datetime as dt
import json
import random
import struct
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from fuzz.mutation.binary import mutate_bytes
from fuzz.mutation.json import format_document, mutate_document
from fuzz.mutation.text import make_text_mutator
from fuzz.mutation.toml import make_toml_mutator
from fuzz.target import CORPUS, Target, expect_input_errors
from fuzz.working_directory import write_input
from kbuild import records
from kbuild.facts import ArtifactFacts
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import inspect_content
from kbuild.model import TargetRecord
from kbuild.project.manifest.checks import check_manifest
from kbuild.project.manifest.read import read_manifest
from kbuild.project.manifest.tables import ProfileTable, TargetTable
from kbuild.records import fields_of
from kbuild.runtime.launch_records.file import read_images, read_launch_record
from kbuild.runtime.launch_records.replay import find_missing
from kbuild.stages.compile import CompiledSource
from kbuild.verify import Policy, load_policy, verify
from kbuild.verify.catalog import RULES
from kbuild.verify.policy.baseline import read_baseline
from kbuild.verify.policy.model import Part, Waiver

_DAY: Final = dt.date(2026, 1, 1)
_START: Final = struct.Struct("<8sIIQ")
_ALIGNMENT: Final = 64
_LARGEST: Final = 200_000
_RECORD_KINDS: Final[tuple[tuple[str, Any], ...]] = (
    (records.RECORD_SCHEMA, TargetRecord),
    (records.IMAGE_SCHEMA, CompiledSource),
)


@cache
def _read_facts() -> tuple[ArtifactFacts, ...]:
    name = "artifact/shared-object.kbuild.so"
    return inspect_content("lib.so", (CORPUS / name).read_bytes(), ReadOptions(jobs=1))


def check_policy(data: bytes) -> None:
    """Read a policy, and verify a library by it."""
    path = write_input("policy.toml", data)
    with expect_input_errors():
        report = verify(_read_facts(), load_policy(path), RULES, _DAY)
        if report.rules_errored:
            raise AssertionError(report.rules_errored)


def check_baseline(data: bytes) -> None:
    """Read a baseline."""
    path = write_input("kbuild.baseline", data)
    with expect_input_errors():
        read_baseline(path)


def check_kbuild_toml(data: bytes) -> None:
    """Read and check a manifest."""
    path = write_input("kbuild.toml", data)
    with expect_input_errors():
        check_manifest(read_manifest(path), path.parent / "build")


def check_launch_record(data: bytes) -> None:
    """Read a launch record and its images."""
    path = write_input("one.launch", data)
    with expect_input_errors():
        record = read_launch_record(path)
        find_missing(record)
        read_images(record)


def check_record(data: bytes) -> None:
    """Read the records of build edges."""
    for schema, kind in _RECORD_KINDS:
        with expect_input_errors():
            records.load(schema, kind, data, "record")


def mutate_launch_record(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Edit the bytes, or the header and the sizes that must agree with it."""
    content = chance.choice(pool)
    try:
        magic, version, zero, size = _START.unpack_from(content)
        header: Any = json.loads(content[_START.size : _START.size + size])
    except (struct.error, ValueError, RecursionError):
        return mutate_bytes(chance, pool)
    if chance.random() < 0.2 or not isinstance(header, dict):
        return mutate_bytes(chance, pool)
    payload = bytearray(content[-(-(_START.size + size) // _ALIGNMENT) * _ALIGNMENT :])
    if chance.random() < 0.5:
        payload = bytearray(mutate_bytes(chance, (bytes(payload),)))
        _remove_digests(header)
    text = format_document(chance, mutate_document(chance, header, header))
    start = _START.pack(magic, version, zero, len(text)) + text
    return start + bytes(-len(start) % _ALIGNMENT) + payload


def _remove_digests(value: Any) -> None:
    """Remove the digests of contents, so that a changed payload is read."""
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict):
            item.pop("sha256", None) if "offset" in item else None
        if isinstance(item, (dict, list)):
            _remove_digests(item)


def mutate_record(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Edit the bytes, or the values of the document."""
    try:
        document, other = (json.loads(chance.choice(pool)) for _ in range(2))
    except (ValueError, RecursionError):
        return mutate_bytes(chance, pool)
    if chance.random() < 0.2:
        return mutate_bytes(chance, pool)
    return format_document(chance, mutate_document(chance, document, other))


def _words(*kinds: Any) -> tuple[str, ...]:
    return tuple(name for kind in kinds for name in fields_of(kind))


_POLICY_WORDS: Final = (
    *_words(Policy, Part, Waiver),
    *("verify", "severity", "reason", "KB101", "KB201", "error", "warning", "2026-01-31", '"12.4"'),
    *("tool", "kbuild", "[[verify.for]]\n", "[verify.severities]\n", "inf", "1_000", "07:32:00"),
)
_MANIFEST_WORDS: Final = (
    *_words(TargetTable, ProfileTable),
    *("[target.b]\n", "[profile.debug]\n", "[verify]\n", '"src/*.cu"', '"types.h"', '"symbols"'),
    *("target", "profile", "verify", "cuda", "hip", "auto", "shared", "static", "object", "module"),
)
_BASELINE_WORDS: Final = (
    *('"file"', '"kernel"', '"arch"', '"stored_bytes"', '"registers"', '"spill_bytes"', '"schema"'),
    *('{"schema": "kbuild.baseline/1"}\n', "<<<<<<<", '"libk.so"'),
)

TARGETS: Final = (
    Target(
        name="policy",
        check=check_policy,
        seeds=("policy/*",),
        mutate=make_toml_mutator(_POLICY_WORDS),
        largest=_LARGEST,
    ),
    Target(
        name="kbuild-toml",
        check=check_kbuild_toml,
        seeds=("kbuild-toml/*",),
        mutate=make_toml_mutator(_MANIFEST_WORDS),
        largest=_LARGEST,
    ),
    Target(
        name="baseline",
        check=check_baseline,
        seeds=("baseline/*",),
        mutate=make_text_mutator(_BASELINE_WORDS),
        largest=_LARGEST,
    ),
    Target(
        name="launch-record",
        check=check_launch_record,
        seeds=("launch-record/*",),
        mutate=mutate_launch_record,
    ),
    Target(name="record", check=check_record, seeds=("record/*",), mutate=mutate_record),
)
