"""Tests of the rules for paths: inside of the user's directory, and with a file."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from local.lint.linter import lint_output
from local.lint.rules import files
from local.lint.tool_output import CallContext
from satchel.domain.ids import UserName


def output(path: str) -> dict[str, object]:
    return {"results": 1, "artifacts": [{"name": "a.txt", "mime": "text/plain", "path": path}]}


def clauses(path: str, context: CallContext) -> list[str]:
    return [finding.clause for finding in lint_output(output(path), context)]


@pytest.mark.parametrize("path", ["/tmp/alice/a.txt", "/tmp/bob@example.com/b/c.txt", "/tmp/alice/b/../a.txt"])
def test_path_in_any_user_directory_is_accepted_for_an_unknown_user(path: str) -> None:
    assert clauses(path, CallContext()) == []


@pytest.mark.clause("v2.1:artifacts:path-inside")
@pytest.mark.parametrize(
    "path",
    [
        "/tmp/a.txt",
        "/tmp/alice",
        "/tmp/alice/",
        "/tmp/alice/../a.txt",
        "/tmp/alice/../../etc/passwd",
        "/tmp/.hidden/a.txt",
        "/tmp/{username}/a.txt",
        "/home/alice/a.txt",
        "/tmpx/alice/a.txt",
        "//tmp/alice/a.txt",
        "tmp/alice/a.txt",
        "a.txt",
        "~/a.txt",
        "file:///tmp/alice/a.txt",
        r"C:\tmp\alice\a.txt",
        "/tmp/alice/a\0.txt",
    ],
)
def test_path_outside_of_a_user_directory_is_an_error(path: str) -> None:
    assert clauses(path, CallContext()) == [files.PATH_INSIDE.id]


def test_known_user_has_only_one_directory() -> None:
    assert clauses("/tmp/alice/a.txt", CallContext(user=UserName("alice"))) == []
    (finding,) = lint_output(output("/tmp/bob/a.txt"), CallContext(user=UserName("alice")))

    assert finding.message == "'/tmp/bob/a.txt' is not inside /tmp/alice/."


def test_unreplaced_braces_get_their_own_suggestion() -> None:
    (finding,) = lint_output(output("/tmp/{username}/a.txt"))

    assert finding.suggestion == 'The name in braces was not replaced: use an f-string, f"/tmp/{username}/…".'


def test_file_is_not_looked_up_without_a_call() -> None:
    assert clauses("/tmp/no-such-user/a.txt", CallContext(user=UserName("no-such-user"))) == []


@pytest.fixture
def home() -> Iterator[Path]:
    with TemporaryDirectory(prefix="lint-", dir="/tmp") as home:
        yield Path(home)


def clauses_of_file(home: Path, name: str) -> list[str]:
    return clauses(f"{home}/{name}", CallContext(user=UserName(home.name), home=home))


def test_existing_file_is_accepted(home: Path) -> None:
    (home / "out").mkdir()
    (home / "out" / "a.txt").write_text("a")
    (home / "empty").touch()

    assert clauses_of_file(home, "out/a.txt") == []
    assert clauses_of_file(home, "empty") == []


@pytest.mark.clause("v2.1:artifacts:path-exists")
def test_missing_file_is_an_error(home: Path) -> None:
    assert clauses_of_file(home, "a.txt") == [files.PATH_EXISTS.id]
    assert clauses_of_file(home, "out/a.txt") == [files.PATH_EXISTS.id]


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_directory_link_or_pipe_is_an_error(home: Path) -> None:
    (home / "folder").mkdir()
    (home / "link").symlink_to("/etc/hostname")
    os.mkfifo(home / "pipe")

    assert [clauses_of_file(home, name) for name in ("folder", "link", "pipe")] == [[files.PATH_REGULAR.id]] * 3


def test_path_outside_is_reported_only_once(home: Path) -> None:
    assert clauses_of_file(home, "../a.txt") == [files.PATH_INSIDE.id]
