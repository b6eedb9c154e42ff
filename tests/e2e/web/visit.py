"""A person in front of the page, in words of the tests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from tests.e2e.person import Person
from tests.e2e.system import ROOT

_TRANSFER = """([name, body]) => {
    const transfer = new DataTransfer();
    const bytes = typeof body === 'string' ? body : new Uint8Array(body).fill(7);
    transfer.items.add(new File([bytes], name));
    return transfer;
}"""
SHOTS = ROOT / "test-results" / "web"


@dataclass(frozen=True)
class Visit:
    """``person`` is who is signed in."""

    page: Page
    person: Person

    @property
    def message(self) -> Locator:
        """Where one writes."""
        return self.page.get_by_role("textbox", name="Message")

    @property
    def turns(self) -> Locator:
        """What was said so far, a message and its answer each."""
        return self.page.locator(".turn")

    @property
    def session_id(self) -> str:
        """The session that is open."""
        return self.page.url.partition("#")[2]

    def go_on(self, session_id: str = "") -> None:
        """Open the page, at a session."""
        self.page.goto(f"/#{session_id}" if session_id else "/")
        self.message.wait_for()

    def send(self, text: str) -> Locator:
        """Send a message and return its turn."""
        before = self.turns.count()
        self.message.fill(text)
        self.message.press("Enter")
        expect(self.turns).to_have_count(before + 1)
        return self.turns.nth(before)

    def ask(self, text: str) -> Locator:
        """Send a message, wait for the end and return the turn."""
        turn = self.send(text)
        expect(turn).to_have_attribute("aria-busy", "false")
        return turn

    def drop(self, name: str, body: bytes | int) -> None:
        """Drop a file where the conversation is; of a number, one of so many bytes of 7."""
        given = [name, body if isinstance(body, int) else body.decode()]
        transfer = self.page.evaluate_handle(_TRANSFER, given)
        for event in ("dragenter", "dragover", "drop"):
            self.message.dispatch_event(event, {"dataTransfer": transfer})

    @contextmanager
    def hearing_late(self, of: str) -> Iterator[None]:
        """Have reads whose address ends so answered at once, and the page hear the answers only after this."""
        late: list[tuple[Route, APIResponse]] = []

        def hold(route: Route) -> None:
            if route.request.method == "GET":
                late.append((route, route.fetch()))
            else:
                route.fallback()

        where = re.compile(of + "$")
        self.page.route(where, hold)
        yield
        assert late, f"nothing was read from {of}"
        for route, answer in late:
            route.fulfill(response=answer)
        self.page.unroute(where, hold)

    def shoot(self, name: str) -> Path:
        """Keep a picture of what is seen, for people who look at a test's run."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        path = SHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path
