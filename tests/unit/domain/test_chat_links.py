"""Links to conversations: their secrets, how long they are valid, and which turns they show."""

from datetime import UTC, datetime, timedelta

import pytest

from satchel.domain import chat_links
from satchel.domain.chat_links import ChatLink, digest_token, new_token
from satchel.domain.ids import LinkId, SessionId, TurnId, UserName
from satchel.domain.sessions import Session, Turn, TurnStatus

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SECOND = timedelta(seconds=1)
SESSION_ID = SessionId("s" + "0" * 26)
TURN_ID, OTHER_TURN_ID = TurnId("t" + "0" * 26), TurnId("t" + "1" * 26)
LINK = ChatLink(
    link_id=LinkId("l" + "0" * 26),
    owner=UserName("ada"),
    session_id=SESSION_ID,
    epoch=2,
    with_files=False,
    created_at=NOW,
    expires_at=NOW + 60 * SECOND,
    token_digest=digest_token("secret"),
    hidden=[OTHER_TURN_ID],
)


def session(epoch: int) -> Session:
    return Session(user=UserName("ada"), session_id=SESSION_ID, created_at=NOW, last_used_at=NOW, epoch=epoch)


def turn(turn_id: TurnId = TURN_ID, created_at: datetime = NOW, status: TurnStatus = TurnStatus.COMPLETE) -> Turn:
    return Turn(
        turn_id=turn_id,
        session_id=SESSION_ID,
        user=UserName("ada"),
        groups=frozenset({"users"}),
        message="Hello",
        status=status,
        created_at=created_at,
    )


def test_limits_of_links_to_conversations() -> None:
    names = ("DEFAULT_CHAT_LINK_SECONDS", "MAX_CHAT_LINK_SECONDS", "TOKEN_BYTES")
    assert [getattr(chat_links, name) for name in names] == [604_800, 7_776_000, 32]


@pytest.mark.parametrize(("age", "is_valid"), [(0, True), (59, True), (60, False), (61, False)])
def test_link_is_valid_until_it_expires(age: int, *, is_valid: bool) -> None:
    assert LINK.is_valid(session(2), NOW + age * SECOND) is is_valid


@pytest.mark.parametrize("epoch", [0, 1, 3])
def test_link_is_not_valid_in_another_epoch_of_the_session(epoch: int) -> None:
    assert not LINK.is_valid(session(epoch), NOW)


def test_link_is_not_valid_without_its_session() -> None:
    assert LINK.is_valid(None, NOW) is False


@pytest.mark.parametrize(("age", "is_shown"), [(-1, True), (0, True), (1, False)])
def test_link_shows_turns_that_began_before_it(age: int, *, is_shown: bool) -> None:
    assert LINK.shows(turn(created_at=NOW + age * SECOND)) is is_shown


@pytest.mark.parametrize("status", list(TurnStatus))
def test_link_shows_only_turns_that_have_ended(status: TurnStatus) -> None:
    each = turn(status=status)
    assert LINK.shows(each) is each.has_ended


def test_link_hides_turns_of_other_branches() -> None:
    assert not LINK.shows(turn(OTHER_TURN_ID))


def test_secret_has_all_random_bytes_in_base64url() -> None:
    assert new_token(b"\xfb\xef\xff\x00\x00\x17") == "--__AAAX"
    assert new_token(bytes(32)) == "A" * 43


def test_secret_is_stored_as_its_sha256() -> None:
    assert digest_token("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
