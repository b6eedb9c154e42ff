"""The page as it is served."""

from playwright.sync_api import Page

from tests.e2e.web.conftest import shoot


def test_it_comes_up_without_a_word_in_the_console(page: Page) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    page.goto("/")
    page.get_by_role("heading", name="Satchel").wait_for()

    shoot(page, "start")
    assert said == []
