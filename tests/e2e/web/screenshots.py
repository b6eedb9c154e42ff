"""Take the screenshots of the README: ``python -m tests.e2e.web.screenshots`` (``make pictures``)."""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.system_process import ROOT, running_system
from tests.e2e.user_client import UserClient
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import CHROMIUM, FLAGS, STORE_KEY

FOLDER = ROOT / "docs" / "images"
SIZE = {"width": 1440, "height": 860}
COLORS = 128  # enough for a page, at a third of the file size
TIMEOUT_MS = 60_000
USER_NAME = "dev@example.com"
CSV = "region,month,units,price\n" + "".join(
    f"{region},{month},{(month * 7 + len(region) * 13) % 40 + 5},{9.5 + month / 4:.2f}\n"
    for region in ("north", "south", "east", "west")
    for month in range(1, 13)
)


def main() -> None:
    """Run the system with its example servers and take the screenshots."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=TIMEOUT_MS)
    with running_system() as system, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        user = UserClient(system.url, USER_NAME)
        session_id = user.request("POST", "/api/sessions", json={"title": "Sales of the year"}).json()["session_id"]
        user.upload(session_id, "sales.csv", CSV.encode())
        _capture_report(_open_page(browser, user, "light"), session_id)
        _capture_files(_open_page(browser, user, "dark"), session_id)
        browser.close()


def _open_page(browser: Browser, user: UserClient, color_scheme: str) -> ChatPage:
    options = {"base_url": user.url, "viewport": SIZE, "color_scheme": color_scheme, "reduced_motion": "reduce"}
    context = browser.new_context(**options)  # type: ignore[arg-type]  # TypedDicts
    context.add_init_script(STORE_KEY)
    return ChatPage(context.new_page(), user)


def _capture_report(chat: ChatPage, session_id: str) -> None:
    """Capture a turn whose report is open in the canvas."""
    chat.open(session_id)
    turn = chat.ask('/report.summarise {"filename": "sales.csv"}')
    turn.locator("summary").first.click()
    expect(chat.page.locator(".canvas")).to_be_visible()
    turn.evaluate("element => element.scrollIntoView()")
    _save(chat.page, "report.png")


def _capture_files(chat: ChatPage, session_id: str) -> None:
    """Capture My Files with a chart in the canvas, in dark mode."""
    chat.open(session_id)
    chat.page.get_by_role("button", name="My Files").click()
    chat.page.locator(".artifact-button", has_text="sales_chart.png").click()
    expect(chat.page.locator(".canvas img, .canvas canvas").first).to_be_visible()
    _save(chat.page, "files.png")


def _save(page: Page, name: str) -> Path:
    page.mouse.move(0, 0)  # the last click may have left it over a control, which would be highlighted
    page.wait_for_timeout(1000)  # wait until the page is rendered
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = FOLDER / name
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} KB\n")
    return path


if __name__ == "__main__":
    main()
