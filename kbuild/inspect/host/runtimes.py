"""Find the GPU runtimes that a linked file needs or contains."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.backends import list_host_conventions
from kbuild.backends.interface.host import RuntimeLibrary
from kbuild.errors import InputError
from kbuild.facts import RuntimeFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.text_search import find_texts


def read_runtimes(elf: Elf) -> tuple[RuntimeFacts, ...]:
    """Return the runtimes of a linked file, shared ones first; empty for an object file."""
    if elf.type == "relocatable":
        return ()
    return (*_find_shared(elf), *_find_static(elf))


def _find_shared(elf: Elf) -> Iterator[RuntimeFacts]:
    for tag, soname in elf.dynamic_names:
        if tag != "DT_NEEDED":
            continue
        for backend, conventions in list_host_conventions():
            for library in conventions.runtimes:
                match = library.file_name.fullmatch(soname)
                if match:
                    yield RuntimeFacts(
                        backend=backend,
                        name=library.name,
                        linkage="shared",
                        soname=soname,
                        version=match["version"],
                        needs=_needs(elf, soname),
                        is_driver=library.is_driver,
                        is_bound_to_kernel=library.is_bound_to_kernel,
                        is_copy=library.is_copy(soname),
                    )


def _needs(elf: Elf, soname: str) -> tuple[str, ...]:
    try:
        return tuple(version for file, version in elf.needed_versions if file == soname)
    except InputError:
        # Damaged version tables do not prevent reading the rest of the file.
        return ()


def _find_static(elf: Elf) -> Iterator[RuntimeFacts]:
    own = {name for tag, name in elf.dynamic_names if tag == "DT_SONAME"}
    candidates = [
        (backend, library)
        for backend, conventions in list_host_conventions()
        for library in conventions.runtimes
        # The shared library itself contains the same texts.
        if library.texts and not _is_named(library, own)
    ]
    texts = find_texts(elf, [text for _, library in candidates for text in library.texts])
    for backend, library in candidates:
        if texts.issuperset(library.texts):
            yield RuntimeFacts(
                backend=backend,
                name=library.name,
                linkage="static",
                soname=None,
                version=None,
                is_driver=library.is_driver,
            )


def _is_named(library: RuntimeLibrary, names: set[str]) -> bool:
    return any(library.file_name.fullmatch(name) for name in names)
