"""The table of options has every option that nvcc lists."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import Final

from kbuild.nvcc.options import OPTIONS
from support.tools.nvidia_compiler import NVCC, needs_nvcc

pytestmark = needs_nvcc

_HEAD: Final = re.compile(r"(--[\w-]+)( .*?)? +\(?(-[\w+-]+)\)?\s*")
# nvcc lists them without a value, or as lists.
_DIFFERENT: Final = ("--dependency-output", "--generate-code", "--qpp-config")
# Toolkits differ in the values, which kbuild checks with the toolkit.
_ARCHITECTURES: Final = ("--gpu-architecture", "--gpu-code")


@cache
def list_options() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return the short name, the kind of value, and the allowed values of each option."""
    text = subprocess.run([str(NVCC), "--help"], capture_output=True, text=True, check=True).stdout
    blocks = re.split(r"\n(?=--)", text)
    found = {}
    for block in blocks[1:]:
        head = _HEAD.fullmatch(block.splitlines()[0])
        assert head, block
        allowed = re.search(r"Allowed values for this option:(.*?)\.\s*(?:\n|$)", block, re.DOTALL)
        values = tuple(re.findall(r"'(.+?)'|\b(\d+)\b", allowed[1])) if allowed else ()
        found[head[1]] = (head[3], (head[2] or "").strip(), tuple(a or b for a, b in values))
    return found


def test_every_option_is_in_the_table() -> None:
    listed = list_options()
    assert len(listed) > 100
    assert listed.keys() - OPTIONS.keys() == set()
    assert {short for short, _, _ in listed.values()} - OPTIONS.keys() == set()


def test_values_are_those_of_nvcc() -> None:
    for name, (short, value, allowed) in list_options().items():
        option = OPTIONS[name]
        assert option is OPTIONS[short]
        if name in _DIFFERENT:
            continue
        assert (option.kind == "none") == (not value), name
        assert (option.kind == "list") == value.endswith(",..."), name
        assert (option.kind == "boolean") == (value == "{true|false}"), name
        if allowed and name not in _ARCHITECTURES:
            assert set(option.choices) == set(allowed), name
