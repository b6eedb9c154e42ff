"""My Files: uploads of any size that go on where they were broken off, and all that can be done with a file."""

import re
import time
from collections.abc import Callable

import httpx2
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.web.axe import grave_issues
from tests.e2e.web.conftest import PATIENCE_MS
from tests.e2e.web.keyboard import Keyboard
from tests.e2e.web.visit import Visit

PART = 16 << 20
SIZE = PART + (4 << 20)
LISTED = re.compile(r"/api/files\?")
FIRST_PAGE = re.compile(r"/api/files\?limit=30$")
IN_PARTS = 2 << 20  # what is larger than a megabyte is not sent at once


def files_of(visit: Visit) -> Locator:
    """Open My Files and return the list of them."""
    Keyboard(visit.page).press("button", "My Files")
    return visit.page.get_by_role("region", name="My Files")


def line_of(files: Locator, name: str) -> Locator:
    """The line of a file."""
    return files.get_by_role("listitem").filter(has=files.page.get_by_role("button", name=name, exact=True))


def do(keys: Keyboard, what: str, name: str) -> None:
    """Do one of the things that are not always shown with a file."""
    keys.press("summary", f"More for {name}")
    keys.press("button", f"{what} {name}")


def upload(page: Page, name: str, body: bytes) -> None:
    """Choose a file to upload; what chooses files is the browser's own."""
    with page.expect_file_chooser() as chooser:
        Keyboard(page).press("button", "Upload")
    chooser.value.set_files({"name": name, "mimeType": "application/octet-stream", "buffer": body})


def parts_of(page: Page, let: Callable[[str, Route], None]) -> list[str]:
    """Note the numbers of the parts that are sent; ``let`` decides what becomes of each."""
    sent: list[str] = []

    def note(route: Route) -> None:
        if route.request.method != "PUT":
            return route.continue_()
        number = route.request.url.partition("partNumber=")[2].partition("&")[0]
        sent.append(number)
        return let(number, route)

    page.route("**/*partNumber=*", note)
    return sent


def test_a_file_that_is_dropped_is_sent_in_parts_and_goes_on_after_the_page_was_left(visit: Visit) -> None:
    page = visit.page
    held: list[Route] = []
    sent = parts_of(page, lambda number, route: held.append(route) if number == "2" else route.continue_())
    visit.drop("year.bin", SIZE)

    bar = page.get_by_role("progressbar", name="Upload of year.bin")
    page.wait_for_function(f"bar => bar.value >= {PART} && bar.value < {SIZE}", arg=bar.element_handle())
    visit.shoot("upload")
    assert sorted(sent) == ["1", "2"]
    page.reload()
    page.unroute("**/*partNumber=*")

    files = files_of(visit)
    expect(files.get_by_role("list", name="Unfinished uploads")).to_contain_text("year.bin (20 MB)")
    sent = parts_of(page, lambda _number, route: route.continue_())
    visit.drop("year.bin", SIZE)
    expect(visit.message).to_have_value("@year.bin ")
    assert sent == ["2"]
    expect(line_of(files, "year.bin")).to_contain_text("uploaded · 20 MB")
    expect(files.get_by_role("list", name="Unfinished uploads")).to_have_count(0)
    (kept,) = visit.person.call("GET", "/api/files").json()["files"]
    body = httpx2.get(visit.person.url + kept["download_url"], follow_redirects=True).content
    assert body == b"\x07" * SIZE


def test_an_upload_that_is_cancelled_or_discarded_leaves_nothing_behind(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    held: list[Route] = []
    parts_of(page, lambda _number, route: held.append(route))
    files_of(visit)
    for count in (1, 2):
        upload(page, "year.bin", bytes(IN_PARTS))
        page.get_by_role("progressbar", name="Upload of year.bin").wait_for()
        while len(held) < count:
            page.wait_for_timeout(20)
        if count == 1:
            with page.expect_response(lambda answer: answer.request.method == "DELETE"):
                keys.press("button", "Cancel year.bin")
            expect(page.get_by_role("progressbar")).to_have_count(0)
            assert visit.person.call("GET", "/api/files/uploads").json()["uploads"] == []

    page.reload()
    unfinished = files_of(visit).get_by_role("list", name="Unfinished uploads")
    expect(unfinished).to_contain_text("year.bin (2.0 MB)")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        keys.press("button", "Discard year.bin")
    expect(unfinished).to_have_count(0)
    assert visit.person.call("GET", "/api/files/uploads").json()["uploads"] == []


def test_an_upload_that_failed_goes_on_and_so_does_a_list(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    for number in range(16):
        visit.person.upload(None, f"{number:02}.txt", b"1")
    page.route(LISTED, lambda route: route.abort())
    files = files_of(visit)
    expect(files.get_by_role("alert")).to_contain_text("There is no connection")
    page.unroute(LISTED)
    page.route(FIRST_PAGE, lambda route: route.continue_(url=route.request.url.replace("limit=30", "limit=15")))
    keys.press("button", "Try again")
    expect(files.locator(".file-name")).to_have_count(15)
    keys.press("button", "Show more")
    expect(files.locator(".file-name")).to_have_count(16)

    page.route("**/api/files", lambda route: route.fulfill(status=503))
    upload(page, "late.txt", b"late")
    page.get_by_role("button", name="Go on with late.txt").wait_for()
    page.unroute("**/api/files")
    keys.press("button", "Go on with late.txt")
    expect(line_of(files, "late.txt")).to_have_count(1)


def test_what_can_be_done_with_a_file(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.ask("/author.draft\n/author.scratch")
    visit.person.upload(visit.session_id, "sales of may.csv", b"a,b\n1,2\n")
    files = files_of(visit)

    draft = line_of(files, "draft.csv")
    expect(draft).to_contain_text("deferred · 8 B · 1 row, 2 columns")
    expect(draft).to_contain_text("gone in 5 hours")
    expect(draft).to_contain_text("needs editing")
    expect(line_of(files, "scratch.txt")).to_contain_text("goes with the session")
    visit.shoot("my-files")
    assert grave_issues(page) == []
    keys.press("button", "Keep draft.csv")
    expect(draft).to_contain_text("generated")
    expect(draft).not_to_contain_text("gone in")
    assert keys.focused() == ("summary", "More for draft.csv")

    keys.press("button", "sales of may.csv", back=True)
    expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", "table")
    assert keys.focused() == ("tab", "sales of may.csv")
    keys.press("button", "Close canvas")
    assert keys.focused() == ("button", "sales of may.csv")

    visit.person.upload(None, "long.txt", b"All work\n" * 600_000)
    page.reload()
    files = files_of(visit)
    with page.expect_download() as saved:  # from the store: too much for one answer of the API
        do(keys, "Download", "long.txt")
    assert (saved.value.suggested_filename, saved.value.path().stat().st_size) == ("long.txt", 5_400_000)

    keys.press("summary", "Filter", back=True)
    names = files.locator(".file-name")
    keys.choose("From", "uploaded")
    expect(names).to_have_text(["long.txt", "sales of may.csv"])
    keys.press("input", "Only this session", key="Space")
    expect(names).to_have_text(["sales of may.csv"])
    page.keyboard.press("Space")
    keys.choose("From", "anywhere", back=True)
    for field in ("Name begins with", "Category"):
        keys.go_to("input", field, back=field.startswith("Name"))
        keys.write("scr", end="")
        expect(names).to_have_text(["scratch.txt"] if field == "Name begins with" else [])
        keys.write("", end="")
    expect(names).to_have_count(4)


def test_a_link_is_shared_and_ended(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.person.upload(None, "sales of may.csv", b"a,b\n1,2\n")
    files_of(visit)
    dialog = page.get_by_role("dialog")
    with visit.hearing_late(r"/api/links\?.*"):
        do(keys, "Share", "sales of may.csv")
        keys.choose("The link lives", "8")
        keys.press("button", "Make link")
        address = dialog.get_by_label("Link", exact=True).input_value()
    keys.press("button", "Copy")
    page.wait_for_function("async address => await navigator.clipboard.readText() === address", arg=address)
    assert httpx2.get(address).content == b"a,b\n1,2\n"
    visit.shoot("share")
    keys.press("button", "End now")
    expect(dialog.get_by_role("button", name="End now")).to_have_count(0)
    assert httpx2.get(address).status_code == httpx2.codes.NOT_FOUND
    assert keys.focused() == ("button", "Close")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    assert keys.focused() == ("button", "Share sales of may.csv")


def test_a_file_that_is_deleted_can_be_had_back_for_some_seconds(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    for name in ("newer.txt", "old.txt"):
        visit.person.upload(None, name, b"old")
    files = files_of(visit)
    do(keys, "Delete", "old.txt")
    expect(line_of(files, "old.txt")).to_have_count(0)
    assert keys.focused() == ("button", "newer.txt")
    page.keyboard.press("F8")
    assert keys.focused() == ("button", "Undo")
    page.keyboard.press("Enter")
    expect(line_of(files, "old.txt")).to_have_count(1)
    assert keys.focused() == ("button", "newer.txt")

    do(keys, "Delete", "old.txt")
    expect(line_of(files, "old.txt")).to_have_count(0)
    assert len(visit.person.call("GET", "/api/files").json()["files"]) == 2
    page.goto("about:blank")  # who leaves has not taken it back
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while len(visit.person.call("GET", "/api/files").json()["files"]) > 1:
        assert time.monotonic() < deadline, "the file is still there"
        time.sleep(0.05)


def test_a_file_is_named_in_the_message_as_it_is_written(visit: Visit) -> None:
    page, keys = visit.page, Keyboard(visit.page)
    for name in ("sales of may.csv", "salaries.csv", "notes.txt"):
        visit.person.upload(None, name, b"1")
    keys.go_to("textarea", "Message")
    page.keyboard.type("sum @sal")
    options = page.get_by_role("listbox", name="Your files").get_by_role("option")
    expect(options).to_have_text(["salaries.csv", "sales of may.csv"])
    visit.shoot("mention")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(visit.message).to_have_value('sum @"sales of may.csv" ')
    expect(options).to_have_count(0)
    files_of(visit)
    keys.press("button", "Mention notes.txt")
    expect(visit.message).to_have_value('sum @"sales of may.csv" @notes.txt ')
