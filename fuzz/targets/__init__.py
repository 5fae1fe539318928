"""All targets, by name. To add one, append it to the ``TARGETS`` of a module here."""

from __future__ import annotations

from typing import Final

from fuzz.target import Target
from fuzz.targets import artifacts, documents, host, images, names

_MODULES: Final = (artifacts, host, images, documents, names)

TARGETS: Final[dict[str, Target]] = {
    target.name: target for module in _MODULES for target in module.TARGETS
}
