"""Reading artifacts: any path to the facts that rules and reports see."""

from kbuild.inspect.paths import find_artifacts, inspect_path

__all__ = ["find_artifacts", "inspect_path"]
