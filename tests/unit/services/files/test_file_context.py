"""The file context: the files that it lists, and the number of files that it leaves out."""

import pytest

from satchel.domain.prompt import FileContext, FileList
from satchel.domain.sessions import Session
from tests.unit.services.world import World


def context_of(world: World, session: Session, *files: str) -> FileContext:
    turn = world.turn(session, files=list(files))
    build = world.use_cases.file_context
    context = build(turn, build.list_session(turn.user, turn.session_id), build.list_user(turn.user))
    world.complete(turn)
    return context


def names(files: FileList) -> list[str]:
    return [file.name for file in files.files]


def test_session_files_are_separate_from_the_latest_others(world: World) -> None:
    session = world.session()
    world.upload("library.csv")
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    context = context_of(world, session)
    assert (names(context.session), names(context.others)) == (["mine.csv"], ["theirs.csv", "library.csv"])


@pytest.mark.clause("v2.1:persist:off")
def test_only_session_files_are_listed_if_files_do_not_persist(world: World) -> None:
    world.persist = False
    session = world.session()
    world.upload("mine.csv", session=session)
    world.upload("theirs.csv", session=world.session())
    own = world.files.list_for_session(session.user, session.session_id)
    assert context_of(world, session) == FileContext(FileList([*own]), FileList([]), set())


def test_ten_other_files_are_listed_and_the_rest_is_counted(world: World) -> None:
    for number in range(14):
        world.upload(f"{number}.csv")
    others = context_of(world, world.session()).others
    assert names(others) == [f"{number}.csv" for number in range(13, 3, -1)]
    assert (others.more, others.at_least) == (4, False)


def test_fifty_files_are_listed_and_the_rest_is_counted(world: World) -> None:
    session = world.session()
    for number in range(53):
        world.upload(f"{number}.csv", session=session)
    world.upload("other.csv")
    context = context_of(world, session)
    assert names(context.session) == [f"{number}.csv" for number in range(52, 2, -1)]
    assert (context.session.more, context.session.at_least) == (3, False)
    assert context.others == FileList([], 1)


def test_files_named_in_the_message_come_first_in_their_list(world: World) -> None:
    session, other = world.session(), world.session()
    named = world.upload("named.csv", session=other)
    own = world.upload("own.csv", session=session)
    for number in range(60):
        world.upload(f"{number}.csv", session=session)
    context = context_of(world, session, named.file_key, own.file_key)
    assert names(context.session)[:2] == ["own.csv", "59.csv"]
    assert (len(context.session.files), context.session.more) == (49, 12)
    assert (names(context.others), context.others.more) == (["named.csv"], 0)
    assert context.ambiguous == {named.file_key}


def test_other_file_whose_name_is_shortened_is_listed_with_its_key(world: World) -> None:
    long = world.upload("x" * 130 + ".csv", session=world.session())
    world.upload("short.csv", session=world.session())
    assert context_of(world, world.session()).ambiguous == {long.file_key}


def test_count_is_a_lower_bound_beyond_two_hundred_files(world: World) -> None:
    session = world.session()
    for number in range(205):
        world.upload(f"{number}.csv", session=session)
    listed = context_of(world, session).session
    assert (len(listed.files), listed.more, listed.at_least) == (50, 150, True)


def test_expired_files_are_neither_listed_nor_counted(world: World) -> None:
    session = world.session()
    for number in range(51):
        world.expire_after(world.upload(f"{number}.csv", session=session))
    world.clock.advance(3600)
    assert context_of(world, session) == FileContext(FileList([]), FileList([]), set())
