"""Untrusted files from tools: they run no scripts, send no requests, and do not block the page."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.recording_site import running_site
from tests.e2e.web.chat_page import ChatPage

MAX_BLOCKED_MS = 100
MAX_ATTEMPTS = 8
BACKOFF_MS = 300  # multiplied by the attempt: other load on the machine may be over by then
END_OF_POLICY = "base-uri 'none'\">"
ACTIVE_CONTENT = re.compile(
    r"<(?:script|iframe|object|embed|form|base|link|meta|template)\b|\bon\w+=|javascript:", re.IGNORECASE
)
_MEASURE_BLOCKING = """() => {
    window.maxBlockedMs = 0;
    let last = performance.now();
    const tick = () => {
        const now = performance.now();
        window.maxBlockedMs = Math.max(window.maxBlockedMs, now - last);
        last = now;
        setTimeout(tick);
    };
    tick();
}"""


@contextmanager
def blocking_time(page: Page) -> Iterator[list[float]]:
    """Measure the longest time that the page is blocked, in milliseconds, and append it to the yielded list."""
    durations: list[float] = []
    page.evaluate("window.maxBlockedMs = 0")
    yield durations
    durations.append(page.evaluate("window.maxBlockedMs"))


def measure_opening(page: Page, name: str, viewer_name: str) -> float:
    """Open a file repeatedly and return the shortest blocking time, since other load on the machine adds to it."""
    shortest = float("inf")
    for attempt in range(MAX_ATTEMPTS):
        page.wait_for_timeout(BACKOFF_MS * attempt)
        page.evaluate("document.querySelector('[role=tab]').click()")
        with blocking_time(page) as durations:
            page.get_by_role("tab", name=name, exact=True).click()
            expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", viewer_name)
            page.wait_for_timeout(150)
        shortest = min(shortest, *durations)
        if shortest < MAX_BLOCKED_MS:
            break
    return shortest


VIEWERS_BY_EXTENSION = {
    "html": "html",
    "svg": "image",
    "md": "markdown",
    "csv": "table",
    "txt": "code",
    "pdf": "pdf",
    "png": "image",
}
VIEWERS_BY_NAME = {"links.bib.json": "bibliography", "markup.graph.json": "graph", "not-json.json": "code"}


@pytest.mark.clause("v2:html:sanitised")
def test_hostile_files_run_no_scripts_send_no_requests_and_do_not_block(chat: ChatPage) -> None:
    page = chat.page
    with running_site() as listener:
        chat.ask(f"/samples.hostile_files {json.dumps({'listener': listener.origin})}")
        title, url = page.title(), page.url
        names = page.get_by_role("tab").all_text_contents()
        assert len(names) >= 30
        page.evaluate(_MEASURE_BLOCKING)
        slow = {}
        for name in names:
            viewer_name = VIEWERS_BY_NAME.get(name) or VIEWERS_BY_EXTENSION[name.rpartition(".")[2]]
            if (blocked := measure_opening(page, name, viewer_name)) >= MAX_BLOCKED_MS:
                slow[name] = round(blocked)
            if viewer_name == "html" and name != "many-tags.html":
                source = page.locator(".pane:visible iframe").get_attribute("srcdoc") or ""
                assert ACTIVE_CONTENT.findall(source.partition(END_OF_POLICY)[2]) == []
            if name in {"script.html", "active.svg", "broken.pdf"}:
                chat.screenshot(f"hostile-{name.replace('.', '-')}")

        assert page.evaluate("[window.canary, document.title, location.href]") == [None, title, url]
        assert len(page.context.pages) == 1
        assert listener.requests == []
        assert slow == {}
        page.context.request.get(listener.origin)
        assert len(listener.requests) == 1  # the listener does record requests


Check = Callable[[Locator], None]


def test_large_table_text_and_image_do_not_block_the_page(chat: ChatPage) -> None:
    chat.page.evaluate(_MEASURE_BLOCKING)
    slow = {}
    for message, check in LARGE_FILES.items():
        if (blocked := measure_large_file(chat, message, check)) >= MAX_BLOCKED_MS:
            slow[message] = round(blocked)
    assert slow == {}


def measure_large_file(chat: ChatPage, message: str, check: Check) -> float:
    """Have a tool create a file, open it repeatedly, and return the shortest blocking time."""
    page = chat.page
    viewer = page.locator(".pane:visible .viewer")
    with blocking_time(page) as durations:
        turn = chat.ask(message)
        check(viewer)
    chat.screenshot(f"large-{message.split('.')[1].split(maxsplit=1)[0]}")
    for attempt in range(MAX_ATTEMPTS):
        if min(durations) < MAX_BLOCKED_MS:
            break
        page.wait_for_timeout(BACKOFF_MS * attempt)
        page.get_by_role("button", name="Close canvas").click()
        with blocking_time(page) as repeated:
            turn.locator("button.artifact-button").click()
            check(viewer)
        durations += repeated
    return min(durations)


def _check_rows(viewer: Locator) -> None:
    expect(viewer.get_by_role("status").first).to_have_text("1,000,000 rows, 4 columns", timeout=60_000)
    rows = viewer.get_by_role("region", name="rows.csv")
    rows.evaluate("rows => rows.scrollTo(0, rows.scrollHeight)")
    expect(viewer.locator(".table-row").last).to_contain_text("999999")
    viewer.get_by_role("button", name="Sort by value").click()
    expect(viewer.get_by_role("button", name="Sort by value, sorted ascending")).to_be_enabled(timeout=60_000)
    rows.evaluate("rows => rows.scrollTo(0, 0)")
    expect(viewer.locator(".table-row").first).to_contain_text("0.0000")


def _check_lines(viewer: Locator) -> None:
    expect(viewer.get_by_role("note")).to_contain_text("Showing the first 1.0 MB of 51 MB")
    expect(viewer.get_by_role("region", name="lines.txt")).to_contain_text("All work and no play")


def _check_pixels(viewer: Locator) -> None:
    expect(viewer.get_by_role("note")).to_contain_text(
        "Showing a reduced copy; the original has 10000 \N{MULTIPLICATION SIGN} 10000 pixels"
    )
    expect(viewer.locator("canvas")).to_have_attribute("width", "2048")


LARGE_FILES: dict[str, Check] = {
    '/samples.rows {"count": 1000000}': _check_rows,
    '/samples.lines {"megabytes": 50}': _check_lines,
    '/samples.pixels {"side": 10000}': _check_pixels,
}
