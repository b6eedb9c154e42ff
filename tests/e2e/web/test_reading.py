"""Reading a chat: its newest turns, its Markdown, its files, at any width."""

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.e2e.web.chat_page import MAX_TURN_MS, UNENDING_CALL, ChatPage, wait_for, wait_until
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

LONG_NAME = "2026-11-quarterly-sales-by-region-and-product-" + "final-" * 25 + "v3.csv"
CSV = b"region,units\nnorth,3\nsouth,4\nnorth,5\n"
ROWS = "\n".join(f"| snake_case_id_{number} | **{number}** |" for number in range(600))
MARKDOWN = f"""# One
## Two
### Three

- [ ] open
- [x] done

See [the docs][1] and [the report](sales_report.html) and [nothing](missing.html).

> Quoted

Inline $E = mc^2$ and

\\[ \\int_0^1 x \\]

```python
print("hello")
```

```mermaid
flowchart LR
  A[Start] --> B[End]
```

| id | value |
|---|---|
{ROWS}

[1]: https://example.com/docs
"""
FONT_SIZE = "element => parseFloat(getComputedStyle(element).fontSize)"
RECORD_SHOWN_TIMES = """
const format = Date.prototype.toLocaleTimeString;
window.shownTimes = [];
Date.prototype.toLocaleTimeString = function (...options) {
    window.shownTimes.push(this.getTime());
    return format.apply(this, options);
};
"""
"""Each ended turn shows the time of its end, so the recorded times tell which turns were rendered."""


def scroll_up(chat: ChatPage, condition: Callable[[], bool]) -> None:
    """Press Home until the condition is met. A turn that is loaded at this moment may scroll back to the end."""

    def press_home() -> bool:
        chat.page.keyboard.press("Home")
        return condition()

    wait_for(chat.page, press_home, "the beginning of the chat")


def test_long_chat_opens_at_its_end_loads_older_turns_and_shows_what_is_sent(chat: ChatPage) -> None:
    page = chat.page
    session_id = chat.user.create_session()
    for number in range(7):
        chat.user.ask(session_id, f"message {number}")  # the answer lists all tools, so it is higher than the view

    def read_small_pages(route: Route) -> None:
        route.continue_(url=route.request.url.replace("limit=20", "limit=2"))

    page.route("**/api/sessions/*?*", read_small_pages)
    page.goto(f"/#{session_id}")
    page.reload()

    box = page.get_by_role("region", name="Conversation")
    end_distance = "box => box.scrollHeight - box.scrollTop - box.clientHeight"
    expect(chat.turns.last).to_contain_text("message 6")
    expect(chat.turns.last.locator(".answer li").last).to_be_in_viewport()
    to_end = page.get_by_role("button", name="Scroll to the end")
    expect(to_end).to_have_count(0)
    assert chat.turns.count() < 7

    box.focus()
    scroll_up(chat, lambda: chat.turns.count() == 7 and to_end.is_visible())
    expect(to_end).to_be_visible()
    box.evaluate("box => box.scrollTo({top: 0})")
    expect(chat.turns.first).to_contain_text("message 0")
    expect(to_end).to_be_visible()
    chat.screenshot("scrolled-up")

    sent = chat.send('/calculator.evaluate {"expression": "2+3"}')
    expect(sent.locator(".user-message")).to_be_in_viewport()
    expect(sent).to_have_attribute("aria-busy", "false")
    wait_until(box, f"box => ({end_distance})(box) < 2")
    box.focus()
    scroll_up(chat, lambda: box.evaluate("box => box.scrollTop === 0") and to_end.is_visible())
    to_end.click()
    wait_until(box, f"box => ({end_distance})(box) < 2")


def test_typing_and_older_turns_do_not_render_a_shown_turn_again(chat: ChatPage) -> None:
    page = chat.page
    turns = [{"message": f"message {number}", "answer": "one"} for number in range(60)]
    session_id = chat.user.request("POST", "/api/conversations", json={"turns": turns}).json()["session_id"]
    chat.user.ask(session_id, '/calculator.evaluate {"expression": "2+3"}')
    page.add_init_script(RECORD_SHOWN_TIMES)
    page.goto(f"/#{session_id}")
    page.reload()
    expect(chat.turns.last.locator(".calls")).to_be_visible()  # its events are loaded, so nothing changes it any more
    times = page.evaluate("window.shownTimes")
    newest = max(times)
    assert times.count(newest) < len(times)

    chat.message_box.press_sequentially("a draft")
    expect(chat.message_box).to_have_value("a draft")
    page.get_by_role("region", name="Conversation").focus()
    scroll_up(chat, lambda: chat.turns.count() == len(turns) + 1)

    after = page.evaluate("window.shownTimes")
    assert len(after) >= len(turns) + 1
    assert after.count(newest) == times.count(newest)


def test_markdown_of_a_model_keeps_tasks_links_math_diagrams_and_sizes(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page = chat.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    session_id = chat.user.create_session(model="anthropic")
    chat.user.upload(session_id, "sales.csv", CSV)
    endpoint.replies = [Answer([], calls=[("report.summarise", '{"filename": "sales.csv"}')]), Answer([MARKDOWN])]
    chat.open(session_id)
    turn = chat.ask("Summarize")
    markdown = turn.locator(".markdown")

    open_task, done_task = (markdown.get_by_role("listitem").filter(has_text=word) for word in ("open", "done"))
    assert open_task.inner_text() != done_task.inner_text().replace("done", "open")
    expect(markdown.get_by_role("link", name="the docs")).to_have_attribute("href", "https://example.com/docs")
    expect(markdown.get_by_text("nothing")).to_be_visible()
    expect(markdown.get_by_role("link", name="nothing")).to_have_count(0)
    expect(markdown.locator(".katex")).to_have_count(2)
    expect(markdown.get_by_role("img", name="Diagram")).to_be_visible()
    expect(markdown.locator("tbody tr")).to_have_count(600)
    sizes = [markdown.get_by_role("heading", level=level).evaluate(FONT_SIZE) for level in (1, 2, 3)]
    assert sizes == sorted(set(sizes), reverse=True)
    code = markdown.locator("pre code").first
    assert code.evaluate(FONT_SIZE) >= 13
    block = markdown.locator(".code-block").first
    expect(block).to_contain_text("python")
    block.get_by_role("button", name="Copy").click()
    expect(page.get_by_label("Announcements")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == 'print("hello")'
    chat.screenshot("markdown")

    markdown.get_by_role("button", name="the report").click()
    expect(page.get_by_role("tab", name="sales_report.html")).to_have_attribute("aria-selected", "true")
    for width in (390, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        first_cell = page.frame_locator("iframe[title='sales_report.html']").locator("td").first
        expect(first_cell).to_have_text("region")
        assert first_cell.evaluate("cell => cell.getBoundingClientRect().height") < 60


def test_file_with_a_long_name_a_first_file_and_notices_hide_nothing(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.drop_file(LONG_NAME, CSV)
    expect(chat.attached).to_have_count(1)
    chat.ask("What is in it?")
    expect(page.locator(".sessions .title")).to_have_text("What is in it?")

    keys.press("button", "My Files", back=True)
    files = page.get_by_role("region", name="My Files")
    for name in ("Upload", f"Mention {LONG_NAME}"):
        button = files.get_by_role("button", name=name, exact=True)
        button.wait_for()
        box, panel = button.bounding_box(), files.bounding_box()
        assert box
        assert panel
        assert box["x"] + box["width"] <= panel["x"] + panel["width"]
    chat.message_box.fill("Next")
    files.get_by_label(f"More actions for {LONG_NAME}").click()
    files.get_by_role("button", name=f"Delete {LONG_NAME}").click()
    page.keyboard.press("F8")  # a toast with the focus stays, so a button below it could not be pressed
    assert keys.focused() == ("button", "Undo")
    expect(page.locator(".toast")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    expect(chat.turns).to_have_count(2)


def test_files_without_a_usable_type_open_in_a_viewer(chat: ChatPage) -> None:
    contents = {
        "rows.jsonl": b'{"a": 1}\n',
        "a.graphml": b"<graphml></graphml>",
        "README": b"Read me",
        "a.ts": b"let a = 1",
    }
    for name, body in contents.items():
        chat.drop_file(name, body)
        expect(chat.attached.filter(has_text=name)).to_have_count(1)
    keys = Keyboard(chat.page)
    keys.press("button", "My Files", back=True)
    viewers = {}
    for name in contents:
        chat.page.get_by_role("region", name="My Files").get_by_role("button", name=name, exact=True).click()
        tab = chat.page.get_by_role("tab", name=name, exact=True)
        expect(tab).to_have_attribute("aria-selected", "true")
        viewers[name] = chat.page.locator(".pane:visible .viewer").get_attribute("data-viewer")
    assert viewers == dict.fromkeys(contents, "code")


def test_thinking_is_not_shown_while_a_tool_runs(chat: ChatPage) -> None:
    turn = chat.send(f'{UNENDING_CALL}\n/calculator.evaluate {{"expression": "2+3"}}')

    expect(turn.locator(".call.done")).to_have_count(1, timeout=MAX_TURN_MS)
    expect(turn.locator(".call.running")).to_have_count(1)
    expect(turn.locator(".thinking")).to_have_count(0)
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    expect(turn).to_have_attribute("aria-busy", "false")


def test_switching_the_user_can_be_canceled_and_a_phone_does_not_zoom(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(viewport={"width": 390, "height": 844})
    chat.open()
    assert chat.message_box.evaluate(FONT_SIZE) >= 16  # below, iOS zooms into the page on focus
    chat.page.get_by_role("button", name="Open sidebar").click()
    chat.page.get_by_role("button", name=re.compile("^Signed in as")).click()
    dialog = chat.page.get_by_role("dialog", name="Switch user")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
