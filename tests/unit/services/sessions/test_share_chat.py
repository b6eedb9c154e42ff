"""The files of a shared conversation, as its viewers see them."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.entrypoints.http.schemas.chat_links import SharedChat
from tests.unit.services.samples import ALICE
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
