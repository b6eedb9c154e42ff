"""The files of a shared conversation, as its viewers see them, and links with another secret."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.errors import ChatLinkNotFound, SharedLinkNotFound
from satchel.entrypoints.http.schemas.chat_links import SharedChat
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

DAY = 86_400


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
    with pytest.raises(SharedLinkNotFound):
        world.use_cases.share_chat.again(BOB, link.link_id)
    world.clock.advance(DAY)
    with pytest.raises(SharedLinkNotFound):
        world.use_cases.share_chat.again(ALICE, link.link_id)
