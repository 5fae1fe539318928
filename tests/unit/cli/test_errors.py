"""Error messages on a terminal."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from kbuild.cli.main import main
from support.commands import ROOT


def test_control_characters_of_a_forged_file_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray((ROOT / "fuzz/corpus/artifact/object.nv_fatbin.o").read_bytes())
    data = data.replace(b".rela.text", b".rela\x1b[2J\n")
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    struct.pack_into("<Q", data, sections + 2 * 64 + 32, 1 << 40)  # the size of this section
    forged = tmp_path / "forged.o"
    forged.write_bytes(data)

    assert main(["verify", str(forged)]) == 2

    message = capsys.readouterr().err
    assert "\\x1b[2J" in message
    assert message.removesuffix("\n").isprintable()


@pytest.mark.parametrize(
    ("setting", "words", "place"),
    [
        ('definitions = ["A;B"]', ("-D", "A;B"), "-D"),
        ('link_libraries = ["A;B"]', ("-l", "A;B"), "-l"),
        ('host_options = ["A;B"]', ("--host-options=A;B",), "--host-options"),
        ('compile_options = ["A;B"]', ("--device-options=A;B",), "--device-options"),
    ],
)
def test_message_names_the_key_or_the_option(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    setting: str,
    words: tuple[str, ...],
    place: str,
) -> None:
    source, manifest = tmp_path / "a.cu", tmp_path / "kbuild.toml"
    source.write_text("__global__ void k() {}\nint main() {}\n")
    manifest.write_text(f'[target.t]\nkind = "executable"\nsources = ["a.cu"]\n{setting}\n')
    problem = "'A;B': CMake splits values at semicolons; remove the semicolon\n"

    assert main(["build", "-f", str(manifest)]) == 2
    assert main(["run", "--backend", "cpu", str(source), *words]) == 2

    key = setting.partition(" ")[0]
    assert capsys.readouterr().err == (
        f"kbuild: error: {manifest}: [target.t].{key}: {problem}kbuild: error: {place}: {problem}"
    )
