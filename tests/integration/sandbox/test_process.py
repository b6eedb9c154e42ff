"""What a server's process is when it starts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import walled
from tests.integration.sandbox.walled import SERVERS, Walled


@pytest.fixture(scope="module")
def server(loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", isolation) as made:
        yield made


def test_it_has_no_privileges_no_files_of_the_runner_and_is_otherwise_as_started_by_hand(server: Walled) -> None:
    assert server.call("about", username="alice").results == {
        "helper": "a module beside the server",
        "capabilities": "0000000000000000",
        "no_new_privs": "1",
        "umask": "0077",
        "session": True,
        "files": [],
        "main": "__main__",
        "argv": ["main.py"],
        "path": str(SERVERS / "trying"),
        "annotation": "<class 'str'>",
    }


def test_what_it_plants_is_not_loaded_by_the_next_start(loop: EventLoop, isolation: Isolation, tmp_path: Path) -> None:
    workspace, sign = tmp_path / "alice", tmp_path / "alice" / "hijacked"
    workspace.mkdir()
    planted = f"open({str(sign)!r}, 'w').close()\n"
    for name in ("json", "sitecustomize", "usercustomize", "helpers"):
        (workspace / f"{name}.py").write_text(planted)
        for place in (".home/.local/lib/python3.11/site-packages", ".home/.local/lib/python3.12/site-packages"):
            (workspace / place).mkdir(parents=True, exist_ok=True)
            (workspace / place / f"{name}.py").write_text(planted)
    with walled(loop, workspace, isolation) as server:
        server.call("about", username="alice")

    assert not sign.exists()


def test_a_corner_that_was_made_anew_has_walls_of_its_own(
    loop: EventLoop, isolation: Isolation, tmp_path: Path
) -> None:
    workspace = tmp_path / "alice"
    with walled(loop, workspace, isolation) as server:
        server.call("about", username="alice")
        workspace.rename(tmp_path / "gone")
        workspace.mkdir()

        assert server.call("reach", way="open", path=f"{workspace}/x", username="alice").results == "done"
