"""Facts of wheels as wholes, sound or with a defect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from kbuild.facts import ArtifactFacts, Place
from kbuild.facts.wheel import PlatformFacts, PythonFacts, PythonSymbol, VersionNeed, WheelFacts
from kbuild.verify import Policy
from support.facts.build_facts import host_facts, make_symbol

PATH: Final = "dist/k-1.0-cp310-abi3-manylinux_2_28_x86_64.whl"
TAG: Final = "manylinux_2_28_x86_64"
PLATFORM: Final = PlatformFacts(
    promised=TAG, consistent=TAG, sufficient=TAG, missing=(), external=()
)
PYTHON: Final = PythonFacts(promised=(3, 10), modules=("k/_k.abi3.so",), symbols=())
WHEEL: Final = WheelFacts(
    version="1.0",
    platforms=(TAG,),
    size=1000,
    requirements=(),
    bills=("k-1.0.dist-info/sboms/k.cdx.json",),
    record_problems=(),
    python=PYTHON,
    platform=PLATFORM,
)
PYPI: Final = Policy(wheel_policy="pypi")
STRICT: Final = replace(PYPI, external_libraries=("libtorch*.so",))
NEW: Final = VersionNeed(library="libc.so.6", versions=("GLIBC_2.34",))
FOREIGN: Final = PythonSymbol(module="k/_k.abi3.so", name="_PyThing", added=None)
LATE: Final = replace(FOREIGN, name="PyList_GetItemRef", added=(3, 13))


def as_wheel(wheel: WheelFacts = WHEEL) -> ArtifactFacts:
    """Return a wheel as a whole."""
    return ArtifactFacts(path=PATH, kind="wheel", machine=None, sha256=None, wheel=wheel)


def change_wheel(**changes: Any) -> ArtifactFacts:
    """Return a wheel as a whole with other facts."""
    return as_wheel(replace(WHEEL, **changes))


def needing(*names: str, file: str = "k/_k.so", defined: tuple[str, ...] = ()) -> ArtifactFacts:
    """Return a library of the wheel that needs some symbols and defines others."""
    place = Place(section=2, offset=0)
    symbols = (
        *(make_symbol(name, None, dynamic=True) for name in names),
        *(make_symbol(name, place, dynamic=True) for name in defined),
    )
    return replace(host_facts("shared-object"), path=f"{PATH}!{file}", symbols=symbols)
