"""The page of `kbuild report`: what it contains, and that names from files cannot change it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from support.facts.build_reports import FINDING
from support.pages import make_artifact, make_kernel, read_data, render_page

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e"


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_page_refers_to_nothing_outside() -> None:
    page = _Page(render_page(make_artifact("a.so", make_kernel("k"), architectures=("sm_90",))))

    assert not {"link", "img", "iframe"} & set(page.tags)
    assert not [value for name, value in page.attributes if name == "src"]
    assert all(value and value[0] == "#" for name, value in page.attributes if name == "href")


def test_columns_have_the_figures_of_all_images() -> None:
    kernel = make_kernel(
        "k", registers=128, shared_bytes=0, local_bytes=8, code_bytes=300, max_threads=1024
    )
    artifact = make_artifact("d/a.so", kernel, architectures=("sm_100", "sm_90"))
    other = make_artifact("d/b.so", make_kernel("k"), architectures=("compute_90",))

    data = read_data(render_page(artifact, other))

    assert data["artifacts"] == ["a.so", "b.so"]
    assert data["architectures"] == ["compute_90", "sm_90", "sm_100"]
    assert [data["architectures"][image["arch"]] for image in data["images"]] == [
        *("sm_100", "sm_90", "compute_90"),
    ]
    assert data["names"] == ["k(float*)"]
    kernels = data["kernels"]
    assert kernels["registers"] == [128, 128, None]
    assert kernels["code"] == [300, 300, None]
    # 65,536 registers are enough for 512 threads with 128 registers, so this block cannot start.
    assert kernels["occupancy"] == [0, 0, None]
    assert kernels["block"] == [1024, 1024, None]


def test_title_names_artifacts_and_versions() -> None:
    kernel = make_kernel("k")
    wheel = make_artifact(
        "d/demo-1.2-cp310-none-linux.whl!demo/a.so", kernel, architectures=("sm_90",)
    )
    other = make_artifact("d/libk.so.1", kernel, architectures=("sm_90",))
    third = make_artifact("e/libl.so", kernel, architectures=("sm_90",))
    assert "<title>kbuild report: demo 1.2, libk.so.1</title>" in render_page(wheel, other)
    assert "<h1>kbuild report: demo 1.2, libk.so.1 and 1 more</h1>" in render_page(
        wheel, other, third
    )


def test_names_start_with_what_tells_them_apart() -> None:
    kernel = replace(make_kernel("k"), display="void ns::fill<int>(int*)")
    data = read_data(render_page(make_artifact("a.so", kernel, architectures=("sm_90",))))
    assert data["names"] == ["ns::fill<int>(int*)"]


def test_sizes_are_those_in_memory_and_in_the_file() -> None:
    artifact = make_artifact("a.so", make_kernel("k"), architectures=("sm_90",))
    (image,) = artifact.images
    smaller = replace(artifact, images=(replace(image, size=4096, stored_size=1024),))
    assert "4.0 KiB of device code, 1.0 KiB in the files" in render_page(smaller)


def test_matrix_shows_which_artifact_has_which_architecture() -> None:
    first = make_artifact("a.so", make_kernel("k"), architectures=("sm_80", "sm_90"))
    second = make_artifact("b.so", make_kernel("k"), architectures=("sm_90",))

    text = render_page(first, second)

    cells = re.findall(r'data-artifact="(\d)" data-arch="(\d)">(\d)<', text)
    assert cells == [("0", "0", "1"), ("0", "1", "1"), ("1", "1", "1")]
    assert text.count('aria-label="missing"') == 1


def test_findings_have_their_fixes() -> None:
    text = render_page(findings=(FINDING,))

    assert re.search(r'<span class="error">error KB101</span>.*no image', text)
    assert "Fix: add `sm_90`" in text
    assert ">1 error</span>" in text


def test_hostile_names_are_text() -> None:
    artifact = make_artifact(HOSTILE, make_kernel(HOSTILE), architectures=("sm_90",))

    text = render_page(artifact)

    assert "img" not in _Page(text).tags
    assert "\x1b" not in text
    data = read_data(text)
    assert not {"\x1b", "\u202e"} & set(data["names"][0])


def test_page_without_kernels() -> None:
    data = read_data(render_page())

    assert data["kernels"]["name"] == []
