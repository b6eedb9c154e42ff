"""Which files the model is told of by itself, and how many it is not."""

import pytest

from satchel.domain.prompt import FileContext
from satchel.domain.sessions import Session
from tests.unit.services.world import World


def told(world: World, session: Session, *files: str) -> FileContext:
    turn = world.turn(session, files=list(files))
    context = world.use_cases.file_context(turn)
    world.complete(turn)
    return context


def names(context: FileContext) -> list[str]:
    return [file.name for file in context.files]


def test_behind_the_files_of_the_session_come_the_persons_latest(world: World) -> None:
    session = world.session()
    world.upload("library.csv")
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    assert names(told(world, session)) == ["mine.csv", "theirs.csv", "library.csv"]


@pytest.mark.clause("v2.1:persist:off")
def test_where_files_do_not_outlive_sessions_those_of_the_session_are_all(world: World) -> None:
    world.persist = False
    session = world.session()
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    assert told(world, session) == FileContext([*world.files.list_for_session(session.user, session.session_id)])


def test_of_the_others_the_latest_ten_are_told_and_the_rest_counted(world: World) -> None:
    for number in range(14):
        world.upload(f"{number}.csv")
    context = told(world, world.session())
    assert names(context) == [f"{number}.csv" for number in range(13, 3, -1)]
    assert (context.more, context.at_least) == (4, False)


def test_fifty_are_told_and_the_rest_counted(world: World) -> None:
    session = world.session()
    for number in range(53):
        world.upload(f"{number}.csv", session=session)
    world.upload("other.csv")
    context = told(world, session)
    assert names(context) == [f"{number}.csv" for number in range(52, 2, -1)]
    assert (context.more, context.at_least) == (4, False)


def test_files_that_the_message_names_come_first_whatever_their_number(world: World) -> None:
    session, other = world.session(), world.session()
    named = world.upload("named.csv", session=other)
    for number in range(60):
        world.upload(f"{number}.csv", session=session)
    context = told(world, session, named.file_key)
    assert (names(context)[:2], len(context.files), context.more) == (["named.csv", "59.csv"], 50, 11)


def test_of_very_many_files_so_many_are_looked_at_and_no_more(world: World) -> None:
    session = world.session()
    for number in range(205):
        world.upload(f"{number}.csv", session=session)
    context = told(world, session)
    assert (len(context.files), context.more, context.at_least) == (50, 150, True)


def test_what_has_expired_is_neither_told_nor_counted(world: World) -> None:
    session = world.session()
    for number in range(51):
        world.expire_after(world.upload(f"{number}.csv", session=session))
    world.clock.travel(3600)
    assert told(world, session) == FileContext([])
