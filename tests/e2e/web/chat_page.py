"""Page object of the web client."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from tests.e2e.system_process import ROOT
from tests.e2e.user_client import UserClient

_CREATE_TRANSFER = """([name, body]) => {
    const transfer = new DataTransfer();
    const bytes = typeof body === 'string' ? body : new Uint8Array(body).fill(7);
    transfer.items.add(new File([bytes], name));
    return transfer;
}"""
_MAX_WAIT_SECONDS = 40
MAX_TURN_MS = 120_000  # a tool server may need long to start on a busy machine
SCREENSHOTS = ROOT / "test-results" / "web"

UNENDING_CALL = '/trial.log_lines {"lines": 1, "seconds": 0, "then_wait": 600}'
"""Runs until it is stopped. A call without progress ends after 30 seconds of silence."""


def wait_until(locator: Locator, condition: str, argument: object = None) -> None:
    """Wait until a JavaScript function returns true for the element that the locator finds.

    The element is looked up each time, because the page may have replaced it.
    """
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while not locator.evaluate(condition, argument):
        assert time.monotonic() < deadline, f"not true in time: {condition}"
        locator.page.wait_for_timeout(50)


def wait_for(page: Page, condition: Callable[[], object], what: str) -> None:
    """Wait until a Python function returns something true, while requests of the page arrive at its routes."""
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not in time: {what}"
        page.wait_for_timeout(20)


@dataclass(frozen=True)
class ChatPage:
    """The web client, opened by a signed-in user."""

    page: Page
    user: UserClient

    @property
    def message_box(self) -> Locator:
        """Return the text area for the message."""
        return self.page.get_by_role("textbox", name="Message")

    @property
    def attached(self) -> Locator:
        """Return the files that will be sent with the message."""
        return self.page.get_by_role("list", name="Files to send").get_by_role("listitem")

    @property
    def turns(self) -> Locator:
        """Return the turns of the open chat; each has a message and its answer."""
        return self.page.locator(".turn")

    @property
    def session_id(self) -> str:
        """Return the id of the open session."""
        return self.page.url.partition("#")[2]

    def open(self, session_id: str = "") -> None:
        """Open the page, at a session if one is given."""
        self.page.goto(f"/#{session_id}" if session_id else "/")
        self.message_box.wait_for()

    def send(self, text: str) -> Locator:
        """Send a message and return its turn."""
        count = self.turns.count()
        self.message_box.fill(text)
        self.message_box.press("Enter")
        expect(self.turns).to_have_count(count + 1)
        return self.turns.nth(count)

    def queue(self, text: str) -> Locator:
        """Send a message while a turn runs, and return the list of the messages that wait for its end."""
        self.message_box.fill(text)
        self.message_box.press("Enter")
        queue = self.page.get_by_role("list", name="Messages to send next")
        expect(queue).to_contain_text(text)
        return queue

    def ask(self, text: str) -> Locator:
        """Send a message, wait until its turn ends, and return the turn."""
        turn = self.send(text)
        expect(turn).to_have_attribute("aria-busy", "false", timeout=MAX_TURN_MS)
        return turn

    def drop_file(self, name: str, body: bytes | int) -> None:
        """Drop a file on the chat. An integer body creates a file of that many bytes, each of value 7."""
        content = body if isinstance(body, int) else body.decode()
        transfer = self.page.evaluate_handle(_CREATE_TRANSFER, [name, content])
        for event in ("dragenter", "dragover", "drop"):
            self.message_box.dispatch_event(event, {"dataTransfer": transfer})

    @contextmanager
    def delayed_responses(self, method: str, url_end: str) -> Iterator[None]:
        """Send requests whose URL ends with a pattern at once, but deliver their responses only after the block."""
        sent: list[Route] = []
        held: list[tuple[Route, APIResponse]] = []

        def hold(route: Route) -> None:
            if route.request.method == method:
                sent.append(route)
                held.append((route, route.fetch(max_retries=3)))  # if the server has just closed the connection
            else:
                route.fallback()

        pattern = re.compile(url_end + "$")
        self.page.route(pattern, hold)
        yield
        delivered = 0
        while delivered < max(1, len(sent)):
            wait_for(self.page, lambda: held, f"a response to {method} {url_end}")
            route, response = held.pop(0)
            route.fulfill(response=response)
            delivered += 1
        self.page.unroute(pattern, hold)

    @contextmanager
    def held_request(self, method: str, url_end: str) -> Iterator[None]:
        """Send requests whose URL ends with a pattern only after the block. Then wait for their responses."""
        held: list[Route] = []
        pattern = re.compile(url_end + "$")

        def hold(route: Route) -> None:
            if route.request.method == method:
                held.append(route)
            else:
                route.fallback()

        self.page.route(pattern, hold)
        yield
        wait_for(self.page, lambda: held, f"{method} {url_end}")
        for route in held:
            with self.page.expect_response(route.request.url):
                route.continue_()
        self.page.unroute(pattern, hold)

    def draw(self) -> None:
        """Wait until the page has processed all that has arrived, and has drawn it."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def screenshot(self, name: str) -> Path:
        """Save a screenshot, to inspect a test run."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path
