"""Everything that a tool returns is visible: each file and version, dashboards, deferred files, problems and facts."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.recording_site import RecordingSite
from tests.e2e.web.accessibility import find_axe_violations, find_keyboard_issues
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.test_files import find_row, open_files

CALLS = 20
TABLE = """## Cities

| city | people |
|------|-------:|
| Rome | 2 |

<img src=x onerror="window.canary = 1"><script>window.canary = 1</script>"""


def call_lines(tool: str, *arguments: dict[str, str]) -> str:
    """Return a message that calls the tool once for each of the arguments."""
    return "\n".join(f"/{tool} {json.dumps(each)}" for each in arguments)


def shown_heading(page: Page) -> Locator:
    """Return the headings of the page in the visible viewer."""
    return page.locator(".pane:visible .viewer iframe").content_frame.get_by_role("heading")


def expect_no_issues_on_a_narrow_dark_screen(page: Page, screenshot: str) -> None:
    """Check accessibility and that nothing is wider than 360 pixels, and restore the wide screen."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    assert find_axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.screenshot(path=f"test-results/web/{screenshot}-narrow-dark.png")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    assert find_axe_violations(page) == []


@pytest.mark.clause("v5:chat:links")
def test_twenty_reports_of_one_turn_open_by_twenty_buttons(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    texts = [f"Report {number}" for number in range(CALLS)]
    turn = chat.ask(call_lines("samples.report", *({"text": text} for text in texts)))

    expect(page.get_by_role("tab")).to_have_count(CALLS)
    for _ in ("live", "after a reload"):
        buttons = turn.locator("button.artifact-button")
        expect(buttons).to_have_count(CALLS)
        assert len({button.get_attribute("data-artifact-id") for button in buttons.all()}) == CALLS
        assert len(set(buttons.all_inner_texts())) == CALLS
        opened = []
        for button in buttons.all():
            button.focus()
            page.keyboard.press("Enter")
            expect(page.locator("[role=tab][aria-selected=true]")).to_be_focused()
            opened.append(shown_heading(page).inner_text())
        assert sorted(opened) == sorted(texts)
        page.reload()
        expect(turn.locator("button.artifact-button")).to_have_count(CALLS)
    keys.press("button", "report.html")
    chat.screenshot("twenty-reports")
    expect_no_issues_on_a_narrow_dark_screen(page, "twenty-reports")


@pytest.mark.clause("v2.1:artifacts:versions")
def test_each_version_of_a_file_can_be_opened_and_downloaded(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for text in ("One", "Two", "Three"):
        chat.ask(call_lines("samples.report", {"text": text}))
    page.get_by_role("button", name="Close canvas").click()

    chat.turns.first.locator("button.artifact-button").click()
    expect(shown_heading(page)).to_have_text("One")
    keys.press("summary", "Version 1 of report.html")
    canvas = page.get_by_role("region", name="Canvas", exact=True)
    versions = canvas.get_by_role("list", name="Versions of report.html").get_by_role("listitem")
    expect(versions).to_have_text([re.compile(f"^Version {number} · 1\\d B · ") for number in (3, 2, 1)])
    expect(versions.last).to_have_attribute("aria-current", "true")
    chat.screenshot("versions-in-canvas")
    keys.go_to("tab", "report.html, version 1", back=True)
    assert find_keyboard_issues(page, ".canvas") == []
    expect_no_issues_on_a_narrow_dark_screen(page, "versions-in-canvas")
    keys.press("summary", "Version 1 of report.html")  # the list closed when it lost the focus
    keys.press("button", "Open version 2 of report.html")
    expect(page.get_by_role("tab")).to_have_text([f"report.html, version {number}" for number in (3, 1, 2)])
    expect(shown_heading(page)).to_have_text("Two")
    keys.press("button", "Close canvas")

    row = find_row(open_files(chat), "report.html")
    keys.press("summary", "More actions for report.html")
    keys.press("summary", "Version 3 of report.html")
    expect(row.get_by_role("list", name="Versions of report.html").get_by_role("listitem")).to_have_count(3)
    chat.screenshot("versions-in-my-files")
    assert find_axe_violations(page) == []
    for number, text in ((3, "Three"), (2, "Two"), (1, "One")):
        with page.expect_download() as download:
            keys.press("button", f"Download version {number} of report.html")
        assert download.value.suggested_filename == "report.html"
        assert Path(download.value.path()).read_text(encoding="utf-8") == f"<h1>{text}</h1>"
    keys.press("button", "Open version 1 of report.html", back=True)
    expect(shown_heading(page)).to_have_text("One")
    expect(row).to_have_count(1)


def test_both_dashboards_of_a_turn_open_and_can_be_reopened(chat: ChatPage, dashboards: RecordingSite) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    boards = [{"url": f"{dashboards.origin}/board?{board}", "canvas_id": board} for board in ("north", "south")]
    turn = chat.ask(call_lines("samples.dashboard", *({**board, "persistence": "ephemeral"} for board in boards)))

    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(2)
    assert sorted(tabs.all_inner_texts()) == ["Monitor (north)", "Monitor (south)"]
    for _ in boards:
        page.locator("[role=tab][aria-selected=true]").focus()
        page.keyboard.press("Delete")
    expect(tabs).to_have_count(0)
    for board in ("north", "south"):
        turn.get_by_role("button", name=f"dashboard {board}").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".pane:visible iframe")).to_have_attribute("src", re.compile(f"{board}#token="))
        frame = page.locator(".pane:visible iframe").content_frame
        expect(frame.locator("#token")).to_have_text(re.compile(r"^ey[\w-]+\.[\w-]+\.[\w-]+$"))
    chat.screenshot("two-dashboards")
    keys.go_to("tab", "Monitor (south)")


@pytest.mark.clause("v2.1:deferred:fields")
def test_deferred_file_shows_why_it_waits_what_to_do_and_its_expiry(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    turn = chat.ask("/samples.letter_to_review")
    files = open_files(chat)
    expires_at = chat.user.request("GET", "/api/files").json()["files"][0]["expires_at"]

    for _ in ("live", "after a reload"):
        row = find_row(files, "letter.md")
        for place in (turn.get_by_role("region", name="letter.md needs your review"), row):
            expect(place).to_contain_text("A first draft")
            expect(place).to_contain_text("Waiting for you: needs editing")
            steps = place.get_by_role("list", name="Next steps for letter.md").get_by_role("listitem")
            expect(steps).to_have_text(["Check the date", "Send the letter to the committee"])
            time = place.locator(f'time[title="{expires_at}"]')
            expect(time).to_have_text(page.evaluate(_LOCAL_TIME, expires_at))
        chat.screenshot("deferred")
        page.reload()
        files = open_files(chat)
    expect_no_issues_on_a_narrow_dark_screen(page, "deferred")
    keys.press("button", "letter.md", back=True)
    expect(page.get_by_role("tab")).to_have_text("letter.md")


_LOCAL_TIME = "at => new Date(at).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'short'})"


@pytest.mark.clause("v2:canvas:origins")
def test_problems_and_facts_of_a_call_are_shown_live_and_after_a_reload(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.ask("hello")
    chat.user.upload(chat.session_id, "sales.csv", b"a\n1\n")
    turn = chat.ask('/samples.partly_refused {"filename": "sale.csv"}')

    for _ in ("live", "after a reload"):
        problems = turn.get_by_role("region", name="Problems of samples.partly_refused")
        expect(problems.get_by_role("listitem")).to_have_text(
            [
                re.compile("^“garbled.png” was not stored: .*base64"),
                re.compile("^“outside.txt” was not stored: "),
                re.compile("^The dashboard was not opened. .*https://elsewhere.example"),
                "There is no file “sale.csv”, so the tool did not receive it. Similar names: “sales.csv”.",
                re.compile("^The tool's access to “/etc/satchel-sample” was blocked. It may only write in “/tmp/"),
            ]
        )
        expect(turn.locator(".facts")).to_be_hidden()
        turn.locator(".call summary").first.focus()
        page.keyboard.press("Enter")
        expect(turn.locator(".facts dt")).to_have_text(["rows", "source"])
        expect(turn.locator(".facts dd")).to_have_text(["3", '{"name":"PubMed"}'])
        chat.screenshot("problems")
        page.reload()
    expect_no_issues_on_a_narrow_dark_screen(page, "problems")
    keys.go_to("summary", "samples.partly_refused")


@pytest.mark.clause("v1:results:told", "v1:results:rendered")
def test_markdown_results_are_rendered_without_scripts_and_json_is_not(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    source = json.dumps({"table": "| a | b |\n|---|---|"})
    turn = chat.ask(call_lines("samples.text_results", {"text": TABLE}, {"text": source}))
    expect(turn.locator(".call")).to_have_count(2)
    rendered, plain = turn.locator(".call").all()

    keys.press("button", "2 tools", back=True)
    rendered.locator("summary").click()
    expect(rendered.get_by_role("columnheader")).to_have_text(["city", "people"])
    expect(rendered.get_by_role("cell")).to_have_text(["Rome", "2"])
    expect(rendered.get_by_role("heading", name="Cities")).to_be_visible()
    assert rendered.locator(".markdown script, .markdown [onerror]").count() == 0
    assert page.evaluate("window.canary") is None
    chat.screenshot("markdown-results")
    expect_no_issues_on_a_narrow_dark_screen(page, "markdown-results")
    keys.press("button", "Show source", back=True)
    expect(rendered.locator("pre").last).to_have_text(TABLE)
    plain.locator("summary").click()
    expect(plain.locator("pre").last).to_have_text(source)
    expect(plain.locator(".markdown")).to_have_count(0)


@pytest.mark.clause("v2:display:viewer-hint")
def test_viewer_named_by_the_tool_shows_the_file(chat: ChatPage) -> None:
    viewer = chat.page.locator(".pane:visible .viewer")
    page_as_text = {"name": "page", "mime": "text/plain", "text": "<h1>Seen</h1>", "viewer": "html"}
    chat.ask(call_lines("samples.with_viewer", page_as_text))
    expect(viewer).to_have_attribute("data-viewer", "html")
    expect(shown_heading(chat.page)).to_have_text("Seen")

    for name, mime in (("page.html", "text/html"), ("rows.csv", "text/csv")):
        arguments = {"name": name, "mime": mime, "text": "# <b>a,b</b>", "viewer": "code"}
        chat.ask(call_lines("samples.with_viewer", arguments))
        expect(chat.page.get_by_role("tab")).to_have_text(name)
        expect(viewer).to_have_attribute("data-viewer", "code")
        expect(viewer.locator("pre")).to_have_text("# <b>a,b</b>")
