"""Remove, divide, and join the device code of linked files and wheels of any tool.

Nothing is linked again. `strip_artifact` removes the images that nobody needs, `split_artifact`
writes an artifact for each architecture of devices, and `merge_artifacts` joins them again.
"""

from kbuild.strip.artifact import split_artifact, strip_artifact
from kbuild.strip.merge import merge_artifacts
from kbuild.strip.model import (
    MergedFile,
    MergeReport,
    RemovedImages,
    SplitArtifact,
    SplitReport,
    StrippedFile,
    StripReport,
)

__all__ = [
    "MergeReport",
    "MergedFile",
    "RemovedImages",
    "SplitArtifact",
    "SplitReport",
    "StripReport",
    "StrippedFile",
    "merge_artifacts",
    "split_artifact",
    "strip_artifact",
]
