"""What tools make is seen beside the chat: each kind of file in its viewer, dashboards in frames, tabs by keyboard."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.listener import Listener
from tests.e2e.web.axe import grave_issues
from tests.e2e.web.visit import Visit

KINDS = {
    "report.html": "html",
    "picture.png": "image",
    "drawing.svg": "image",
    "paper.pdf": "pdf",
    "notes.md": "markdown",
    "script.py": "code",
    "settings.json": "code",
    "cities.csv": "table",
    "cities.tsv": "table",
    "tone.wav": "audio",
    "archive.zip": "download",
    "relations.json": "graph",
    "references.json": "bibliography",
}
_HAS_INK = """canvas => {
    const copy = document.createElement('canvas').getContext('2d');
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, 300, 150).data.some((value, at) => at % 4 < 3 && value < 128 && value > 0);
}"""


Look = Callable[[Locator], object]


def tab(page: Page, name: str) -> Locator:
    """The tab of a file."""
    return page.get_by_role("tab", name=name, exact=True)


def seen(page: Page) -> Locator:
    """What is looked at."""
    return page.locator(".pane:visible .viewer")


@pytest.mark.clause("v2:viewers:open", "v2:viewers:navigation")
def test_each_kind_of_file_is_shown_in_its_viewer_the_primary_one_first(visit: Visit) -> None:
    page = visit.page
    visit.ask("/shown.every_kind")

    expect(page.get_by_role("region", name="Canvas")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(len(KINDS))
    expect(page.get_by_role("tab").first).to_have_attribute("aria-selected", "true")
    shown = seen(page)
    for name, viewer in KINDS.items():
        tab(page, name).click()
        expect(shown).to_have_attribute("data-viewer", viewer)
        LOOKS[name](shown)
        visit.shoot(f"viewer-{name.replace('.', '-')}")
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    for name in ("cities.csv", "relations.json"):
        tab(page, name).click()
        expect(shown).to_have_attribute("data-viewer", KINDS[name])
        assert grave_issues(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    visit.shoot("canvas-narrow-dark")


def _is_a_page(shown: Locator) -> None:
    expect(shown.frame_locator("iframe").get_by_role("heading")).to_have_text("A report")
    expect(shown.frame_locator("iframe").get_by_role("heading")).to_have_css("color", "rgb(0, 128, 128)")


def _is_a_picture(shown: Locator) -> None:
    expect(shown.locator("img")).to_be_visible()
    assert shown.locator("img").evaluate("async image => (await image.decode(), image.naturalWidth)") in {200, 320}


def _is_paper(shown: Locator) -> None:
    expect(shown.locator("canvas").first).to_be_visible()
    expect(shown.locator(".pdf-page")).to_have_count(2)
    expect(shown.locator(".pdf-page").first).to_contain_text("First page")
    shown.page.wait_for_function(_HAS_INK, arg=shown.locator("canvas").first.element_handle())


def _is_a_table(shown: Locator) -> None:
    expect(shown.locator(".table-row").first).to_contain_text(re.compile(r"City 0\s*0|1\s*2"))


def _is_a_sorted_table(shown: Locator) -> None:
    expect(shown.get_by_role("status").first).to_have_text("500 rows, 2 columns")
    people = shown.get_by_role("button", name="people")
    for first in ("0", "999"):
        people.click()
        expect(shown.locator(".table-row").first.locator("span").last).to_have_text(first)
    shown.get_by_role("button", name="Chart").click()
    expect(shown.locator("figcaption")).to_have_text("people over 500 rows: from 0 to 999")
    shown.get_by_label("Column").select_option("city")
    expect(shown.locator(".chart-bars li")).to_have_count(7)


def _plays(shown: Locator) -> None:
    sound = shown.locator("audio")
    expect(sound).to_be_visible()
    sound.page.wait_for_function("sound => sound.readyState >= 1", arg=sound.element_handle())
    assert sound.evaluate("sound => sound.duration") == pytest.approx(0.2)


def _is_a_graph(shown: Locator) -> None:
    expect(shown.locator("canvas")).to_have_attribute("aria-label", re.compile("3 nodes, 2 edges"))
    shown.get_by_label("Find").fill("nutl")
    shown.get_by_role("button", name="Nutlin").click()
    expect(shown.get_by_role("region", name="Nutlin")).to_contain_text("inhibits MDM2")


def _is_a_list_of_citations(shown: Locator) -> None:
    links = shown.get_by_role("link")
    expect(links).to_have_text(["Vectors of gene therapy", "Capsids"])
    assert [link.get_attribute("href") for link in links.all()] == [
        "https://pubmed.ncbi.nlm.nih.gov/31234567/",
        "https://doi.org/10.1000/182",
    ]
    shown.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.get_by_role("button", name="Copy as BibTeX").click()
    expect(shown.page.locator(".toast").last).to_contain_text("Copied as BibTeX")
    assert shown.page.evaluate("navigator.clipboard.readText()").startswith("@misc{ota2019,")


LOOKS: dict[str, Look] = {
    "report.html": _is_a_page,
    "picture.png": _is_a_picture,
    "drawing.svg": _is_a_picture,
    "paper.pdf": _is_paper,
    "notes.md": lambda shown: expect(shown.locator("td").first).to_have_text("1"),
    "script.py": lambda shown: expect(shown.locator(".hljs-keyword").first).to_have_text("def"),
    "settings.json": lambda shown: expect(shown.locator("pre")).to_contain_text('"name": "satchel",\n  "sizes"'),
    "cities.csv": _is_a_sorted_table,
    "cities.tsv": _is_a_table,
    "tone.wav": _plays,
    "archive.zip": lambda shown: expect(shown).to_contain_text("application/zip, 22 B"),
    "relations.json": _is_a_graph,
    "references.json": _is_a_list_of_citations,
}


def test_a_report_on_a_file_that_is_dropped(visit: Visit) -> None:
    page = visit.page
    visit.drop("sales.csv", b"region,units\nnorth,3\nsouth,4\nnorth,5\n")
    expect(visit.message).to_have_value("@sales.csv ")
    visit.ask('/report.summarise {"filename": "sales.csv"}')

    expect(page.get_by_role("tab")).to_have_text(["sales_report.html", "sales_chart.png"])
    expect(seen(page).frame_locator("iframe").get_by_role("heading").first).to_contain_text("sales.csv")
    visit.shoot("canvas-report")
    page.get_by_role("tab").first.focus()
    page.keyboard.press("ArrowRight")
    expect(seen(page).locator("img")).to_be_visible()
    visit.shoot("canvas-chart")


@pytest.mark.clause("v2.1:viewers:auto-open")
def test_a_file_that_asks_for_it_is_opened_whatever_the_display_says(visit: Visit) -> None:
    visit.ask('/shown.asking_to_be_opened {"name": "cities.tsv"}')
    expect(visit.page.get_by_role("tab")).to_have_text(["cities.tsv", "notes.md", "script.py"])
    expect(seen(visit.page)).to_have_attribute("data-viewer", "table")


def test_what_comes_takes_the_place_of_what_was_there_stands_behind_it_or_beside_it(visit: Visit) -> None:
    page = visit.page
    visit.ask('/shown.one {"name": "notes.md"}')
    visit.ask('/shown.one {"name": "script.py"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py"])
    visit.ask('/shown.one {"name": "notes.md", "mode": "append"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py", "notes.md"])
    expect(tab(page, "notes.md")).to_have_attribute("aria-selected", "true")
    visit.ask('/shown.one {"name": "report.html", "mode": "split"}')
    expect(seen(page)).to_have_count(2)
    visit.shoot("canvas-split")

    tab(page, "report.html").focus()
    page.keyboard.press("Home")
    expect(tab(page, "script.py")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_role("tab")).to_have_text(["notes.md", "report.html"])
    page.get_by_role("button", name="Close canvas").click()
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()

    page.reload()
    visit.turns.first.scroll_into_view_if_needed()
    button = visit.turns.first.locator("button.artifact-button")
    button.press("Enter")
    expect(page.get_by_role("tab")).to_have_text(["notes.md"])
    expect(seen(page).get_by_role("heading", name="Notes")).to_be_visible()
    page.get_by_role("button", name="Close canvas").click()
    expect(button).to_be_focused()

    button.click()
    expect(page.get_by_role("tab")).to_have_count(1)
    page.get_by_role("button", name="New session").click()
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()


@pytest.mark.clause("v2:canvas:tab", "v2:canvas:sandbox")
def test_a_dashboard_runs_in_a_frame_of_its_own_and_stays_until_it_is_closed(
    visit: Visit, dashboards: Listener
) -> None:
    page = visit.page
    page.goto(dashboards.origin)  # it knows this person: by a cookie that is for the site, not for the frame
    visit.go_on()
    ask = f'/shown.dashboard {{"url": "{dashboards.origin}/board"}}'
    visit.ask(ask)

    frame = page.frame_locator("iframe[title=Monitor]")
    expect(frame.get_by_role("heading")).to_have_text("Live")
    expect(frame.locator("#token")).to_have_text(re.compile(r"^ey[\w-]+\.[\w-]+\.[\w-]+$"))
    assert ("/board", "") in dashboards.asked
    assert page.title() != "canary"
    with page.expect_response("**/api/canvas/monitor/actions") as logged:
        frame.get_by_role("button", name="Acknowledge").click()
    assert logged.value.json() | {"action": "acknowledge", "details": {"alert": 17}} == logged.value.json()
    assert logged.value.json()["user"] == visit.person.name
    visit.shoot("dashboard")

    visit.ask('/shown.one {"name": "notes.md"}')
    expect(page.get_by_role("tab")).to_have_text(["Monitor", "notes.md"])
    assert [path for path, _ in dashboards.asked].count("/board") == 1  # it went on while the answer came
    visit.ask(ask)
    expect(page.get_by_role("tab")).to_have_text(["Monitor"])
    assert grave_issues(page) == []

    page.reload()
    page.get_by_role("button", name="Canvas").click()
    expect(page.get_by_role("tab")).to_have_text(["Monitor"])
    page.get_by_role("button", name="Close Monitor").click()
    page.reload()
    visit.turns.first.locator(".call").wait_for()
    expect(page.get_by_role("tab", include_hidden=True)).to_have_count(0)
