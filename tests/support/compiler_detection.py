"""What CMake found out about compilers, which all configured projects of a test run share.

CMake compiles and runs several programs to identify a compiler. The results are in two places of
a build directory: ``CMakeFiles/<version>/*.cmake``, and paths of programs in the cache. kbuild adds
what it found out about the linker.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# The directory of the results, which tests/conftest.py creates for each test run.
DIRECTORY_VARIABLE: Final = "KBUILD_TESTS_DETECTED_COMPILERS"

_FILES: Final = "CMakeFiles/*.*/*.cmake"
_ENTRY: Final = re.compile(
    r"CMAKE_\w+:FILEPATH=/.*|CMAKE_EXECUTABLE_FORMAT:.*|_KBUILD_LINKER_RUNS_SCRIPTS:INTERNAL=.*"
)
_COMPLETE: Final = "CMAKE_PLATFORM_INFO_INITIALIZED:INTERNAL=1"
# Only these variables of the environment select compilers and their programs.
_VARIABLES: Final = (
    *("PATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"),
    *("CMAKE_TOOLCHAIN_FILE", "CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER_LAUNCHER"),
)


@dataclass(frozen=True)
class Detection:
    """The results for one set of compilers.

    Args:
        file: Holds the results, once a project was configured.
    """

    file: Path

    def restore(self, build: Path) -> None:
        """Write the results to a build directory, unless it was configured before."""
        if not self.file.exists() or (build / "CMakeCache.txt").exists():
            return
        for name, text in json.loads(self.file.read_text()).items():
            path = build / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def keep(self, build: Path) -> None:
        """Store the results of a configured build directory if they are of more languages."""
        files = {str(path.relative_to(build)): path.read_text() for path in build.glob(_FILES)}
        known = json.loads(self.file.read_text()) if self.file.exists() else {}
        if files.keys() <= known.keys():
            return
        cache = (build / "CMakeCache.txt").read_text().splitlines()
        programs = [line for line in cache if _ENTRY.fullmatch(line) and str(build) not in line]
        files["CMakeCache.txt"] = "\n".join((*programs, _COMPLETE, ""))
        # Another worker can write the same file.
        temporary = self.file.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(files))
        temporary.replace(self.file)


def find_detection(generator: str, definitions: Iterable[str]) -> Detection:
    """Return the results that apply to a project with these cache definitions."""
    selected = [word for word in definitions if word.startswith("CMAKE_")]
    key = (generator, sorted(selected), [os.environ.get(name) for name in _VARIABLES])
    digest = hashlib.sha256(repr(key).encode()).hexdigest()
    return Detection(Path(os.environ[DIRECTORY_VARIABLE]) / f"{digest}.json")
