import errno
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
from satchel.domain.ids import SessionId, UserName

ALICE, BOB = UserName("alice"), UserName("bob")
FIRST, SECOND = SessionId("s1"), SessionId("s2")
HOLDER = """
import sys
from pathlib import Path
from satchel.adapters.workspaces import LocalWorkspaces
with LocalWorkspaces(Path(sys.argv[1])).hold("alice", "s1"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def workspaces(tmp_path: Path) -> LocalWorkspaces:
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


@pytest.fixture
def refused_flock(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """``flock`` as a filter of system calls refuses it, with the error of the parameter."""

    def refuse(*_: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.clause("v2.1:isolation:users-apart")
def test_workspace_is_private_to_the_system_user(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        assert workspace == tmp_path / "alice"
        assert workspace.stat().st_mode & 0o777 == 0o700


def test_same_session_keeps_its_files(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        (workspace / "file").write_text("x")
    with workspaces.hold(ALICE, FIRST) as workspace:
        assert (workspace / "file").exists()


@pytest.mark.clause("v2.1:isolation:cleanup")
def test_another_session_gets_an_empty_workspace(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        (workspace / "old" / "deeper").mkdir(parents=True)
        (workspace / ".cache").mkdir()
    with workspaces.hold(ALICE, SECOND) as workspace:
        assert list(workspace.iterdir()) == []
    with workspaces.hold(ALICE, FIRST) as workspace:
        assert list(workspace.iterdir()) == []


def test_foreign_directory_raises_and_stays_unchanged(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "thesis").write_text("x")
    with pytest.raises(ToolFailed, match="was not created by Satchel"), workspaces.hold(ALICE, FIRST):
        pass
    workspaces.remove(ALICE)

    assert (tmp_path / "alice" / "thesis").read_text() == "x"


def test_link_in_place_of_the_workspace_raises(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        workspace.rename(tmp_path / "elsewhere")
        workspace.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolFailed, match="was not created by Satchel"), workspaces.hold(ALICE, FIRST):
        pass


def test_removed_workspace_is_created_again(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        workspace.rmdir()
    with workspaces.hold(ALICE, FIRST) as workspace:
        assert workspace.is_dir()


def test_workspace_is_locked_while_it_is_held(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    with workspaces.hold(ALICE, FIRST):
        assert not is_free(lock_file(tmp_path, "alice"))
    assert is_free(lock_file(tmp_path, "alice"))


def test_waiting_caller_gets_the_workspace_after_release(workspaces: LocalWorkspaces) -> None:
    order: list[str] = []

    def second() -> None:
        with workspaces.hold(ALICE, FIRST):
            order.append("second")

    thread = threading.Thread(target=second)
    with workspaces.hold(ALICE, FIRST):
        thread.start()
        order.append("first")
    thread.join(60)

    assert order == ["first", "second"]


def test_workspaces_of_different_users_are_independent(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST), workspaces.hold(BOB, SECOND) as workspace:
        assert workspace.name == "bob"


def test_lock_of_a_killed_process_is_released(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(  # noqa: S603  (a fixed program)
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not is_free(lock_file(tmp_path, "alice"))
        holder.kill()
        holder.wait()

        assert is_free(lock_file(tmp_path, "alice"))


@pytest.mark.usefixtures("refused_flock")
@pytest.mark.parametrize("refused_flock", [errno.ENOSYS, errno.EPERM], indirect=True)
def test_refused_flock_is_replaced_by_a_record_lock(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    try_lock = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"

    with workspaces.hold(ALICE, FIRST):
        other_process = subprocess.run(  # noqa: S603  (fixed arguments)
            [sys.executable, "-c", try_lock, str(lock_file(tmp_path, "alice"))], capture_output=True, check=False
        )

    assert b"BlockingIOError" in other_process.stderr


@pytest.mark.usefixtures("refused_flock")
@pytest.mark.parametrize("refused_flock", [errno.EBADF], indirect=True)
def test_failed_lock_raises(workspaces: LocalWorkspaces) -> None:
    with pytest.raises(OSError, match="Bad file descriptor"), workspaces.hold(ALICE, FIRST):
        pass


def test_mark_with_a_shorter_session_id_replaces_a_longer_one(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, SessionId("s" * 30)):
        pass
    with workspaces.hold(ALICE, SECOND) as workspace:
        (workspace / "a.txt").touch()

    with workspaces.hold(ALICE, SECOND) as workspace:
        assert (workspace / "a.txt").exists()


@pytest.mark.parametrize(("ended", "remaining"), [(FIRST, []), (SECOND, ["of-s1"])])
def test_end_session_empties_only_the_workspace_of_that_session(
    workspaces: LocalWorkspaces, ended: SessionId, remaining: list[str]
) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        (workspace / "of-s1").write_text("x")
    workspaces.end_session(ALICE, ended)
    assert [path.name for path in workspace.iterdir()] == remaining


def test_end_session_does_nothing_while_the_workspace_is_held(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        (workspace / "of-s1").write_text("x")
        workspaces.end_session(ALICE, FIRST)
        assert (workspace / "of-s1").exists()


def test_end_session_creates_no_workspace(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    workspaces.end_session(ALICE, FIRST)
    assert not (tmp_path / "alice").exists()


def test_remove_deletes_the_workspace(workspaces: LocalWorkspaces) -> None:
    with workspaces.hold(ALICE, FIRST) as workspace:
        (workspace / "file").write_text("x")
    workspaces.remove(ALICE)

    assert not workspace.exists()


@pytest.mark.parametrize("user", ["../x", "", ".satchel", "a/b", "*", "a\0"])
def test_invalid_user_name_raises_validation_error(workspaces: LocalWorkspaces, user: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError), workspaces.hold(UserName(user), FIRST):
        pass
    with pytest.raises(ValidationError):
        workspaces.remove(UserName(user))

    assert list(tmp_path.iterdir()) == []


def test_linked_marks_directory_raises(workspaces: LocalWorkspaces, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f".satchel-{os.geteuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolFailed, match="is not a directory of this system user"), workspaces.hold(ALICE, FIRST):
        pass
