"""A small project for `kbuild build`, and its artifacts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

MANIFEST = """
[target.shared_kernels]
sources = ["src/*.cu"]
architectures = ["x86-64"]

[target.object_kernels]
kind = "object"
sources = ["src/one.cu"]
architectures = ["x86-64"]

[profile.debug]
definitions = ["DEBUGGED"]
debug_stubs = true
"""
SOURCES = {
    "one.cu": '#include "value.hpp"\n__global__ void one(int* p) { *p = value; }\n',
    "two.cu": "__global__ void two(int* p) { *p = 2; }\n",
    "value.hpp": "constexpr int value = 1;\n",
}
ARTIFACTS = (
    "shared_kernels/libshared_kernels.so",
    "shared_kernels/include/shared_kernels_kernels.hpp",
    "object_kernels/object_kernels.o",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneProject:
    """A project in the directory ``root``."""

    root: Path

    @property
    def output(self) -> Path:
        return self.root / "build" / "kbuild"

    def write(self) -> None:
        (self.root / "src").mkdir(parents=True)
        (self.root / "kbuild.toml").write_text(MANIFEST)
        for name, text in SOURCES.items():
            (self.root / "src" / name).write_text(text)

    def set_value(self, value: int) -> None:
        (self.root / "src" / "value.hpp").write_text(f"constexpr int value = {value};\n")

    def digest(self) -> dict[str, str]:
        """Return the digest of each artifact."""
        return {
            name: hashlib.sha256((self.output / name).read_bytes()).hexdigest()
            for name in ARTIFACTS
        }
