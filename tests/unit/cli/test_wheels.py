from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from kbuild.cli.main import main
from kbuild.cli.wheels import read_wheels
from kbuild.errors import ConfigurationError, InputError
from kbuild.inspect.wheels import read_wheel
from support.facts.wheel_facts import PYPI


def test_policy_for_wheels_needs_a_wheel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "k.ptx"
    kernel.write_text(".version 8.0\n.target sm_80\n.address_size 64\n")

    assert main(["verify", "--wheel-policy", "pypi", str(kernel)]) == 2

    assert "--wheel-policy: none of the paths is a wheel" in capsys.readouterr().err


def test_missing_library_is_an_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = tmp_path / "k-1.0-py3-none-any.whl"
    wheel.touch()
    for name in [name for name in sys.modules if name.startswith("kbuild.inspect.wheels")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "auditwheel.error", None)

    with pytest.raises(ConfigurationError, match=r"pip install 'kbuild\[publish\]'"):
        read_wheels((wheel,), (), PYPI)
    assert read_wheels((wheel,), (), None) == ()


def test_files_that_are_no_wheels_are_rejected(tmp_path: Path) -> None:
    misnamed = tmp_path / "k.whl"
    with pytest.raises(InputError, match="Invalid wheel filename"):
        read_wheel(misnamed, ())
    damaged = tmp_path / "k-1.0-py3-none-any.whl"
    damaged.write_bytes(b"PK\3\4")
    with pytest.raises(InputError, match="not a valid wheel"):
        read_wheel(damaged, ())
    with zipfile.ZipFile(damaged, "w") as archive:
        archive.writestr("k-1.0.dist-info/RECORD", "")
    with pytest.raises(InputError, match="METADATA"):
        read_wheel(damaged, ())
