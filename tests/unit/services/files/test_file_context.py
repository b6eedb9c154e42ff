"""The file context: listed files, and the number of files that it leaves out."""

import pytest

from satchel.domain.prompt import FileContext
from satchel.domain.sessions import Session
from tests.unit.services.world import World


def context_of(world: World, session: Session, *files: str) -> FileContext:
    turn = world.turn(session, files=list(files))
    context = world.use_cases.file_context(turn)
    world.complete(turn)
    return context


def names(context: FileContext) -> list[str]:
    return [file.name for file in context.files]


def test_session_files_come_before_the_latest_others(world: World) -> None:
    session = world.session()
    world.upload("library.csv")
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    assert names(context_of(world, session)) == ["mine.csv", "theirs.csv", "library.csv"]


@pytest.mark.clause("v2.1:persist:off")
def test_only_session_files_are_listed_if_files_do_not_persist(world: World) -> None:
    world.persist = False
    session = world.session()
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    assert context_of(world, session) == FileContext([*world.files.list_for_session(session.user, session.session_id)])


def test_ten_other_files_are_listed_and_the_rest_is_counted(world: World) -> None:
    for number in range(14):
        world.upload(f"{number}.csv")
    context = context_of(world, world.session())
    assert names(context) == [f"{number}.csv" for number in range(13, 3, -1)]
    assert (context.more, context.at_least) == (4, False)


def test_fifty_files_are_listed_and_the_rest_is_counted(world: World) -> None:
    session = world.session()
    for number in range(53):
        world.upload(f"{number}.csv", session=session)
    world.upload("other.csv")
    context = context_of(world, session)
    assert names(context) == [f"{number}.csv" for number in range(52, 2, -1)]
    assert (context.more, context.at_least) == (4, False)


def test_files_named_in_the_message_come_first(world: World) -> None:
    session, other = world.session(), world.session()
    named = world.upload("named.csv", session=other)
    for number in range(60):
        world.upload(f"{number}.csv", session=session)
    context = context_of(world, session, named.file_key)
    assert (names(context)[:2], len(context.files), context.more) == (["named.csv", "59.csv"], 50, 11)


def test_count_is_a_lower_bound_beyond_two_hundred_files(world: World) -> None:
    session = world.session()
    for number in range(205):
        world.upload(f"{number}.csv", session=session)
    context = context_of(world, session)
    assert (len(context.files), context.more, context.at_least) == (50, 150, True)


def test_expired_files_are_neither_listed_nor_counted(world: World) -> None:
    session = world.session()
    for number in range(51):
        world.expire_after(world.upload(f"{number}.csv", session=session))
    world.clock.advance(3600)
    assert context_of(world, session) == FileContext([])
