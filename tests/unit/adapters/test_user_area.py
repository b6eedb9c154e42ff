import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pydantic import ValidationError

from satchel.adapters.workspaces import LocalWorkspaces
from satchel.contract.errors import ToolFailed

HOLDER = """
import sys
from pathlib import Path
from satchel.adapters.workspaces import LocalUserArea
with LocalUserArea(Path(sys.argv[1])).hold("alice", "s1"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def area(tmp_path: Path) -> LocalWorkspaces:
    return LocalWorkspaces(tmp_path)


def lock_file(base: Path, user: str) -> Path:
    return base / f".satchel-{os.geteuid()}" / user


def is_free(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@pytest.mark.clause("v2.1:isolation:users-apart")
def test_a_corner_is_made_for_its_person_alone(area: LocalWorkspaces, tmp_path: Path) -> None:
    with area.hold("alice", "s1") as workspace:
        assert workspace == tmp_path / "alice"
        assert workspace.stat().st_mode & 0o777 == 0o700


def test_the_same_session_finds_what_it_left(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1") as workspace:
        (workspace / "kept").write_text("x")
    with area.hold("alice", "s1") as workspace:
        assert (workspace / "kept").exists()


@pytest.mark.clause("v2.1:isolation:cleanup")
def test_another_session_finds_it_empty(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1") as workspace:
        (workspace / "old" / "deeper").mkdir(parents=True)
        (workspace / ".cache").mkdir()
    with area.hold("alice", "s2") as workspace:
        assert list(workspace.iterdir()) == []
    with area.hold("alice", "s1") as workspace:
        assert list(workspace.iterdir()) == []


def test_a_directory_that_we_did_not_make_is_refused_and_left_as_it_is(area: LocalWorkspaces, tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "thesis").write_text("x")
    with pytest.raises(ToolFailed, match="was not made by Satchel"), area.hold("alice", "s1"):
        pass
    area.remove("alice")

    assert (tmp_path / "alice" / "thesis").read_text() == "x"


def test_a_link_in_its_place_is_refused(area: LocalWorkspaces, tmp_path: Path) -> None:
    with area.hold("alice", "s1") as workspace:
        workspace.rename(tmp_path / "elsewhere")
        workspace.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolFailed, match="was not made by Satchel"), area.hold("alice", "s1"):
        pass


def test_a_corner_that_was_taken_away_is_made_anew(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1") as workspace:
        workspace.rmdir()
    with area.hold("alice", "s1") as workspace:
        assert workspace.is_dir()


def test_a_corner_is_held_by_one_at_a_time(area: LocalWorkspaces, tmp_path: Path) -> None:
    with area.hold("alice", "s1"):
        assert not is_free(lock_file(tmp_path, "alice"))
    assert is_free(lock_file(tmp_path, "alice"))


def test_who_waits_gets_it_when_it_is_given_back(area: LocalWorkspaces) -> None:
    order: list[str] = []

    def second() -> None:
        with area.hold("alice", "s1"):
            order.append("second")

    waiting = threading.Thread(target=second)
    with area.hold("alice", "s1"):
        waiting.start()
        order.append("first")
    waiting.join(10)

    assert order == ["first", "second"]


def test_nobody_waits_for_somebody_elses_corner(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1"), area.hold("bob", "s2") as workspace:
        assert workspace.name == "bob"


def test_a_holder_that_is_killed_gives_the_corner_back(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(  # noqa: S603  (a program of ours)
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not is_free(lock_file(tmp_path, "alice"))
        holder.kill()
        holder.wait()

        assert is_free(lock_file(tmp_path, "alice"))


@pytest.mark.parametrize(("ended", "left"), [("s1", []), ("s2", ["of-s1"])])
def test_a_session_that_ends_empties_what_it_left_and_nothing_of_another(
    area: LocalWorkspaces, ended: str, left: list[str]
) -> None:
    with area.hold("alice", "s1") as workspace:
        (workspace / "of-s1").write_text("x")
    area.end_session("alice", ended)
    assert [path.name for path in workspace.iterdir()] == left


def test_a_session_that_ends_waits_for_no_call_and_touches_nothing_that_one_holds(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1") as workspace:
        (workspace / "of-s1").write_text("x")
        area.end_session("alice", "s1")
        assert (workspace / "of-s1").exists()


def test_a_session_that_never_ran_a_tool_leaves_no_corner(area: LocalWorkspaces, tmp_path: Path) -> None:
    area.end_session("alice", "s1")
    assert not (tmp_path / "alice").exists()


def test_a_corner_of_ours_can_be_removed(area: LocalWorkspaces) -> None:
    with area.hold("alice", "s1") as workspace:
        (workspace / "file").write_text("x")
    area.remove("alice")

    assert not workspace.exists()


@pytest.mark.parametrize("user", ["../x", "", ".satchel", "a/b", "*", "a\0"])
def test_a_name_that_could_lead_elsewhere_is_refused(area: LocalWorkspaces, user: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError), area.hold(user, "s1"):
        pass
    with pytest.raises(ValidationError):
        area.remove(user)

    assert list(tmp_path.iterdir()) == []


def test_marks_in_a_place_that_is_not_ours_are_not_trusted(area: LocalWorkspaces, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f".satchel-{os.geteuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolFailed, match="belongs to somebody else"), area.hold("alice", "s1"):
        pass
