"""The CSV explorer of the report server: an app that reads the file of its call and saves new ones."""

import pytest
from playwright.sync_api import FrameLocator, Locator, expect

from tests.e2e.user_client import Json
from tests.e2e.web.accessibility import find_axe_violations
from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory

SALES = b'city,amount\nLima,10\nOslo,30\nKyoto,20\n"La Paz, BO",5\n'


def explore(chat: ChatPage, name: str = "sales.csv", content: bytes = SALES) -> FrameLocator:
    """Open a file in the explorer, and return the document of the app."""
    chat.user.upload(None, name, content)
    chat.ask(f'/report.explore {{"filename": "{name}"}}')
    frame = chat.page.locator(".pane:not([hidden]) iframe[data-status=running]")
    expect(frame).to_have_count(1)
    app = chat.page.frame_locator(".pane:not([hidden]) iframe[data-status=running]").frame_locator("iframe")
    expect(app.get_by_role("status")).to_have_text("4 of 4 rows" if content == SALES else "100,000 of 100,000 rows")
    return app


def files_of(chat: ChatPage) -> list[Json]:
    """Return the files of the user."""
    files: list[Json] = chat.user.request("GET", "/api/files").json()["files"]
    return files


def cities(app: FrameLocator) -> Locator:
    """Return the cells of the first column."""
    return app.locator("tbody td:nth-child(2)")


def save(chat: ChatPage, app: FrameLocator, button: str) -> str:
    """Save rows, and return the content of the file that the browser gets."""
    app.get_by_role("button", name=button).click()
    dialog = chat.page.get_by_role("dialog", name="Save files?")
    with chat.page.expect_download() as download:
        dialog.get_by_role("button", name="Save").click()
    return download.value.path().read_text()


def test_filter_of_one_column_or_all_limits_the_rows(chat: ChatPage) -> None:
    app = explore(chat)
    app.get_by_label("Filter", exact=True).fill("o")
    expect(cities(app)).to_have_text(["Oslo", "Kyoto", "La Paz, BO"])
    app.get_by_label("Filter", exact=True).fill(">= 20")
    app.get_by_label("in", exact=True).select_option("amount")
    expect(cities(app)).to_have_text(["Oslo", "Kyoto"])
    expect(app.get_by_role("status")).to_have_text("2 of 4 rows")


def test_header_sorts_numbers_by_value_with_the_keyboard(chat: ChatPage) -> None:
    app = explore(chat)
    button = app.get_by_role("button", name="amount")
    button.press("Enter")
    expect(cities(app)).to_have_text(["La Paz, BO", "Lima", "Kyoto", "Oslo"])
    header = app.get_by_role("columnheader", name="amount")
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(button).to_be_focused()
    button.press("Enter")
    expect(cities(app)).to_have_text(["Oslo", "Kyoto", "Lima", "La Paz, BO"])
    button.press("Enter")
    expect(cities(app)).to_have_text(["Lima", "Oslo", "Kyoto", "La Paz, BO"])


def test_chart_shows_the_filtered_rows_of_a_column(chat: ChatPage) -> None:
    app = explore(chat)
    app.get_by_text("Chart", exact=True).click()
    expect(app.locator("rect")).to_have_count(20)
    app.get_by_label("Column", exact=True).select_option("city")
    expect(app.locator("rect")).to_have_count(4)
    app.get_by_label("Filter", exact=True).fill("Lima")
    expect(app.get_by_role("img", name="city: most often Lima (1 row)")).to_be_visible()


def test_selection_becomes_a_file_with_the_app_as_its_source(chat: ChatPage) -> None:
    app = explore(chat)
    app.get_by_label("Select row 2").check()
    app.get_by_label("Select row 4").check()

    saved = save(chat, app, "Save 2 rows as a file")

    assert saved == 'city,amount\nOslo,30\n"La Paz, BO",5\n'
    expect(app.get_by_role("status")).to_have_text("Saved 2 rows as sales_selection.csv.")
    [file] = [file for file in files_of(chat) if file["name"] == "sales_selection.csv"]
    assert (file["app"], file["source"], file["session_id"]) == ("report.explore", "uploaded", chat.session_id)
    chat.page.get_by_role("button", name="My Files").click()
    row = chat.page.locator(".file").filter(has_text="sales_selection.csv")
    expect(row).to_contain_text("from the app of report.explore")


def test_nothing_is_saved_if_the_user_denies_it(chat: ChatPage) -> None:
    app = explore(chat)
    app.get_by_role("button", name="Save 4 rows as a file").click()
    chat.page.get_by_role("dialog", name="Save files?").get_by_role("button", name="Deny").click()
    expect(app.get_by_role("status")).to_have_text("Nothing was saved.")
    assert [file["name"] for file in files_of(chat) if file["app"]] == []


def test_hundred_thousand_rows_are_shown_page_by_page(chat: ChatPage) -> None:
    rows = "".join(f"city {number % 7},{number}\n" for number in range(100_000))
    app = explore(chat, "large.csv", f"city,amount\n{rows}".encode())
    expect(app.locator("tbody tr")).to_have_count(100)
    app.get_by_role("button", name="amount").click()
    app.get_by_role("button", name="amount").click()
    expect(cities(app).first).to_have_text(f"city {99_999 % 7}")
    app.get_by_role("button", name="Next").click()
    expect(app.get_by_text("Page 2 of 1,000")).to_be_visible()
    expect(app.locator("tbody td:nth-child(3)").first).to_have_text("99899")
    app.get_by_label("Filter", exact=True).fill("= 42")
    expect(app.get_by_role("status")).to_have_text("1 of 100,000 rows")


def test_app_has_no_network_and_reads_no_other_file(chat: ChatPage) -> None:
    other = chat.user.upload(None, "other.csv", b"secret\n")
    explore(chat)
    frame = chat.page.frames[-1]
    link = next(file["download_url"] for file in files_of(chat) if file["name"] == "other.csv")
    url = f"{chat.page.url.partition('#')[0].rstrip('/')}{link}"

    blocked = frame.evaluate("url => fetch(url).then(() => 'fetched', () => 'blocked')", url)
    refused = frame.evaluate(
        "uri => host.request('resources/read', {uri}).then(() => 'read', (error) => error.message)",
        f"satchel://files/{other['file_key']}/1/other.csv",
    )
    listed = frame.evaluate("host.request('resources/list', {}).then((result) => result.resources)")

    assert blocked == "blocked"
    assert "no file with this address" in refused
    assert [link["name"] for link in listed] == ["sales.csv"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible_in_the_colors_of_the_host(new_chat_page: ChatPageFactory, scheme: str) -> None:
    chat = new_chat_page(color_scheme=scheme)
    chat.open()
    app = explore(chat)
    app.get_by_text("Chart", exact=True).click()
    expect(app.locator("html")).to_have_attribute("data-theme", scheme)
    assert find_axe_violations(chat.page.frames[-1]) == []
