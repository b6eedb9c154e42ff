"""`python -m tests.e2e.web.figures` (`make page-figures`): measure the running web client, and write docs/web.md."""

import re
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright

from tests.bench.page_sizes import page_parts
from tests.e2e.system_process import ROOT, running_system, serve_command
from tests.e2e.user_client import UserClient
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import CHROMIUM, FLAGS, STORE_KEY, WIDE
from tests.e2e.web.test_files import answer_with_files, open_files
from tests.e2e.web.test_untrusted_files import longest_task
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

DOCUMENT = ROOT / "docs" / "web.md"
_TABLE = re.compile(r"(<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)
LOADS = 9
TURNS = 300
FILES = 1_000
CHATS = 100
TOKENS = 450
TOKENS_PER_SECOND = 30
MEBIBYTE = 1 << 20
ANSWER = "It is **fine**: a paragraph of some length, with `code`, and\n\n- one\n- two\n\n```python\nprint(1)\n```\n"
NOTE_READY = """addEventListener('DOMContentLoaded', () => {
    const look = () => {
        if (!window.readyAt && document.querySelector('textarea')) window.readyAt = performance.now();
        else requestAnimationFrame(look);
    };
    look();
});"""
RECORD_CHANGES = """() => {
    window.changes = [];
    let length = 0;
    const look = now => {
        const answer = [...document.querySelectorAll('.turn')].at(-1)?.querySelector('.answer-text');
        const next = answer?.textContent.length ?? 0;
        if (next !== length) window.changes.push(now);
        length = next;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""

Figures = list[tuple[str, str]]


def main() -> int:
    """Measure, and write and print the table."""
    expect.set_options(timeout=60_000)
    with FakeEndpoint().running() as endpoint, sync_playwright() as playwright:
        settings = {"SATCHEL_MODEL": endpoint.model_name("anthropic"), "ANTHROPIC_API_KEY": "sk-fake"}
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with running_system(serve_command(), settings=settings) as system:
            measures: list[Callable[[], Figures]] = [
                lambda: _first_load(browser, system.url),
                lambda: _long_chat(browser, system.url),
                lambda: _many_files(browser, system.url),
                lambda: _streaming(browser, system.url, endpoint),
                lambda: _memory(browser, system.url),
            ]
            rows = [row for measure in measures for row in measure()]
        browser.close()
    text = "\n".join(["| figure | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows), ""])
    _write(DOCUMENT, text)
    sys.stdout.write(text)
    return 0


def _write(document: Path, text: str) -> None:
    before = document.read_text(encoding="utf-8")
    document.write_text(_TABLE.sub(lambda match: match[1] + text, before), encoding="utf-8")


@contextmanager
def _new_chat(browser: Browser, url: str, **options: Any) -> Iterator[ChatPage]:  # noqa: ANN401  (what Playwright takes)
    user = UserClient(url, "dev@example.com")
    context = browser.new_context(base_url=url, viewport=WIDE, **options)  # type: ignore[arg-type]  # a TypedDict
    context.set_default_timeout(60_000)
    context.add_init_script(STORE_KEY)
    context.add_init_script(NOTE_READY)
    yield ChatPage(context.new_page(), user)
    context.close()


def _first_load(browser: Browser, url: str) -> Figures:
    painted, ready = [], []
    for _ in range(LOADS):
        with _new_chat(browser, url) as chat:
            chat.open()
            chat.page.wait_for_function("window.readyAt")
            painted.append(chat.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            ready.append(chat.page.evaluate("window.readyAt"))
    size = page_parts()[0].gzip_size / 1000
    return [
        ("first load, compressed", f"{size:.0f} KB"),
        ("first contentful paint, empty cache", f"{statistics.median(painted):.0f} ms"),
        ("message box can be used, empty cache", f"{statistics.median(ready):.0f} ms"),
    ]


def _long_chat(browser: Browser, url: str) -> Figures:
    with _new_chat(browser, url) as chat:
        turns = [{"message": f"message {number}", "answer": ANSWER} for number in range(TURNS)]
        session_id = chat.user.request("POST", "/api/conversations", json={"turns": turns}).json()["session_id"]
        chat.open()
        with longest_task(chat.page) as opening:
            chat.page.goto(f"/#{session_id}")
            expect(chat.turns.last).to_contain_text(f"message {TURNS - 1}")
            chat.page.wait_for_timeout(1_000)
        with longest_task(chat.page) as scrolling:
            box = chat.page.get_by_role("region", name="Conversation")
            box.hover()
            while chat.turns.count() < TURNS:
                chat.page.mouse.wheel(0, -2_000)
                chat.page.wait_for_timeout(50)
    return [
        (f"longest task while a chat of {TURNS} turns opens", f"{opening[0]:.0f} ms"),
        ("longest task while it is scrolled to its beginning", f"{scrolling[0]:.0f} ms"),
    ]


def _many_files(browser: Browser, url: str) -> Figures:
    with _new_chat(browser, url) as chat:
        answer_with_files(chat.page, FILES)
        chat.open()
        with longest_task(chat.page) as durations:
            scroller = open_files(chat).locator(".file-scroller")
            for _ in range(FILES // 80):
                scroller.evaluate("list => list.scrollTo(0, list.scrollHeight)")
                chat.page.wait_for_timeout(100)
            expect(chat.page.locator(".file-name").last).to_have_text("report 0.csv")
    return [(f"longest task while {FILES:,} files are listed and scrolled", f"{durations[0]:.0f} ms")]


def _streaming(browser: Browser, url: str, endpoint: FakeEndpoint) -> Figures:
    words = [f"word{number % 10} " if number % 60 else "\n\n" for number in range(1, TOKENS)]
    endpoint.replies = [Answer(words, pause=1 / TOKENS_PER_SECOND)]
    with _new_chat(browser, url, reduced_motion="no-preference") as chat:
        chat.open()
        chat.page.evaluate(RECORD_CHANGES)
        chat.ask("Tell me everything.")
        times = chat.page.evaluate("window.changes")
    gaps = sorted(after - before for before, after in pairwise(times[:-1]))  # the last change is the end of the turn
    return [
        (f"time between visible changes at {TOKENS_PER_SECOND} tokens/s, median", f"{statistics.median(gaps):.0f} ms"),
        ("the same, 95 %", f"{gaps[int(len(gaps) * 0.95)]:.0f} ms"),
        ("the same, longest", f"{gaps[-1]:.0f} ms"),
    ]


def _memory(browser: Browser, url: str) -> Figures:
    with _new_chat(browser, url) as chat:
        turns = [{"message": f"message {number}", "answer": ANSWER} for number in range(10)]
        ids = [
            chat.user.request("POST", "/api/conversations", json={"turns": turns}).json()["session_id"]
            for _ in range(CHATS)
        ]
        chat.open()
        devtools = chat.page.context.new_cdp_session(chat.page)
        _open_chats(chat.page, ids[:5])  # loads the libraries
        before = _used_bytes(devtools)
        _open_chats(chat.page, ids)
        after = _used_bytes(devtools)
    return [
        ("memory of the page with a chat open", f"{before / MEBIBYTE:.1f} MiB"),
        (f"the same after {CHATS} chats were opened", f"{after / MEBIBYTE:.1f} MiB"),
    ]


def _open_chats(page: Page, ids: list[str]) -> None:
    for session_id in ids:
        page.goto(f"/#{session_id}")
        expect(page.locator(".turn")).to_have_count(10)
        expect(page.locator(".turn").last).to_contain_text("message 9")


def _used_bytes(devtools: CDPSession) -> float:
    devtools.send("HeapProfiler.collectGarbage")
    return float(devtools.send("Runtime.getHeapUsage")["usedSize"])


if __name__ == "__main__":
    sys.exit(main())
