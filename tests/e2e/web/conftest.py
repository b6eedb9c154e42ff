"""One browser for all tests of the web client; each test gets an empty browser profile and, mostly, a new user."""

import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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
SHARED_PROCESS = "--process-per-site"
"""Lets the pages of a profile share a renderer process."""

TIMEOUT_MS = 40_000
WIDE = {"width": 1280, "height": 800}
CONTEXT_OPTIONS: dict[str, Any] = {"viewport": WIDE, "reduced_motion": "reduce"}
_STORAGE = "local_storage,indexeddb,cache_storage,file_systems,service_workers"

STORE_KEY = f"sessionStorage.setItem('satchel.key', {json.dumps(LOCAL_KEY)})"
"""The script that gives the key of the system to a page, as the address that the system prints does."""


def store_user(name: str) -> str:
    """Return the script that signs a user in to a page."""
    return f"localStorage.setItem('satchel.user', {json.dumps(name)})"


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
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, SHARED_PROCESS], headless=True)
        yield browser
        browser.close()


class SharedProfile:
    """A browser profile that tests use one after the other. It is empty at the start of each.

    An idle page keeps the renderer process, which has the scripts of the web client compiled. Without it, opening a
    page takes a third more processor time.
    """

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:  # noqa: ANN401  (what Playwright takes)
        self.url = url
        self.is_in_use = False
        self._context = browser.new_context(**{"base_url": url} | CONTEXT_OPTIONS | options)
        self._context.set_default_timeout(TIMEOUT_MS)
        self._context.add_init_script(STORE_KEY)
        self._idle = self._context.new_page()
        self._idle.goto("/icon.svg")

    @contextmanager
    def new_page(self, user_name: str) -> Iterator[ChatPage]:
        """Return a page of a user. At the end, remove what the test has left in the profile."""
        self.is_in_use = True
        page = self._context.new_page()
        page.add_init_script(store_user(user_name))
        try:
            yield ChatPage(page, UserClient(self.url, user_name))
        finally:
            self._clear()
            self.is_in_use = False

    def _clear(self) -> None:
        for page in self._context.pages:
            if page is not self._idle:
                page.close()
        devtools = self._context.new_cdp_session(self._idle)
        devtools.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": _STORAGE})
        devtools.detach()
        self._context.clear_cookies()
        self._context.clear_permissions()
        self._context.unroute_all()
        self._context.set_offline(False)

    def close(self) -> None:
        """Close the profile with its pages."""
        self._context.close()


@pytest.fixture(scope="package")
def profiles() -> Iterator[list[SharedProfile]]:
    """The shared profile of the last system, if there is one."""
    profiles: list[SharedProfile] = []
    yield profiles
    for profile in profiles:
        profile.close()


@pytest.fixture
def profile(browser: Browser, system: SystemProcess, profiles: list[SharedProfile]) -> SharedProfile:
    """Return the profile that the tests of a system share."""
    if not profiles or profiles[0].url != system.url:
        while profiles:
            profiles.pop().close()
        profiles.append(SharedProfile(browser, system.url))
    return profiles[0]


@pytest.fixture
def user_name() -> str:
    """Return the name of a new user. A module may share one user, whose servers then start once."""
    return _new_name()


def _new_name() -> str:
    return f"u{uuid.uuid4().hex[:12]}@example.com"


@pytest.fixture
def new_chat_page(
    browser: Browser, system: SystemProcess, profile: SharedProfile, user_name: str
) -> Iterator[ChatPageFactory]:
    """Return a function that creates a page for a user, with an empty profile; it takes browser context options.

    The page has the key of the system. If ``signed_in`` is False, no user is stored. If ``has_key`` is False, there is
    no key either. The first page without options is that of ``user_name``, in the shared profile, unless ``shared`` is
    False. Others have a new user, and a profile and a process of their own.
    """
    with ExitStack() as stack:

        def create(*, signed_in: bool = True, has_key: bool = True, shared: bool = True, **options: Any) -> ChatPage:  # noqa: ANN401  (what Playwright takes)
            if shared and signed_in and has_key and not options and not profile.is_in_use:
                return stack.enter_context(profile.new_page(user_name))
            user = UserClient(system.url, _new_name())
            context = stack.enter_context(browser.new_context(**{"base_url": system.url} | CONTEXT_OPTIONS | options))
            context.set_default_timeout(TIMEOUT_MS)
            if has_key:
                context.add_init_script(STORE_KEY)
            if signed_in:
                context.add_init_script(store_user(user.name))
            return ChatPage(context.new_page(), user)

        yield create


@pytest.fixture
def chat(new_chat_page: ChatPageFactory) -> ChatPage:
    """Open the page as a new user."""
    chat_page = new_chat_page()
    chat_page.open()
    return chat_page
