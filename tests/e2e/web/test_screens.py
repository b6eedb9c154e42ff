"""Each screen of ``screens.py`` at five widths in both themes; the pictures are in ``test-results/web/screens``."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import UserClient
from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import SCREENSHOTS
from tests.e2e.web.conftest import SharedProfile
from tests.e2e.web.screens import NARROW_BELOW, SCREENS, THEMES, TIMEOUT_MS, USER, Chats, create_chats
from tests.fake_providers.server import FakeEndpoint

HEIGHT = 844
FOLDER = SCREENSHOTS / "screens"
SETTLE_MS = 300  # a picture shows what is drawn by then
WIDTHS = {1280: (768, 1280, 1440), 360: (360, 390)}
"""Widths for each width at which a screen opens: below 760 pixels, the sidebar and the canvas cover the chat."""


@pytest.fixture(scope="module")
def chats(system: SystemProcess, endpoint: FakeEndpoint) -> Chats:
    return create_chats(UserClient(system.url, USER), endpoint)


@pytest.fixture(scope="module")
def screen_profiles(browser: Browser, system: SystemProcess) -> Iterator[dict[int, SharedProfile]]:
    """The profile for each width at which a screen opens; narrow ones have a touch screen."""
    profiles = {}
    for width in WIDTHS:
        narrow = width < NARROW_BELOW
        viewport = {"width": width, "height": HEIGHT}
        profiles[width] = SharedProfile(browser, system.url, viewport=viewport, has_touch=narrow, is_mobile=narrow)
    yield profiles
    for profile in profiles.values():
        profile.close()


@pytest.mark.parametrize("name", SCREENS)
def test_screen_fits_and_is_accessible_at_every_width_in_both_themes(
    screen_profiles: dict[int, SharedProfile], chats: Chats, name: str
) -> None:
    issues = {}
    for opened, widths in WIDTHS.items():
        with screen_profiles[opened].new_page(USER) as chat:
            chat.page.set_default_timeout(TIMEOUT_MS)
            SCREENS[name](chat, chats)
            for width in widths:
                for theme in THEMES:
                    chat.page.set_viewport_size({"width": width, "height": HEIGHT})
                    chat.page.emulate_media(color_scheme=theme)
                    chat.page.mouse.move(width - 1, 1)  # away from what was pressed
                    chat.page.wait_for_timeout(SETTLE_MS)
                    chat.page.screenshot(path=FOLDER / f"{name}-{width}-{theme}.png")
                    issues[width, theme] = find_axe_violations(chat.page)
                    if chat.page.evaluate("document.documentElement.scrollWidth") > width:
                        issues[width, theme].append("is wider than the page")
    assert issues == {variant: [] for variant in issues}
