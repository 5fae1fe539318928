"""Keep what compile edges make of texts that kbuild rewrites, and use it again.

The key of an entry is the preprocessed text, reduced to what can change device code
(`kbuild.stages.images.reduced_text`), with everything else that the edge depends on.

Nothing is kept if a result contains the name of its module, which depends on host code, or if a
compiler warns, because warnings name lines and can be about host code.
"""

from __future__ import annotations

import marshal
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kbuild import files, resources
from kbuild.model import Command
from kbuild.stages.front_end.listing import maps_lines
from kbuild.stages.images.digests import digest_text, embeds_files, has_columns, has_lines
from kbuild.toolchain import store
from kbuild.toolchain.probe import digest_script, identify_program
from kbuild.values import dataclass, replace

if TYPE_CHECKING:
    from kbuild.backends.interface.build import CompileUnit
    from kbuild.backends.interface.toolchain import Toolchain

_OUTCOMES: Final = "results of compile edges 1"
_NOWHERE: Final = Path()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a compile edge made.

    Attributes:
        record: Its record, in which the images have paths.
        images: The contents of the images, by name.
    """

    record: bytes
    images: tuple[tuple[str, bytes], ...]


def make_key(unit: CompileUnit, tc: Toolchain, text: str) -> str | None:
    """Return what identifies the outcome for a text; None if nobody knows what it depends on."""
    content = text.encode(errors="surrogateescape")
    if embeds_files(content) or digest_script(tc.compiler) is not None:
        return None
    # For crashes, the runtime notices that the source has changed. Findings need the right lines.
    counts_lines = unit.debug or unit.is_checked or maps_lines(unit.options) or has_lines(content)
    described = replace(unit, output=_NOWHERE, stamp=_NOWHERE, depfile=_NOWHERE, module="")
    return store.make_key(
        *(_OUTCOMES, resources.identify_installation(), unit.output.name, repr((described, tc))),
        identify_program(Command(argv=(str(tc.compiler),))),
        os.getcwd() if unit.debug else "",  # noqa: PTH109 - as the compiler spells it
        content
        if has_columns(content)
        else digest_text(content, tc.compiler, counts_lines=counts_lines),
    )


def find(key: str) -> Outcome | None:
    """Return the outcome that the user's cache has; None if it does not have it."""
    content = store.find(key)
    if content is None:
        return None
    record, images = marshal.loads(content)  # noqa: S302 - own data
    return Outcome(record=record, images=images)


def keep(key: str, unit: CompileUnit, record: bytes, images: tuple[Path, ...]) -> None:
    """Put an outcome into the user's cache."""
    contents = tuple((path.name, files.read_file(path)) for path in images)
    own_name = unit.own_name.encode()
    if not any(own_name in part for part in (record, *(content for _, content in contents))):
        store.add(key, marshal.dumps((record, contents)))
