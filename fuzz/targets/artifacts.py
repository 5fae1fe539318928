"""Whole files: everything that ``kbuild inspect``, ``verify``, and ``diff`` do with them."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence
from functools import cache
from typing import Final

from fuzz.mutation.binary import mutate_bytes
from fuzz.mutation.elf import mutate_elf
from fuzz.target import CORPUS, Target, expect_input_errors
from fuzz.working_directory import write_input
from kbuild.diff.compare import compare_sides
from kbuild.diff.inputs import DiffOptions, Side, read_side
from kbuild.formats import archive, wheel
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import inspect_content
from kbuild.report.diff import json as diff_json
from kbuild.report.diff import markdown as diff_markdown
from kbuild.report.diff import text as diff_text
from kbuild.report.inspect import json as artifacts_json
from kbuild.report.inspect import text as artifacts_text
from kbuild.report.verify import json, text
from kbuild.verify import verify

_MIB: Final = 1 << 20
_FULL: Final = ReadOptions(image_limit=_MIB, archive_limit=2 * _MIB, jobs=1, code=True)
_SUMMARY: Final = ReadOptions(image_limit=_MIB, archive_limit=2 * _MIB, jobs=1, summary=True)
_ELF: Final = b"\x7fELF"
# No disassembler runs.
_COMPARED: Final = DiffOptions(aspects=("abi", "resources", "size"), read=_FULL)
_OLD: Final = ("image.nvcc.cubin", "shared-object.kbuild.so")
_ARCHIVES: Final = ("artifact/*.a", "artifact/*.whl")


def check_artifact(data: bytes) -> None:
    """Inspect and verify a file, and write the reports."""
    with expect_input_errors():
        artifacts_text.render_artifacts(inspect_content("fuzzed", data, _SUMMARY))
    with expect_input_errors():
        facts = inspect_content("fuzzed", data, _FULL)
        artifacts_json.render_artifacts(facts)
        artifacts_text.render_artifacts(facts)
        report = verify(facts)
        if report.rules_errored:
            raise AssertionError(report.rules_errored)
        json.render(report)
        text.render(report)


def check_diff(data: bytes) -> None:
    """Compare a file with a correct one, and write the reports."""
    path = write_input("new.bin", data)
    with expect_input_errors():
        new = read_side(path, "new", _COMPARED)
        for old in _read_old_sides():
            difference = compare_sides(old, new, _COMPARED)
            for format_ in (diff_text, diff_json, diff_markdown):
                format_.render(difference)


@cache
def _read_old_sides() -> tuple[Side, ...]:
    return tuple(read_side(CORPUS / "artifact" / name, "old", _COMPARED) for name in _OLD)


def check_archive(data: bytes) -> None:
    """List the members of an archive or wheel."""
    with expect_input_errors():
        archive.read_members(data)
    with expect_input_errors():
        for member in wheel.iterate_members(data, lambda *_: True, limit=2 * _MIB):
            len(member.data)


def mutate_artifact(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    data = chance.choice(pool)
    mutate = mutate_elf if data.startswith(_ELF) else mutate_bytes
    return mutate(chance, (data, *chance.sample(pool, min(2, len(pool)))))


def mutate_archive(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Edit an archive, or pack edited inputs into a wheel whose checksums are correct."""
    if chance.random() < 0.8:
        return mutate_bytes(chance, pool)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", chance.choice((0, 8))) as file:
        for number in range(chance.randrange(3)):
            name = chance.choice((".so", "/../up", "\x1b[31m", "x" * 300, "a/b.whl"))
            file.writestr(zipfile.ZipInfo(f"{number}{name}"), mutate_bytes(chance, pool))
    return stream.getvalue()


TARGETS: Final = (
    Target(
        name="artifact",
        check=check_artifact,
        seeds=("artifact/*",),
        mutate=mutate_artifact,
        weight=4,
    ),
    Target(name="diff", check=check_diff, seeds=("artifact/*",), mutate=mutate_artifact),
    Target(name="archive", check=check_archive, seeds=_ARCHIVES, mutate=mutate_archive),
)
