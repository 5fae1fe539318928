"""A headless Chromium that tests drive (Debian: chromium, chromium-driver; PyPI: selenium)."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def require_browser() -> None:
    """Skip a test if there is no browser that it can drive."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    missing += ["selenium"] if importlib.util.find_spec("selenium") is None else []
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")


class Browser:
    """A browser with one page, and the messages of the page's console."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, *, width: int = 1400, height: int = 900, dark: bool = False) -> None:
        """Show a page and wait until its scripts have run."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get(page.as_uri())
        self.wait("document.documentElement.dataset.ready === 'true'")

    def wait(self, condition: str, seconds: float = 60) -> None:
        """Wait until an expression of the page is true."""
        from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415 - can be missing

        WebDriverWait(self.driver, seconds).until(lambda _: self.read(condition))

    def read(self, expression: str) -> Any:
        """Return the value of an expression of the page."""
        return self.driver.execute_script(f"return {expression}")

    def find(self, selector: str) -> Any:
        """Return the first element for a CSS selector."""
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements for a CSS selector."""
        return [found.text for found in self.driver.find_elements("css selector", selector)]

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, where the focus is."""
        from selenium.webdriver import ActionChains  # noqa: PLC0415 - can be missing

        ActionChains(self.driver).send_keys(*keys).perform()

    def read_errors(self) -> list[str]:
        """Return what the page wrote to the console since the last call."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]


@contextmanager
def start_browser() -> Iterator[Browser]:
    """Start a browser that can reach no network."""
    from selenium import webdriver  # noqa: PLC0415 - can be missing

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    words = ["--headless=new", "--disable-dev-shm-usage", "--proxy-server=127.0.0.1:9"]
    words += ["--no-sandbox"] if os.geteuid() == 0 else []
    for word in words:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
