"""One Chromium for all tests of the page; every test has a context (cookies, storage, cache) of its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from local.page import BUILT
from tests.e2e.system import ROOT, System

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SHOTS = ROOT / "test-results" / "web"
PATIENCE_MS = 20_000
WIDE = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, with a profile that is thrown away."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here (Debian: apt-get install chromium)")
    if not (BUILT / "index.html").exists():
        pytest.skip("the web client is not built (make web/dist/index.html)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser, system: System) -> Iterator[Page]:
    """The page of nobody yet, without anything that a page before has stored."""
    with browser.new_context(base_url=system.url, viewport=WIDE, reduced_motion="reduce") as context:  # type: ignore[arg-type]  # a TypedDict
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


def shoot(page: Page, name: str) -> Path:
    """Keep a picture of what is seen, for people who look at a test's run."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    path = SHOTS / f"{name}.png"
    page.screenshot(path=path)
    return path
