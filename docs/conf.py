"""Configuration of the documentation: `sphinx-build -W -b html docs build/docs`."""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import kbuild

project = "kbuild"
author = "The kbuild authors"
project_copyright = "The kbuild authors. Licensed under Apache-2.0."
version = release = kbuild.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "kbuild_reference",
]
exclude_patterns = ["extensions"]

html_theme = "furo"
html_title = f"kbuild {release}"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["kbuild.css"]

# `sphinx-build -b man docs build/man`: kbuild(1), from the same parsers as `kbuild COMMAND --help`.
man_pages = [("reference/commands", "kbuild", "build and check GPU kernels", author, "1")]

myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 3
# C++ in code blocks is CUDA's dialect, and some text blocks only look like a language.
suppress_warnings = ["misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Quotes and dashes stay as written: `--option` must not become a dash.
smartquotes = False
# In docstrings, `name` is code.
default_role = "code"

# The external addresses need a network: `nox -s linkcheck`.
linkcheck_timeout = 20
linkcheck_retries = 2

# The first words of commands. Indented blocks cannot name their language.
_COMMAND = re.compile(
    r"(\w+=\S+ )?(kbuild|cmake|ctest|pip|pipx|python3?|pytest|uvx|nox|export|make)\b"
)


def highlight_commands(_app: Sphinx, document: nodes.document) -> None:
    """Highlight indented blocks of commands as those of a shell."""
    for block in document.findall(nodes.literal_block):
        if block.get("language") == "none" and _COMMAND.match(block.astext()):
            block["language"] = "bash"


def setup(app: Sphinx) -> None:
    """Add what no extension does."""
    app.connect("doctree-read", highlight_commands)
