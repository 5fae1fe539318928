"""A compiler reads generated strings."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.stages.render import c_string

TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), max_size=20)


@settings(max_examples=5, deadline=None)
@given(texts=TEXTS)
def test_compiler_reads_back_the_same_text(tmp_path_factory: object, texts: list[str]) -> None:
    directory = Path(str(tmp_path_factory.mktemp("c_string")))  # type: ignore[attr-defined]
    lines = [f"    fwrite({c_string(t)}, 1, {len(t.encode())}, stdout); putchar(0);" for t in texts]
    source = directory / "t.c"
    source.write_text("\n".join(["#include <stdio.h>", "int main(void) {", *lines, "}"]))
    subprocess.run(
        ["gcc", "-std=c99", "-trigraphs", "-w", source, "-o", directory / "t"], check=True
    )

    output = subprocess.run([directory / "t"], check=True, capture_output=True).stdout

    assert output.split(b"\0")[:-1] == [text.encode() for text in texts]
