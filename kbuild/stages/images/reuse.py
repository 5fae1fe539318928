"""Keep what device compilers make in the user's cache, and use it again for the same text.

The key of an entry is the preprocessed text of one architecture, with the commands that compile it
and the identities of their programs. In addition, the cache has the last text of each source. If
another one only differs in what cannot change device code (`kbuild.stages.images.reduced_text`),
then the entry of the last one serves it, too.

Nothing is kept if a compiler reads more than the text, the options, and its own files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.backends.interface.build import CompileUnit, FrontEndStep
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.stages.front_end.listing import maps_lines
from kbuild.stages.images.digests import digest_text, embeds_files, has_columns, has_lines
from kbuild.toolchain import store
from kbuild.toolchain.environment import describe_programs
from kbuild.values import dataclass

_IMAGES: Final = "device images 1"
_LAST_TEXT: Final = "last text of device code 3"
# What device compilers read beside their arguments and files.
_VARIABLES: Final = ("NVCC_", "NVVM", "CICC", "PTXAS", "LLVM_")
# Options with which a compiler reads other files: sources, or files with options.
_READING: Final = re.compile(r"-{1,2}(?:show-src|source-in-ptx|optf|options-file)\b.*|@.+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCompile:
    """The part of a front-end run that follows the preprocessor.

    Attributes:
        unit: What is compiled.
        toolchain: The toolchain.
        text: The preprocessed text.
        steps: The commands.
        directory: The directory of intermediate files.
        outputs: The outputs in other directories.
    """

    unit: CompileUnit
    toolchain: Toolchain
    text: Path
    steps: tuple[FrontEndStep, ...]
    directory: Path
    outputs: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the steps left: their log, and files by name."""

    log: str
    files: dict[str, bytes]


def compile_once(
    found: ImageCompile, run: Callable[[], str], read_warnings: Callable[[str], str]
) -> str:
    """Restore what the steps make of a text, or run them.

    Args:
        found: The compile.
        run: Runs the steps, and returns their log.
        read_warnings: Returns the warnings in a log.

    Returns:
        The log of the steps.
    """
    text = found.text.read_bytes()
    words = [word for step in found.steps for word in step.command.argv]
    if any(map(_READING.fullmatch, words)) or embeds_files(text):
        return run()
    identity = tuple(_identify(found))
    key = store.make_key(_IMAGES, text, *identity)
    last_key = store.make_key(_LAST_TEXT, str(found.unit.source.absolute()), *identity)
    entry = _read(key)
    if entry is None:
        entry = _find_equal(found, text, last_key, read_warnings)
        if entry is not None:
            _write(key, entry)
    if entry is not None:
        _restore(found, entry)
        return entry.log
    from lz4.block import compress  # noqa: PLC0415 - only the driver keeps images

    log = run()
    _write(key, _Entry(log, dict(_list_files(found))))
    store.add(last_key, key.encode() + compress(text))
    return log


def _identify(found: ImageCompile) -> Iterator[str]:
    """Yield what images depend on beside the text."""
    names = {str(path): str(number) for number, path in enumerate(found.outputs)}
    for step in found.steps:
        command = step.command
        for word in command.argv:
            yield names.get(word) or word.replace(f"{found.directory}/", "./")
        programs = (Path(command.argv[0]), *command.inputs)
        yield describe_programs(programs).decode(errors="surrogateescape")
    yield found.toolchain.version
    yield found.toolchain.script or ""
    # Debug information names the directory in which the compiler runs.
    yield os.getcwd() if _has_lines(found) else ""  # noqa: PTH109 - as the compiler spells it
    variables = process.select_environment((), prefixes=_VARIABLES)
    yield from (f"{name}={value}" for name, value in sorted(variables.items()))


def _has_lines(found: ImageCompile) -> bool:
    words = (word for step in found.steps for word in step.command.argv)
    return maps_lines(words)


def _find_equal(
    found: ImageCompile, content: bytes, last_key: str, read_warnings: Callable[[str], str]
) -> _Entry | None:
    """Return the entry of the last text of the source if it has the same device code."""
    from lz4.block import decompress  # noqa: PLC0415 - as above

    last = store.find(last_key)
    if last is None or has_columns(content):
        return None
    length = len(store.make_key())
    entry = _read(last[:length].decode())
    if entry is None:
        return None
    # Warnings name lines.
    counts_lines = _has_lines(found) or has_lines(content) or bool(read_warnings(entry.log).strip())
    texts = (decompress(last[length:]), content)
    compiler = found.toolchain.compiler
    reduced = (digest_text(text, compiler, counts_lines=counts_lines) for text in texts)
    return entry if next(reduced) == next(reduced) else None


def _list_files(found: ImageCompile) -> Iterator[tuple[str, bytes]]:
    for path in sorted(found.directory.iterdir()):
        if path != found.text and path.is_file():
            yield f"/{path.name}", path.read_bytes()
    for number, path in enumerate(found.outputs):
        yield str(number), path.read_bytes()


def _restore(found: ImageCompile, entry: _Entry) -> None:
    for name, content in entry.files.items():
        is_kept = name.startswith("/")
        path = found.directory / name[1:] if is_kept else found.outputs[int(name)]
        path.write_bytes(content)


def _write(key: str, entry: _Entry) -> None:
    sizes = {name: len(content) for name, content in entry.files.items()}
    head = json.dumps({"log": entry.log, "sizes": sizes}).encode()
    store.add(key, b"\n".join((head, b"".join(entry.files.values()))))


def _read(key: str) -> _Entry | None:
    content = store.find(key)
    if content is None:
        return None
    head, _, rest = content.partition(b"\n")
    described = json.loads(head)
    files: dict[str, bytes] = {}
    for name, size in described["sizes"].items():
        files[name], rest = rest[:size], rest[size:]
    return _Entry(described["log"], files)
