"""Draw the terminal on the first page: run its commands on the example of the README.

    python scripts/draw_terminal.py [--check]

The commands run with the installed kbuild, and the picture shows what they print. --check writes
nothing, and fails if the picture differs from what the commands print now.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "static" / "terminal.svg"
EXAMPLE = re.compile(r"<!-- file: (\S+) -->\n```cpp\n(.*?)```", re.DOTALL)
COMMANDS = (
    "kbuild run fill.cu",
    "sed -i 's/<<<1, 4>>>/<<<1, 5>>>/' fill.cu  # a thread too many",
    "kbuild run --check fill.cu",
)
COLUMNS = 112
CHARACTER, LINE, MARGIN = 8, 19, 16  # pixels
FOREGROUND, BACKGROUND = "#e6edf3", "#161b22"
COLORS: dict[int | None, str] = {1: "#ff7b72", 2: "#7ee787"}  # red and green of terminals


def record() -> list[Text]:
    """Return the lines of a terminal in which the commands ran."""
    name, source = EXAMPLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, name).write_text(source, encoding="utf-8")
        for command in COMMANDS:
            prompt = Text.assemble(("$ ", Style(color="green")), (command, Style(bold=True)))
            printed = run(command, directory).splitlines()
            lines += [prompt, *map(Text.from_ansi, printed)]
    return [part for line in lines for part in wrap(line)]


def run(command: str, directory: str) -> str:
    """Return what a command prints on a terminal. With findings, it ends with 1."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=directory,
        env={**os.environ, "PATH": path, "FORCE_COLOR": "1", "XDG_CACHE_HOME": directory},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def wrap(line: Text) -> Iterator[Text]:
    """Yield the rows of a line, as a terminal breaks it."""
    for start in range(0, max(len(line), 1), COLUMNS):
        yield line[start : start + COLUMNS] if line else line


def draw(rows: list[Text]) -> str:
    """Return the picture: one element per row and style, in any fixed-width font."""
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(rows) * LINE + 2 * MARGIN
    parts = [element for number, row in enumerate(rows) for element in draw_row(number, row)]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            "<!-- Written by scripts/draw_terminal.py from a run of the commands. -->",
            f"<title>{escape('; '.join(COMMANDS))}</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
            f'<g font-family="monospace" font-size="13" fill="{FOREGROUND}"',
            'style="white-space: pre">',
            *parts,
            "</g>\n</svg>\n",
        )
    )


def draw_row(number: int, row: Text) -> Iterator[str]:
    y = MARGIN + number * LINE + LINE - 5
    for start, text, style in divide(row):
        bold = ' font-weight="bold"' if style.bold else ""
        color = COLORS.get(style.color.number) if style.color else None
        fill = f' fill="{color}"' if color else ""
        # Whatever font there is, the text is as wide as its columns.
        place = f'x="{MARGIN + start * CHARACTER}" y="{y}" textLength="{len(text) * CHARACTER}"'
        yield f"<text {place}{bold}{fill}>{escape(text)}</text>"


def divide(row: Text) -> Iterator[tuple[int, str, Style]]:
    """Yield the parts of a row that have one style, without the spaces around them."""
    edges = sorted({0, len(row), *(edge for span in row.spans for edge in (span.start, span.end))})
    for start, end in itertools.pairwise(edges):
        styles = [s.style for s in row.spans if s.start <= start and end <= s.end]
        text = row.plain[start:end]
        if text.strip():
            style = Style.combine((Style(), *(s for s in styles if isinstance(s, Style))))
            yield start + len(text) - len(text.lstrip()), text.strip(), style


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare the picture")
    arguments = parser.parse_args()
    picture = draw(record())
    if not arguments.check:
        PICTURE.write_text(picture, encoding="utf-8")
    elif not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != picture:
        raise SystemExit(f"{PICTURE.name} differs from the run; call {Path(__file__).name}")


if __name__ == "__main__":
    main()
