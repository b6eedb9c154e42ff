"""My Files: resumable uploads, and all actions on a file."""

import base64
import re
import time
from collections.abc import Callable

import httpx2
from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import TIMEOUT_MS
from tests.e2e.web.keyboard import Keyboard
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint
from tests.pictures import png

PART_BYTES = 16 << 20
FILE_BYTES = PART_BYTES + (4 << 20)
LIST_URL = re.compile(r"/api/files\?")
FIRST_PAGE_URL = re.compile(r"/api/files\?limit=30$")
MULTIPART_BYTES = 2 << 20  # files above 1 MiB are sent in parts


def open_files(chat: ChatPage) -> Locator:
    """Open My Files and return its panel."""
    Keyboard(chat.page).press("button", "My Files")
    return chat.page.get_by_role("region", name="My Files")


def find_row(files: Locator, name: str) -> Locator:
    """Return the row of a file."""
    return files.get_by_role("listitem").filter(has=files.page.get_by_role("button", name=name, exact=True))


def choose_action(keys: Keyboard, action: str, name: str) -> None:
    """Open the menu with more actions of a file, and choose one."""
    keys.press("summary", f"More actions for {name}")
    keys.press("button", f"{action} {name}")


def upload(page: Page, name: str, body: bytes) -> None:
    """Upload a file with the browser's file picker."""
    with page.expect_file_chooser() as chooser:
        Keyboard(page).press("button", "Upload")
    chooser.value.set_files({"name": name, "mimeType": "application/octet-stream", "buffer": body})


def intercept_parts(page: Page, handle: Callable[[str, Route], None]) -> list[str]:
    """Pass each sent part to ``handle``; return a list that collects the part numbers."""
    sent: list[str] = []

    def intercept(route: Route) -> None:
        if route.request.method != "PUT":
            return route.continue_()
        number = route.request.url.partition("partNumber=")[2].partition("&")[0]
        sent.append(number)
        return handle(number, route)

    page.route("**/*partNumber=*", intercept)
    return sent


def test_dropped_file_is_sent_in_parts_and_resumes_after_reload(chat: ChatPage) -> None:
    page = chat.page
    held: list[Route] = []
    sent = intercept_parts(page, lambda number, route: held.append(route) if number == "2" else route.continue_())
    chat.drop_file("year.bin", FILE_BYTES)

    progress = page.get_by_role("progressbar", name="Uploading year.bin")
    page.wait_for_function(
        f"progress => progress.value >= {PART_BYTES} && progress.value < {FILE_BYTES}", arg=progress.element_handle()
    )
    chat.screenshot("upload")
    assert sorted(sent) == ["1", "2"]
    page.reload()
    page.unroute("**/*partNumber=*")

    files = open_files(chat)
    expect(files.get_by_role("list", name="Unfinished uploads")).to_contain_text("year.bin (20 MB)")
    sent = intercept_parts(page, lambda _number, route: route.continue_())
    chat.drop_file("year.bin", FILE_BYTES)
    expect(chat.attached).to_have_text(["year.bin"])
    assert sent == ["2"]
    expect(find_row(files, "year.bin")).to_contain_text("uploaded · 20 MB")
    expect(files.get_by_role("list", name="Unfinished uploads")).to_have_count(0)
    (record,) = chat.user.request("GET", "/api/files").json()["files"]
    body = httpx2.get(chat.user.url + record["download_url"], follow_redirects=True).content
    assert body == b"\x07" * FILE_BYTES


def test_canceled_and_discarded_uploads_leave_nothing_behind(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    held: list[Route] = []
    intercept_parts(page, lambda _number, route: held.append(route))
    open_files(chat)
    for count in (1, 2):
        upload(page, "year.bin", bytes(MULTIPART_BYTES))
        page.get_by_role("progressbar", name="Uploading year.bin").wait_for()
        while len(held) < count:
            page.wait_for_timeout(20)
        if count == 1:
            with page.expect_response(lambda response: response.request.method == "DELETE"):
                keys.press("button", "Cancel year.bin")
            expect(page.get_by_role("progressbar")).to_have_count(0)
            assert chat.user.request("GET", "/api/files/uploads").json()["uploads"] == []

    page.reload()
    unfinished = open_files(chat).get_by_role("list", name="Unfinished uploads")
    expect(unfinished).to_contain_text("year.bin (2.0 MB)")
    with page.expect_response(lambda response: response.request.method == "DELETE"):
        keys.press("button", "Discard year.bin")
    expect(unfinished).to_have_count(0)
    assert chat.user.request("GET", "/api/files/uploads").json()["uploads"] == []


def test_failed_file_list_and_failed_upload_can_be_retried(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for number in range(16):
        chat.user.upload(None, f"{number:02}.txt", b"1")
    page.route(LIST_URL, lambda route: route.abort())
    files = open_files(chat)
    expect(files.get_by_role("alert")).to_contain_text("Can't reach the server")
    page.unroute(LIST_URL)
    page.route(FIRST_PAGE_URL, lambda route: route.continue_(url=route.request.url.replace("limit=30", "limit=15")))
    keys.press("button", "Try again")
    expect(files.locator(".file-name")).to_have_count(15)
    keys.press("button", "Show more")
    expect(files.locator(".file-name")).to_have_count(16)

    page.route("**/api/files", lambda route: route.fulfill(status=503))
    upload(page, "late.txt", b"late")
    page.get_by_role("button", name="Resume late.txt").wait_for()
    page.unroute("**/api/files")
    keys.press("button", "Resume late.txt")
    expect(find_row(files, "late.txt")).to_have_count(1)


def test_file_can_be_kept_opened_downloaded_and_filtered(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.ask("/artifacts.deferred_file\n/artifacts.temporary_file")
    chat.user.upload(chat.session_id, "sales of may.csv", b"a,b\n1,2\n")
    files = open_files(chat)

    draft = find_row(files, "draft.csv")
    expect(draft).to_contain_text("deferred · 8 B · 1 row, 2 columns")
    expect(draft).to_contain_text("Expires in 5 hours")
    expect(draft).to_contain_text("needs editing")
    expect(find_row(files, "scratch.txt")).to_contain_text("Deleted with the chat")
    chat.screenshot("my-files")
    assert find_axe_violations(page) == []
    keys.press("button", "Keep draft.csv")
    expect(draft).to_contain_text("generated")
    expect(draft).not_to_contain_text("Expires in")
    assert keys.focused() == ("summary", "More actions for draft.csv")

    keys.press("button", "sales of may.csv", back=True)
    expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", "table")
    assert keys.focused() == ("tab", "sales of may.csv")
    keys.press("button", "Close canvas")
    assert keys.focused() == ("button", "sales of may.csv")

    chat.user.upload(None, "long.txt", b"All work\n" * 600_000)
    page.reload()
    files = open_files(chat)
    with page.expect_download() as download:  # from the file storage: too large for a response of the API
        choose_action(keys, "Download", "long.txt")
    assert (download.value.suggested_filename, download.value.path().stat().st_size) == ("long.txt", 5_400_000)

    keys.press("summary", "Filter", back=True)
    names = files.locator(".file-name")
    keys.choose("Source", "uploaded")
    expect(names).to_have_text(["long.txt", "sales of may.csv"])
    keys.press("input", "This chat only", key="Space")
    expect(names).to_have_text(["sales of may.csv"])
    page.keyboard.press("Space")
    keys.choose("Source", "All", back=True)
    for field in ("Search files", "Category"):
        keys.go_to("input", field, back=field == "Search files")
        keys.write("scr", end="")
        expect(names).to_have_text(["scratch.txt"] if field == "Search files" else [])
        keys.write("", end="")
    expect(names).to_have_count(4)


def test_shared_link_works_until_it_is_revoked(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.user.upload(None, "sales of may.csv", b"a,b\n1,2\n")
    open_files(chat)
    dialog = page.get_by_role("dialog")
    with chat.delayed_reads(r"/api/links\?.*"):
        choose_action(keys, "Share", "sales of may.csv")
        keys.choose("Expires after", "8")
        keys.press("button", "Create link")
        url = dialog.get_by_label("Link", exact=True).input_value()
    keys.press("button", "Copy link")
    page.wait_for_function("async url => await navigator.clipboard.readText() === url", arg=url)
    assert httpx2.get(url).content == b"a,b\n1,2\n"
    chat.screenshot("share")
    keys.press("button", "Revoke link")
    expect(dialog.get_by_role("button", name="Revoke link")).to_have_count(0)
    assert httpx2.get(url).status_code == httpx2.codes.NOT_FOUND
    assert keys.focused() == ("button", "Close")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    assert keys.focused() == ("button", "Share sales of may.csv")


def test_deletion_can_be_undone_until_the_page_is_left(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for name in ("newer.txt", "old.txt"):
        chat.user.upload(None, name, b"old")
    files = open_files(chat)
    choose_action(keys, "Delete", "old.txt")
    expect(find_row(files, "old.txt")).to_have_count(0)
    assert keys.focused() == ("button", "newer.txt")
    page.keyboard.press("F8")
    assert keys.focused() == ("button", "Undo")
    page.keyboard.press("Enter")
    expect(find_row(files, "old.txt")).to_have_count(1)
    assert keys.focused() == ("button", "newer.txt")

    choose_action(keys, "Delete", "old.txt")
    expect(find_row(files, "old.txt")).to_have_count(0)
    assert len(chat.user.request("GET", "/api/files").json()["files"]) == 2
    page.goto("about:blank")  # leaving the page is not an undo
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while len(chat.user.request("GET", "/api/files").json()["files"]) > 1:
        assert time.monotonic() < deadline, "the file still exists"
        time.sleep(0.05)


def test_typing_an_at_sign_completes_a_file_name(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for name in ("sales of may.csv", "salaries.csv", "notes.txt"):
        chat.user.upload(None, name, b"1")
    keys.go_to("textarea", "Message")
    page.keyboard.type("sum @sal")
    options = page.get_by_role("listbox", name="Your files").get_by_role("option")
    expect(options).to_have_text(["salaries.csv", "sales of may.csv"])
    chat.screenshot("mention")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(chat.message_box).to_have_value('sum @"sales of may.csv" ')
    expect(options).to_have_count(0)
    open_files(chat)
    keys.press("button", "Mention notes.txt")
    expect(chat.message_box).to_have_value('sum @"sales of may.csv" @notes.txt ')


def test_my_files_shows_the_use_of_all_quotas(chat: ChatPage) -> None:
    files = open_files(chat)
    upload(chat.page, "two-kilobytes.bin", b"x" * 2048)

    expect(files.get_by_text("2.0 KB of 500 GB used")).to_be_visible()
    Keyboard(chat.page).press("summary", "2.0 KB of 500 GB used")
    expect(files.get_by_text("of 1000 open chats")).to_be_visible()


def test_attached_files_are_sent_with_the_message_and_stay_visible(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    keys.choose("Model", "anthropic")
    with page.expect_file_chooser() as chooser:
        keys.press("button", "Attach files")
    pictures: list[FilePayload] = [
        {"name": name, "mimeType": "image/png", "buffer": png(30, 20)} for name in ("a.png", "b.png")
    ]
    chooser.value.set_files(pictures)
    expect(chat.attached).to_have_count(2)
    keys.press("button", "Remove b.png")
    expect(chat.attached).to_have_text(["a.png"])
    chat.screenshot("attached")

    endpoint.replies, endpoint.requests = [Answer(["A gray picture."])], []
    turn = chat.ask("What is it?")
    expect(turn).to_contain_text("A gray picture.")
    expect(chat.attached).to_have_count(0)
    assert base64.b64encode(png(30, 20)).decode() in str(endpoint.requests[0].body)
    for _ in range(2):
        attached = chat.turns.first.get_by_role("list", name="Attached files")
        expect(attached.get_by_role("button")).to_have_text(["a.png"])
        expect(attached.locator("img")).to_have_js_property("naturalWidth", 30)
        page.reload()
