"""Export of a chat as Markdown, as JSON, and with its files."""

import io
import json
import zipfile

from playwright.sync_api import expect

from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.keyboard import Keyboard


def test_chat_is_exported_as_markdown_json_and_with_its_files(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    session_id = chat.user.create_session(title="Sales: May/June")
    chat.user.upload(session_id, "sales.csv", b"region,units\nnorth,3\n")
    chat.open(session_id)
    page.reload()
    chat.ask('/calculator.evaluate {"expression": "2+3"}')

    def export(item: str) -> tuple[str, bytes]:
        keys.press("button", "Actions for Sales: May/June")
        expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
        with page.expect_download() as started:
            page.get_by_role("menuitem", name=item).click()
        return started.value.suggested_filename, started.value.path().read_bytes()

    name, markdown = export("Export as Markdown")
    assert name == "Sales May June.md"
    assert markdown.decode().startswith("# Sales: May/June\n\n## You · ")
    assert '/calculator.evaluate {"expression": "2+3"}' in markdown.decode()
    name, document = export("Export as JSON")
    assert name == "Sales May June.json"
    (turn,) = json.loads(document)["turns"]
    assert turn["message"] == '/calculator.evaluate {"expression": "2+3"}'
    name, archive = export("Export with files")
    assert name == "Sales May June.zip"
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        assert files.namelist() == ["chat.md", "chat.json", "files/sales.csv"]
        assert files.read("files/sales.csv") == b"region,units\nnorth,3\n"
        assert files.read("chat.md") == markdown
