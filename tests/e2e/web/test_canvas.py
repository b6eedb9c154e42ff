"""Canvas: each type of file in its viewer, and dashboards in frames. All actions use the keyboard only."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.recording_site import RecordingSite
from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import ChatPage, wait_for, wait_until
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard

VIEWERS = {
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
_IS_DRAWN = """canvas => {
    const copy = document.createElement('canvas').getContext('2d');
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, 300, 150).data.some((value, index) => index % 4 < 3 && value < 128 && value > 0);
}"""
_HAS_CHANGED = "(canvas, before) => canvas.toDataURL() !== before"
_COLORS_OF_GRAPH = """canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const drawn = new Set();
    for (let at = 0; at < data.length; at += 4) drawn.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
    const style = getComputedStyle(canvas);
    const toChannels = color => [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16)).join(',');
    const names = ['--kind-1', '--kind-2', '--kind-3'];
    return Object.fromEntries(names.map(name => [name, drawn.has(toChannels(style.getPropertyValue(name).trim()))]));
}"""

MIN_TICK_PIXELS = 10
"""A number at an axis with letters of 12 pixels is about 14 pixels high."""

Check = Callable[[Locator, Keyboard], object]


def find_tab(page: Page, name: str) -> Locator:
    """Return the tab of a file."""
    return page.get_by_role("tab", name=name, exact=True)


def find_visible_viewers(page: Page) -> Locator:
    """Return the viewers of the visible tabs."""
    return page.locator(".pane:visible .viewer")


@pytest.mark.clause("v2:viewers:open", "v2:viewers:navigation")
def test_each_file_type_opens_in_its_viewer_primary_file_first(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask("/samples.every_kind")

    expect(page.get_by_role("region", name="Canvas")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(len(VIEWERS))
    expect(page.get_by_role("tab").first).to_have_attribute("aria-selected", "true")
    viewer = find_visible_viewers(page)
    names = page.get_by_role("tab").all_text_contents()
    assert sorted(names) == sorted(VIEWERS)
    issues = {}
    keys.go_to("tab", "report.html")
    for name in names:
        keys.go_to("tab", name, back=True)
        expect(viewer).to_have_attribute("data-viewer", VIEWERS[name])
        CHECKS[name](viewer, keys)
        chat.screenshot(f"viewer-{name.replace('.', '-')}")
        keys.go_to("tab", name, back=True)
        issues[name] = find_keyboard_issues(page, ".canvas")
        keys.go_to("tab", name, back=True)
        page.keyboard.press("ArrowRight")
    assert issues == {name: [] for name in names}
    assert keys.focused() == ("tab", names[0])  # the last tab wraps around to the first
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    for name in ("cities.csv", "relations.json"):
        find_tab(page, name).click()
        expect(viewer).to_have_attribute("data-viewer", VIEWERS[name])
        assert find_axe_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    chat.screenshot("canvas-narrow-dark")


def _check_html(viewer: Locator, _keys: Keyboard) -> None:
    expect(viewer.frame_locator("iframe").get_by_role("heading")).to_have_text("A report")
    expect(viewer.frame_locator("iframe").get_by_role("heading")).to_have_css("color", "rgb(0, 128, 128)")


def _check_image(viewer: Locator, _keys: Keyboard) -> None:
    expect(viewer.locator("img")).to_be_visible()
    assert viewer.locator("img").evaluate("async image => (await image.decode(), image.naturalWidth)") in {200, 320}


def _check_pdf(viewer: Locator, keys: Keyboard) -> None:
    expect(viewer.locator("canvas").first).to_be_visible()
    expect(viewer.locator(".pdf-page")).to_have_count(2)
    expect(viewer.locator(".pdf-page").first).to_contain_text("First page")
    wait_until(viewer.locator("canvas").first, _IS_DRAWN)
    keys.press("section", "paper.pdf", key="End")
    wait_until(viewer.locator(".viewer-pdf"), "pages => pages.scrollTop > 0")
    expect(viewer.locator(".pdf-page").last).to_contain_text("Second page")
    expect(viewer).to_contain_text("Page 2 of 2")
    _check_pdf_search(viewer, keys)
    _check_pdf_text_and_zoom(viewer, keys)


def _check_pdf_search(viewer: Locator, keys: Keyboard) -> None:
    keys.go_to("input", "Find in PDF", back=True)
    keys.write("PAGE", end="")
    expect(viewer.get_by_text("1 of 2", exact=True)).to_be_visible()
    expect(viewer.locator(".pdf-text").first).to_be_in_viewport()
    keys.press("button", "Next match")
    expect(viewer.get_by_text("2 of 2", exact=True)).to_be_visible()
    shown = (
        "CSS.highlights.get('found-current').size && [...CSS.highlights.get('found-current')][0].startContainer.data"
    )
    viewer.page.wait_for_function(f"() => ({shown}) === 'Second page'")
    keys.go_to("input", "Find in PDF", back=True)
    keys.write("third", end="")
    expect(viewer.get_by_text("Not found")).to_be_visible()


def _check_pdf_text_and_zoom(viewer: Locator, keys: Keyboard) -> None:
    text = viewer.locator(".pdf-text span").last
    expect(text).to_have_css("user-select", "auto")
    widths = {"page": "element => element.closest('.pdf-page').clientWidth", "text": "element => element.offsetWidth"}
    before = {name: text.evaluate(width) for name, width in widths.items()}
    keys.press("button", "Zoom in")
    expect(viewer.get_by_text("125 %")).to_be_visible()
    wait_until(text, f"(element, before) => ({widths['text']})(element) > before * 1.2", before["text"])
    assert text.evaluate(widths["page"]) == pytest.approx(before["page"] * 1.25, abs=2)
    keys.press("button", "125 %, fit to the width", back=True)
    expect(viewer.get_by_text("100 %")).to_be_visible()


def _check_table(viewer: Locator, _keys: Keyboard) -> None:
    expect(viewer.locator(".table-row").first).to_contain_text(re.compile(r"City 0\s*0|1\s*2"))


def _check_table_sorting_and_chart(viewer: Locator, keys: Keyboard) -> None:
    expect(viewer.get_by_role("status").first).to_have_text("500 rows, 2 columns")
    cells = viewer.locator(".table-row").first.locator("span")
    expect(cells.last).to_have_css("text-align", "right")
    expect(cells.nth(1)).not_to_have_css("text-align", "right")
    keys.go_to("input", "Find in table")
    keys.write("CITY 3,111", end="")
    expect(viewer.get_by_text("1 found")).to_be_visible()
    expect(viewer.locator(".table-row")).to_have_count(1)
    expect(cells.first).to_have_text("4")
    keys.write("", end="")
    expect(viewer.get_by_text("1 found")).to_have_count(0)
    for first, direction in (("0", "ascending"), ("999", "descending")):
        keys.press("button", "Sort by people")
        expect(viewer.get_by_role("button", name=f"Sort by people, sorted {direction}")).to_be_enabled()
        expect(viewer.locator(".table-row").first.locator("span").last).to_have_text(first)
    keys.press("button", "Chart", back=True)
    expect(viewer.locator("figcaption")).to_have_text("people: 500 rows, from 0 to 999")
    expect(viewer.locator("svg .chart-tick")).to_have_text(["0", "250", "500", "750", "1,000", "row 1", "row 500"])
    height = viewer.locator("svg .chart-tick").first.evaluate("tick => tick.getBoundingClientRect().height")
    assert height > MIN_TICK_PIXELS
    keys.choose("Column", "city")
    expect(viewer.locator(".chart-bars li")).to_have_count(7)


def _check_audio(viewer: Locator, keys: Keyboard) -> None:
    audio = viewer.locator("audio")
    expect(audio).to_be_visible()
    wait_until(audio, "audio => audio.readyState >= 1")
    assert audio.evaluate("audio => audio.duration") == pytest.approx(0.2)
    keys.press("audio", "tone.wav", key="Space")
    wait_until(audio, "audio => audio.played.length > 0")


def _check_graph(viewer: Locator, keys: Keyboard) -> None:
    canvas = viewer.locator("canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile("3 nodes, 2 edges"))
    expect(viewer.get_by_role("list", name="Types of nodes").get_by_role("listitem")).to_have_text(["Gene 2", "Drug 1"])
    wait_until(canvas, f"canvas => ({_COLORS_OF_GRAPH})(canvas)['--kind-1']")  # drawn when its size is known
    colors = canvas.evaluate(_COLORS_OF_GRAPH)
    assert colors == {"--kind-1": True, "--kind-2": True, "--kind-3": False}
    light = canvas.evaluate("canvas => canvas.toDataURL()")
    viewer.page.emulate_media(color_scheme="dark")
    wait_until(canvas, _HAS_CHANGED, light)
    viewer.page.emulate_media(color_scheme="light")
    keys.go_to("input", "Find")
    keys.write("nutl", end="")
    keys.press("button", "Nutlin")
    expect(viewer.get_by_role("region", name="Nutlin")).to_contain_text("inhibits MDM2")
    keys.press("button", "MDM2")
    expect(viewer.get_by_role("region", name="MDM2")).to_contain_text("inhibits TP53")
    for key in ("ArrowRight", "+"):
        before = canvas.evaluate("canvas => canvas.toDataURL()")
        keys.press("img", "relations.json", key=key, back=True)
        wait_until(canvas, _HAS_CHANGED, before)
    zoomed = canvas.evaluate("canvas => canvas.toDataURL()")
    keys.press("button", "Fit")
    wait_until(canvas, _HAS_CHANGED, zoomed)


def _check_bibliography(viewer: Locator, keys: Keyboard) -> None:
    links = viewer.get_by_role("link")
    expect(links).to_have_text(["Vectors of gene therapy", "Capsids"])
    assert [link.get_attribute("href") for link in links.all()] == [
        "https://pubmed.ncbi.nlm.nih.gov/31234567/",
        "https://doi.org/10.1000/182",
    ]
    viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    toast = viewer.page.locator(".toast")
    for format_name, start, key in (("BibTeX", "@misc{ota2019,", "Enter"), ("RIS", "TY  - ", "Escape")):
        keys.press("button", f"Copy as {format_name}")
        expect(toast).to_contain_text(f"Copied as {format_name}")
        viewer.page.keyboard.press("F8")  # at once, as a toast without the focus disappears
        assert keys.focused() == ("button", "Dismiss")
        assert viewer.page.evaluate("navigator.clipboard.readText()").startswith(start)
        viewer.page.keyboard.press(key)
        expect(toast).to_have_count(0)
        assert keys.focused() == ("button", f"Copy as {format_name}")
    keys.press("summary", "Abstract")
    expect(viewer).to_contain_text("How it began.")
    keys.press("button", "Show more")
    expect(viewer.get_by_role("listitem")).to_have_count(52)
    viewer.page.context.route("https://pubmed.ncbi.nlm.nih.gov/**", lambda route: route.fulfill(body="A paper"))
    with viewer.page.expect_popup() as popup:
        keys.press("a", "Vectors of gene therapy", back=True)
    popup.value.close()


def _check_download(viewer: Locator, keys: Keyboard) -> None:
    expect(viewer).to_contain_text("application/zip, 22 B")
    with viewer.page.expect_download() as download:
        keys.press("button", "Download")
    assert download.value.suggested_filename == "archive.zip"


CHECKS: dict[str, Check] = {
    "report.html": _check_html,
    "picture.png": _check_image,
    "drawing.svg": _check_image,
    "paper.pdf": _check_pdf,
    "notes.md": lambda viewer, _: expect(viewer.locator("td").first).to_have_text("1"),
    "script.py": lambda viewer, _: expect(viewer.locator(".hljs-keyword").first).to_have_text("def"),
    "settings.json": lambda viewer, _: expect(viewer.locator("pre")).to_contain_text('"name": "satchel",\n  "sizes"'),
    "cities.csv": _check_table_sorting_and_chart,
    "cities.tsv": _check_table,
    "tone.wav": _check_audio,
    "archive.zip": _check_download,
    "relations.json": _check_graph,
    "references.json": _check_bibliography,
}


def test_markdown_is_rendered_even_if_its_parser_loads_slowly(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # the clock is that of a whole profile, also in later tests
    chat.page.clock.install()
    chat.open()
    parser = r"/markdown\.worker-[\w-]+\.js"
    with chat.held_request("GET", parser):
        with chat.page.expect_request(re.compile(parser)):
            chat.ask('/samples.one {"name": "notes.md"}')
        expect(find_visible_viewers(chat.page)).to_contain_text("Loading")
        chat.page.clock.fast_forward(10_000)  # longer than a text may need to be parsed

    expect(find_visible_viewers(chat.page).locator("td").first).to_have_text("1")


def test_report_on_a_dropped_file_opens_in_the_canvas(chat: ChatPage) -> None:
    page = chat.page
    chat.drop_file("sales.csv", b"region,units\nnorth,3\nsouth,4\nnorth,5\n")
    expect(chat.attached).to_have_text(["sales.csv"])
    chat.ask('/report.summarise {"filename": "sales.csv"}')

    expect(page.get_by_role("tab")).to_have_text(["sales_report.html", "sales_chart.png"])
    expect(find_visible_viewers(page).frame_locator("iframe").get_by_role("heading").first).to_contain_text("sales.csv")
    chat.screenshot("canvas-report")
    Keyboard(page).press("tab", "sales_report.html", key="ArrowRight")
    expect(find_visible_viewers(page).locator("img")).to_be_visible()
    chat.screenshot("canvas-chart")


_LINES_OF_TEXT = """cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
}"""


@pytest.mark.parametrize("width", [390, 1280, 1440])
def test_names_of_a_reports_columns_keep_their_words_on_one_line(width: int, new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": width, "height": 800})
    chat.open()
    chat.drop_file("sales.csv", b"region,discount\nnorth,3\nsouth,4\n")
    expect(chat.attached).to_have_text(["sales.csv"])
    chat.ask('/report.summarise {"filename": "sales.csv"}')
    rows = find_visible_viewers(chat.page).frame_locator("iframe").locator("tbody tr")
    for position, name in enumerate(["region", "discount"]):
        cell = rows.nth(position).locator("td").first
        expect(cell).to_have_text(name)
        assert cell.evaluate(_LINES_OF_TEXT) == 1


@pytest.mark.clause("v2.1:viewers:auto-open")
def test_file_with_auto_open_opens_even_if_display_does_not_open_the_canvas(chat: ChatPage) -> None:
    chat.ask('/samples.with_auto_open {"name": "cities.tsv"}')
    expect(chat.page.get_by_role("tab")).to_have_text(["cities.tsv", "notes.md", "script.py"])
    expect(find_visible_viewers(chat.page)).to_have_attribute("data-viewer", "table")


def test_display_mode_replaces_appends_or_splits_tabs(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask('/samples.one {"name": "notes.md"}')
    chat.ask('/samples.one {"name": "script.py"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py"])
    chat.ask('/samples.one {"name": "notes.md", "mode": "append"}')
    expect(page.get_by_role("tab")).to_have_text(["script.py", "notes.md"])
    expect(find_tab(page, "notes.md")).to_have_attribute("aria-selected", "true")
    for count in (2, 1):
        keys.press("button", "Side by side")
        expect(find_visible_viewers(page)).to_have_count(count)
    chat.ask('/samples.one {"name": "report.html", "mode": "split"}')
    expect(find_visible_viewers(page)).to_have_count(2)
    chat.screenshot("canvas-split")

    keys.press("tab", "report.html", key="Home")
    expect(find_tab(page, "script.py")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_role("tab")).to_have_text(["notes.md", "report.html"])
    expect(find_tab(page, "notes.md")).to_be_focused()
    keys.press("button", "Close canvas")
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()
    assert keys.focused() == ("button", "Canvas")

    page.reload()
    button = chat.turns.first.locator("button.artifact-button")
    chat.turns.last.locator("button.artifact-button").wait_for()
    keys.go_to("region", "Conversation")

    def scroll_to_the_beginning() -> bool:
        page.keyboard.press("Home")
        return button.is_visible()

    # A turn is loaded when it scrolls into view. One that is loaded at this moment may scroll back to the end.
    wait_for(page, scroll_to_the_beginning, "the first turn")
    keys.press("button", "notes.md")
    expect(page.get_by_role("tab")).to_have_text(["notes.md"])
    expect(find_tab(page, "notes.md")).to_be_focused()
    expect(find_visible_viewers(page).get_by_role("heading", name="Notes")).to_be_visible()
    keys.press("tab", "notes.md", key="Delete")
    expect(button).to_be_focused()

    page.keyboard.press("Enter")
    expect(page.get_by_role("tab")).to_have_count(1)
    keys.press("button", "New chat")
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()


def test_canvas_takes_the_place_of_the_sidebar_on_a_tablet(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 768, "height": 800})
    chat.open()
    page, keys = chat.page, Keyboard(chat.page)
    sidebar = page.get_by_role("button", name="New chat")
    expect(sidebar).to_be_visible()
    chat.ask('/samples.one {"name": "notes.md"}')
    canvas = page.get_by_role("region", name="Canvas")
    expect(canvas).to_be_visible()
    expect(chat.message_box).to_be_visible()
    expect(sidebar).to_be_hidden()
    expect(canvas.get_by_role("button", name="Close canvas")).to_be_visible()

    keys.press("button", "Show sidebar", back=True)
    expect(sidebar).to_be_visible()
    expect(chat.message_box).to_be_hidden()
    keys.press("button", "Hide sidebar", back=True)
    expect(chat.message_box).to_be_visible()

    keys.press("button", "Close canvas")
    expect(sidebar).to_be_visible()


@pytest.mark.parametrize("width", [360, 768])
def test_canvas_that_covers_the_chat_has_a_way_back_instead_of_a_cross(
    width: int, new_chat_page: ChatPageFactory
) -> None:
    chat = new_chat_page(viewport={"width": width, "height": 800})
    chat.open()
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask('/samples.one {"name": "notes.md"}')
    canvas = page.get_by_role("region", name="Canvas")
    expect(canvas).to_be_visible()
    if width == 768:
        keys.press("button", "Show sidebar", back=True)
    expect(canvas.get_by_role("button", name="Close canvas")).to_have_count(0)
    expect(page.get_by_role("separator", name="Width of the canvas")).to_have_count(0)
    keys.press("button", "Back to chat", back=True)
    expect(canvas).to_be_hidden()
    expect(chat.message_box).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    keys.press("button", "Canvas", back=True)
    expect(canvas.get_by_role("button", name="Close canvas")).to_be_visible()
    expect(canvas.get_by_role("button", name="Back to chat")).to_have_count(0)


def test_canvas_is_resized_by_keyboard_and_dragging_and_keeps_its_width(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask('/samples.one {"name": "cities.csv"}')
    canvas, handle = page.locator(".canvas"), page.get_by_role("separator", name="Width of the canvas")
    expect(canvas).to_be_visible()
    width = canvas.bounding_box()["width"]  # type: ignore[index]  # the canvas is visible
    assert "satchel.canvas-share" not in page.evaluate("({...localStorage})")
    for key, share in (("ArrowLeft", 54), ("Home", 75), ("End", 25), ("Enter", 52)):
        keys.press("separator", "Width of the canvas", key=key, back=True)
        expect(handle).to_have_attribute("aria-valuenow", str(share))
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, 300)
    page.mouse.down()
    page.mouse.move(box["x"] - 196, 300)
    page.mouse.up()
    expect(handle).to_have_attribute("aria-valuenow", "72")
    wait_until(canvas, "(canvas, width) => Math.abs(canvas.clientWidth - width) <= 8", width + 200)
    page.reload()
    page.get_by_role("button", name="Canvas").click()
    expect(handle).to_have_attribute("aria-valuenow", "72")


def test_canvas_fills_the_page_and_returns_with_escape(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask('/samples.one {"name": "notes.md"}')
    keys.press("button", "Full screen", back=True)
    expect(chat.message_box).to_be_hidden()
    assert page.locator(".canvas").bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 800}
    assert find_keyboard_issues(page) == []
    page.keyboard.press("Escape")
    expect(chat.message_box).to_be_visible()


def test_file_opens_in_a_browser_tab_of_its_own_with_its_versions(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask('/samples.one {"name": "notes.md"}')
    chat.ask('/samples.one {"name": "notes.md"}')
    with page.expect_popup() as popup:
        keys.press("a", "Open in a new tab", back=True)
    tab = popup.value
    expect(tab.get_by_role("heading", name="Notes", exact=True)).to_be_visible()
    expect(tab).to_have_title("notes.md")
    Keyboard(tab).press("summary", "Version 2 of notes.md")
    Keyboard(tab).press("button", "Open version 1 of notes.md")
    expect(tab.get_by_label("Version 1 of notes.md")).to_be_visible()
    assert find_axe_violations(tab) == []
    with tab.expect_download() as download:
        Keyboard(tab).press("button", "Download", back=True)
    assert download.value.suggested_filename == "notes.md"


def test_cross_of_a_tab_closes_it(chat: ChatPage) -> None:
    page = chat.page
    chat.ask('/samples.one {"name": "notes.md"}')
    chat.ask('/samples.one {"name": "script.py", "mode": "append"}')
    find_tab(page, "notes.md").locator("svg").click()
    expect(page.get_by_role("tab")).to_have_text(["script.py"])
    find_tab(page, "script.py").click(button="middle")
    expect(page.get_by_role("region", name="Canvas")).to_be_hidden()


def test_name_of_a_tool_without_arguments_is_a_whole_message(chat: ChatPage) -> None:
    chat.message_box.fill("/samples.every")
    expect(chat.page.get_by_role("option", name="/samples.every_kind")).to_be_visible()
    chat.send("/samples.every_kind")


@pytest.mark.clause("v2:canvas:tab", "v2:canvas:sandbox")
def test_dashboard_runs_in_a_sandboxed_frame_until_it_is_closed(chat: ChatPage, dashboards: RecordingSite) -> None:
    page = chat.page
    page.goto(dashboards.origin)  # sets a cookie for the site, which the frame must not get
    chat.open()
    call = f'/samples.dashboard {{"url": "{dashboards.origin}/board"}}'
    chat.ask(call)

    frame = page.frame_locator("iframe[title=Monitor]")
    expect(frame.get_by_role("heading")).to_have_text("Live")
    expect(frame.locator("#token")).to_have_text(re.compile(r"^ey[\w-]+\.[\w-]+\.[\w-]+$"))
    claims = json.loads(dashboards.user_of(frame.locator("#token").inner_text()))
    assert (claims["sub"], claims["aud"], claims["canvas_id"]) == (chat.user.name, dashboards.origin, "monitor")
    assert ("/board", "") in dashboards.requests
    assert page.title() != "canary"
    keys = Keyboard(page)
    with page.expect_response("**/api/canvas/monitor/actions") as response:
        keys.go_to("iframe", "Monitor")
        expect(frame.get_by_role("button")).to_be_focused()
        page.keyboard.press("Enter")
    assert response.value.json() | {"action": "acknowledge", "details": {"alert": 17}} == response.value.json()
    assert response.value.json()["user"] == chat.user.name
    chat.screenshot("dashboard")

    chat.ask('/samples.one {"name": "notes.md"}')
    expect(page.get_by_role("tab")).to_have_text(["Monitor", "notes.md"])
    assert [path for path, _ in dashboards.requests].count("/board") == 1  # the frame was not reloaded
    chat.ask(call)
    expect(page.get_by_role("tab")).to_have_text(["Monitor"])
    assert find_axe_violations(page) == []

    page.reload()
    page.get_by_role("button", name="Canvas").wait_for()
    keys.press("button", "Canvas")
    expect(page.get_by_role("tab")).to_have_text(["Monitor"])
    keys.press("tab", "Monitor", key="Delete")
    page.reload()
    chat.turns.last.locator(".call").wait_for()
    expect(page.get_by_role("tab", include_hidden=True)).to_have_count(0)


@pytest.mark.clause("v2:canvas:token", "v2:canvas:token-fragment")
def test_dashboard_may_speak_the_bridge_of_apps(chat: ChatPage, dashboards: RecordingSite) -> None:
    chat.ask(f'/samples.dashboard {{"url": "{dashboards.origin}/bridged"}}')
    frame = chat.page.frame_locator(".pane:visible iframe")
    expect(frame.locator("#context")).to_contain_text('"theme":"light"')
    result = json.loads(frame.locator("#context").inner_text())
    assert "serverTools" not in result["hostCapabilities"]
    assert "toolInfo" not in result["hostContext"]
    chat.page.emulate_media(color_scheme="dark")
    expect(frame.locator("#context")).to_contain_text('"theme":"dark"')
    frame.get_by_role("button", name="Say").click()
    dialog = chat.page.get_by_role("dialog", name="Send a message?")
    expect(dialog).to_contain_text(dashboards.origin.removeprefix("http://"))
    dialog.get_by_role("button", name="Send").click()
    expect(frame.locator("#answer")).to_have_text("{}")
    expect(chat.turns).to_have_count(2)


def test_host_of_a_plain_dashboard_verifies_the_user_by_the_token_in_the_url(
    chat: ChatPage, dashboards: RecordingSite
) -> None:
    chat.ask(f'/samples.dashboard {{"url": "{dashboards.origin}/plain"}}')

    user = chat.page.frame_locator("iframe[title=Monitor]").locator("#user")
    expect(user).to_contain_text('"canvas_id": "monitor"')
    claims = json.loads(user.inner_text())
    assert (claims["iss"], claims["aud"], claims["sub"]) == (chat.user.url, dashboards.origin, chat.user.name)
    assert [path for path, _ in dashboards.requests if "token" in path] == []


@pytest.mark.clause("v2:canvas:tool-token", "v2:canvas:token-fragment")
def test_frame_gets_the_tools_own_token_and_the_page_does_not_show_it(
    chat: ChatPage, dashboards: RecordingSite
) -> None:
    chat.ask(f'/samples.dashboard {{"url": "{dashboards.origin}/own", "signer": "server"}}')

    frame = chat.page.frame_locator("iframe[title=Monitor]")
    expect(frame.locator("#token")).to_have_text("server+token/=")
    assert frame.locator("body").evaluate("() => location.hash") == "#token=server%2Btoken%2F%3D"
    assert [path for path, _ in dashboards.requests if path.startswith("/own")] == ["/own"]
    assert "server+token" not in chat.page.locator(".call").last.inner_text()
