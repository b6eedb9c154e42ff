"""What tools make is seen beside the chat: each kind of file in its viewer, dashboards in frames; by keyboard alone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.listener import Listener
from tests.e2e.web.axe import grave_issues
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.reach import complaints
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


Look = Callable[[Locator, Keyboard], object]


def tab(page: Page, name: str) -> Locator:
    """The tab of a file."""
    return page.get_by_role("tab", name=name, exact=True)


def seen(page: Page) -> Locator:
    """What is looked at."""
    return page.locator(".pane:visible .viewer")


@pytest.mark.clause("v2:viewers:open", "v2:viewers:navigation")
def test_each_kind_of_file_is_shown_in_its_viewer_the_primary_one_first(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    visit.ask("/shown.every_kind")

    expect(page.get_by_role("region", name="Canvas")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(len(KINDS))
    expect(page.get_by_role("tab").first).to_have_attribute("aria-selected", "true")
    shown = seen(page)
    names = page.get_by_role("tab").all_text_contents()
    assert sorted(names) == sorted(KINDS)
    missed = {}
    keys.go_to("tab", "report.html")
    for name in names:
        keys.go_to("tab", name, back=True)
        expect(shown).to_have_attribute("data-viewer", KINDS[name])
        LOOKS[name](shown, keys)
        visit.shoot(f"viewer-{name.replace('.', '-')}")
        keys.go_to("tab", name, back=True)
        missed[name] = complaints(page, ".canvas")
        keys.go_to("tab", name, back=True)
        page.keyboard.press("ArrowRight")
    assert missed == {name: [] for name in names}
    assert keys.focused() == ("tab", names[0])  # they go round
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    for name in ("cities.csv", "relations.json"):
        tab(page, name).click()
        expect(shown).to_have_attribute("data-viewer", KINDS[name])
        assert grave_issues(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    visit.shoot("canvas-narrow-dark")


def _is_a_page(shown: Locator, _keys: Keyboard) -> None:
    expect(shown.frame_locator("iframe").get_by_role("heading")).to_have_text("A report")
    expect(shown.frame_locator("iframe").get_by_role("heading")).to_have_css("color", "rgb(0, 128, 128)")


def _is_a_picture(shown: Locator, _keys: Keyboard) -> None:
    expect(shown.locator("img")).to_be_visible()
    assert shown.locator("img").evaluate("async image => (await image.decode(), image.naturalWidth)") in {200, 320}


def _is_paper(shown: Locator, keys: Keyboard) -> None:
    expect(shown.locator("canvas").first).to_be_visible()
    expect(shown.locator(".pdf-page")).to_have_count(2)
    expect(shown.locator(".pdf-page").first).to_contain_text("First page")
    shown.page.wait_for_function(_HAS_INK, arg=shown.locator("canvas").first.element_handle())
    keys.press("section", "paper.pdf", key="End")
    paper = shown.locator(".viewer-pdf").element_handle()
    shown.page.wait_for_function("paper => paper.scrollTop > 0", arg=paper)
    expect(shown.locator(".pdf-page").last).to_contain_text("Second page")


def _is_a_table(shown: Locator, _keys: Keyboard) -> None:
    expect(shown.locator(".table-row").first).to_contain_text(re.compile(r"City 0\s*0|1\s*2"))


def _is_a_sorted_table(shown: Locator, keys: Keyboard) -> None:
    expect(shown.get_by_role("status").first).to_have_text("500 rows, 2 columns")
    for first in ("0", "999"):
        keys.press("button", "people, sort")
        expect(shown.locator(".table-row").first.locator("span").last).to_have_text(first)
    keys.press("button", "Chart", back=True)
    expect(shown.locator("figcaption")).to_have_text("people over 500 rows: from 0 to 999")
    keys.choose("Column", "city")
    expect(shown.locator(".chart-bars li")).to_have_count(7)


def _plays(shown: Locator, keys: Keyboard) -> None:
    sound = shown.locator("audio")
    expect(sound).to_be_visible()
    sound.page.wait_for_function("sound => sound.readyState >= 1", arg=sound.element_handle())
    assert sound.evaluate("sound => sound.duration") == pytest.approx(0.2)
    keys.press("audio", "tone.wav", key="Space")
    sound.page.wait_for_function("sound => sound.played.length > 0", arg=sound.element_handle())


def _is_a_graph(shown: Locator, keys: Keyboard) -> None:
    picture = shown.locator("canvas")
    expect(picture).to_have_attribute("aria-label", re.compile("3 nodes, 2 edges"))
    keys.go_to("input", "Find")
    keys.write("nutl", end="")
    keys.press("button", "Nutlin")
    expect(shown.get_by_role("region", name="Nutlin")).to_contain_text("inhibits MDM2")
    keys.press("button", "MDM2")
    expect(shown.get_by_role("region", name="MDM2")).to_contain_text("inhibits TP53")
    for key in ("ArrowRight", "+"):
        before = picture.evaluate("picture => picture.toDataURL()")
        keys.press("img", "relations.json", key=key, back=True)
        shown.page.wait_for_function(
            "([picture, before]) => picture.toDataURL() !== before", arg=[picture.element_handle(), before]
        )


def _is_a_list_of_citations(shown: Locator, keys: Keyboard) -> None:
    links = shown.get_by_role("link")
    expect(links).to_have_text(["Vectors of gene therapy", "Capsids"])
    assert [link.get_attribute("href") for link in links.all()] == [
        "https://pubmed.ncbi.nlm.nih.gov/31234567/",
        "https://doi.org/10.1000/182",
    ]
    shown.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    toast = shown.page.locator(".toast")
    for form, begin, leave in (("BibTeX", "@misc{ota2019,", "Enter"), ("RIS", "TY  - ", "Escape")):
        keys.press("button", f"Copy as {form}")
        expect(toast).to_contain_text(f"Copied as {form}")
        assert shown.page.evaluate("navigator.clipboard.readText()").startswith(begin)
        shown.page.keyboard.press("F8")
        assert keys.focused() == ("button", "Dismiss")
        shown.page.keyboard.press(leave)
        expect(toast).to_have_count(0)
        assert keys.focused() == ("button", f"Copy as {form}")
    keys.press("summary", "Abstract")
    expect(shown).to_contain_text("How it began.")
    keys.press("button", "Show more")
    expect(shown.get_by_role("listitem")).to_have_count(52)
    shown.page.context.route("https://pubmed.ncbi.nlm.nih.gov/**", lambda route: route.fulfill(body="A paper"))
    with shown.page.expect_popup() as paper:
        keys.press("a", "Vectors of gene therapy", back=True)
    paper.value.close()


def _is_fetched(shown: Locator, keys: Keyboard) -> None:
    expect(shown).to_contain_text("application/zip, 22 B")
    with shown.page.expect_download() as saved:
        keys.press("button", "Download")
    assert saved.value.suggested_filename == "archive.zip"


LOOKS: dict[str, Look] = {
    "report.html": _is_a_page,
    "picture.png": _is_a_picture,
    "drawing.svg": _is_a_picture,
    "paper.pdf": _is_paper,
    "notes.md": lambda shown, _: expect(shown.locator("td").first).to_have_text("1"),
    "script.py": lambda shown, _: expect(shown.locator(".hljs-keyword").first).to_have_text("def"),
    "settings.json": lambda shown, _: expect(shown.locator("pre")).to_contain_text('"name": "satchel",\n  "sizes"'),
    "cities.csv": _is_a_sorted_table,
    "cities.tsv": _is_a_table,
    "tone.wav": _plays,
    "archive.zip": _is_fetched,
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
    Keyboard(page).press("tab", "sales_report.html", key="ArrowRight")
    expect(seen(page).locator("img")).to_be_visible()
    visit.shoot("canvas-chart")


@pytest.mark.clause("v2.1:viewers:auto-open")
def test_a_file_that_asks_for_it_is_opened_whatever_the_display_says(visit: Visit) -> None:
    visit.ask('/shown.asking_to_be_opened {"name": "cities.tsv"}')
    expect(visit.page.get_by_role("tab")).to_have_text(["cities.tsv", "notes.md", "script.py"])
    expect(seen(visit.page)).to_have_attribute("data-viewer", "table")


def test_what_comes_takes_the_place_of_what_was_there_stands_behind_it_or_beside_it(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    visit.ask('/shown.one {"name": "notes.md"}')
    visit.ask('/shown.one {"name": "script.py"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py"])
    visit.ask('/shown.one {"name": "notes.md", "mode": "append"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py", "notes.md"])
    expect(tab(page, "notes.md")).to_have_attribute("aria-selected", "true")
    for count in (2, 1):
        keys.press("button", "Side by side")
        expect(seen(page)).to_have_count(count)
    visit.ask('/shown.one {"name": "report.html", "mode": "split"}')
    expect(seen(page)).to_have_count(2)
    visit.shoot("canvas-split")

    keys.press("tab", "report.html", key="Home")
    expect(tab(page, "script.py")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_role("tab")).to_have_text(["notes.md", "report.html"])
    expect(tab(page, "notes.md")).to_be_focused()
    keys.press("button", "Close canvas")
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()
    assert keys.focused() == ("button", "Canvas")

    page.reload()
    button = visit.turns.first.locator("button.artifact-button")
    visit.turns.last.locator("button.artifact-button").wait_for()
    keys.press("region", "Conversation", key="Home")  # what comes into view is read
    button.wait_for()
    keys.press("button", "notes.md")
    expect(page.get_by_role("tab")).to_have_text(["notes.md"])
    expect(tab(page, "notes.md")).to_be_focused()
    expect(seen(page).get_by_role("heading", name="Notes")).to_be_visible()
    keys.press("button", "Close notes.md")
    expect(button).to_be_focused()

    page.keyboard.press("Enter")
    expect(page.get_by_role("tab")).to_have_count(1)
    keys.press("button", "New session")
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
    keys = Keyboard(page)
    with page.expect_response("**/api/canvas/monitor/actions") as logged:
        keys.press("iframe", "Monitor")
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
    page.get_by_role("button", name="Canvas").wait_for()
    keys.press("button", "Canvas")
    expect(page.get_by_role("tab")).to_have_text(["Monitor"])
    keys.press("button", "Close Monitor")
    page.reload()
    visit.turns.first.locator(".call").wait_for()
    expect(page.get_by_role("tab", include_hidden=True)).to_have_count(0)
