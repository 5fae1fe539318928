from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.model import Problem
from kbuild.verify.figures import FIGURES, ArchitectureSize, FileFigures, KernelFigures
from kbuild.verify.glob import stable_name
from kbuild.verify.policy.baseline import (
    Baseline,
    format_baseline,
    make_baseline,
    read_baseline,
    write_baseline,
)
from support.facts.build_facts import AXPY, KERNELS, SCALE, foreign_facts, gpu_image, sound_facts
from support.facts.policy_cases import CUBIN, FOREIGN, PTX

TEXT = f"""\
{{"schema": "kbuild.baseline/1"}}
{{"file": "foreign.fatbin", "stored_bytes": 2000}}
{{"file": "foreign.fatbin", "arch": "compute_90", "stored_bytes": 1000}}
{{"file": "foreign.fatbin", "arch": "sm_90", "stored_bytes": 1000}}
{{"file": "foreign.fatbin", "kernel": "{AXPY}", "arch": "sm_90", "registers": 32, \
"spill_bytes": 0, "local_bytes": 0, "shared_bytes": 1024, "code_bytes": 512}}
{{"file": "foreign.fatbin", "kernel": "{SCALE}", "arch": "sm_90", "registers": 32, \
"spill_bytes": 0, "local_bytes": 0, "shared_bytes": 1024, "code_bytes": 512}}
"""


def test_text_has_one_sorted_line_per_kernel_without_directories() -> None:
    moved = replace(FOREIGN, path="/somewhere/build/foreign.fatbin")
    assert format_baseline(make_baseline((moved,))) == TEXT


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("build/libk.so", "libk.so"),
        ("a/b/libk.a!member.o", "libk.a!member.o"),
        (
            "dist/my_pkg-1.0-cp311-cp311-linux_x86_64.whl!p/k.so",
            "my_pkg-cp311-cp311-linux_x86_64.whl!p/k.so",
        ),
        ("my_pkg-1.0-1a-py3-none-any.whl!k.so", "my_pkg-py3-none-any.whl!k.so"),
        ("odd.whl!k.so", "odd.whl!k.so"),
    ],
)
def test_names_are_the_same_on_every_machine(path: str, name: str) -> None:
    assert stable_name(path) == name


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "kbuild.baseline"
    baseline = make_baseline((FOREIGN, sound_facts()), str(path))
    write_baseline(path, baseline)
    assert read_baseline(path) == baseline
    assert [file.name for file in tmp_path.iterdir()] == ["kbuild.baseline"]


NAMES = st.text(min_size=1, max_size=5)
COUNTS = st.integers(0, 1 << 40)
KERNEL_FIGURES = st.dictionaries(st.sampled_from(FIGURES), COUNTS, min_size=1)


@st.composite
def file_figures(draw: st.DrawFn, name: str) -> FileFigures:
    sizes = draw(st.dictionaries(NAMES, COUNTS, max_size=3))
    kernels: dict[tuple[str, str], dict[Any, int]] = draw(
        st.dictionaries(st.tuples(NAMES, NAMES), KERNEL_FIGURES, max_size=4)
    )
    return FileFigures(
        file=name,
        stored_bytes=draw(COUNTS),
        sizes=tuple(ArchitectureSize(arch=a, stored_bytes=s) for a, s in sorted(sizes.items())),
        kernels=tuple(
            KernelFigures(kernel=key[0], arch=key[1], **figures)
            for key, figures in sorted(kernels.items(), key=lambda entry: entry[0])
        ),
    )


@settings(max_examples=100, deadline=None)
@given(data=st.data(), names=st.sets(NAMES, max_size=3))
def test_reading_returns_the_written_figures(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, names: set[str]
) -> None:
    path = tmp_path_factory.mktemp("any") / "baseline"
    files = tuple(data.draw(file_figures(name)) for name in sorted(names))
    baseline = Baseline(files=files, source=str(path))
    write_baseline(path, baseline)
    assert read_baseline(path) == baseline


def test_worst_of_several_kernels_counts() -> None:
    more = replace(KERNELS[0], resources=replace(CUBIN.kernels[0].resources, registers=40))
    other = replace(CUBIN, container=1, kernels=(more,))
    facts = replace(foreign_facts(CUBIN, other), containers=FOREIGN.containers * 2)
    (file,) = make_baseline((facts,)).files
    assert [(k.kernel, k.registers) for k in file.kernels] == [(AXPY, 32), (SCALE, 40)]
    assert [(s.arch, s.stored_bytes) for s in file.sizes] == [("sm_90", 2000)]


def test_inputs_of_a_device_link_have_no_figures() -> None:
    part = replace(FOREIGN.containers[0], is_relocatable=True)
    rough = replace(gpu_image("sm_90"), container=1, kernels=(KERNELS[0],))
    facts = replace(foreign_facts(CUBIN, PTX, rough), containers=(FOREIGN.containers[0], part))
    assert make_baseline((facts,)).files[0].kernels == make_baseline((FOREIGN,)).files[0].kernels


def test_unreadable_artifacts_are_rejected() -> None:
    problem = Problem(where="container 0", message="cut off")
    with pytest.raises(InputError, match=r"foreign.fatbin: container 0: cut off"):
        make_baseline((replace(FOREIGN, problems=(problem,)),))
    with pytest.raises(InputError, match="image for sm_90: bad magic"):
        make_baseline((foreign_facts(replace(CUBIN, problem="bad magic", kernels=())),))
    with pytest.raises(InputError, match="no device image"):
        make_baseline((replace(FOREIGN, images=(), containers=()),))
    debug = replace(FOREIGN, path="debug/foreign.fatbin")
    with pytest.raises(InputError, match=r"a baseline stores both as 'foreign\.fatbin'"):
        make_baseline((FOREIGN, debug))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a kbuild.baseline/1 file; create one with kbuild verify --write-baseline"),
        ('{"schema": "kbuild.baseline/2"}\n', "not a kbuild.baseline/1 file"),
        ('{"schema"', ":1: not JSON"),
        (TEXT + "<<<<<<< ours\n", ":7: not JSON .possibly a merge conflict"),
        (TEXT + "[]\n", ":7: expected an object"),
        (TEXT + '{"file": "foreign.fatbin", "stored_bytes": 1}\n', ":7: duplicate entry"),
        (TEXT + '{"file": "x", "stored_bytes": -1}\n', ":7: not a valid line of a baseline"),
        (TEXT + '{"file": "x", "stored_bytes": true}\n', ":7: not a valid line of a baseline"),
        (TEXT + '{"file": "x"}\n', ":7: not a valid line of a baseline"),
        (TEXT + '{"file": 3, "stored_bytes": 1}\n', ":7: not a valid line of a baseline"),
        (
            TEXT + '{"file": "x", "kernel": "k", "registers": 1}\n',
            ":7: not a valid line of a baseline",
        ),
        (
            TEXT + '{"file": "x", "kernel": "k", "arch": "a", "speed": 1}\n',
            "unknown figure 'speed'",
        ),
    ],
)
def test_bad_baseline_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "baseline"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_baseline(path)


def test_missing_and_binary_baselines_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"absent: no such file; create it with kbuild verify --write-",
    ):
        read_baseline(tmp_path / "absent")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_baseline(tmp_path / "binary")
    with pytest.raises(InputError, match=r"'a\\x00': invalid file name: embedded null byte"):
        read_baseline(Path("a\0"))
