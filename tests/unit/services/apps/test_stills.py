"""Stills of apps: static pages with the input and the result of the call that opened the app."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from satchel.domain.apps import AppState, state_key
from satchel.services.apps.read_still import Still
from tests.fakes.calls import FakeCalls
from tests.unit.services.apps.app_files import app_call, opened
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Elements()
    parser.feed(html)
    return parser.found


def still_of(world: World, result: dict[str, Any]) -> str:
    call = app_call(world, AppState(uri="ui://report/page", result=result))
    [app] = world.files.list_for_session(ALICE.name, call.session_id)
    return world.use_cases.read_still(app).content.decode()


def text(value: object) -> dict[str, object]:
    return {"type": "text", "text": value}


def test_still_shows_the_tool_the_time_the_input_and_the_result(world: World) -> None:
    call, app = opened(world)
    still = world.use_cases.read_still(app)
    page = still.content.decode()
    assert still == Still(name="echo.still.html", etag=f"{app.object_id}.still", content=still.content)
    assert call.tool in page
    assert app.created_at.strftime("%Y-%m-%d %H:%M UTC") in page
    assert "&quot;a&quot;: 1" in page
    assert "<pre>3 rows</pre>" in page
    assert ALICE.name not in page


def test_texts_of_a_tool_are_text_in_the_still(world: World) -> None:
    found = elements(still_of(world, {"content": [text(HOSTILE)]}))
    assert {name for name, _ in found} <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "code", "pre"
    }  # fmt: skip


def test_structured_content_is_shown_if_the_result_has_no_text(world: World) -> None:
    page = still_of(world, {"content": [], "structuredContent": {"rows": 3}})
    assert "<pre>{\n  &quot;rows&quot;: 3\n}</pre>" in page


def test_pictures_of_the_result_are_in_the_still_and_other_content_is_not(world: World) -> None:
    image = {"type": "image", "mimeType": "image/png", "data": PIXEL}
    others = [
        image | {"mimeType": "image/svg+xml"},
        image | {"data": '" onerror="alert(1)'},
        image | {"data": "A" * 2_000_004},
        image | {"data": 7},
        {"type": "resource", "resource": {"uri": "https://a.example/", "text": "x"}},
        7,
    ]
    found = elements(still_of(world, {"content": [*others, image]}))
    assert [attributes["src"] for name, attributes in found if name == "img"] == [f"data:image/png;base64,{PIXEL}"]


def test_secrets_and_links_to_files_are_not_in_the_still(world: World) -> None:
    link = "https://satchel.example/api/files/download/f1?token=secret-token"
    page = still_of(world, {"content": [text(f"{link} and Bearer abcdefghijklmnop1234567890")]})
    assert "secret-token" not in page
    assert "abcdefghijklmnop1234567890" not in page


def test_long_result_is_cut(world: World) -> None:
    page = still_of(world, {"content": [text("x" * 200_000)]})
    assert 100_000 < len(page) < 110_000


@pytest.mark.parametrize("state", [b"", b"{", json.dumps({"result": 7}).encode()])
def test_still_of_an_app_whose_result_is_damaged_says_so(world: World, state: bytes) -> None:
    call, app = opened(world)
    world.put(state_key(call.user, call.call_id), state, "application/json")
    assert "The result is no longer stored." in world.use_cases.read_still(app).content.decode()


def test_still_of_an_app_whose_session_was_deleted_has_its_name_and_result(world: World) -> None:
    call, app = opened(world)
    page = replace(world.use_cases.read_still, calls=FakeCalls())(app).content.decode()
    assert "<h1>echo</h1>" in page
    assert "<pre>3 rows</pre>" in page
    assert call.tool not in page
