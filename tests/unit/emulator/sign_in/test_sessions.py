import pytest

from local.emulator.sign_in.accounts import Account
from tests.fakes.accounts import IDLE_HOURS, MAX_HOURS, PASSWORD, SignInParts

HOUR = 3600.0


@pytest.fixture
def ada(parts: SignInParts) -> Account:
    parts.accounts.add("ada", PASSWORD, ["staff"])
    account = parts.accounts.find("ada")
    assert account is not None
    return account


@pytest.fixture
def session(parts: SignInParts, ada: Account) -> str:
    created = parts.sessions.create(ada)
    assert created is not None
    return created


def test_session_belongs_to_its_account(parts: SignInParts, ada: Account, session: str) -> None:
    assert parts.sessions.find(session) == ada.identity


@pytest.mark.parametrize("guess", ["", "x", "ä", "\ud800", "a" * 43])
def test_unknown_session_belongs_to_no_account(parts: SignInParts, session: str, guess: str) -> None:
    assert session
    assert parts.sessions.find(guess) is None


def test_ids_have_256_bits_and_only_their_hashes_are_stored(parts: SignInParts, ada: Account) -> None:
    sessions = {parts.sessions.create(ada) or "" for _ in range(20)}

    assert len(sessions) == 20
    assert {len(each) for each in sessions} == {43}
    rows = parts.sessions.database.read("SELECT * FROM sessions")
    assert len(rows) == 20
    assert not [row for row in rows for each in sessions if each in str(row) or each.encode() in row[0]]


def test_session_ends_after_the_idle_time(parts: SignInParts, session: str) -> None:
    parts.clock.advance(IDLE_HOURS * HOUR - 1)
    assert parts.sessions.find(session)
    parts.clock.advance(IDLE_HOURS * HOUR - 1)  # the request has prolonged it
    assert parts.sessions.find(session, use=False)
    parts.clock.advance(1)
    assert parts.sessions.find(session) is None


def test_session_in_use_ends_after_the_absolute_time(parts: SignInParts, session: str) -> None:
    for _ in range(int(MAX_HOURS) - 1):
        parts.clock.advance(HOUR)
        assert parts.sessions.find(session)
    parts.clock.advance(HOUR)
    assert parts.sessions.find(session) is None


def test_ended_session_does_not_return_if_the_clock_goes_back(parts: SignInParts, ada: Account, session: str) -> None:
    parts.clock.advance(IDLE_HOURS * HOUR)
    parts.sessions.create(ada)  # deletes all sessions that have ended

    assert len(parts.sessions.database.read("SELECT * FROM sessions")) == 1
    assert parts.sessions.find(session) is None


def test_sign_out_ends_only_its_own_session(parts: SignInParts, ada: Account, session: str) -> None:
    other = parts.sessions.create(ada) or ""
    parts.sessions.end(session)
    parts.sessions.end("unknown")

    assert parts.sessions.find(session) is None
    assert parts.sessions.find(other)


@pytest.mark.parametrize("change", ["password", "groups", "removal"])
def test_all_sessions_of_an_account_end_with_its_change(
    parts: SignInParts, ada: Account, session: str, change: str
) -> None:
    parts.accounts.add("bob", PASSWORD)
    bob = parts.accounts.find("bob")
    assert bob
    sessions, others = [session, parts.sessions.create(ada) or ""], parts.sessions.create(bob) or ""
    match change:
        case "password":
            parts.accounts.set_password("ada", "another password")
        case "groups":
            parts.accounts.set_groups("ada", ["family"])
        case _:
            parts.accounts.remove("ada")

    assert [parts.sessions.find(each) for each in sessions] == [None, None]
    assert parts.sessions.find(others) == bob.identity


def test_password_that_changes_during_the_verification_opens_no_session(parts: SignInParts, ada: Account) -> None:
    parts.accounts.set_password("ada", "another password")

    assert parts.sessions.create(ada) is None


def test_account_that_is_removed_during_the_verification_opens_no_session(parts: SignInParts, ada: Account) -> None:
    parts.accounts.remove("ada")

    assert parts.sessions.create(ada) is None
