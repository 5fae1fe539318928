"""What package indexes accept.

Sources: docs.pypi.org, "Storage limits"; warehouse, `forklift/legacy.py` (platform tags, local
versions).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from kbuild.values import dataclass

IndexName: TypeAlias = Literal["pypi"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageIndex:
    """The limits of a package index.

    Attributes:
        name: How people call it.
        max_wheel_bytes: The size of the largest wheel, unless the index grants a project more.
        rejected_platforms: A pattern of the platform tags that it does not accept.
        accepts_local_versions: Whether versions such as ``1.0+cu130`` are accepted.
    """

    name: str
    max_wheel_bytes: int
    rejected_platforms: str
    accepts_local_versions: bool


INDEXES: Final[dict[IndexName, PackageIndex]] = {
    "pypi": PackageIndex(
        name="PyPI",
        max_wheel_bytes=100 << 20,
        rejected_platforms=r"linux_(?!armv[67]l$)\w+",
        accepts_local_versions=False,
    )
}
