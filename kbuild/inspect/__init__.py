"""Read artifacts: turn any path into the facts that rules and reports use."""

from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import find_artifacts, inspect_files, inspect_path
from kbuild.inspect.selection import Selection, select

__all__ = [
    "ReadOptions",
    "Selection",
    "find_artifacts",
    "inspect_files",
    "inspect_path",
    "select",
]
