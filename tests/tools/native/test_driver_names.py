"""The lists of the driver API's functions follow the headers."""

from __future__ import annotations

import re
import subprocess

import pytest

from kbuild.resources import find_runtime, native_directory

DRIVER = native_directory() / "device" / "cpu" / "kbuild_cpu" / "driver"


def list_defined(library: str, prefix: str) -> set[str]:
    argv = ["nm", "--defined-only", "--extern-only", str(find_runtime(library))]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return set(re.findall(rf" T ({prefix}[A-Z]\w*)", text))


def read_rows(name: str) -> set[str]:
    return {f"cu{row}" for row in re.findall(r"\bX\((\w+)\)", (DRIVER / name).read_text())}


def test_list_of_functions_is_complete() -> None:
    defined = list_defined("libkbuild_cuda.a", "cu")
    own = {name for name in defined if not name.startswith("cuda")}
    assert len(own) > 200
    assert own == read_rows("function_list.h") | {"cuGetProcAddress"}


def test_no_function_is_both_declared_and_unsupported() -> None:
    unsupported = read_rows("unsupported.h")
    assert len(unsupported) > 200
    assert unsupported & read_rows("function_list.h") == set()


@pytest.mark.parametrize(
    "library",
    ["libkbuild_cuda.a", "libkbuild_nvrtc.a", "libkbuild_nvjitlink.a", "libkbuild_nvml.a"],
)
def test_names_are_hidden(library: str) -> None:
    argv = ["readelf", "--symbols", "--wide", str(find_runtime(library))]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"FUNC\s+GLOBAL\s+(\w+)\s+\d+ (?:cu|nvrtc|nvJitLink|nvml)[A-Z]\w*", text)
    assert set(rows) == {"HIDDEN"}
