"""Splitting functions into jobs; the end-to-end tests cover listings of real tools."""

from __future__ import annotations

from pathlib import Path

from kbuild.diff.artifacts import CodeLocation, Draft, ImageLocation
from kbuild.diff.code import CodeOptions, compare_code
from kbuild.diff.model import FunctionChange
from kbuild.inspect import ReadOptions
from kbuild.inspect.image_bytes import ImagePlace

PTX = """\
.version 8.0
.target sm_80
.address_size 64
{functions}
"""
FUNCTION = ".visible .entry f{number}()\n{{\n mov.u32 %r1, {constant};\n ret;\n}}\n"
MANY = 7


def write(path: Path, first: int) -> Path:
    functions = "".join(FUNCTION.format(number=n, constant=first + n) for n in range(MANY))
    path.write_text(PTX.format(functions=functions))
    return path


def draft(old: Path, new: Path, name: str) -> Draft:
    change = FunctionChange(
        status="changed",
        backend="cuda",
        arch="compute_80",
        kind="ptx",
        is_kernel=True,
        old_name=name,
        new_name=name,
        old_display=name,
        new_display=name,
    )
    old_code, new_code = (
        CodeLocation(
            ImageLocation(
                path, ImagePlace(artifact=str(path), occurrence=0, position=0), 300 << 20
            ),
            name,
            1 << 20,
        )
        for path in (old, new)
    )
    return Draft(change=change, codes=("a", "b"), locations=(old_code, new_code))


def test_large_functions_in_separate_jobs_have_the_same_outcome(tmp_path: Path) -> None:
    """Each function is a job and, because the images claim to be huge, a batch."""
    old, new = write(tmp_path / "old.ptx", 0), write(tmp_path / "new.ptx", 100)
    drafts = [draft(old, new, f"f{number}") for number in (*range(MANY), MANY)]
    notes: dict[str, None] = {}

    changes = compare_code(
        drafts, CodeOptions(limit=MANY + 1, require_tool=False, read=ReadOptions(jobs=2)), notes
    )

    assert [change.new_name for change in changes] == [f"f{n}" for n in range(MANY + 1)]
    for number, change in enumerate(changes[:MANY]):
        assert change.code is not None
        ((row,),) = [[r for r in h.rows if r.old != r.new] for h in change.code.hunks]
        assert row.old == f"mov.u32 %r1, {number};"
        assert row.new == f"mov.u32 %r1, {100 + number};"
    # The last function is not in the images.
    missing = changes[MANY].code
    assert missing is not None
    assert missing.undecided == "the disassembler does not show the function"
    assert list(notes) == ["code differs, not listed: the disassembler does not show the function"]
