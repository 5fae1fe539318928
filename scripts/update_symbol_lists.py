"""Update the lists of symbols that kernels must not interpose (KB310).

    python scripts/update_symbol_lists.py [--replace] [NAME=]FILE...

Each FILE is a shared library, or a C header if the library exists only beside a driver. NAME is the
soname, which is the library's own by default; a header needs it. There is one list per name in
kbuild/verify/symbol_lists/. Names are added to a list, because libraries of other releases and
machines have others; --replace starts the lists of these libraries anew. Equal libraries give equal
lists.

Left out are C++ names, which no kernel has by accident, and symbols that only old programs can
find, because no version of them is the default one. A `*` after a name means that another library
of the call imports it, so that ordinary processes call it. Name all libraries in one call:

    lib=/lib/x86_64-linux-gnu
    python scripts/update_symbol_lists.py --replace \\
        $lib/{libc.so.6,libm.so.6,libgcc_s.so.1,libstdc++.so.6} /lib64/ld-linux-x86-64.so.2 \\
        libamdhip64.so=$lib/libamdhip64.so libhsa-runtime64.so=$lib/libhsa-runtime64.so \\
        libcudart.so=$CUDA_HOME/lib/libcudart.so libcuda.so=$CUDA_HOME/include/cuda.h
    python scripts/update_symbol_lists.py /usr/aarch64-linux-gnu/lib/lib{c,m}.so.6 ...
"""

from __future__ import annotations

import argparse
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parents[1] / "kbuild" / "verify" / "symbol_lists"
DECLARATION = re.compile(r"\b(cu[A-Z]\w*)\s*\(")
# `#define cuMemAlloc cuMemAlloc_v2`: the library has both.
RENAMING = re.compile(r"^#\s*define\s+(cu[A-Z]\w*)\s+(?:__\w+\()?(cu[A-Z]\w*)", re.MULTILINE)
# Versions are absolute symbols.
VERSION = "A"


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What a library exports and imports."""

    name: str
    exported: frozenset[str]
    imported: frozenset[str]


def read_library(word: str) -> Library:
    name, _, file = word.rpartition("=")
    if Path(file).suffix == ".h":
        if not name:
            raise SystemExit(f"{file}: write NAME={file}, because a header does not name a library")
        text = Path(file).read_text("utf-8", "replace")
        found = {*DECLARATION.findall(text), *(n for pair in RENAMING.findall(text) for n in pair)}
        return Library(name=name, exported=frozenset(found), imported=frozenset())
    defined = [line.split() for line in read_symbols(file, "--defined-only")]
    # `write@@GLIBC_2.2.5` is the default version, and `step@GLIBC_2.2.5` is for old programs.
    default = {s for _, kind, s in defined if kind != VERSION and ("@" not in s or "@@" in s)}
    undefined = {line.split()[-1] for line in read_symbols(file, "--undefined-only")}
    return Library(
        name=name or read_soname(file),
        exported=select_names(default),
        imported=select_names(undefined),
    )


def select_names(symbols: set[str]) -> frozenset[str]:
    names = (symbol.partition("@")[0] for symbol in symbols)
    return frozenset(name for name in names if not name.startswith("_Z"))


def read_symbols(file: str, option: str) -> list[str]:
    return call("nm", "--dynamic", "--with-symbol-versions", option, file).splitlines()


def read_soname(file: str) -> str:
    found = re.search(r"\(SONAME\).*\[(.*)\]", call("readelf", "--dynamic", "--wide", file))
    return found[1] if found else Path(file).name


def call(*argv: str) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def update(libraries: list[Library], *, replaces: bool) -> None:
    for library in libraries:
        path = DIRECTORY / f"{library.name}.txt"
        known = path.read_text().split() if path.is_file() and not replaces else []
        imported = {name.removesuffix("*") for name in known if name.endswith("*")}
        imported |= {n for other in libraries if other is not library for n in other.imported}
        names = {name.removesuffix("*") for name in known} | library.exported
        lines = (f"{name}*\n" if name in imported else f"{name}\n" for name in sorted(names))
        path.write_text("".join(lines))
        print(f"{path.name}: {len(names)} names, {len(names & imported)} imported")


def main() -> None:
    parser = argparse.ArgumentParser(description="Update the lists of symbols for KB310.")
    parser.add_argument("--replace", action="store_true", help="start the lists anew")
    parser.add_argument("libraries", nargs="+", metavar="[NAME=]FILE", help="a library or header")
    arguments = parser.parse_args()
    update([read_library(word) for word in arguments.libraries], replaces=arguments.replace)


if __name__ == "__main__":
    main()
