"""The page as it is served."""

from tests.e2e.web.conftest import Visitor


def test_it_comes_up_without_a_word_in_the_console(visitor: Visitor) -> None:
    visit = visitor()
    said: list[str] = []
    visit.page.on("console", lambda message: said.append(message.text))

    visit.go_on()

    visit.shoot("start")
    assert said == []
