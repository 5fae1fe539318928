"""Checks of a manifest before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.manifest.checks import check_manifest
from kbuild.project.manifest.read import read_manifest

MANIFEST = """
[target.app]
kind = "executable"
backend = "cpu"
sources = ["app.cu", "main.cpp"]
"""


def check(root: Path, text: str) -> None:
    (root / "kbuild.toml").write_text(MANIFEST)
    (root / "app.cu").write_text("void f() { k<<<1, 1>>>(); }\n")
    (root / "main.cpp").write_text(text)
    check_manifest(read_manifest(root / "kbuild.toml"), root / "build")


def test_a_launch_in_a_cpp_source_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        check(tmp_path, "int main()\n{\n    k<<<1, 1>>>();\n}\n")

    message = str(raised.value)
    assert "main.cpp:3: a launch with <<<>>> in a C++ source" in message
    assert message.endswith("rename the file to 'main.cu'")


def test_a_launch_that_only_device_compilers_see_is_accepted(tmp_path: Path) -> None:
    check(tmp_path, "#ifdef __CUDACC__\nvoid f() { k<<<1, 1>>>(); }\n#endif\n")


def test_static_linking_is_rejected_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "app.cu").touch()
    manifest = tmp_path / "kbuild.toml"
    manifest.write_text(
        '[target.app]\nkind = "executable"\nsources = ["app.cu"]\nhost_options = ["-static-pie"]\n'
    )

    with pytest.raises(ConfigurationError, match=r"'-static-pie': .*remove the option") as raised:
        check_manifest(read_manifest(manifest), tmp_path / "build")

    assert raised.value.setting == "host_options"
