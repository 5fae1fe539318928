from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.inspect.closure import find_closure


def build(path: Path, *words: object) -> Path:
    source = path.parent / f"{path.name}.c"
    source.write_text(f"int {path.stem.removeprefix('lib')}(void) {{ return 0; }}\n")
    path.parent.mkdir(exist_ok=True)
    words = ("-shared", "-fPIC", "-nostdlib", source, *words, "-o", path)
    subprocess.run(["gcc", *map(str, words)], check=True)
    return path


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    return build(tmp_path / "deep" / "libinner.so", "-Wl,-soname,libinner.so")


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.name for path in paths]


def test_runpath_does_not_apply_to_dependencies(tmp_path: Path, inner: Path) -> None:
    runpath = ("-Wl,--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/deep",)
    middle = build(tmp_path / "libmiddle.so", "-Wl,--no-as-needed", inner)
    top = build(tmp_path / "libtop.so", "-Wl,--no-as-needed", middle, *runpath)
    found = find_closure([top])
    assert names(found.libraries) == ["libmiddle.so"]
    assert [(file.name, name) for file, name in found.missing] == [("libmiddle.so", "libinner.so")]
    assert names(find_closure([top], (tmp_path / "deep",)).libraries) == [
        *("libmiddle.so", "libinner.so")
    ]


def test_rpath_applies_to_dependencies(tmp_path: Path, inner: Path) -> None:
    rpath = ("-Wl,--disable-new-dtags,-rpath,${ORIGIN}:$ORIGIN/deep",)
    middle = build(tmp_path / "libmiddle.so", "-Wl,--no-as-needed", inner)
    top = build(tmp_path / "libtop.so", "-Wl,--no-as-needed", middle, *rpath)
    found = find_closure([top])
    assert (names(found.libraries), found.missing) == (["libmiddle.so", "libinner.so"], ())


def test_system_libraries_are_found_as_the_dynamic_linker_finds_them(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    program = tmp_path / "program"
    options = ("-Wl,--no-as-needed", "-lm", "-o", str(program))
    subprocess.run(["gcc", str(tmp_path / "main.c"), *options], check=True)
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    expected = {
        Path(line.split("=>")[1].split()[0]).resolve()
        for line in listed.splitlines()
        if "=>" in line
    }
    assert expected <= set(find_closure([program]).libraries)


def test_cycles_and_given_files_are_not_listed_twice(tmp_path: Path) -> None:
    first = build(tmp_path / "libfirst.so", "-Wl,-rpath,$ORIGIN")
    second = build(tmp_path / "libsecond.so", "-Wl,--no-as-needed", first, "-Wl,-rpath,$ORIGIN")
    build(tmp_path / "libfirst.so", "-Wl,--no-as-needed", second, "-Wl,-rpath,$ORIGIN")
    assert names(find_closure([first]).libraries) == ["libsecond.so"]
    assert find_closure([first, second]).libraries == ()


def test_library_for_another_machine_is_skipped(tmp_path: Path, inner: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    content = bytearray(inner.read_bytes())
    content[18:20] = (183).to_bytes(2, "little")
    (wrong / "libinner.so").write_bytes(content)
    top = build(tmp_path / "libtop.so", "-Wl,--no-as-needed", inner)
    found = find_closure([top], (wrong, tmp_path / "deep"))
    assert found.libraries == (inner.resolve(),)


def test_closure_of_text_and_missing_files_is_empty(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ELF")
    assert find_closure([tmp_path / "text", tmp_path / "absent"]).libraries == ()
