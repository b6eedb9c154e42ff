"""The errors that callers are told."""

from satchel.domain import errors
from satchel.domain.errors import FileNotFound, LinkNotFound, SatchelError, SessionEnded, TurnRunning
from satchel.domain.ids import SessionId, TurnId


def family(error: type[SatchelError]) -> list[type[SatchelError]]:
    return [error, *(one for child in error.__subclasses__() for one in family(child))]


def test_every_error_is_in_the_tree_that_the_module_shows() -> None:
    shown = errors.__doc__ or ""
    assert [error.__name__ for error in family(SatchelError) if error.__name__ not in shown] == []


def test_every_code_says_that_it_is_an_error() -> None:
    assert all(error.code.startswith("E_") for error in family(SatchelError))


def test_an_error_names_what_it_is_about() -> None:
    running = TurnRunning(TurnId("t1"))
    assert (running.code, running.message, running.details) == (
        "E_TURN_RUNNING",
        "A turn is still running in this session.",
        {"turn_id": "t1"},
    )
    assert SessionEnded(SessionId("s1")).details == {"session_id": "s1"}


def test_a_link_that_is_refused_says_nothing_of_the_file() -> None:
    refused = LinkNotFound()
    assert (refused.code, refused.details) == (FileNotFound.code, {})
