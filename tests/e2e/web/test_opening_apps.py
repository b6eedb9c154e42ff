"""Apps that open when their call starts: they get its input at once, and its result or its failure later."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Frame, Locator, Page, expect

from tests.e2e.published_servers.installed import with_installed_program
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import wait_for_tools
from tests.e2e.web.app_servers import ARE_INSTALLED
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage
from tests.e2e.web.sdk_app import DEMO
from tests.e2e.web.test_app_methods import RUNNING, app_frame, write_config

WARM = "body > iframe[hidden]"
"""A frame that loads while a tool runs, before the page knows which app will be in it."""

_RIGHTS = """frame => ({
    sandbox: frame.getAttribute('sandbox'), allow: frame.allow, referrer: frame.referrerPolicy, policy: frame.src
})"""
DEBUG = with_installed_program({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-debug", "--stdio"]})


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose files let calls go."""
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
def system(gate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """The system of this file, in place of the one of all end-to-end tests."""
    demo = DEMO | {"silence_seconds": 110, "max_seconds": 120}
    demo["args"] = [*DEMO["args"], str(gate)]
    demo["read_paths"] = [*DEMO["read_paths"], str(gate)]
    brief = demo | {"silence_seconds": 25, "notice_seconds": [2, 3, 4]}  # the app must open earlier
    servers = {"demo": demo, "brief": brief} | ({"debug": DEBUG} if ARE_INSTALLED else {})
    config = write_config(tmp_path_factory.mktemp("opening"), servers)
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config)}) as running:
        wait_for_tools(running.url)
        yield running


def held(chat: ChatPage, text: str, server: str = "demo") -> Frame:
    """Show the app once, then start a call that does not end. Return the frame that opens meanwhile."""
    chat.ask(f'/{server}.show_later {{"text": "known"}}')
    wait_for_events(app_frame(chat.page), 2)
    chat.send(f"/{server}.show_later {json.dumps({'text': text})}")
    frame = newest_frame(chat.page, 2)
    wait_for_events(frame, 1)
    return frame


def newest_frame(page: Page, count: int) -> Frame:
    """Wait until so many apps run, hidden ones included, and return the inner frame of the visible one."""
    expect(page.locator("iframe[data-status=running]")).to_have_count(count)
    return app_frame(page)


_TOOL_EVENTS = "window.events?.filter(([name]) => name !== 'host-context-changed')"
"""The page may tell the app at any time that its surroundings have changed."""


def events(frame: Frame) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = frame.evaluate(_TOOL_EVENTS)
    return [(name, params) for name, params in found]


def wait_for_events(frame: Frame, count: int) -> None:
    frame.wait_for_function(f"{_TOOL_EVENTS}?.length >= {count}")


def reload(chat: ChatPage, calls: int) -> None:
    """Load the page again after the last turn, and wait for the calls.

    A turn that still runs would open the canvas by itself. Without all calls, the app of an earlier one may run first.
    """
    expect(chat.turns.last).to_have_attribute("aria-busy", "false")
    chat.page.reload()
    expect(chat.turns.locator(".call")).to_have_count(calls)


def test_app_gets_its_input_before_the_result_and_goes_on_with_it(chat: ChatPage, gate: Path) -> None:
    frame = held(chat, "held-result")
    assert events(frame) == [("tool-input", {"arguments": {"text": "held-result"}})]
    frame.evaluate("window.isTheSame = true")
    (gate / "held-result").touch()
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-result')")
    assert [name for name, _ in events(frame)] == ["tool-input", "tool-result"]
    assert events(frame)[1][1]["structuredContent"] == {"shown": "held-result"}
    assert frame.evaluate("window.isTheSame") is True
    newest_frame(chat.page, 1)  # the app of the earlier call has made room, as without an early opening
    reload(chat, 2)
    chat.page.get_by_role("button", name="Canvas").click()
    restored = app_frame(chat.page)
    wait_for_events(restored, 2)
    assert events(restored)[1][1]["structuredContent"] == {"shown": "held-result"}


def test_app_hears_that_its_call_was_cancelled(chat: ChatPage) -> None:
    frame = held(chat, "held-cancelled")
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-cancelled')")
    (_, (name, params)) = events(frame)
    assert name == "tool-cancelled"
    assert "cancel" in params["reason"].lower()
    expect(chat.page.get_by_role("note").filter(has_text="has no result")).to_be_visible()


def test_app_hears_that_its_call_has_failed(chat: ChatPage, gate: Path) -> None:
    frame = held(chat, "held-fail")
    (gate / "held-fail").touch()
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-result')")
    assert [name for name, _ in events(frame)] == ["tool-input", "tool-result"]
    result = events(frame)[1][1]
    assert result["isError"] is True
    assert "fail" in result["content"][0]["text"]
    expect(chat.page.get_by_role("note").filter(has_text="The tool of the app has failed")).to_be_visible()
    reload(chat, 2)
    chat.page.get_by_role("button", name="Canvas").click()
    restored = app_frame(chat.page)  # of the call that succeeded
    wait_for_events(restored, 2)
    assert events(restored)[1][1]["structuredContent"] == {"shown": "known"}


def test_app_hears_that_its_call_took_too_long(chat: ChatPage) -> None:
    frame = held(chat, "held-for-ever", server="brief")
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-cancelled')", timeout=MAX_TURN_MS)
    assert events(frame)[1][0] == "tool-cancelled"
    assert events(frame)[1][1]["reason"]


def test_app_calls_tools_only_after_its_own_call(chat: ChatPage, gate: Path) -> None:
    frame = held(chat, "held-calls")
    frame.evaluate("() => { app.callServerTool({name: 'ping', arguments: {}}).then(one => { window.answer = one; }); }")
    expect(chat.page.locator(".pane:not([hidden]) .app-calls")).to_have_count(0)
    (gate / "held-calls").touch()
    frame.wait_for_function("window.answer")
    assert frame.evaluate("answer.content[0].text") == "pong"


def test_app_of_a_failed_call_can_call_no_tools(chat: ChatPage, gate: Path) -> None:
    frame = held(chat, "held-2-fail")
    (gate / "held-2-fail").touch()
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-result')")
    failure = frame.evaluate(
        "app.callServerTool({name: 'ping', arguments: {}}).then(() => 'called', error => String(error))"
    )
    assert "fail" in failure


def test_running_call_opens_its_app_again_after_a_reload(chat: ChatPage, gate: Path) -> None:
    held(chat, "held-reload")
    chat.page.reload()
    frame = newest_frame(chat.page, 2)  # the other is of the earlier call
    wait_for_events(frame, 1)
    assert [name for name, _ in events(frame)] == ["tool-input"]
    (gate / "held-reload").touch()
    frame.wait_for_function("window.events.some(([name]) => name === 'tool-result')")


def test_app_of_a_running_call_stays_open_when_the_earlier_call_is_loaded_after_it(chat: ChatPage) -> None:
    held(chat, "held-earlier")
    session = chat.user.request("GET", f"/api/sessions/{chat.session_id}").json()
    earlier = min(turn["turn_id"] for turn in session["turns"])
    with chat.delayed_responses("GET", f"/turns/{earlier}/events.*"):
        chat.page.reload()
        newest_frame(chat.page, 1)
    frame = newest_frame(chat.page, 2)
    wait_for_events(frame, 1)
    assert events(frame) == [("tool-input", {"arguments": {"text": "held-earlier"}})]


def test_app_of_a_running_call_opens_again_when_the_user_is_back_from_another_chat(chat: ChatPage) -> None:
    chat.open(chat.user.create_session(title="Other"))
    other = chat.session_id
    chat.ask("hello")
    chat.page.get_by_role("button", name="New chat").click()
    expect(chat.turns).to_have_count(0)
    held(chat, "held-visit")
    session = chat.session_id
    chat.open(other)
    expect(chat.turns.locator(".user-message")).to_have_text(["hello"])
    chat.open(session)
    frame = newest_frame(chat.page, 2)
    wait_for_events(frame, 1)
    assert events(frame) == [("tool-input", {"arguments": {"text": "held-visit"}})]


def test_first_call_of_an_app_opens_it_with_the_result(chat: ChatPage, gate: Path) -> None:
    turn = chat.send('/demo.show_later {"text": "held-first"}')
    expect(turn.get_by_text("Running")).to_be_visible()
    expect(chat.page.locator(".app-frame")).to_have_count(0)
    (gate / "held-first").touch()
    frame = app_frame(chat.page)
    wait_for_events(frame, 2)
    assert [name for name, _ in events(frame)] == ["tool-input", "tool-result"]


def warm(chat: ChatPage, call: str) -> Locator:
    """Start a call that does not end, of a tool without a known page. Return the frame that loads meanwhile."""
    chat.send(f"/demo.{call}")
    frame = chat.page.locator(WARM)
    expect(frame).to_have_count(1)
    outer = frame.element_handle().content_frame()
    assert outer is not None
    outer.wait_for_load_state()
    assert outer.child_frames == []
    frame.evaluate("frame => { frame.isWarm = true; }")
    return frame


def test_first_call_of_an_app_opens_it_in_a_frame_that_has_loaded_before(chat: ChatPage, gate: Path) -> None:
    frame = warm(chat, 'show_later {"text": "held-warm"}')
    rights = frame.evaluate(_RIGHTS)
    (gate / "held-warm").touch()
    wait_for_events(app_frame(chat.page), 2)
    opened = chat.page.locator(RUNNING)
    assert opened.evaluate("frame => frame.isWarm") is True
    assert opened.evaluate(_RIGHTS) == rights
    expect(chat.page.locator("iframe")).to_have_count(1)
    reload(chat, 1)
    chat.page.get_by_role("button", name="Canvas").click()
    app_frame(chat.page)
    assert opened.evaluate(_RIGHTS) == rights  # of a frame that was made for its app


def test_app_with_declared_domains_opens_in_a_frame_of_its_own(chat: ChatPage, gate: Path) -> None:
    frame = warm(chat, 'show_declaring {"text": "held-declaring"}')
    assert "api.example" not in frame.evaluate(_RIGHTS)["policy"]
    (gate / "held-declaring").touch()
    wait_for_events(app_frame(chat.page), 2)
    opened = chat.page.locator(RUNNING)
    assert opened.evaluate("frame => frame.isWarm ?? false") is False
    assert "api.example" in opened.evaluate(_RIGHTS)["policy"]
    expect(chat.page.locator("iframe")).to_have_count(1)
    chat.send('/demo.show_declaring {"text": "held-declaring-again"}')  # now its page and its domains are known
    newest_frame(chat.page, 2)
    assert [frame["policy"] for frame in chat.page.locator("iframe").evaluate_all(f"each => each.map({_RIGHTS})")] == [
        opened.evaluate(_RIGHTS)["policy"]
    ] * 2
    (gate / "held-declaring-again").touch()
    newest_frame(chat.page, 1)


def test_frame_is_removed_if_the_tool_fails(chat: ChatPage, gate: Path) -> None:
    warm(chat, 'show_later {"text": "held-warm-fail"}')
    (gate / "held-warm-fail").touch()
    expect(chat.page.locator("iframe")).to_have_count(0)


def test_frame_is_removed_if_the_user_stops_the_turn(chat: ChatPage) -> None:
    warm(chat, 'show_later {"text": "held-warm-stopped"}')
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    expect(chat.page.locator("iframe")).to_have_count(0)


def test_frame_is_removed_if_the_user_opens_another_chat(chat: ChatPage, gate: Path) -> None:
    warm(chat, 'show_later {"text": "held-warm-left"}')
    chat.page.get_by_role("button", name="New chat").first.click()
    expect(chat.page.locator("iframe")).to_have_count(0)
    (gate / "held-warm-left").touch()


@pytest.mark.skipif(not ARE_INSTALLED, reason="needs the published servers of npm")
def test_official_app_shows_input_and_cancellation(chat: ChatPage) -> None:
    chat.ask("/debug.debug-tool {}")
    expect(chat.page.locator(RUNNING)).to_have_count(1)
    chat.send('/debug.debug-tool {"delayMs": 100000}')
    frame = newest_frame(chat.page, 2)
    expect(frame.locator("#event-log").get_by_text("ontoolinput").first).to_be_visible()
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    expect(frame.locator("#event-log").get_by_text("ontoolcancelled").first).to_be_visible()
