"""Time from the result of a tool until its app has drawn it, in Chromium, with an empty browser cache."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Frame, Page, sync_playwright

from tests.bench.harness import Benchmark, Comparison, Limit
from tests.e2e.system_process import SystemProcess, running_system, serve_command
from tests.e2e.user_client import UserClient
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import CHROMIUM, FLAGS, STORE_KEY
from tests.e2e.web.sdk_app import DEMO

KNOWN_USER = "bench@example.com"
"""A user for whom an earlier call has left the page of the app."""

MAX_MS = 120_000
RUNNING = "iframe[data-status=running]"
_RECORD_RESULT = """
    const record = text => {
        if (text.includes('"tool_complete"')) window.resultAt ??= performance.timeOrigin + performance.now();
    };
    window.WebSocket = class extends WebSocket {
        constructor(...args) {
            super(...args);
            this.addEventListener('message', ({data}) => record(data));
        }
    };
    const request = window.fetch;
    window.fetch = async (...args) => {
        const response = await request(...args);
        if (response.url.includes('/events?')) record(await response.clone().text());
        return response;
    };
"""
"""Remember when the page gets the result: over its WebSocket, or by polling until that is open."""

_SHOW_ALONE = """html => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = html;
    window.shownAt = performance.timeOrigin + performance.now();
    document.body.append(frame);
}"""


@contextmanager
def setup(*, is_first: bool) -> Iterator[Comparison]:
    """Run a system with a server that has an app, and a browser. Each run has a browser profile of its own.

    If ``is_first``, each run also has a user of its own, who has never called the tool.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        config = folder / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"demo": DEMO}}))
        system = stack.enter_context(running_system(serve_command(), settings={"SATCHEL_MCP_CONFIG": str(config)}))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        stack.callback(browser.close)
        html: list[str] = []
        users = (f"bench{number}@example.com" if is_first else KNOWN_USER for number in count())

        def app() -> float:
            user = next(users)
            with _profile(browser, system, user) as context:
                chat = ChatPage(context.new_page(), UserClient(system.url, user))
                chat.open()
                chat.send('/demo.show {"text": "hello"}')
                frame = _app_frame(chat.page)
                drawn = _wait_for(frame, "window.drawnAt")
                if not html:
                    html.append(_html_of(chat.user))
                result: float | None = chat.page.evaluate("window.resultAt")
                if result is None:
                    raise ValueError("the page got no result of the tool")
                return drawn - result

        def alone() -> float:
            with browser.new_context() as context:
                page = context.new_page()
                page.evaluate(_SHOW_ALONE, html[0])
                (frame,) = page.main_frame.child_frames
                return _wait_for(frame, "window.startedAt") - float(page.evaluate("window.shownAt"))

        yield Comparison(measured=app, baseline=alone)


@contextmanager
def _profile(browser: Browser, system: SystemProcess, user: str) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=system.url)
    context.set_default_timeout(MAX_MS)
    context.add_init_script(f"{STORE_KEY}; localStorage.setItem('satchel.user', {json.dumps(user)});")
    context.add_init_script(_RECORD_RESULT)
    yield context
    context.close()


def _app_frame(page: Page) -> Frame:
    outer = page.wait_for_selector(RUNNING).content_frame()  # type: ignore[union-attr]  # it waits for the frame
    if outer is None:
        raise ValueError("the app has no frame")
    (inner,) = outer.child_frames
    return inner


def _wait_for(frame: Frame, expression: str) -> float:
    found: Any = frame.wait_for_function(expression).json_value()
    return float(found)


def _html_of(user: UserClient) -> str:
    files = user.request("GET", "/api/files").json()["files"]
    key = next(file["file_key"] for file in files if file["viewer"] == "app")
    url = user.request("GET", f"/api/files/{key}").json()["download_url"]
    return user.request("GET", url).text


BENCHMARKS = [
    Benchmark(
        name=name,
        measured=f"{which} app in Chromium, from its tool's result until the app has drawn it, with an empty cache",
        baseline="the same page alone in a frame of Chromium, until its script has run",
        unit="ms",
        setup=partial(setup, is_first=is_first),
        runs=15,
        warm_up=1,
        limit=Limit(of="measured", below=500),
    )
    for name, which, is_first in (("app", "an", False), ("app-first", "a user's first", True))
] * (CHROMIUM is not None)
"""Empty without Chromium."""
