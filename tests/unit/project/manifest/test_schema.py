"""The schema of manifests accepts what kbuild reads, and rejects what it rejects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kbuild.project.manifest.schema import make_manifest_schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLES = Path(__file__).parents[4] / "examples"
MANIFEST = """
[target.k]
kind = "shared"
sources = ["k.cu"]
architectures = ["80", "90-virtual"]
debug_stubs = true
[profile.debug]
definitions = ["A=1"]
[verify]
max_spill_bytes = 0
"""


def validate(text: str) -> None:
    schema: Any = make_manifest_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(text), schema)


def test_manifests_are_valid() -> None:
    validate(MANIFEST)
    manifests = list(EXAMPLES.rglob("kbuild.toml"))
    assert manifests
    for path in manifests:
        validate(path.read_text())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sources", "source"),
        ('"shared"', '"sharde"'),
        ("[profile.debug]", "[profile.fast]"),
        ("max_spill_bytes", "max_spill_byte"),
        ("[verify]", "[verifies]"),
    ],
)
def test_mistakes_are_invalid(old: str, new: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validate(MANIFEST.replace(old, new))
