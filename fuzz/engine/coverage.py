"""Counts the lines that are executed for the first time. This needs Python 3.12.

`sys.monitoring` reports a line once and then forgets it, so that counting costs almost nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType
from typing import Any, Final

IS_AVAILABLE: Final = hasattr(sys, "monitoring")

_OWN_FILES: Final = str(Path(__file__).parents[1])


class LineCounter:
    """Counts new lines of all code outside the fuzzer; ``count`` is 0 on older Pythons."""

    def __init__(self) -> None:
        self.count = 0

    def start(self) -> None:
        """Start to count in this process."""
        if not IS_AVAILABLE:
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        tool: int = monitoring.COVERAGE_ID
        monitoring.use_tool_id(tool, "kbuild-fuzz")

        def count_line(code: CodeType, _: int) -> Any:
            if not code.co_filename.startswith(_OWN_FILES):
                self.count += 1
            return monitoring.DISABLE

        monitoring.register_callback(tool, monitoring.events.LINE, count_line)
        monitoring.set_events(tool, monitoring.events.LINE)
