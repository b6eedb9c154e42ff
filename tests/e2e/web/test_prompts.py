"""Prompts and resources of servers in the message box, by keyboard only."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard

NARROW = {"width": 360, "height": 640}


def type_message(chat: ChatPage, text: str) -> Keyboard:
    """Type in the message box, key by key, and return the keyboard."""
    chat.message_box.focus()
    chat.page.keyboard.type(text)
    return Keyboard(chat.page)


def completions(field: Locator) -> Locator:
    """Return the values that the browser offers for a field."""
    return field.locator("xpath=following-sibling::datalist/option")


@pytest.fixture(params=[None, NARROW], ids=["wide", "360 pixels"])
def any_page(request: pytest.FixtureRequest, new_chat_page: ChatPageFactory) -> ChatPage:
    chat_page = new_chat_page(**({"viewport": request.param} if request.param else {}))
    chat_page.open()
    return chat_page


def test_prompt_with_arguments_is_chosen_completed_and_sent(any_page: ChatPage) -> None:
    chat, page = any_page, any_page.page
    keys = type_message(chat, "/guide")
    options = page.get_by_role("listbox", name="Prompts").get_by_role("option")
    prompts = options.filter(has_text=re.compile("plan|review|refuse"))
    expect(prompts).to_have_text(
        ["/guide.plan Plan a trip", "/guide.review Review notes", "/guide.refuse Always fails."]
    )
    chat.screenshot("prompts")
    page.keyboard.press("Enter")

    city, street = page.get_by_label("city (required)"), page.get_by_label("street")
    expect(city).to_be_focused()
    page.keyboard.type("Li")
    expect(completions(city)).to_have_count(2)
    assert [each.get_attribute("value") for each in completions(city).all()] == ["Lima", "Lisbon"]
    keys.write("Lisbon", end="Tab")
    expect(street).to_be_focused()
    expect(completions(street)).to_have_count(2)
    chat.screenshot("prompt-form")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keys.write("Rua Augusta")

    expect(chat.message_box).to_have_value("Plan a day in Lisbon from Rua Augusta.")
    expect(chat.message_box).to_be_focused()
    page.keyboard.press("Enter")
    expect(chat.turns).to_contain_text("Plan a day in Lisbon from Rua Augusta.")


def test_prompt_with_a_file_attaches_it(chat: ChatPage) -> None:
    type_message(chat, "/review")
    chat.page.get_by_role("option", name="/guide.review").wait_for()
    chat.page.keyboard.press("Enter")

    expect(chat.message_box).to_have_value("Review my notes.")
    expect(chat.attached).to_have_text(["notes.txt"])


def test_error_of_the_server_is_shown_and_nothing_is_sent(chat: ChatPage) -> None:
    type_message(chat, "/refuse")
    chat.page.get_by_role("option", name="/guide.refuse").wait_for()
    chat.page.keyboard.press("Enter")

    expect(chat.page.get_by_text("the guide is asleep")).to_be_visible()
    expect(chat.turns).to_have_count(0)


def test_escape_closes_the_form_and_required_arguments_are_needed(chat: ChatPage) -> None:
    page = chat.page
    keys = type_message(chat, "/plan")
    page.get_by_role("option", name="/guide.plan").wait_for()
    page.keyboard.press("Enter")
    form = page.get_by_role("form", name="Prompt guide.plan")
    keys.press("button", "Use prompt")
    expect(page.get_by_label("city (required)")).to_be_focused()
    expect(form).to_be_visible()
    page.keyboard.press("Escape")

    expect(form).to_have_count(0)
    expect(chat.message_box).to_be_focused()


def test_resource_is_attached_by_its_mention(any_page: ChatPage) -> None:
    chat, page = any_page, any_page.page
    type_message(chat, "Read @notes")
    page.get_by_role("option", name="Notes of the guide").wait_for()
    page.keyboard.press("Enter")

    expect(chat.attached).to_have_text(["notes.txt"])
    expect(chat.message_box).to_have_value("Read ")


def test_resource_that_cannot_be_read_is_an_error(chat: ChatPage) -> None:
    type_message(chat, "@gone")
    chat.page.get_by_role("option", name="gone.txt").wait_for()
    chat.page.keyboard.press("Enter")

    expect(chat.page.get_by_text("no resource guide://gone.txt")).to_be_visible()
    expect(chat.attached).to_have_count(0)
