"""The page of `kbuild report` in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.facts.build_reports import FINDING
from support.pages import make_artifact, make_kernel, render_page
from support.tools.browser import Browser, require_browser, start_browser

pytestmark = pytest.mark.slow

ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"
FIRST_COLUMN = "#rows tbody tr:not(.space) td:first-child"
MANY = 50_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_browser()
    with start_browser() as started:
        yield started


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    figures = {"shared_bytes": 0, "local_bytes": 0}
    kernels = (
        make_kernel("gemm", registers=128, code_bytes=9000, spill_bytes=16, **figures),
        make_kernel("scan", registers=32, code_bytes=3000, spill_bytes=0, **figures),
    )
    path.write_text(
        render_page(
            make_artifact("build/big.so", *kernels, architectures=("sm_80", "sm_90")),
            make_artifact("build/small.so", kernels[1], architectures=("sm_90",)),
            findings=(FINDING,),
        )
    )
    return path


@pytest.fixture
def opened(browser: Browser, page: Path) -> Iterator[Browser]:
    browser.open(page)
    yield browser
    assert browser.read_errors() == []


def test_table_sorts(opened: Browser) -> None:
    button = opened.find("#rows th:nth-child(4) button")
    button.click()
    assert opened.texts(FIRST_COLUMN)[:2] == ["gemm(float*)"] * 2
    button.click()
    assert opened.texts(FIRST_COLUMN)[:3] == ["scan(float*)"] * 3
    assert opened.find("#rows th:nth-child(4)").get_attribute("aria-sort") == "ascending"


def test_table_searches_and_filters(opened: Browser) -> None:
    opened.press("/", *"gemm registers>100")
    assert opened.texts(FIRST_COLUMN) == ["gemm(float*)"] * 2
    assert opened.find("#count").text == "2 of 5"
    opened.find("[data-artifact='1']").click()
    assert opened.texts(FIRST_COLUMN) == ["scan(float*)"]


def test_map_opens_areas_and_kernels(opened: Browser) -> None:
    areas = opened.texts("#map .inner")
    assert sorted(area.split(",")[0] for area in areas) == ["sm_80", "sm_90", "sm_90"]

    opened.find("#map .inner").click()
    assert "gemm(float*), 8.8 KiB" in opened.texts("#map button")
    assert "big.so / sm_" in opened.find("#crumbs").text
    opened.press(ESCAPE)
    assert opened.find("#crumbs").text.startswith("all artifacts / big.so")

    opened.find("#map .inner").click()
    assert opened.read("document.getElementById('details').open")
    rows = opened.texts("#details tr")
    assert len(rows) == 3  # a heading and two architectures
    assert "100" not in rows[1].split()  # 128 registers leave room for 512 of 2,048 threads
    assert "25" in rows[1].split()


def test_rows_open_by_keyboard(opened: Browser) -> None:
    opened.driver.execute_script("document.getElementById('rows').focus()")
    opened.press(DOWN, DOWN, ENTER)
    assert opened.read("document.getElementById('details').open")
    opened.press(ESCAPE)
    assert not opened.read("document.getElementById('details').open")


@pytest.mark.parametrize("width", [500, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window(
    browser: Browser, page: Path, width: int, *, dark: bool
) -> None:
    browser.open(page, width=width, dark=dark)

    assert browser.read("innerWidth") == width
    root = "document.documentElement"
    assert browser.read(f"{root}.scrollWidth - {root}.clientWidth") == 0
    background = browser.read("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(24, 24, 24)" if dark else "rgb(255, 255, 255)")
    assert browser.read_errors() == []


def test_print_has_all_rows(opened: Browser) -> None:
    assert opened.driver.print_page()
    opened.read("dispatchEvent(new Event('beforeprint'))")
    assert len(opened.texts(FIRST_COLUMN)) == 5


def test_page_with_150_000_kernels(browser: Browser, tmp_path: Path) -> None:
    kernels = [
        make_kernel(
            f"_ZN2ns{number}gemm_tile_kernel_with_a_long_nameILi{number}EEEvPf",
            registers=number % 256,
            shared_bytes=number % 4096,
            local_bytes=0,
            code_bytes=100 + number,
        )
        for number in range(MANY)
    ]
    architectures = ("sm_80", "sm_90", "sm_100")
    path = tmp_path / "large.html"
    path.write_text(render_page(make_artifact("l.so", *kernels, architectures=architectures)))
    assert path.stat().st_size < 8 << 20

    browser.open(path)
    assert browser.find("#count").text == "150000 of 150000"
    assert len(browser.texts(FIRST_COLUMN)) < 100
    browser.driver.execute_script("document.getElementById('rows').scrollTop = 1e9")
    browser.wait("document.querySelector('#rows [aria-rowindex=\"150001\"]') !== null")

    started = time.monotonic()
    browser.press("/", *"ili49999e")
    browser.wait("document.getElementById('count').textContent === '3 of 150000'")
    assert time.monotonic() - started < 20
    assert browser.read_errors() == []
