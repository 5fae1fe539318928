"""Programs built with gcc options that a rule could mistake for a defect."""

from __future__ import annotations

from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Sound
from support.accuracy.units.stub_units import (
    IDLE,
    LAUNCHER,
    load_host,
    load_program,
    load_sound_library,
    load_sound_unit,
)

# More than code can reach, without using space in the file.
_HUGE: Final = "char huge[2500ull << 20];\nint main(int n, char **words) { return huge[n]; }\n"


def _program(name: str, text: str, compile_word: str, *link_words: str) -> Build:
    """Return a program that contains the kernels."""

    def build(build_env: BuildEnv) -> Case:
        host = load_host(build_env, f"sound-{name}", text, compile_word)
        unit = load_sound_unit(build_env)
        return Case(paths=(load_program(build_env, f"sound-{name}", *link_words, host, unit),))

    return build


def _launcher(name: str, compile_word: str, link_word: str) -> Build:
    """Return a library, and a program that launches its kernel."""

    def build(build_env: BuildEnv) -> Case:
        host = load_host(build_env, f"sound-{name}", LAUNCHER, compile_word)
        library = load_sound_library(build_env, "default")
        program = load_program(build_env, f"sound-{name}", link_word, host, library)
        return Case(paths=(program, library))

    return build


SOUND: Final = tuple(
    Sound(producer="gcc", name=name, build=build)
    for name, build in (
        ("program in the medium model", _program("medium", _HUGE, "-mcmodel=medium")),
        ("program, static", _program("static", IDLE, "-fPIE", "-static")),
        (
            "program, static and position-independent",
            _program("static-pie", IDLE, "-fPIE", "-static-pie"),
        ),
        ("program, sections collected", _program("gc", IDLE, "-fPIE", "-Wl,--gc-sections")),
        ("program, link-time optimization", _program("lto", IDLE, "-flto")),
        (
            "program, constructor of libgcc in front",
            _program("libgcc", IDLE, "-fPIE", "-Wl,-u,__cpu_model", "-lgcc"),
        ),
        ("program, split stacks", _program("split", IDLE, "-fPIE", "-fsplit-stack")),
        ("program beside a library", _launcher("pie", "-fPIE", "-pie")),
        ("program at a fixed address beside a library", _launcher("fixed", "-fno-pie", "-no-pie")),
    )
)
