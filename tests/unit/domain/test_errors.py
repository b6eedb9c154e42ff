"""Errors that the API returns."""

from satchel.domain import errors
from satchel.domain.errors import FileNotFound, LinkNotFound, SatchelError, SessionEnded, TurnRunning
from satchel.domain.ids import SessionId, TurnId


def error_classes(base: type[SatchelError]) -> list[type[SatchelError]]:
    return [base, *(kind for child in base.__subclasses__() for kind in error_classes(child))]


def test_module_docstring_shows_every_error() -> None:
    tree = errors.__doc__ or ""
    assert [error.__name__ for error in error_classes(SatchelError) if error.__name__ not in tree] == []


def test_every_code_starts_with_e() -> None:
    assert all(error.code.startswith("E_") for error in error_classes(SatchelError))


def test_error_has_code_message_and_details() -> None:
    running = TurnRunning(TurnId("t1"))
    assert (running.code, running.message, running.details) == (
        "E_TURN_RUNNING",
        "A turn is still running in this session.",
        {"turn_id": "t1"},
    )
    assert SessionEnded(SessionId("s1")).details == {"session_id": "s1"}


def test_rejected_link_reveals_nothing_about_the_file() -> None:
    error = LinkNotFound()
    assert (error.code, error.details) == (FileNotFound.code, {})
