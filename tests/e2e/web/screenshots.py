"""``python -m tests.e2e.web.screenshots``: take the README's pictures anew (make pictures)."""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.person import Person
from tests.e2e.system import ROOT, running_system
from tests.e2e.web.conftest import CHROMIUM, FLAGS
from tests.e2e.web.visit import Visit

FOLDER = ROOT / "docs" / "images"
SIZE = {"width": 1440, "height": 860}
COLOURS = 128  # enough for a page; a picture takes a third of the bytes
PATIENCE_MS = 60_000
PERSON = "dev@example.com"
CSV = "region,month,units,price\n" + "".join(
    f"{region},{month},{(month * 7 + len(region) * 13) % 40 + 5},{9.5 + month / 4:.2f}\n"
    for region in ("north", "south", "east", "west")
    for month in range(1, 13)
)


def main() -> None:
    """Run the system with the servers that come with it, and look at it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with running_system() as system, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        person = Person(system.url, PERSON)
        session_id = person.call("POST", "/api/sessions", json={"title": "Sales of the year"}).json()["session_id"]
        person.upload(session_id, "sales.csv", CSV.encode())
        _report(_visit(browser, person, "light"), session_id)
        _files(_visit(browser, person, "dark"), session_id)
        browser.close()


def _visit(browser: Browser, person: Person, scheme: str) -> Visit:
    options = {"base_url": person.url, "viewport": SIZE, "color_scheme": scheme, "reduced_motion": "reduce"}
    return Visit(browser.new_context(**options).new_page(), person)  # type: ignore[arg-type]  # TypedDicts


def _report(visit: Visit, session_id: str) -> None:
    """A turn whose report opens beside it."""
    visit.go_on(session_id)
    visit.ask('/report.summarise {"filename": "sales.csv"}')
    visit.page.locator(".turn summary").click()
    expect(visit.page.locator(".canvas")).to_be_visible()
    _keep(visit.page, "report.png")


def _files(visit: Visit, session_id: str) -> None:
    """My Files, and the chart in the canvas, in the dark."""
    visit.go_on(session_id)
    visit.page.get_by_role("button", name="My Files").click()
    visit.page.locator(".artifact-button", has_text="sales_chart.png").click()
    expect(visit.page.locator(".canvas img, .canvas canvas").first).to_be_visible()
    _keep(visit.page, "files.png")


def _keep(page: Page, name: str) -> Path:
    page.wait_for_timeout(1000)  # what is shown is drawn by then
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = FOLDER / name
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} KB\n")
    return path


if __name__ == "__main__":
    main()
