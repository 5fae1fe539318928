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
