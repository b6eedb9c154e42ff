"""One Chromium for all tests of the web client; each visit has a profile and a person of its own."""

import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from local.page import BUILT
from tests.e2e.person import Person
from tests.e2e.system import System
from tests.e2e.web.visit import Visit

# The one without windows does the same for less of the processor's time.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 20_000
WIDE = {"width": 1280, "height": 800}

Visitor = Callable[..., Visit]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, with a profile that is thrown away.

    Ended with this folder: as long as it runs, so does an event loop in this thread, and other tests have theirs.
    """
    if CHROMIUM is None:
        pytest.skip("there is no chromium here (Debian: apt-get install chromium-headless-shell)")
    if not (BUILT / "index.html").exists():
        pytest.skip("the web client is not built (make web/dist/index.html)")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        yield running
        running.close()


@pytest.fixture
def visitor(browser: Browser, system: System) -> Iterator[Visitor]:
    """Make somebody new look at the page, who has stored nothing there yet; takes options of a browser's context."""
    with ExitStack() as stack:

        def make(*, signed_in: bool = True, **options: Any) -> Visit:  # noqa: ANN401  (what Playwright takes)
            somebody = Person(system.url, f"u{uuid.uuid4().hex[:12]}@example.com")
            chosen = {"base_url": system.url, "viewport": WIDE, "reduced_motion": "reduce"} | options
            context = stack.enter_context(browser.new_context(**chosen))
            context.set_default_timeout(PATIENCE_MS)
            if signed_in:
                context.add_init_script(f"localStorage.setItem('satchel.user', {json.dumps(somebody.name)})")
            return Visit(context.new_page(), somebody)

        yield make


@pytest.fixture
def visit(visitor: Visitor) -> Visit:
    """Somebody new, with the page open."""
    made = visitor()
    made.go_on()
    return made
