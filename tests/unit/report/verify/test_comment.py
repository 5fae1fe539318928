from __future__ import annotations

from kbuild.report.verify import comment
from kbuild.verify.figures import ArchitectureSize, FileFigures, KernelFigures
from kbuild.verify.policy.baseline import Baseline

_LONG = "_ZN2ns31a_kernel_with_a_name_of_31_charsEPi"


def make_baseline(registers: int, spills: int, arch: str = "sm_100f") -> Baseline:
    kernels = (
        KernelFigures(kernel=_LONG, arch=arch, registers=registers, spill_bytes=spills),
        KernelFigures(kernel="_Z4samePi", arch="sm_90", registers=8, spill_bytes=0),
    )
    sizes = (ArchitectureSize(arch=arch, stored_bytes=2048),)
    return Baseline(files=(FileFigures(file="l.so", stored_bytes=1, sizes=sizes, kernels=kernels),))


def test_only_changes_are_listed_in_narrow_tables() -> None:
    text = comment.render(make_baseline(128, 0), make_baseline(255, 1200000))

    assert text.startswith("<!-- kbuild -->\n### Device code\n\n**l.so**\n")
    assert "| 1 a\\_kernel\\_with… | sm\\_100f | 128 | 255 |\n" in text
    assert "bytes of spilled registers:\n" in text
    assert "bytes of code" not in text
    assert "| images |" not in text
    assert "same" not in text
    assert "\n1. ns::a\\_kernel\\_with\\_a\\_name\\_of\\_31\\_chars\\(int\\*\\)\n" in text
    tables = [line.replace("\\", "") for line in text.splitlines() if line.startswith("|")]
    assert max(map(len, tables)) < 60


def test_variants_of_an_architecture_are_told_apart() -> None:
    text = comment.render(make_baseline(8, 0), make_baseline(8, 0, "sm_100a"))

    assert "| sm\\_100f | 2.0 KiB | - |\n| sm\\_100a | - | 2.0 KiB |\n" in text
    assert "| 1 a\\_kernel\\_with… | sm\\_100a | - | 8 |\n" in text


def test_one_line_says_that_nothing_changed() -> None:
    same = make_baseline(8, 0)
    assert comment.render(same, same).endswith("\n\nNothing changed since the baseline.\n")
