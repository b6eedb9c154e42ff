"""Shared links: create, list and revoke."""

from dataclasses import replace
from datetime import timedelta

import pytest

from satchel.domain.errors import SharedLinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import IdBody, LinkId
from satchel.domain.links import Claims, SharedLink
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def record(world: World) -> FileRecord:
    return world.upload("a.csv", session=world.session())


def share(world: World, record: FileRecord, seconds: int = 3600) -> SharedLink:
    return world.use_cases.share_file(ALICE, record.file_key, seconds)[0]


def list_links(world: World, record: FileRecord | None = None) -> list[SharedLink]:
    return list(world.use_cases.read_links(ALICE, record.file_key if record else None, 10, None).items)


def test_shared_link_and_its_stored_record_have_the_same_claims(world: World, record: FileRecord) -> None:
    link, url = world.use_cases.share_file(ALICE, record.file_key, 3600)

    now = world.clock.now()
    assert link == SharedLink(
        claims=Claims(
            file_key=record.file_key,
            version=1,
            owner=ALICE.name,
            session_id=record.session_id or "",
            epoch=1,
            audience="ui",
            exp=int(now.timestamp()) + 3600,
            link_id=link.link_id,
        ),
        name="a.csv",
        made_at=now,
    )
    assert link.link_id.startswith("l")
    assert world.signer.verify(url.partition("token=")[2], ("ui",)) == link.claims
    assert url.startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
    assert world.shared_links.get(ALICE.name, link.link_id) == link


def test_links_made_at_the_same_time_have_different_ids(world: World, record: FileRecord) -> None:
    assert share(world, record).link_id != share(world, record).link_id


def test_repeated_request_returns_its_link(world: World, record: FileRecord) -> None:
    body = IdBody("0" * 26)
    first, _ = world.use_cases.share_file(ALICE, record.file_key, 60, body)
    world.clock.advance(5)

    for link, url in (
        world.use_cases.share_file(ALICE, record.file_key, 60, body),
        world.use_cases.share_file.again(ALICE, LinkId(f"l{body}")),
    ):
        assert (link, link.link_id) == (first, f"l{body}")
        assert url.startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
        assert world.signer.verify(url.partition("token=")[2], ("ui",)) == first.claims
    assert list_links(world) == [first]


def test_link_of_another_user_and_a_missing_one_are_not_returned_again(world: World, record: FileRecord) -> None:
    link_id = share(world, record).link_id
    assert link_id
    for who, each in ((BOB, link_id), (ALICE, LinkId("l" + "0" * 26))):
        with pytest.raises(SharedLinkNotFound) as raised:
            world.use_cases.share_file.again(who, each)
        assert raised.value.details == {"link_id": each}


@pytest.mark.parametrize(("file_hours", "link_hours"), [(1, 1), (3, 2)])
def test_shared_link_expires_with_its_file(world: World, record: FileRecord, file_hours: int, link_hours: int) -> None:
    world.expire_after(record, timedelta(hours=file_hours))

    link = share(world, record, 2 * 3600)

    assert link.expires_at == world.clock.now() + timedelta(hours=link_hours)


def test_link_for_a_tool_ends_in_a_slash_and_the_quoted_name(world: World, record: FileRecord) -> None:
    url = world.use_cases.mint_links.for_tool(record.model_copy(update={"name": "a/b &c.csv"}), 60)

    assert url.endswith("&name=/a%2Fb%20%26c.csv")


def test_links_for_tools_and_users_can_begin_with_different_addresses(world: World, record: FileRecord) -> None:
    assert world.use_cases.mint_links.for_tool(record, 60).startswith("https://satchel.example/api/files/download/")

    own = replace(world.use_cases.mint_links, tool_url="http://127.0.0.1:8000")
    assert own.for_tool(record, 60).startswith("http://127.0.0.1:8000/api/files/download/")
    assert own.for_sharing(record, LinkId("l1"), 1)[1].startswith("https://satchel.example/api/files/download/")


def test_links_are_listed_newest_first_in_pages(world: World, record: FileRecord) -> None:
    links = [share(world, record) for _ in range(3)]

    first = world.use_cases.read_links(ALICE, None, 2, None)
    second = world.use_cases.read_links(ALICE, None, 2, first.cursor)

    assert [*first.items, *second.items] == links[::-1]
    assert (len(first.items), second.cursor) == (2, None)


def test_links_of_one_file_or_of_all_files_are_listed(world: World, record: FileRecord) -> None:
    other = world.upload("b.csv")
    link, other_link = share(world, record), share(world, other)

    assert list_links(world, record) == [link]
    assert list_links(world) == [other_link, link]
    assert world.use_cases.read_links(BOB, None, 10, None).items == []


def test_expired_links_are_not_listed(world: World, record: FileRecord) -> None:
    share(world, record, 60)
    longer = share(world, record, 61)
    world.clock.advance(59)
    assert len(list_links(world)) == 2

    world.clock.advance(1)

    assert list_links(world) == [longer]


def test_link_to_an_expired_file_is_not_listed(world: World, record: FileRecord) -> None:
    share(world, record)
    world.expire_after(record, timedelta(minutes=1))
    assert len(list_links(world)) == 1

    world.clock.advance(60)

    assert list_links(world) == []


def test_links_that_no_longer_open_a_file_are_not_listed(world: World, record: FileRecord) -> None:
    deleted = world.upload("b.csv")
    share(world, deleted)
    link = share(world, record)

    world.use_cases.remove_file(ALICE, deleted.file_key)
    assert list_links(world) == [link]
    assert record.session_id
    world.use_cases.end_session(ALICE, record.session_id)
    assert list_links(world) == []


def test_revoking_a_missing_link_names_the_link(world: World, record: FileRecord) -> None:
    link = share(world, record)
    assert link.link_id

    with pytest.raises(SharedLinkNotFound) as of_another_user:
        world.use_cases.revoke_links(BOB, link.link_id)
    assert of_another_user.value.details == {"link_id": link.link_id}
    assert list_links(world) == [link]

    world.use_cases.revoke_links(ALICE, link.link_id)
    with pytest.raises(SharedLinkNotFound):
        world.use_cases.revoke_links(ALICE, link.link_id)


def test_revoking_all_links_keeps_links_of_other_users(world: World, record: FileRecord) -> None:
    share(world, record)
    share(world, record)
    theirs = world.use_cases.upload_file(BOB, "b.csv", b"b", None, None)
    link, _ = world.use_cases.share_file(BOB, theirs.file_key, 60)

    assert world.use_cases.revoke_links.all(ALICE) == 2

    assert list_links(world) == []
    assert world.use_cases.read_links(BOB, None, 10, None).items == [link]
