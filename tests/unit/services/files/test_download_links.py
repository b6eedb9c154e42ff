"""Capability links: every rejection is the same and reveals nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord, NewFile
from satchel.domain.ids import FileKey
from satchel.domain.links import Claims, resolve_link
from satchel.domain.metrics import DOWNLOADED_BYTES, UPLOADED_BYTES
from satchel.domain.sessions import Session
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def session(world: World) -> Session:
    return world.session()


@pytest.fixture
def record(world: World, session: Session) -> FileRecord:
    return world.upload("a.csv", session=session)


def token(url: str) -> str:
    return url.partition("token=")[2].partition("&")[0]


def test_link_opens_its_file(world: World, record: FileRecord) -> None:
    url = world.use_cases.mint_links(record)
    assert url.partition("?")[0] == f"/api/files/download/{record.file_key}"
    assert world.use_cases.open_link(record.file_key, token(url)) == record


def test_claims_contain_the_file_the_audience_and_the_expiry(
    world: World, record: FileRecord, session: Session
) -> None:
    now = int(world.clock.now().timestamp())
    claims = Claims(
        file_key=record.file_key,
        version=1,
        owner=ALICE.name,
        session_id=session.session_id,
        epoch=1,
        audience="ui",
        exp=now + 300,
    )
    assert world.signer.verify(token(world.use_cases.mint_links(record)), ("ui",)) == claims
    for_tool = claims.model_copy(update={"audience": "tool", "exp": now + 840})
    assert world.signer.verify(token(world.use_cases.mint_links.for_tool(record, 840)), ("tool",)) == for_tool


def test_link_for_a_tool_is_an_absolute_url(world: World, record: FileRecord) -> None:
    url = world.use_cases.mint_links.for_tool(record, 840)
    assert url.startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
    assert world.use_cases.open_link(record.file_key, token(url)) == record


def test_link_opens_the_version_it_was_made_for(world: World, record: FileRecord, session: Session) -> None:
    old = token(world.use_cases.mint_links(record))
    newer = world.upload("a.csv", b"newer", session)
    assert world.use_cases.open_link(record.file_key, old) == record
    assert world.use_cases.open_link(record.file_key, token(world.use_cases.mint_links(newer))) == newer


def test_file_without_session_has_links(world: World) -> None:
    record = world.upload("library.csv")
    assert world.use_cases.open_link(record.file_key, token(world.use_cases.mint_links(record))) == record


def test_file_that_outlives_its_session_gets_new_links(world: World, record: FileRecord, session: Session) -> None:
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.open_link(record.file_key, token(world.use_cases.mint_links(record))) == record


def test_link_is_valid_for_five_minutes(world: World, record: FileRecord) -> None:
    link_token = token(world.use_cases.mint_links(record))
    world.clock.advance(299)
    assert world.use_cases.open_link(record.file_key, link_token) == record
    world.clock.advance(1)
    with pytest.raises(LinkNotFound):
        world.use_cases.open_link(record.file_key, link_token)


def test_shared_link_opens_its_file_until_it_is_revoked(world: World, record: FileRecord) -> None:
    link, address = world.use_cases.share_file(ALICE, record.file_key, 3600)
    assert world.use_cases.open_link(record.file_key, token(address)) == record

    assert link.link_id
    world.use_cases.revoke_links(ALICE, link.link_id)

    with pytest.raises(LinkNotFound):
        world.use_cases.open_link(record.file_key, token(address))


def test_file_without_a_session_record_has_links(world: World, record: FileRecord) -> None:
    other = {"session_id": "s" + "0" * 26, "object_id": record.file_key[:-1] + "z", "origin": "again"}
    new = NewFile.model_validate(record.model_dump() | other)
    record = world.files.save(new)
    assert world.use_cases.open_link(record.file_key, token(world.use_cases.mint_links(record))) == record


def test_link_stops_working_if_the_record_of_its_session_is_gone(world: World, record: FileRecord) -> None:
    claims = world.signer.verify(token(world.use_cases.mint_links(record)), ("ui",))
    assert claims is not None
    [state] = world.link_states.get_many([claims])
    assert resolve_link(claims, state, world.clock.now()) == record

    assert resolve_link(claims, state.model_copy(update={"session": None}), world.clock.now()) is None


def test_links_of_a_page_read_each_session_once(world: World, record: FileRecord, session: Session) -> None:
    records = [record, world.upload("b.csv", session=session), world.upload("c.csv")]

    addresses = world.use_cases.mint_links.for_files(records)

    assert [
        world.use_cases.open_link(file.file_key, token(a)) for file, a in zip(records, addresses, strict=True)
    ] == records
    assert world.use_cases.mint_links.for_files([]) == []


# Rejected links

Request = tuple[str, str]  # file key and token
Case = Callable[[World, FileRecord], Request]


def forged(_world: World, record: FileRecord) -> Request:
    return record.file_key, "token-99"


def empty_token(_world: World, record: FileRecord) -> Request:
    return record.file_key, ""


def for_another_file(world: World, record: FileRecord) -> Request:
    return world.upload("b.csv").file_key, token(world.use_cases.mint_links(record))


def expired_token(world: World, record: FileRecord) -> Request:
    link_token = token(world.use_cases.mint_links(record))
    world.clock.advance(300)
    return record.file_key, link_token


def expired_file(world: World, record: FileRecord) -> Request:
    link_token = token(world.use_cases.mint_links(world.expire_after(record, timedelta(minutes=1))))
    world.clock.advance(60)
    return record.file_key, link_token


def deleted_file(world: World, record: FileRecord) -> Request:
    link_token = token(world.use_cases.mint_links(record))
    world.use_cases.remove_file(ALICE, record.file_key)
    return record.file_key, link_token


def no_such_version(world: World, record: FileRecord) -> Request:
    return record.file_key, token(world.use_cases.mint_links(record.model_copy(update={"version": 2})))


def another_owner(world: World, record: FileRecord) -> Request:
    return record.file_key, token(world.use_cases.mint_links(record.model_copy(update={"user": BOB.name})))


def another_owner_without_session(world: World, record: FileRecord) -> Request:
    return record.file_key, token(
        world.use_cases.mint_links(record.model_copy(update={"user": BOB.name, "session_id": None}))
    )


def ended_session(world: World, record: FileRecord) -> Request:
    link_token = token(world.use_cases.mint_links(record))
    assert record.session_id
    world.use_cases.end_session(ALICE, record.session_id)
    return record.file_key, link_token


def no_such_session(world: World, record: FileRecord) -> Request:
    return record.file_key, token(world.use_cases.mint_links(record.model_copy(update={"session_id": "s" + "0" * 26})))


@pytest.mark.clause("v2:download:token")
@pytest.mark.parametrize(
    "case",
    [
        forged,
        empty_token,
        for_another_file,
        expired_token,
        expired_file,
        deleted_file,
        no_such_version,
        another_owner,
        another_owner_without_session,
        ended_session,
        no_such_session,
    ],
)
def test_every_rejected_link_raises_the_same_error_after_one_read(world: World, record: FileRecord, case: Case) -> None:
    file_key, shown_token = case(world, record)
    reads = world.link_states.reads
    with pytest.raises(LinkNotFound) as refused:
        world.use_cases.open_link(FileKey(file_key), shown_token)
    assert world.link_states.reads == reads + 1
    assert (refused.value.code, refused.value.message, refused.value.details) == (
        "E_FILE_NOT_FOUND",
        "There is no such file, or the link has expired.",
        {},
    )


# Metrics


def test_uploaded_and_downloaded_bytes_are_counted(world: World) -> None:
    record = world.use_cases.upload_file(ALICE, "a.txt", b"1234", None, None)
    url = world.use_cases.mint_links(record)
    world.use_cases.download(record.file_key, url.partition("token=")[2].partition("&")[0])
    assert world.metrics.values_of(UPLOADED_BYTES) == [(4,)]
    assert world.metrics.values_of(DOWNLOADED_BYTES) == [(4,)]
