"""Remove device code from linked files and wheels of any tool, without linking again.

`strip_artifact` removes the images that nobody needs, in place: addresses, registration, and
notes stay as they are.
"""

from kbuild.strip.artifact import strip_artifact
from kbuild.strip.model import RemovedImages, StrippedFile, StripReport

__all__ = ["RemovedImages", "StripReport", "StrippedFile", "strip_artifact"]
