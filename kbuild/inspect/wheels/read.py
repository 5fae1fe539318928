"""The facts of a wheel: its name, its metadata, and what its files need."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Final

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.facts.wheel import WheelFacts
from kbuild.formats.dist_info import find_record_problems, list_bills, read_headers
from kbuild.inspect.wheels.platform import read_platform
from kbuild.inspect.wheels.stable_abi import read_python

_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, KeyError, UnicodeDecodeError, NotImplementedError),
    *(RuntimeError, EOFError),
)


def read_wheel(path: Path, members: tuple[ArtifactFacts, ...]) -> ArtifactFacts:
    """Return the facts of a wheel as a whole.

    Args:
        path: The wheel.
        members: The facts of the artifacts in it.

    Raises:
        InputError: The wheel is damaged, or its name is not that of a wheel.
    """
    try:
        _, version, _, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename as error:
        raise InputError(f"{path}: {error}") from error
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive, members, version=str(version), tags=tags)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except _DAMAGED as error:
        raise InputError(f"{path}: not a valid wheel: {error}") from error


def _read(
    path: Path,
    archive: zipfile.ZipFile,
    members: tuple[ArtifactFacts, ...],
    *,
    version: str,
    tags: frozenset[Tag],
) -> ArtifactFacts:
    platforms = tuple(sorted({tag.platform for tag in tags}))
    platform, problem = read_platform(path, platforms, members)
    wheel = WheelFacts(
        version=version,
        platforms=platforms,
        size=path.stat().st_size,
        requirements=tuple(read_headers(archive).get_all("Requires-Dist", ())),
        bills=list_bills(archive),
        record_problems=tuple(find_record_problems(archive)),
        python=read_python(tags, members),
        platform=platform,
        platform_problem=problem,
    )
    return ArtifactFacts(path=str(path), kind="wheel", machine=None, sha256=None, wheel=wheel)
