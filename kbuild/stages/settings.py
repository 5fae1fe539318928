"""The settings of a kernel target, which manifests write as keys and CMake calls as keywords.

Both have the same names, defaults, and checks, which are defined here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from kbuild.errors import ConfigurationError
from kbuild.model import ArtifactKind, CompressionMode, RuntimeLinkage, Visibility
from kbuild.stages.paths import check_path
from kbuild.stages.target import STANDARDS
from kbuild.values import dataclass

# Booleans correspond to CMake's ON and OFF.
StubChoice: TypeAlias = Literal[True, False, "symbols"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSettings:
    """The settings that manifests and CMake calls share.

    The names are the keys of manifests, and the keywords of ``kbuild_add_kernels`` in lower case.
    Without ``visibility``, the kind of the target determines it; see `choose_visibility`.
    """

    sources: tuple[str, ...]
    kind: ArtifactKind = "shared"
    backend: str = "cpu"
    architectures: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    debug_stubs: StubChoice = False
    rdc: bool = False
    check: bool = False
    weak_instances: bool = False
    compression: CompressionMode = "balance"
    visibility: Visibility | None = None
    runtime: RuntimeLinkage = "shared"
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    compile_options: tuple[str, ...] = ()
    device_standard: int = 17
    host_compiler: str | None = None
    verify: bool = True
    policy: str | None = None


def choose_visibility(settings: KernelSettings) -> Visibility:
    """Return the visibility of the kernels' symbols."""
    by_kind: Visibility = "default" if settings.kind in ("shared", "module") else "hidden"
    return settings.visibility or by_kind


def check_standard(standard: int) -> None:
    """Reject a C++ standard that device code cannot have."""
    if standard not in STANDARDS:
        raise ConfigurationError(
            f"unsupported standard {standard}; expected one of {', '.join(map(str, STANDARDS))}"
        )


def check_file(path: Path, generated: Container[Path] = ()) -> None:
    """Reject a path that build tools misread, and a file that neither exists nor is generated."""
    check_path(path)
    if path not in generated and not path.is_file():
        raise ConfigurationError(f"{path}: no such file")


def check_words(words: Sequence[str]) -> None:
    """Reject options and definitions that CMake would split into several."""
    for word in words:
        # Generator expressions can expand to lists.
        if ";" in word and "$<" not in word:
            raise ConfigurationError(
                f"{word!r}: CMake splits values at semicolons; remove the semicolon"
            )
    check_lines(words)


def check_lines(words: Iterable[str]) -> None:
    """Reject options and definitions that do not fit into a line of a handoff file."""
    for word in words:
        if "\n" in word:
            raise ConfigurationError(f"{word!r}: a value cannot contain a line break; remove it")
