from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from kbuild.facts import (
    ArtifactFacts,
    HostKernel,
    ImageFacts,
    Place,
    RuntimeFacts,
    Symbol,
    WrapperFacts,
)
from kbuild.model import Kernel, Problem, Resources
from kbuild.report.inspect.text import render_artifacts
from kbuild.report.layout import format_size
from support.facts.build_facts import change_image, sound_facts

FACTS = sound_facts()


def of_images(*images: ImageFacts) -> ArtifactFacts:
    return replace(FACTS, modules=(), handles=(), images=images)


def image(arch: str, *kernels: Kernel, size: int = 2048, container: int = 0) -> ImageFacts:
    first = FACTS.images[0]
    return replace(first, arch=arch, kernels=kernels, stored_size=size, container=container)


def kernel(name: str, registers: int | None = None, **resources: Any) -> Kernel:
    figures = Resources(registers=registers, **resources)
    return Kernel(name=name, display=name, resources=figures)


def rows(facts: ArtifactFacts, order: str = "file") -> list[list[str]]:
    """Return the words of each line in the table of kernels."""
    text = render_artifacts((facts,), (), order)  # type: ignore[arg-type]
    return [line.split() for line in text.rpartition("! means spills\n")[2].splitlines()]


def test_artifact_is_shown_with_its_kernels() -> None:
    lines = render_artifacts((FACTS,)).splitlines()
    assert lines[0] == "libdemo.so"
    assert "  target demo: backend cpu, kbuild 0.1.0" in lines
    assert "    sm_80, sm_90 compiled by gcc 12.2.0" in lines
    assert "    options: -std=c++17 -O2" in lines
    assert sum("ns::scale(float*, float, int)" in line for line in lines) == 2
    assert any(".data.rel.ro" in line for line in lines)


def test_kernel_table_has_a_column_per_architecture() -> None:
    facts = of_images(
        image("sm_80", kernel("a", 32), kernel("b", 40, shared_bytes=1024)),
        image("sm_90", kernel("b", 41, shared_bytes=0, local_bytes=48, spill_bytes=8)),
    )
    head, *table = rows(facts)
    assert head[:2] == ["sm_80", "sm_90"]
    assert table == [["32", "-", "a"], ["40/1024", "41/0/48!", "b"]]


def test_kernel_that_differs_between_containers_has_two_rows() -> None:
    facts = of_images(
        image("sm_80", kernel("a", 32)),
        image("sm_80", kernel("a", 32), container=1),
        image("sm_80", kernel("a", 33), container=2),
    )
    assert rows(facts)[1:] == [["32", "a"], ["33", "a"]]


def test_kernel_without_figures_shows_the_kind_of_its_image() -> None:
    facts = of_images(replace(image("compute_90", kernel("a")), kind="ptx"))
    assert rows(facts)[1:] == [["ptx", "a"]]


def test_kernel_without_figures_shows_how_its_threads_run() -> None:
    model = replace(kernel("a"), execution="regions")
    text = render_artifacts((of_images(image("x86-64", model), image("x86-64-v3", model)),))
    assert "  how the threads of a block run, by architecture\n" in text
    assert text.endswith("  x86-64   x86-64-v3  kernel\n  regions  regions    a\n")
    assert not re.search(r"\belf\b", text)


def test_many_architectures_fit_into_the_terminal() -> None:
    older = [image(f"sm_{number}", kernel("a", 32, code_bytes=512)) for number in range(50, 60)]
    newer = [image(f"sm_{number}", kernel("a", 40, code_bytes=512)) for number in (80, 90)]
    last = image("sm_100", kernel("a", 32, code_bytes=512), kernel("b", 8, spill_bytes=4))
    text = render_artifacts((of_images(*older, *newer, last),), width=80)
    legend = "  registers[/shared bytes[/local bytes]] by architecture; ! means spills\n"
    assert text.partition(legend)[2] == (
        "  a, 6.5 KiB of code\n"
        "    32 on sm_50..sm_59, sm_100; 40 on sm_80, sm_90\n"
        "  b, 0 B of code\n"
        "    8! on sm_100\n"
    )


def test_input_of_a_device_link_is_counted_separately() -> None:
    part = replace(FACTS.containers[0], is_relocatable=True)
    facts = replace(
        of_images(
            image("sm_80", kernel("a", 1)),
            *(image(arch, kernel("a", 1), container=1) for arch in ("sm_80", "sm_90")),
        ),
        containers=(*FACTS.containers, part),
    )
    text = render_artifacts((facts,))
    assert len(rows(facts)) == 1 + 1
    assert "cpu sm_90" not in text
    assert re.search(
        r"relocatable device code \(.*\): 2 images for 2 architectures, .* 4.0 KiB", text
    )
    assert "stored; dead weight after the device link\n" in text


def test_rows_are_sorted_as_requested() -> None:
    facts = of_images(
        image("sm_80", kernel("b", 1, code_bytes=100), kernel("a", 2, code_bytes=900)),
        image("sm_90", kernel("b", 1, code_bytes=1000), size=4096),
    )
    assert [row[-1] for row in rows(facts)[1:]] == ["b", "a"]
    assert [row[-1] for row in rows(facts, "name")[1:]] == ["a", "b"]
    assert [row[-3:] for row in rows(facts, "size")[1:]] == [["1.1", "KiB", "b"], ["900", "B", "a"]]
    text = render_artifacts((facts,), (), "size")
    assert text.index("cpu sm_90") < text.index("cpu sm_80")


def test_images_of_one_architecture_share_a_row() -> None:
    text = render_artifacts(
        (
            of_images(
                replace(image("sm_80", kernel("a", 1), size=512), compression="zstd"),
                image("sm_80", kernel("b", 1), size=1536, container=1),
            ),
        )
    )
    (row,) = (line.split() for line in text.splitlines() if "cpu sm_80" in line)
    assert row == ["cpu", "sm_80", "2", "binary", "2", "2.0", "KiB", "2.0", "KiB", "(zstd)"]


def test_summary_shows_no_kernel_count() -> None:
    facts = replace(of_images(image("sm_80")), is_summary=True, sha256=None)
    text = render_artifacts((facts,))
    (row,) = (line.split() for line in text.splitlines() if "cpu sm_80" in line)
    assert row[2:5] == ["-", "binary", "1"]
    assert "sha256" not in text


def test_host_side_of_foreign_kernels_is_shown() -> None:
    variable = FACTS.handles[0].symbol
    assert variable is not None
    function = replace(variable, name="_Z1av", type="function")
    facts = replace(
        of_images(image("sm_80", kernel("_Z1av", 1))),
        containers=FACTS.containers * 2,
        wrappers=(wrapper(container=0), wrapper(container=None, problem="leads nowhere")),
        host_kernels=(
            host_kernel("_Z1av", function, is_registered=True),
            host_kernel("_Z1bv", None, is_registered=False),
        ),
        runtimes=(
            RuntimeFacts(
                backend="x", name="run", linkage="shared", soname="librun.so.5", version="5"
            ),
            RuntimeFacts(backend="x", name="walk", linkage="static", soname=None, version=None),
        ),
    )
    lines = render_artifacts((facts,)).splitlines()
    assert lines[2:5] == [
        "  runtimes: run 5 (shared), walk (static)",
        "  host side: 1 kernel registered (function handle), 1 kernel not registered",
        "  2 wrappers, 1 container without a wrapper",
    ]
    assert any(line.endswith("leads nowhere") for line in lines)
    (row,) = (line.split() for line in lines if line.startswith("  _Z1av"))
    assert (row[1], row[-1]) == ("function", "a()")


def wrapper(container: int | None, problem: str | None = None) -> WrapperFacts:
    return WrapperFacts(
        backend="x",
        place=Place(section=0, offset=0),
        version=1,
        is_device_linked=False,
        container=container,
        problem=problem,
    )


def host_kernel(name: str, symbol: Symbol | None, *, is_registered: bool) -> HostKernel:
    return HostKernel(
        backend="x", kernel=name, symbol=symbol, stub=None, is_registered=is_registered
    )


def test_problems_and_errors_are_shown() -> None:
    facts = replace(
        change_image(FACTS, lambda i: replace(i, problem="cut off", kernels=())),
        problems=(Problem(where="container 0, byte 0x8", message="bad magic"),),
    )
    text = render_artifacts((facts,), (("x.so", "x.so: the file is empty"),))
    assert "problem: container 0, byte 0x8: bad magic" in text
    assert "problem: container 0, sm_90: cut off" in text
    assert "error: x.so: the file is empty" in text


def test_file_without_kernels_says_so() -> None:
    assert "no kernels" in render_artifacts((of_images(),))


def test_files_without_kernels_have_one_line_each() -> None:
    empty = replace(of_images(), containers=(), wrappers=(), runtimes=())
    first, second = replace(empty, path="a.so"), replace(empty, path="b.so")
    text = render_artifacts((first, FACTS, second), (("c.so", "c.so: unreadable"),))
    assert text.startswith("libdemo.so\n")
    assert text.endswith("\n\na.so: no kernels\nb.so: no kernels\n\nerror: c.so: unreadable\n")
    assert render_artifacts(()) == ""


def test_colors_do_not_change_the_text() -> None:
    facts = replace(FACTS, problems=(Problem(where="container 0", message="bad magic"),))
    colored = render_artifacts((facts,), has_colors=True)
    assert "\033[1mlibdemo.so\033[0m\n" in colored
    assert re.sub(r"\033\[[\d;]*m", "", colored) == render_artifacts((facts,))


def test_terminal_controls_are_escaped() -> None:
    text = render_artifacts((replace(FACTS, path="\x1b[2J\u202e.so"),))
    assert text.startswith("\\x1b[2J\\u202e.so\n")


def test_forged_names_and_architectures_are_limited() -> None:
    images = tuple(image(f"sm_{number}", kernel("a", 1)) for number in range(500))
    long = replace(FACTS.images[0], arch="x" * 10_000, kernels=())
    text = render_artifacts((of_images(*images, long),))
    assert len(rows(of_images(*images))[1]) == 64 + 1
    assert len(text) < 100_000


def test_sizes_have_units() -> None:
    sizes = [0, 1023, 1024, 9728, 5 << 20, 3 << 40, 5000 << 40]
    assert [format_size(size) for size in sizes] == [
        *("0 B", "1023 B", "1.0 KiB", "9.5 KiB", "5.0 MiB", "3.0 TiB", "5000.0 TiB")
    ]
