"""Twenty screens of the web client, in order of a user's way, and how to reach each."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Locator

from tests.e2e.user_client import UserClient
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.screenshots import CSV
from tests.e2e.web.test_office import docx, paragraph, pptx
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint
from tests.pictures import png

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
NARROW_BELOW = 760
TIMEOUT_MS = 60_000
USER = "ana@example.com"
CREATE_LINK = re.compile("^Create (another )?link$")
"""The screen opens at several widths, each time with one more link."""
TEXT = """## Sales of May

Sales grew by **12 %**, mostly in the north:

| region | units | change |
|---|---:|---:|
| north | 412 | +31 % |
| south | 201 | -4 % |

- [x] Data checked
- [ ] Forecast

The growth is $g = \\frac{a_1 - a_0}{a_0}$, see [the report](sales_report.html).

```python
def growth(before: float, after: float) -> float:
    return (after - before) / before
```

> Figures without returns.
"""


@dataclass
class Chats:
    """Ids of the chats that the screens show: an answer with Markdown, calls, a report, and a file for each viewer."""

    text: str
    calls: str
    report: str
    kinds: str


def create_chats(user: UserClient, endpoint: FakeEndpoint) -> Chats:
    """Create the chats and the files of the screens."""
    user.upload(None, "sales.csv", CSV.encode())
    endpoint.replies = [Answer([TEXT])]
    text = user.create_session(model="anthropic", title="Sales of May")
    user.ask(text, "How were the sales of May? Please show me the numbers by region.")
    calls = user.create_session(title="Some sums")
    user.ask(calls, '/calculator.evaluate {"expression": "2+3"}\n/calculator.evaluate {"expression": "2*3"}')
    user.ask(calls, '/calculator.evaluate {"expression": "2+"}')
    report = user.create_session(title="Report on sales.csv")
    user.ask(report, '/report.summarise {"filename": "sales.csv"}')
    kinds = user.create_session(title="One of every kind")
    user.ask(kinds, "/samples.every_kind")
    user.upload(None, "minutes.docx", docx(paragraph("Minutes of May") + paragraph("All agreed.") * 12))
    user.upload(None, "deck.pptx", pptx())
    user.upload(None, "gray.png", png(60, 40))
    user.upload(None, "sales.csv", CSV.encode())  # again, so that it is among the newest
    return Chats(text, calls, report, kinds)


def _open_sidebar(chat: ChatPage, part: str) -> Locator:
    """Open a part of the sidebar, and return the sidebar."""
    if (chat.page.viewport_size or {"width": 0})["width"] < NARROW_BELOW:
        chat.page.get_by_role("button", name="Open sidebar").click()
    sidebar = chat.page.get_by_role("navigation", name="Chats and files")
    sidebar.get_by_role("button", name=part, exact=True).click()
    return sidebar


def _open_file(chat: ChatPage, session_id: str, name: str) -> Locator:
    """Open a file of a turn, and return its viewer."""
    chat.open(session_id)
    chat.page.locator(".turn .markdown").first.wait_for()  # the rendered answer moves the buttons below it
    chat.page.locator(".artifact-button", has_text=name).first.click()
    viewer = chat.page.locator(".pane:visible .viewer")
    viewer.wait_for()
    return viewer


def _open_own_file(chat: ChatPage, name: str) -> Locator:
    chat.open()
    _open_sidebar(chat, "My Files").get_by_role("button", name=name, exact=True).click()
    viewer = chat.page.locator(".pane:visible .viewer")
    viewer.wait_for()
    return viewer


def _first_screen(chat: ChatPage, _chats: Chats) -> None:
    chat.open()
    chat.page.get_by_role("group", name="Tools to try").get_by_role("button").first.wait_for()


def _tool_form(chat: ChatPage, chats: Chats) -> None:
    _first_screen(chat, chats)
    chat.message_box.fill("/report.summarise")
    chat.page.get_by_role("option", name="/report.summarise").click()
    chat.page.get_by_role("form").wait_for()


def _commands(chat: ChatPage, chats: Chats) -> None:
    _first_screen(chat, chats)
    chat.message_box.fill("/re")
    chat.page.get_by_role("option").first.wait_for()


def _text(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.text)
    chat.page.locator(".katex").first.wait_for()


def _calls(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.calls)
    chat.page.locator(".error-message").wait_for()
    chat.page.get_by_role("button", name="2 tools").wait_for()  # the calls of the turn above move this one
    chat.page.locator(".call.failed summary").click()


def _approval(chat: ChatPage, _chats: Chats) -> None:
    chat.open()
    chat.send('/approval.write {"name": "note.txt", "text": "hello"}')
    chat.page.get_by_role("button", name="Allow").wait_for()


def _report(chat: ChatPage, chats: Chats) -> None:
    _open_file(chat, chats.report, "sales_report.html").locator("iframe").wait_for()


def _files_of_a_turn(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.kinds)
    chat.page.locator(".artifact-button").last.wait_for()


def _table(chat: ChatPage, chats: Chats) -> None:
    viewer = _open_file(chat, chats.kinds, "cities.csv")
    viewer.get_by_role("button", name="Chart").click()
    viewer.locator("figcaption").wait_for()


def _pdf(chat: ChatPage, chats: Chats) -> None:
    viewer = _open_file(chat, chats.kinds, "paper.pdf")
    viewer.get_by_label("Find in PDF").fill("page")
    viewer.get_by_text("1 of 2", exact=True).wait_for()


def _graph(chat: ChatPage, chats: Chats) -> None:
    _open_file(chat, chats.kinds, "relations.json").locator("canvas").wait_for()


def _bibliography(chat: ChatPage, chats: Chats) -> None:
    _open_file(chat, chats.kinds, "references.json").get_by_role("link").first.wait_for()


def _document(chat: ChatPage, _chats: Chats) -> None:
    _open_own_file(chat, "minutes.docx").locator("iframe").wait_for()


def _slides(chat: ChatPage, _chats: Chats) -> None:
    _open_own_file(chat, "deck.pptx").get_by_role("heading").first.wait_for()


def _chat_list(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.text)
    sidebar = _open_sidebar(chat, "Chats")
    sidebar.get_by_role("button", name="Actions for Sales of May").click()
    chat.page.get_by_role("menuitem", name="Rename").wait_for()


def _my_files(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.text)
    sidebar = _open_sidebar(chat, "My Files")
    sidebar.get_by_role("checkbox", name="Select gray.png").check()


def _share(chat: ChatPage, chats: Chats) -> None:
    _my_files(chat, chats)
    chat.page.get_by_label("More actions for gray.png").click()
    with chat.page.expect_response(re.compile(r"/api/links\?")):
        chat.page.get_by_role("button", name="Share gray.png").click()
    chat.draw()  # the list of links moves the dialog, and a click could miss the button
    chat.page.get_by_role("dialog").get_by_role("button", name=CREATE_LINK).click()
    chat.page.get_by_role("dialog").get_by_label("Link", exact=True).wait_for()


def _tools(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.text)
    tools = _open_sidebar(chat, "Tools").get_by_role("region", name="Tools")
    tools.locator("summary").filter(has_text="calculator").click()


def _settings(chat: ChatPage, chats: Chats) -> None:
    chat.open(chats.text)
    if (chat.page.viewport_size or {"width": 0})["width"] < NARROW_BELOW:
        chat.page.get_by_role("button", name="Open sidebar").click()
    chat.page.get_by_role("button", name="Settings").click()
    chat.page.get_by_role("dialog").get_by_text("calculator").first.wait_for()


def _palette(chat: ChatPage, chats: Chats) -> None:
    _text(chat, chats)
    chat.page.keyboard.press("Control+k")
    chat.page.get_by_role("dialog").get_by_role("option").nth(3).wait_for()


SCREENS: dict[str, Callable[[ChatPage, Chats], None]] = {
    "first-screen": _first_screen,
    "commands": _commands,
    "tool-form": _tool_form,
    "text": _text,
    "calls": _calls,
    "approval": _approval,
    "report": _report,
    "files-of-a-turn": _files_of_a_turn,
    "table": _table,
    "pdf": _pdf,
    "graph": _graph,
    "bibliography": _bibliography,
    "document": _document,
    "slides": _slides,
    "chat-list": _chat_list,
    "my-files": _my_files,
    "share": _share,
    "tools": _tools,
    "settings": _settings,
    "palette": _palette,
}
