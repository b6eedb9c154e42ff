"""Untrusted files from tools: they run no scripts, send no requests, and do not block the page."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.recording_site import running_site
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.priority import prioritized

MAX_TASK_MS = 100
MAIN_THREAD = "CrRendererMain"
END_OF_POLICY = "base-uri 'none'\">"
ACTIVE_CONTENT = re.compile(
    r"<(?:script|iframe|object|embed|form|base|link|meta|template)\b|\bon\w+=|javascript:", re.IGNORECASE
)


@contextmanager
def longest_task(page: Page) -> Iterator[list[float]]:
    """Measure the longest task of the page, and append its milliseconds to the yielded list.

    The page cannot react during a task. Only processor time counts: other programs make each task take longer.
    """
    milliseconds: list[float] = []
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel"])
    try:
        yield milliseconds
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    tasks = [each for each in events if threads.get((each["pid"], each["tid"])) == MAIN_THREAD and "tdur" in each]
    assert tasks, "the trace has no task of the page"
    milliseconds.append(max(each["tdur"] for each in tasks) / 1000)


VIEWERS_BY_EXTENSION = {
    "html": "html",
    "svg": "image",
    "md": "markdown",
    "csv": "table",
    "txt": "code",
    "pdf": "pdf",
    "png": "image",
}
SHOWN_AS_SOURCE = {"deep.html", "many-tags.html"}
VIEWERS_BY_NAME = {"links.bib.json": "bibliography", "markup.graph.json": "graph", "not-json.json": "code"}


@pytest.mark.clause("v2:html:sanitised")
def test_hostile_files_run_no_scripts_send_no_requests_and_do_not_block(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # in a process of its own, as its tasks are measured
    chat.open()
    page = chat.page
    with running_site() as listener:
        chat.ask(f"/samples.hostile_files {json.dumps({'listener': listener.origin})}")
        expect(page).to_have_title(f"Hostile files {listener.origin} - Satchel")
        title, url, pages = page.title(), page.url, page.context.pages
        page.get_by_role("tab").first.wait_for()  # all appear at once
        names = page.get_by_role("tab").all_text_contents()
        assert len(names) >= 30
        slow = {}
        for name in names:
            viewer_name = VIEWERS_BY_NAME.get(name) or VIEWERS_BY_EXTENSION[name.rpartition(".")[2]]
            with longest_task(page) as durations, prioritized():
                page.get_by_role("tab", name=name, exact=True).click()
                expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", viewer_name)
                page.wait_for_timeout(150)
            if durations[0] >= MAX_TASK_MS:
                slow[name] = round(durations[0])
            if name in SHOWN_AS_SOURCE:
                expect(page.locator(".pane:visible .viewer")).to_contain_text("><")
                expect(page.locator(".pane:visible iframe")).to_have_count(0)
            elif viewer_name == "html":
                source = page.locator(".pane:visible iframe").get_attribute("srcdoc") or ""
                assert ACTIVE_CONTENT.findall(source.partition(END_OF_POLICY)[2]) == []
            if name == "script.html":
                expect(page.locator(".pane:visible")).to_contain_text("Scripts of this page were left out")
            if name in {"script.html", "active.svg", "broken.pdf"}:
                chat.screenshot(f"hostile-{name.replace('.', '-')}")

        assert page.evaluate("[window.canary, document.title, location.href]") == [None, title, url]
        assert page.context.pages == pages
        assert listener.requests == []
        assert slow == {}
        page.context.request.get(listener.origin)
        assert len(listener.requests) == 1  # the listener does record requests


SCRIPTED = """<!doctype html><title>Chart</title><script src="{origin}/script.js"></script>
<link rel="stylesheet" href="{origin}/style.css"><img src="{origin}/image.png"><h1>waiting</h1><script>
const seen = [];
const attempt = async (name, act) => { try { await act(); seen.push(name); } catch { } };
const run = async () => {
    await attempt('fetch', () => fetch('{origin}/fetch', {mode: 'no-cors'}));
    await attempt('beacon', () => { if (!navigator.sendBeacon('{origin}/beacon')) throw 0; });
    await attempt('socket', () => new Promise((open, fail) => {
        const socket = new WebSocket('{socket}/socket'); socket.onopen = open; socket.onerror = fail; }));
    await attempt('module', () => import('{origin}/module.js'));
    await attempt('webrtc', () => new RTCPeerConnection());
    await attempt('webrtc of a frame', async () => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        await null;
        new frame.contentWindow.RTCPeerConnection();
    });
    await attempt('storage', () => localStorage.length);
    await attempt('cookie', () => document.cookie);
    await attempt('page', () => top.document.title);
    await attempt('frame', () => new Promise((load, fail) => {
        const frame = document.createElement('iframe'); frame.src = '{origin}/frame';
        document.body.append(frame); setTimeout(fail, 300); }));
    document.querySelector('h1').textContent = 'ran with ' + (seen.join() || 'nothing') + ' of ' + origin;
};
run();
</script>"""


def test_scripts_of_html_run_on_demand_without_network_and_data(chat: ChatPage) -> None:
    page = chat.page
    with running_site() as listener:
        socket = listener.origin.replace("http", "ws")
        html = SCRIPTED.replace("{origin}", listener.origin).replace("{socket}", socket)
        chat.user.upload(None, "chart.html", html.encode())
        page.get_by_role("button", name="My Files").click()
        page.get_by_role("button", name="chart.html", exact=True).click()
        viewer = page.locator(".pane:visible .viewer")
        expect(viewer.get_by_text("Scripts of this page were left out.")).to_be_visible()
        heading = page.frame_locator(".viewer-frame")
        expect(heading.get_by_role("heading")).to_have_text("waiting")
        viewer.get_by_role("button", name="Run scripts").click()
        inner = heading.frame_locator("iframe")
        # A beacon and a script's frame report success before they are blocked: what counts is that no request arrives.
        expect(inner.get_by_role("heading")).to_have_text(re.compile(r"^ran with (nothing|beacon) of null$"))
        chat.screenshot("html-scripts")
        assert listener.requests == []
        assert page.evaluate("window.canary") is None
        viewer.get_by_role("button", name="Stop scripts").click()
        expect(heading.get_by_role("heading")).to_have_text("waiting")


def test_page_whose_script_opens_another_address_is_closed(chat: ChatPage) -> None:
    page = chat.page
    with running_site() as listener:
        leave = f"location = '{listener.origin}/away?secret=1'"
        html = f"<h1>Go</h1><script>onload = () => setTimeout(() => {{ {leave} }})</script>"
        chat.user.upload(None, "leave.html", html.encode())
        page.get_by_role("button", name="My Files").click()
        page.get_by_role("button", name="leave.html", exact=True).click()
        page.get_by_role("button", name="Run scripts").click()
        expect(page.get_by_text("This page tried to open another one, so it was closed.")).to_be_visible()
        assert listener.requests == []


Check = Callable[[Locator], None]


def test_large_table_text_and_image_do_not_block_the_page(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # in a process of its own, as its tasks are measured
    chat.open()
    slow = {}
    for message, check in LARGE_FILES.items():
        with longest_task(chat.page) as durations, prioritized():
            chat.ask(message)
            check(chat.page.locator(".pane:visible .viewer"))
        chat.screenshot(f"large-{message.split('.')[1].split(maxsplit=1)[0]}")
        if durations[0] >= MAX_TASK_MS:
            slow[message] = round(durations[0])
    assert slow == {}


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
    expect(viewer.locator("canvas")).to_have_attribute("width", "2048", timeout=60_000)


LARGE_FILES: dict[str, Check] = {
    '/samples.rows {"count": 1000000}': _check_rows,
    '/samples.lines {"megabytes": 50}': _check_lines,
    '/samples.pixels {"side": 10000}': _check_pixels,
}
