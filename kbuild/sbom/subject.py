"""Find out what a bill of materials is about, and put the bill into a wheel."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.files import open_replacement
from kbuild.formats.dist_info import read_headers
from kbuild.formats.wheel import is_wheel
from kbuild.inspect.file_content import open_content
from kbuild.sbom.document import Subject
from kbuild.strip.wheel import rewrite_wheel

# PEP 770
_PLACE: Final = "sboms/kbuild.cdx.json"


def read_subject(path: Path) -> Subject:
    """Return the name, the version, and the license of a wheel, or the name of another file.

    Raises:
        InputError: The file cannot be read.
    """
    if not is_wheel(bytes(open_content(path)[:4])):
        return Subject(path=path, name=path.name)
    try:
        with zipfile.ZipFile(path) as archive:
            headers = read_headers(archive)
    except (zipfile.BadZipFile, KeyError) as error:
        raise InputError(f"{path}: not a valid wheel: {error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    license_text = headers["License-Expression"] or headers["License"]
    return Subject(
        path=path,
        name=headers["Name"] or path.name,
        is_package=headers["Name"] is not None,
        version=headers["Version"],
        license=license_text.splitlines()[0] if license_text else None,
    )


def embed_bill(path: Path, output: Path, bill: str) -> tuple[str, ...]:
    """Write a wheel with the bill in it, and return the signatures that had to go.

    Raises:
        InputError: The wheel is damaged.
        OSError: The output cannot be written.
    """
    target = output / path.name if output.is_dir() else output
    mode = path.stat().st_mode & 0o777
    with open_replacement(target, mode=mode) as stream, path.open("rb") as source:
        return rewrite_wheel(source, stream, lambda *_: None, {_PLACE: bill.encode()})
