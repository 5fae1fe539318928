"""The backends, one module each, and the one table that names them."""

from __future__ import annotations

from typing import Final

from kbuild.backends import cpu
from kbuild.backends.protocol import Backend

BACKENDS: Final[dict[str, Backend]] = {cpu.NAME: cpu}
