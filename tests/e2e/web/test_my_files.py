"""My Files: uploads of any size that go on where they were broken off, and all that can be done with a file."""

import time
from collections.abc import Callable

import httpx2
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.web.axe import grave_issues
from tests.e2e.web.conftest import PATIENCE_MS
from tests.e2e.web.visit import Visit

PART = 16 << 20
SIZE = PART + (4 << 20)


def files_of(visit: Visit) -> Locator:
    """Open My Files and return the list of them."""
    visit.page.get_by_role("button", name="My Files").click()
    return visit.page.get_by_role("region", name="My Files")


def line_of(files: Locator, name: str) -> Locator:
    """The line of a file."""
    return files.get_by_role("listitem").filter(has=files.page.get_by_role("button", name=name, exact=True))


def do(line: Locator, what: str) -> None:
    """Do one of the things that are not always shown."""
    line.locator("summary").click()
    line.get_by_role("button", name=what).click()


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


def test_an_upload_that_is_cancelled_leaves_nothing_behind(visit: Visit) -> None:
    page = visit.page
    held: list[Route] = []
    parts_of(page, lambda _number, route: held.append(route))
    visit.drop("year.bin", SIZE)
    page.get_by_role("progressbar", name="Upload of year.bin").wait_for()
    while not held:
        page.wait_for_timeout(20)
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.get_by_role("button", name="Cancel year.bin").click()

    expect(page.get_by_role("progressbar")).to_have_count(0)
    assert visit.person.call("GET", "/api/files/uploads").json()["uploads"] == []


def test_what_can_be_done_with_a_file(visit: Visit) -> None:
    page = visit.page
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
    draft.get_by_role("button", name="Keep").click()
    expect(draft).to_contain_text("generated")
    expect(draft).not_to_contain_text("gone in")

    line_of(files, "sales of may.csv").get_by_role("button", name="sales of may.csv", exact=True).click()
    expect(page.locator(".pane:visible .viewer")).to_have_attribute("data-viewer", "table")
    page.get_by_role("button", name="Close canvas").click()

    visit.person.upload(None, "long.txt", b"All work\n" * 600_000)
    page.reload()
    files = files_of(visit)
    with page.expect_download() as saved:  # from the store: too much for one answer of the API
        do(line_of(files, "long.txt"), "Download")
    assert (saved.value.suggested_filename, saved.value.path().stat().st_size) == ("long.txt", 5_400_000)

    files.get_by_text("Filter").click()
    files.get_by_label("From").select_option("uploaded")
    expect(files.locator(".file-name")).to_have_text(["long.txt", "sales of may.csv"])
    files.get_by_label("From").select_option("")
    files.get_by_label("Name begins with").fill("scr")
    expect(files.locator(".file-name")).to_have_text(["scratch.txt"])
    files.get_by_label("Name begins with").fill("")

    do(line_of(files, "sales of may.csv"), "Share")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Make link").click()
    address = dialog.get_by_label("Link", exact=True).input_value()
    assert httpx2.get(address).content == b"a,b\n1,2\n"
    visit.shoot("share")
    dialog.get_by_role("button", name="End now").click()
    expect(dialog.get_by_role("button", name="End now")).to_have_count(0)
    assert httpx2.get(address).status_code == httpx2.codes.NOT_FOUND
    page.keyboard.press("Escape")


def test_a_file_that_is_deleted_can_be_had_back_for_some_seconds(visit: Visit) -> None:
    page = visit.page
    visit.person.upload(None, "old.txt", b"old")
    files = files_of(visit)
    do(line_of(files, "old.txt"), "Delete")
    expect(line_of(files, "old.txt")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(line_of(files, "old.txt")).to_have_count(1)

    do(line_of(files, "old.txt"), "Delete")
    expect(line_of(files, "old.txt")).to_have_count(0)
    assert len(visit.person.call("GET", "/api/files").json()["files"]) == 1
    page.goto("about:blank")  # who leaves has not taken it back
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while visit.person.call("GET", "/api/files").json()["files"]:
        assert time.monotonic() < deadline, "the file is still there"
        time.sleep(0.05)


def test_a_file_is_named_in_the_message_as_it_is_written(visit: Visit) -> None:
    page = visit.page
    for name in ("sales of may.csv", "salaries.csv", "notes.txt"):
        visit.person.upload(None, name, b"1")
    visit.message.press_sequentially("sum @sal")
    options = page.get_by_role("listbox", name="Your files").get_by_role("option")
    expect(options).to_have_text(["salaries.csv", "sales of may.csv"])
    visit.shoot("mention")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(visit.message).to_have_value('sum @"sales of may.csv" ')
    expect(options).to_have_count(0)
    files_of(visit).get_by_role("button", name="Mention notes.txt").click()
    expect(visit.message).to_have_value('sum @"sales of may.csv" @notes.txt ')
