"""Responses that arrive late, after the user has gone on: the page keeps what the user sees and has chosen."""

from playwright.sync_api import Route, expect

from tests.e2e.web.chat_page import UNENDING_CALL, ChatPage, wait_for
from tests.e2e.web.test_files import open_files
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint


def open_chat(chat: ChatPage, title: str, session_id: str) -> None:
    chat.page.locator(".sessions").get_by_role("button", name=title, exact=True).click()
    chat.page.wait_for_url(f"**/#{session_id}")


def test_files_of_the_chosen_filter_stay_when_those_of_an_earlier_one_arrive(chat: ChatPage) -> None:
    chat.user.upload(None, "plan.txt", b"A plan")
    with chat.delayed_responses("GET", r"/api/files\?limit=100"):
        files = open_files(chat)
        files.get_by_role("group", name="Filters").get_by_role("button", name="Uploaded").click()
        expect(files.locator(".file-name")).to_have_text(["plan.txt"])
    chat.draw()
    expect(files.locator(".file-name")).to_have_text(["plan.txt"])


def test_queued_message_waits_for_its_turn_while_the_user_visits_another_chat(chat: ChatPage) -> None:
    page = chat.page
    other = chat.user.create_session(title="Other")
    chat.user.ask(other, "hello")
    page.reload()
    running = chat.send(UNENDING_CALL)
    first = chat.session_id
    queue = chat.queue("my next message")
    open_chat(chat, "Other", other)
    expect(chat.turns.locator(".user-message")).to_have_text(["hello"])
    page.go_back()
    page.wait_for_url(f"**/#{first}")
    expect(running).to_have_attribute("aria-busy", "true")
    chat.draw()
    expect(queue).to_have_text("my next message")
    expect(page.locator(".toast.error")).to_have_count(0)


def test_message_goes_to_the_model_that_was_chosen_just_before(chat: ChatPage, endpoint: FakeEndpoint) -> None:
    endpoint.replies = [Answer(["I am the chosen one."])]
    session_id = chat.user.create_session(title="Budget")
    chat.open(session_id)
    with chat.held_request("PATCH", f"/api/sessions/{session_id}"):
        chat.page.get_by_role("combobox", name="Model").select_option("openai-chat")
        chat.message_box.fill("Who are you?")
        chat.message_box.press("Enter")
        chat.draw()
    expect(chat.turns.locator(".answer-text")).to_have_text(["I am the chosen one."])


def test_chat_that_was_opened_while_another_was_deleted_stays_open(chat: ChatPage) -> None:
    page = chat.page
    deleted, other = (chat.user.create_session(title=title) for title in ("Deleted", "Other"))
    chat.open(deleted)
    page.reload()
    with chat.held_request("DELETE", f"/api/sessions/{deleted}"):
        page.get_by_role("button", name="Actions for Deleted").click()
        page.get_by_role("menuitem", name="Delete").click()
        page.get_by_role("button", name="Delete chat").click()
        open_chat(chat, "Other", other)
    expect(page.locator(".sessions .title")).to_have_text(["Other"])
    chat.draw()
    assert chat.session_id == other


def test_chat_that_was_opened_while_another_began_stays_open(chat: ChatPage) -> None:
    page = chat.page
    other = chat.user.create_session(title="Other")
    page.reload()
    with chat.held_request("POST", "/api/sessions"):
        chat.message_box.fill("hello")
        chat.message_box.press("Enter")
        open_chat(chat, "Other", other)
    expect(page.locator(".sessions .title")).to_have_text(["hello", "Other"])
    chat.draw()
    assert chat.session_id == other


def test_message_that_is_refused_after_a_switch_of_chats_returns_to_its_own_chat(chat: ChatPage) -> None:
    page = chat.page
    first, other = (chat.user.create_session(title=title) for title in ("First", "Other"))
    chat.open(first)
    page.reload()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/api/sessions/{first}/turns", hold)
    chat.message_box.fill("an important message")
    chat.message_box.press("Enter")
    open_chat(chat, "Other", other)
    wait_for(page, lambda: held, "the message's request")
    held[0].fulfill(status=422, json={"error_code": "E_BAD_INPUT", "detail": "Too long"})
    expect(page.locator(".toast.error")).to_contain_text("Too long")
    expect(chat.message_box).to_have_value("")
    open_chat(chat, "First", first)
    expect(chat.message_box).to_have_value("an important message")


def test_new_title_stays_when_the_chat_as_it_was_before_arrives(chat: ChatPage) -> None:
    page = chat.page
    titles = page.locator(".sessions .title")
    with chat.delayed_responses("GET", r"/api/sessions/[^/?]+\?limit=1"):
        chat.ask("first chat")
        page.get_by_role("button", name="Actions for first chat").click()
        page.get_by_role("menuitem", name="Rename").click()
        page.get_by_label("Title", exact=True).fill("Sales")
        page.get_by_label("Title", exact=True).press("Enter")
        expect(titles).to_have_text(["Sales"])
    chat.draw()
    expect(titles).to_have_text(["Sales"])


def test_title_appears_although_the_turn_ends_before_the_response_to_its_message(chat: ChatPage) -> None:
    page = chat.page
    with chat.delayed_responses("POST", r"/api/sessions/[^/]+/turns"):
        with chat.held_request("GET", r"/api/sessions/[^/?]+\?limit=20.*"):
            chat.message_box.fill("first chat")
            chat.message_box.press("Enter")
            page.wait_for_url("**/#*")
            path = f"/api/sessions/{chat.session_id}"
            wait_for(page, lambda: _statuses(chat, path) == ["complete"], "the end of the turn")
            chat.user.request("PATCH", path, json={"title": "Sales"})
        expect(chat.turns).to_have_attribute("aria-busy", "false")
    expect(page.locator(".sessions .title")).to_have_text(["Sales"])


def _statuses(chat: ChatPage, path: str) -> list[str]:
    return [turn["status"] for turn in chat.user.request("GET", path).json()["turns"]]


def test_highlighted_option_stays_when_further_ones_arrive(chat: ChatPage) -> None:
    page = chat.page
    active = page.locator("[role=option][aria-selected=true] .label")
    options = page.get_by_role("option")
    with chat.delayed_responses("GET", "/api/prompts"):
        chat.message_box.press("/")
        expect(options.nth(1)).to_be_visible()
        chat.message_box.press("ArrowDown")
        label = options.nth(1).locator(".label").inner_text()
        expect(active).to_have_text(label)
    page.get_by_role("option", name="/guide.plan").wait_for()
    expect(active).to_have_text(label)
