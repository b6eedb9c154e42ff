"""One browser for all tests of the web client; each test gets its own browser profile and user."""

import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from local.emulator.http_gateway import BUILT
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import LOCAL_KEY, UserClient
from tests.e2e.web.chat_page import ChatPage

# Prefer the headless shell: it needs less CPU time than the full browser.
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
TIMEOUT_MS = 20_000
WIDE = {"width": 1280, "height": 800}

STORE_KEY = f"sessionStorage.setItem('satchel.key', {json.dumps(LOCAL_KEY)})"
"""The script that gives the key of the system to a page, as the address that the system prints does."""

ChatPageFactory = Callable[..., ChatPage]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium.

    It stops after the last test of this folder, because Playwright runs an event loop in this thread while it is open,
    and other tests need their own.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium-headless-shell)")
    if not (BUILT / "index.html").exists():
        pytest.skip("the web client is not built (make web/dist/index.html)")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        yield browser
        browser.close()


@pytest.fixture
def new_chat_page(browser: Browser, system: SystemProcess) -> Iterator[ChatPageFactory]:
    """Return a function that creates a page for a new user, with an empty profile; it takes browser context options.

    The page has the key of the system. If ``signed_in`` is False, no user is stored. If ``has_key`` is False, there is
    no key either.
    """
    with ExitStack() as stack:

        def create(*, signed_in: bool = True, has_key: bool = True, **options: Any) -> ChatPage:  # noqa: ANN401  (what Playwright takes)
            user = UserClient(system.url, f"u{uuid.uuid4().hex[:12]}@example.com")
            context_options = {"base_url": system.url, "viewport": WIDE, "reduced_motion": "reduce"} | options
            context = stack.enter_context(browser.new_context(**context_options))
            context.set_default_timeout(TIMEOUT_MS)
            if has_key:
                context.add_init_script(STORE_KEY)
            if signed_in:
                context.add_init_script(f"localStorage.setItem('satchel.user', {json.dumps(user.name)})")
            return ChatPage(context.new_page(), user)

        yield create


@pytest.fixture
def chat(new_chat_page: ChatPageFactory) -> ChatPage:
    """Open the page as a new user."""
    chat_page = new_chat_page()
    chat_page.open()
    return chat_page
