"""Every format of `kbuild diff` for one report, and for any text that a file can contain."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kbuild.diff.model import (
    ASPECTS,
    CodeChange,
    DiffReport,
    FieldChange,
    FunctionChange,
    HandleChange,
    Hunk,
    ParamChange,
    Row,
    Unreadable,
)
from kbuild.model import Param
from kbuild.report.diff import json as diff_json
from kbuild.report.diff import markdown as diff_markdown
from kbuild.report.diff import text as diff_text
from kbuild.report.page.html import render_comparison


def make_report(name: str = "f", line: str = "FADD R1, R2", note: str = "a note") -> DiffReport:
    rows = (Row(old="same", new="same"), Row(old=line, new="FMUL R1, R2"), Row(old=None, new=line))
    return DiffReport(
        old="old.so",
        new="new.so",
        aspects=ASPECTS,
        compared=2,
        artifacts=(),
        images=(),
        functions=(
            FunctionChange(
                status="changed",
                backend="cuda",
                arch="sm_90",
                kind="elf",
                is_kernel=True,
                old_name=name,
                new_name=name,
                old_display=name,
                new_display=name,
                breaks=("the layout or type of parameter 1 changed",),
                params=(
                    ParamChange(
                        index=1,
                        old=Param(index=1, offset=8, size=4, type="int"),
                        new=Param(index=1, offset=8, size=8, type=None),
                    ),
                ),
                resources=(FieldChange(field="registers", old=20, new=24),),
                code=CodeChange(
                    language="SASS",
                    removed_lines=1,
                    added_lines=2,
                    hunks=(Hunk(old_start=3, new_start=4, rows=rows),),
                ),
                files=("libk.so",),
            ),
        ),
        data=(),
        handles=(
            HandleChange(
                file="libk.so", kernel=name, display=name, old="exported", new=None, is_break=True
            ),
        ),
        unreadable=(Unreadable(side="new", file="x.so", message=name),),
        notes=(note,),
    )


EMPTY = DiffReport(
    old="a",
    new="b",
    aspects=("abi",),
    compared=1,
    artifacts=(),
    images=(),
    functions=(),
    data=(),
    handles=(),
    unreadable=(),
    notes=(),
)

TEXT = """\
old.so -> new.so
1 ABI break: 1 kernel changed, 1 handle changed, 1 part unreadable; 2 kernels compared (by architecture)
  libk.so: ABI break: handle of f: exported -> -
  x.so: unreadable on the new side: f

changed: f
  sm_90 elf in libk.so
    ABI break: the layout or type of parameter 1 changed
    parameter 1: int at 8, 4 bytes -> ? at 8, 8 bytes
    registers 20 -> 24 (+4)
    SASS: -1 +2 lines
      @@ -3 +4 @@
       same
      -FADD R1, R2
      +FMUL R1, R2
      +FADD R1, R2
note: a note
"""  # noqa: E501 - exact output


def test_text_lists_all_changes() -> None:
    assert diff_text.render(make_report()) == TEXT
    assert diff_text.render(EMPTY) == (
        "a -> b\nno difference in abi; 1 kernel compared (by architecture)\n"
    )


def test_json_has_all_fields() -> None:
    document = json.loads(diff_json.render(make_report()))

    assert document["schema"] == "kbuild.diff/1"
    assert (document["equal"], document["abi_breaks"]) == (False, 1)
    (function,) = document["functions"]
    assert function["params"][0]["new"] == {
        "index": 1,
        "offset": 8,
        "size": 8,
        "type": None,
        "name": None,
        "kind": None,
    }
    assert function["resources"] == [{"field": "registers", "old": 20, "new": 24}]
    assert function["code"]["hunks"] == [
        {
            "old_start": 3,
            "new_start": 4,
            "rows": [["same", "same"], ["FADD R1, R2", "FMUL R1, R2"], [None, "FADD R1, R2"]],
        }
    ]
    assert json.loads(diff_json.render(EMPTY))["equal"] is True


class _Page(HTMLParser):
    """Collects the elements, attributes, and text of a page, and checks the nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_self_contained_and_starts_with_the_summary() -> None:
    text = render_comparison(make_report())
    page = _Page(text)

    assert not {"script", "link", "img", "iframe"} & page.tags
    assert not {"src", "href"} & set(page.attributes)
    assert text.index("1 ABI break") < text.index("FADD R1, R2")
    assert "color-scheme: light dark" in text
    assert page.text.count("FMUL R1, R2") == 1


HOSTILE = "</td><script>alert(1)</script>|`````*x*[a](http://b)\x1b[31m\u202e@team"


def test_hostile_names_are_escaped() -> None:
    report = make_report(HOSTILE, HOSTILE, HOSTILE)

    page = _Page(render_comparison(report))
    assert "script" not in page.tags
    assert "alert(1)" in page.text
    for render in (diff_text.render, diff_json.render, diff_markdown.render, render_comparison):
        assert "\x1b" not in render(report)
        assert "\u202e" not in render(report)
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(diff_markdown.render(report))
    assert "<script>" not in rendered
    assert "<a href" not in rendered


@given(st.text(max_size=40))
def test_all_formats_render_any_text(text: str) -> None:
    report = make_report(text, text, text)

    _Page(render_comparison(report))
    assert json.loads(diff_json.render(report))["functions"][0]["new_name"] == text
    for render in (diff_text.render, diff_markdown.render):
        assert render(report).encode()


@pytest.mark.parametrize("count", [1, 3000])
def test_markdown_fits_into_a_github_comment(count: int) -> None:
    one = make_report("k" * 300).functions[0]
    functions = tuple(
        FunctionChange(
            **{
                **{field: getattr(one, field) for field in one.__dataclass_fields__},
                "new_display": f"kernel{number}",
            }
        )
        for number in range(count)
    )
    report = DiffReport(
        **{
            **{field: getattr(EMPTY, field) for field in EMPTY.__dataclass_fields__},
            "functions": functions,
        }
    )

    text = diff_markdown.render(report)

    assert len(text) < 65536
    assert ("too long for a comment" in text) == (count > 1)
