"""Whatever a tool returns: no script of it runs on the page, nobody else is asked for anything, the page answers."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.listener import listening
from tests.e2e.web.visit import Visit

LONGEST_MS = 100
ATTEMPTS = 8
REST_MS = 300  # and as much more before each further attempt: whatever keeps the machine busy may be over then
POLICY_END = "base-uri 'none'\">"
ACTIVE = re.compile(
    r"<(?:script|iframe|object|embed|form|base|link|meta|template)\b|\bon\w+=|javascript:", re.IGNORECASE
)
_BEAT = """() => {
    window.longest = 0;
    let last = performance.now();
    const beat = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
        setTimeout(beat);
    };
    beat();
}"""


@contextmanager
def timed(page: Page) -> Iterator[list[float]]:
    """Measure for how long the page did not answer, at most, in milliseconds."""
    found: list[float] = []
    page.evaluate("window.longest = 0")
    yield found
    found.append(page.evaluate("window.longest"))


def held_up(page: Page, name: str, viewer: str) -> float:
    """Open a file and return for how long that held the page up: what a busy machine does, it does not do each time."""
    least = float("inf")
    for attempt in range(ATTEMPTS):
        page.wait_for_timeout(REST_MS * attempt)
        page.evaluate("document.querySelector('[role=tab]').click()")
        with timed(page) as longest:
            page.get_by_role("tab", name=name, exact=True).click()
            expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", viewer)
            page.wait_for_timeout(150)
        least = min(least, *longest)
        if least < LONGEST_MS:
            break
    return least


VIEWERS = {
    "html": "html",
    "svg": "image",
    "md": "markdown",
    "csv": "table",
    "txt": "code",
    "pdf": "pdf",
    "png": "image",
}
SPECIAL = {"links.bib.json": "bibliography", "markup.graph.json": "graph", "not-json.json": "code"}


@pytest.mark.clause("v2:html:sanitised")
def test_nothing_that_is_ill_meant_runs_or_asks_anybody_and_the_page_answers(visit: Visit) -> None:
    page = visit.page
    with listening() as listener:
        visit.ask(f"/shown.ill_meant {json.dumps({'listener': listener.origin})}")
        title, address = page.title(), page.url
        names = page.get_by_role("tab").all_text_contents()
        assert len(names) >= 30
        page.evaluate(_BEAT)
        slow = {}
        for name in names:
            viewer = SPECIAL.get(name) or VIEWERS[name.rpartition(".")[2]]
            if (longest := held_up(page, name, viewer)) >= LONGEST_MS:
                slow[name] = round(longest)
            if viewer == "html" and name != "many-tags.html":
                source = page.locator(".pane:visible iframe").get_attribute("srcdoc") or ""
                assert ACTIVE.findall(source.partition(POLICY_END)[2]) == []
            if name in {"script.html", "active.svg", "broken.pdf"}:
                visit.shoot(f"hostile-{name.replace('.', '-')}")

        assert page.evaluate("[window.canary, document.title, location.href]") == [None, title, address]
        assert len(page.context.pages) == 1
        assert listener.asked == []
        assert slow == {}
        page.context.request.get(listener.origin)
        assert len(listener.asked) == 1  # it would have heard


Look = Callable[[Locator], None]


def test_a_million_rows_fifty_megabytes_of_text_and_a_huge_picture_do_not_hold_the_page_up(visit: Visit) -> None:
    visit.page.evaluate(_BEAT)
    slow = {}
    for message, look in LARGE.items():
        if (longest := held_up_by_large(visit, message, look)) >= LONGEST_MS:
            slow[message] = round(longest)
    assert slow == {}


def held_up_by_large(visit: Visit, message: str, look: Look) -> float:
    """Have a file made and look at it; looked at again, it holds the page up no less."""
    page = visit.page
    shown = page.locator(".pane:visible .viewer")
    with timed(page) as longest:
        turn = visit.ask(message)
        look(shown)
    visit.shoot(f"large-{message.split('.')[1].split(maxsplit=1)[0]}")
    for attempt in range(ATTEMPTS):
        if min(longest) < LONGEST_MS:
            break
        page.wait_for_timeout(REST_MS * attempt)
        page.get_by_role("button", name="Close canvas").click()
        with timed(page) as again:
            turn.locator("button.artifact-button").click()
            look(shown)
        longest += again
    return min(longest)


def _look_at_rows(shown: Locator) -> None:
    expect(shown.get_by_role("status").first).to_have_text("1,000,000 rows, 4 columns", timeout=60_000)
    rows = shown.get_by_role("region", name="rows.csv")
    rows.evaluate("rows => rows.scrollTo(0, rows.scrollHeight)")
    expect(shown.locator(".table-row").last).to_contain_text("999999")
    shown.get_by_role("button", name="value, sort").click()
    expect(shown.get_by_role("button", name="value, sorted ascending")).to_be_enabled(timeout=60_000)
    rows.evaluate("rows => rows.scrollTo(0, 0)")
    expect(shown.locator(".table-row").first).to_contain_text("0.0000")


def _look_at_lines(shown: Locator) -> None:
    expect(shown.get_by_role("note")).to_contain_text("The first 1.0 MB of 51 MB is shown")
    expect(shown.get_by_role("region", name="lines.txt")).to_contain_text("All work and no play")


def _look_at_pixels(shown: Locator) -> None:
    expect(shown.get_by_role("note")).to_contain_text("A smaller copy of 10000 \N{MULTIPLICATION SIGN} 10000 pixels")
    expect(shown.locator("canvas")).to_have_attribute("width", "2048")


LARGE: dict[str, Look] = {
    '/shown.rows {"count": 1000000}': _look_at_rows,
    '/shown.lines {"megabytes": 50}': _look_at_lines,
    '/shown.pixels {"side": 10000}': _look_at_pixels,
}
