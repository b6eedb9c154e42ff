"""The search over a user's conversations."""

import pytest

from satchel.domain.sessions import SessionChanges
from satchel.services.sessions import search_chats
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def chat(world: World, title: str | None, *messages: str) -> str:
    world.clock.advance(1)
    session = world.use_cases.start_session(ALICE, SessionChanges(title=title))
    for message in messages:
        world.clock.advance(1)
        world.complete(world.turn(session, message))
    return session.session_id


def search(world: World, query: str) -> list[str]:
    return [match.session.session_id for match in world.use_cases.search_chats(ALICE, query, None).items]


def test_titles_messages_and_answers_are_searched_newest_chat_first(world: World) -> None:
    by_title = chat(world, "Sales in May")
    by_message = chat(world, "Other", "hello", "How were the SALES?")
    chat(world, "Budget", "costs")

    assert search(world, "sale") == [by_message, by_title]
    assert search(world, "sale may") == [by_title]
    assert search(world, "nothing") == []
    assert search(world, "?!") == []


def test_words_of_a_query_may_be_in_different_turns_and_the_title(world: World) -> None:
    found = chat(world, "Trip", "Hotels in Vienna", "and trains")

    assert search(world, "trip vienna trains") == [found]


def test_match_has_the_newest_turn_with_most_of_the_words_and_a_snippet(world: World) -> None:
    chat(world, "Trip", "trains to Vienna", "hotels in Vienna", "trains")

    [match] = world.use_cases.search_chats(ALICE, "vienna", None).items

    assert match.snippet == "hotels in Vienna"


def test_running_turns_and_chats_of_others_are_not_found(world: World) -> None:
    session = world.session()
    world.turn(session, "unfinished")
    world.complete(world.turn(world.session(BOB), "unfinished", BOB))

    assert search(world, "unfinished") == []


def test_request_reads_a_limited_number_of_chats_and_turns(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_chats, "MAX_SESSIONS", 3)
    monkeypatch.setattr(search_chats, "MAX_TURNS", 2)
    chats = [chat(world, None, *["word"] * turns) for turns in (1, 1, 4, 1, 1)]

    pages: list[list[str]] = []
    cursor: str | None = None
    while not pages or cursor:
        page = world.use_cases.search_chats(ALICE, "word", cursor)
        pages.append([match.session.session_id for match in page.items])
        cursor = page.cursor

    assert [each for page in pages for each in page] == chats[::-1]
    assert all(len(page) <= 2 for page in pages)
