"""My Files: resumable uploads, and all actions on a file."""

import base64
import re
import time
import zipfile
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.e2e.user_client import fetch
from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import MAX_TURN_MS, ChatPage, wait_for, wait_until
from tests.e2e.web.conftest import TIMEOUT_MS, ChatPageFactory
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.test_untrusted_files import MAX_TASK_MS, longest_task
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint
from tests.pictures import png
from tests.priority import prioritized

PART_BYTES = 16 << 20
MANY_FILES = 1_000
NARROW_BELOW = 760  # pixels; below, the sidebar is hidden
FILE = {
    "file_key": "",
    "name": "",
    "mime": "text/csv",
    "size": 2048,
    "source": "generated",
    "version": 1,
    "session_id": None,
    "created_at": "2026-01-02T03:04:05Z",
    "description": None,
    "category": None,
    "viewer": "data",
    "auto_open": False,
    "temporary": False,
    "expires_at": None,
    "status": None,
    "reason": None,
    "next_actions": [],
    "info": {"rows": 12, "columns": 3},
    "download_url": None,
}
"""A file as the API lists it."""
FILE_BYTES = PART_BYTES + (4 << 20)
LIST_URL = re.compile(r"/api/files\?")
FIRST_PAGE_URL = re.compile(r"/api/files\?limit=100$")
NEXT_PAGE_URL = re.compile(r"/api/files\?.*cursor=")
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


def wait_until_files(chat: ChatPage, count: int) -> None:
    """Wait until the user has at most ``count`` files."""
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while len(chat.user.request("GET", "/api/files").json()["files"]) > count:
        assert time.monotonic() < deadline, "the files still exist"
        time.sleep(0.05)


def answer_with_files(page: Page, count: int) -> None:
    """Answer requests for the list with ``count`` files, made from one real file, in pages of the requested size."""

    def answer(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        start, limit = int(query.get("cursor", ["0"])[0]), int(query["limit"][0])
        page_of = range(start, min(start + limit, count))
        files = [FILE | {"file_key": f"f{index}", "name": f"report {count - 1 - index}.csv"} for index in page_of]
        cursor = str(start + limit) if start + limit < count else None
        route.fulfill(json={"files": files, "cursor": cursor})

    page.route(LIST_URL, answer)


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


def wait_until_held(page: Page, held: list[Route], count: int) -> None:
    """Wait until the page has sent so many parts that the test holds."""
    wait_for(page, lambda: len(held) >= count, f"{count} held parts")


def test_dropped_file_is_sent_in_parts_and_resumes_after_reload(chat: ChatPage) -> None:
    page = chat.page
    held: list[Route] = []
    sent = intercept_parts(page, lambda number, route: held.append(route) if number == "2" else route.continue_())
    chat.drop_file("year.bin", FILE_BYTES)

    progress = page.get_by_role("progressbar", name="Uploading year.bin")
    wait_until(progress, f"progress => progress.value >= {PART_BYTES} && progress.value < {FILE_BYTES}")
    wait_until_held(page, held, 1)
    chat.screenshot("upload")
    assert sorted(sent) == ["1", "2"]
    (upload,) = chat.user.request("GET", "/api/files/uploads").json()["uploads"]
    path = f"/api/files/uploads/{upload['upload_id']}"
    wait_for(page, lambda: chat.user.request("GET", path).json()["stored"], "the first part in the store")
    page.reload()
    page.unroute("**/*partNumber=*")

    files = open_files(chat)
    expect(files.get_by_role("list", name="Unfinished uploads")).to_contain_text("year.bin (20 MB)")
    sent = intercept_parts(page, lambda _number, route: route.continue_())
    chat.drop_file("year.bin", FILE_BYTES)
    expect(chat.attached).to_have_text(["year.bin"], timeout=MAX_TURN_MS)
    assert sent == ["2"]
    expect(find_row(files, "year.bin")).to_contain_text("uploaded · 20 MB")
    expect(files.get_by_role("list", name="Unfinished uploads")).to_have_count(0)
    (record,) = chat.user.request("GET", "/api/files").json()["files"]
    body = httpx2.get(chat.user.url + record["download_url"], follow_redirects=True, timeout=60).content
    assert body == b"\x07" * FILE_BYTES


def test_canceled_and_discarded_uploads_leave_nothing_behind(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    held: list[Route] = []
    intercept_parts(page, lambda _number, route: held.append(route))
    open_files(chat)
    for count in (1, 2):
        upload(page, "year.bin", bytes(MULTIPART_BYTES))
        page.get_by_role("progressbar", name="Uploading year.bin").wait_for()
        wait_until_held(page, held, count)
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
    page.route(FIRST_PAGE_URL, lambda route: route.continue_(url=route.request.url.replace("limit=100", "limit=15")))
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        route.abort()

    page.route(NEXT_PAGE_URL, refuse)
    keys.press("button", "Try again")
    wait_for(page, lambda: refused, "the request for the next page")  # the first error stays until the list has loaded
    expect(files.get_by_role("list", name="Files", exact=True)).to_have_attribute("aria-busy", "false")
    expect(files.get_by_role("alert")).to_contain_text("Can't reach the server")
    expect(files.get_by_text("15+ files")).to_be_hidden()
    page.unroute(NEXT_PAGE_URL)
    keys.press("button", "Try again")
    expect(files.get_by_text("16 files")).to_be_visible()

    page.route("**/api/files", lambda route: route.fulfill(status=503))
    upload(page, "late.txt", b"late")
    page.get_by_role("button", name="Resume late.txt").wait_for()
    page.unroute("**/api/files")
    keys.press("button", "Resume late.txt")
    expect(files.get_by_text("17 files")).to_be_visible()
    files.locator(".file-scroller").evaluate("list => list.scrollTo(0, 0)")  # Tab went through the list to its end
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

    names = files.locator(".file-name")
    chips = files.get_by_role("group", name="Filters")
    keys.press("button", "Uploaded", back=True)
    expect(names).to_have_text(["long.txt", "sales of may.csv"])
    keys.press("button", "This chat", key="Space")
    expect(names).to_have_text(["sales of may.csv"])
    page.keyboard.press("Space")
    keys.press("button", "All", back=True)
    expect(chips.get_by_role("button", name="All")).to_have_attribute("aria-pressed", "true")
    expect(names).to_have_count(4)


def test_files_are_found_by_any_part_of_the_name_and_sorted_and_filtered_by_kind(chat: ChatPage) -> None:
    keys = Keyboard(chat.page)
    for name, size in (("Sales of May.csv", 30), ("picture.png", 10), ("old sales.txt", 20)):
        chat.user.upload(None, name, b"x" * size)
    files = open_files(chat)
    names = files.locator(".file-name")
    expect(names).to_have_text(["old sales.txt", "picture.png", "Sales of May.csv"])
    keys.go_to("input", "Search files")
    keys.write("SALES", end="")
    expect(names).to_have_text(["old sales.txt", "Sales of May.csv"])
    expect(files.get_by_text("2 of 3 files")).to_be_visible()
    keys.write("nothing like it", end="")
    expect(files.get_by_text("No files found.")).to_be_visible()
    keys.write("", end="")
    keys.choose("Order", "Largest")
    expect(names).to_have_text(["Sales of May.csv", "old sales.txt", "picture.png"])
    keys.choose("Kind", "Images", back=True)
    expect(names).to_have_text(["picture.png"])


def test_rows_have_thumbnails_icons_sizes_and_dates(chat: ChatPage) -> None:
    chat.user.upload(None, "notes.txt", b"1")
    chat.user.upload(None, "gray.png", png(30, 20))
    files = open_files(chat)
    expect(find_row(files, "gray.png").locator("img")).to_have_js_property("naturalWidth", 30)
    expect(find_row(files, "notes.txt").locator("svg").first).to_be_visible()
    expect(find_row(files, "notes.txt").locator(".file-facts")).to_contain_text("1 B")
    expect(find_row(files, "notes.txt").locator("time").first).to_have_text("now")


def test_several_files_are_selected_by_keyboard_mentioned_zipped_and_deleted(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for number in range(5):
        chat.user.upload(None, f"{number}.txt", f"text {number}".encode())
    chat.user.upload(chat.user.create_session(), "4.txt", b"another 4")
    files = open_files(chat)
    expect(files.locator(".file-name")).to_have_count(6)
    bar = files.get_by_role("group", name="Selected files")

    keys.press("input", "Select 4.txt", key="Space")
    expect(bar).to_contain_text("1 selected")
    keys.go_to("button", "4.txt")
    page.keyboard.press("Shift+ArrowDown")
    expect(bar).to_contain_text("2 selected")
    expect(files.get_by_role("button", name="4.txt", exact=True).nth(1)).to_be_focused()
    chat.screenshot("files-selected")
    assert find_axe_violations(page) == []
    with page.expect_download() as download:
        keys.press("button", "Download selected files as zip", back=True)
    with zipfile.ZipFile(download.value.path()) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert contents == {"4.txt": b"another 4", "4 (2).txt": b"text 4"}

    keys.press("button", "Mention selected files")
    expect(chat.message_box).to_have_value("@4.txt @4.txt ")
    expect(bar).to_have_count(0)
    keys.go_to("button", "3.txt")
    page.keyboard.press("Control+A")
    expect(bar).to_contain_text("6 selected")
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    page.keyboard.press("Shift+End")  # not a command of the list
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Delete")
    page.keyboard.press("F8")  # at once, as a toast without the focus disappears
    assert keys.focused() == ("button", "Undo")
    expect(files.locator(".file-name")).to_have_text(["4.txt", "4.txt", "1.txt", "0.txt"])
    page.keyboard.press("Enter")
    expect(files.locator(".file-name")).to_have_count(6)
    keys.go_to("button", "3.txt")
    page.keyboard.press("Delete")
    expect(files.locator(".file-name")).to_have_count(5)
    page.keyboard.press("F8")
    page.keyboard.press("Escape")
    wait_until_files(chat, 5)


def test_archive_names_the_file_that_no_longer_exists(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    for name in ("a.txt", "b.txt"):
        chat.user.upload(None, name, b"1")
    files = open_files(chat)
    expect(files.locator(".file-name")).to_have_count(2)
    (first, _) = chat.user.request("GET", "/api/files").json()["files"]
    chat.user.request("DELETE", f"/api/files/{first['file_key']}")
    keys.go_to("button", "b.txt")
    page.keyboard.press("Control+A")
    keys.press("button", "Download selected files as zip", back=True)
    expect(page.locator(".toast.error")).to_contain_text("b.txt")
    expect(files.get_by_role("group", name="Selected files")).to_contain_text("2 selected")


def test_wide_view_shows_the_facts_of_files_in_columns_and_keeps_the_canvas(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    chat.user.upload(None, "sales.csv", b"a,b\n1,2\n")
    files = open_files(chat)
    expect(files.get_by_text("1 row, 2 columns").first).to_be_hidden()
    keys.press("button", "Wide view", back=True)
    expect(files.get_by_text("1 row, 2 columns").first).to_be_visible()
    expect(chat.message_box).to_be_hidden()
    keys.press("button", "sales.csv")
    expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", "table")
    expect(files).to_be_visible()
    chat.screenshot("files-wide")
    keys.press("button", "Wide view", back=True)
    expect(chat.message_box).to_be_visible()


def test_thousand_files_load_while_scrolling_without_blocking_the_page(new_chat_page: ChatPageFactory) -> None:
    chat = new_chat_page(shared=False)  # in a process of its own, as its tasks are measured
    chat.open()
    page = chat.page
    answer_with_files(page, MANY_FILES)
    with longest_task(page) as durations, prioritized():
        files = open_files(chat)
        names = files.locator(".file-name")
        expect(names.first).to_have_text("report 999.csv")
        scroller = files.locator(".file-scroller")
        deadline = time.monotonic() + MAX_TURN_MS / 1000
        while not files.get_by_text("1,000 files", exact=True).is_visible():  # each scroll to the end loads more
            assert time.monotonic() < deadline, "not all files are loaded in time"
            scroller.evaluate("list => list.scrollTo(0, list.scrollHeight)")
            page.wait_for_timeout(100)  # what a person sees between two turns of the wheel
        scroller.evaluate("list => list.scrollTo(0, list.scrollHeight)")
        expect(names.last).to_have_text("report 0.csv")
        files.get_by_role("searchbox", name="Search files").fill("PORT 50")
        expect(files.get_by_text("11 of 1,000 files")).to_be_visible()
        files.get_by_label("Order").select_option("Name")
        expect(names.first).to_have_text("report 50.csv")
    assert names.count() < 40  # only the visible rows are in the page
    assert durations[0] < MAX_TASK_MS


@pytest.mark.parametrize("width", [360, 390, 768, 1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_my_files_fits_every_width_in_both_themes(new_chat_page: ChatPageFactory, width: int, theme: str) -> None:
    chat = new_chat_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    page = chat.page
    chat.user.upload(
        None, "a name that is far too long for the row of a file in the list, and then some more.csv", b"a,b\n"
    )
    chat.user.upload(None, "gray.png", png(30, 20))
    chat.open()
    if width < NARROW_BELOW:
        page.get_by_role("button", name="Open sidebar").click()
    files = open_files(chat)
    expect(files.locator(".file-name")).to_have_count(2)
    expect(files.locator("img")).to_be_visible()
    files.get_by_role("checkbox", name="Select gray.png").check()
    assert find_axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert files.evaluate("files => files.scrollWidth <= files.clientWidth")
    chat.screenshot(f"my-files-{width}-{theme}")


def test_shared_link_works_until_it_is_revoked(chat: ChatPage) -> None:
    page, keys = chat.page, Keyboard(chat.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.user.upload(None, "sales of may.csv", b"a,b\n1,2\n")
    open_files(chat)
    dialog = page.get_by_role("dialog")
    with chat.delayed_responses("GET", r"/api/links\?.*"):
        choose_action(keys, "Share", "sales of may.csv")
        keys.choose("Expires after", "8")
        keys.press("button", "Create link")
        url = dialog.get_by_label("Link", exact=True).input_value()
    expect(dialog.get_by_role("listitem")).to_have_text([re.compile(r"Created .*, expires .* \(the link above\)")])
    expect(dialog.get_by_role("button", name="Create another link")).to_be_visible()
    keys.press("button", "Copy link")
    page.wait_for_function("async url => await navigator.clipboard.readText() === url", arg=url)
    assert fetch(url).content == b"a,b\n1,2\n"
    chat.screenshot("share")
    keys.press("button", "Revoke link")
    expect(dialog.get_by_role("button", name="Revoke link")).to_have_count(0)
    assert fetch(url).status_code == httpx2.codes.NOT_FOUND
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
    assert keys.focused() == ("input", "Select newer.txt")
    page.keyboard.press("F8")  # at once, as a toast without the focus disappears
    assert keys.focused() == ("button", "Undo")
    expect(find_row(files, "old.txt")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(find_row(files, "old.txt")).to_have_count(1)
    assert keys.focused() == ("input", "Select newer.txt")

    choose_action(keys, "Delete", "old.txt")
    page.keyboard.press("F8")  # a toast with the focus stays, so the file is not deleted yet
    expect(find_row(files, "old.txt")).to_have_count(0)
    assert len(chat.user.request("GET", "/api/files").json()["files"]) == 2
    page.goto("about:blank")  # leaving the page is not an undo
    wait_until_files(chat, 1)


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
