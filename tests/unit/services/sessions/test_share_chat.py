"""Links to conversations: what their viewers see, how long, and links with another secret."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.chat_links import ChatLink
from satchel.domain.errors import ChatLinkNotFound, SessionEnded, SharedLinkNotFound, TurnNotFound
from satchel.domain.ids import IdBody, SessionId, TurnId
from satchel.domain.sessions import Session, Turn
from satchel.entrypoints.http.schemas.chat_links import SharedChat
from satchel.ports import Page
from satchel.services.sessions import share_chat
from satchel.services.turns.start_turn import TurnRequest
from tests.fakes.links import FakeChatLinks
from tests.fakes.turns import FakeTurns
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

DAY = 86_400
BODY = IdBody("0" * 26)


@pytest.fixture
def session(world: World) -> Session:
    return world.session()


def answered(world: World, session: Session, message: str, answer: str = "Done.", after: TurnId | None = None) -> Turn:
    """Add a turn that has ended, a second before the next step."""
    request = TurnRequest(message=message, after=after)
    turn = world.use_cases.start_turn(ALICE, session.session_id, request)
    world.complete(turn, answer)
    world.clock.advance(1)
    return turn


def share(
    world: World, session: Session, last: TurnId | None = None, id_body: IdBody | None = None
) -> tuple[ChatLink, str]:
    """Return a new link that is valid for a day, and its secret."""
    link, url = world.use_cases.share_chat(ALICE, session.session_id, DAY, with_files=True, last=last, id_body=id_body)
    address, _, secret = url.partition("#share=")
    assert address == "https://satchel.example/"
    return link, secret


def read(world: World, secret: str, limit: int = 20, cursor: str | None = None) -> tuple[list[str], str | None]:
    """Return the messages of a page of the shared conversation, and the cursor of the next one."""
    _, _, page = world.use_cases.open_shared_chat(secret, limit, cursor)
    return [turn.message for turn, _ in page.items], page.cursor


def read_files(world: World, *, with_files: bool) -> list[tuple[str, bool, bool]]:
    """Share a conversation with a report and an app. Return name, whether it is an app and has a link, of each file."""
    session = world.session()
    turn = world.turn(session)
    call = world.call(turn)
    files = [
        world.stored_file(call, "report.html"),
        world.stored_file(call, "app.html", index=1, mime="text/html;profile=mcp-app"),
    ]
    world.finish_call(call, RunnerReport(files=files))
    world.complete(turn)
    _, url = world.use_cases.share_chat(ALICE, session.session_id, DAY, with_files=with_files)
    chat = SharedChat.of_page(*world.use_cases.open_shared_chat(url.partition("#share=")[2], 20, None))
    [shared] = chat.turns
    return [(file.name, file.is_app, file.download_url is not None) for file in shared.files]


@pytest.mark.parametrize("with_files", [False, True])
def test_files_have_links_only_if_shared_and_apps_never(world: World, *, with_files: bool) -> None:
    assert read_files(world, with_files=with_files) == [
        ("report.html", False, with_files),
        ("app.html", True, False),
    ]


def test_link_keeps_its_id_and_times_and_gets_another_secret(world: World) -> None:
    session = world.session()
    first, first_url = world.use_cases.share_chat(ALICE, session.session_id, DAY, with_files=True)
    world.clock.advance(5)

    second, url = world.use_cases.share_chat.again(ALICE, first.link_id)

    assert second == first.model_copy(update={"token_digest": second.token_digest})
    assert world.use_cases.open_shared_chat(url.partition("#share=")[2], 20, None)[0] == second
    with pytest.raises(ChatLinkNotFound):
        world.use_cases.open_shared_chat(first_url.partition("#share=")[2], 20, None)


def test_expired_and_foreign_links_get_no_other_secret(world: World) -> None:
    session = world.session()
    link, _ = world.use_cases.share_chat(ALICE, session.session_id, DAY, with_files=True)
    with pytest.raises(SharedLinkNotFound) as raised:
        world.use_cases.share_chat.again(BOB, link.link_id)
    assert raised.value.details == {"link_id": link.link_id}
    world.clock.advance(DAY)
    with pytest.raises(SharedLinkNotFound):
        world.use_cases.share_chat.again(ALICE, link.link_id)


def test_link_gets_its_other_secret_at_the_time_of_the_request(
    world: World, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[object] = []
    link, _ = share(world, session)
    world.clock.advance(5)
    monkeypatch.setattr(FakeChatLinks, "replace", lambda *arguments: times.append(arguments[3]))
    world.use_cases.share_chat.again(ALICE, link.link_id)
    assert times == [world.clock.now()]


def test_repeated_request_returns_its_link_with_another_secret(world: World, session: Session) -> None:
    first, first_secret = share(world, session, id_body=BODY)
    world.clock.advance(5)
    second, secret = share(world, session, id_body=BODY)

    assert first.link_id == f"l{BODY}"
    assert second == first.model_copy(update={"token_digest": second.token_digest})
    assert read(world, secret) == ([], None)
    with pytest.raises(ChatLinkNotFound):
        read(world, first_secret)


def test_links_made_at_the_same_time_have_different_ids(world: World, session: Session) -> None:
    assert share(world, session)[0].link_id != share(world, session)[0].link_id


def test_ended_session_cannot_be_shared(world: World, session: Session) -> None:
    world.use_cases.end_session(ALICE, session.session_id)
    with pytest.raises(SessionEnded) as raised:
        share(world, session)
    assert raised.value.details == {"session_id": session.session_id}


def test_link_works_until_it_expires_or_its_session_ends(world: World, session: Session) -> None:
    other = world.session()
    (_, secret), (_, other_secret) = share(world, session), share(world, other)
    world.use_cases.end_session(ALICE, other.session_id)
    world.clock.advance(DAY - 1)
    assert read(world, secret) == ([], None)
    with pytest.raises(ChatLinkNotFound):
        read(world, other_secret)

    world.clock.advance(1)

    with pytest.raises(ChatLinkNotFound):
        read(world, secret)


# Branches


@pytest.mark.parametrize("page_size", [1, 2, 100])
def test_only_the_chosen_branch_is_shown(
    world: World, session: Session, monkeypatch: pytest.MonkeyPatch, page_size: int
) -> None:
    monkeypatch.setattr(share_chat, "_PAGE_SIZE", page_size)
    first = answered(world, session, "one")
    second = answered(world, session, "two")
    edited = answered(world, session, "edited", after=first.turn_id)

    def messages(last: TurnId | None) -> list[str]:
        return read(world, share(world, session, last)[1])[0]

    assert messages(None) == messages(edited.turn_id) == ["one", "edited"]
    assert messages(second.turn_id) == ["one", "two"]
    assert messages(first.turn_id) == ["one"]


def test_branch_ends_with_a_turn_of_the_session(world: World, session: Session) -> None:
    elsewhere = answered(world, world.session(), "elsewhere")
    for last in (elsewhere.turn_id, TurnId("t" + "0" * 26)):
        with pytest.raises(TurnNotFound) as raised:
            share(world, session, last)
        assert raised.value.details == {"turn_id": last}


# Pages


def test_pages_have_all_turns_that_began_before_the_link(world: World, session: Session) -> None:
    for message in ("one", "two"):
        answered(world, session, message)
    _, secret = share(world, session)
    world.clock.advance(1)
    for message in ("later", "much later"):
        answered(world, session, message)

    first, cursor = read(world, secret, 1)
    second, next_cursor = read(world, secret, 1, cursor)

    assert (first, second) == (["one"], ["two"])
    assert read(world, secret, 1, next_cursor) == ([], None)
    assert read(world, secret, 3) == (["one", "two"], None)


def test_page_continues_after_a_turn_that_began_with_the_link(world: World, session: Session) -> None:
    turn = world.turn(session, "one")
    world.complete(turn)
    _, secret = share(world, session)
    world.clock.advance(1)
    answered(world, session, "later")

    messages, cursor = read(world, secret, 1)

    assert messages == ["one"]
    assert read(world, secret, 1, cursor) == ([], None)


@pytest.mark.parametrize(
    ("max_bytes", "sizes"), [(17, [2, 1]), (18, [3]), (12, [2, 1]), (11, [1, 1, 1]), (1, [1, 1, 1])]
)
def test_page_of_large_turns_is_shorter_and_none_is_lost(
    world: World, session: Session, monkeypatch: pytest.MonkeyPatch, max_bytes: int, sizes: list[int]
) -> None:
    for number in range(3):
        answered(world, session, f"ö{number}x", "y" * 2)
    _, secret = share(world, session)
    monkeypatch.setattr(share_chat, "MAX_PAGE_BYTES", max_bytes)

    shown: list[str] = []
    cursor = None
    for size in sizes:
        messages, cursor = read(world, secret, 3, cursor)
        assert len(messages) == size
        shown += messages

    assert (shown, cursor) == (["ö0x", "ö1x", "ö2x"], None)


def test_page_that_fits_is_read_once(world: World, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(world, session, "one")
    _, secret = share(world, session)
    limits: list[int] = []
    read_page = FakeTurns.list

    def count(turns: FakeTurns, session_id: SessionId, limit: int, cursor: str | None) -> Page[Turn]:
        limits.append(limit)
        return read_page(turns, session_id, limit, cursor)

    monkeypatch.setattr(FakeTurns, "list", count)
    assert read(world, secret, 7) == (["one"], None)
    assert limits == [7]


# Lists of links


def test_working_links_are_listed_newest_first_in_pages(world: World, session: Session) -> None:
    other = world.session()
    links = [share(world, each)[0] for each in (session, other, session)]

    first = world.use_cases.read_chat_links(ALICE, None, 2, None)
    second = world.use_cases.read_chat_links(ALICE, None, 2, first.cursor)

    assert (first.items, second.items, second.cursor) == ([links[2], links[1]], [links[0]], None)
    assert world.use_cases.read_chat_links(ALICE, session.session_id, 3, None).items == [links[2], links[0]]
    assert world.use_cases.read_chat_links(BOB, None, 3, None).items == []


def test_expired_links_and_those_to_ended_sessions_are_not_listed(world: World, session: Session) -> None:
    other = world.session()
    share(world, other)
    world.clock.advance(1)
    link, _ = share(world, session)
    world.use_cases.end_session(ALICE, other.session_id)
    world.clock.advance(DAY - 1)
    assert world.use_cases.read_chat_links(ALICE, None, 3, None).items == [link]

    world.clock.advance(1)

    assert world.use_cases.read_chat_links(ALICE, None, 3, None).items == []
