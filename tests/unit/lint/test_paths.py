"""Where files may lie, and whether they are there."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from local.lint.check import lint_output
from local.lint.rules import paths
from local.lint.subject import Run


def output(path: str) -> dict[str, object]:
    return {"results": 1, "artifacts": [{"name": "a.txt", "mime": "text/plain", "path": path}]}


def clauses(path: str, run: Run) -> list[str]:
    return [finding.clause for finding in lint_output(output(path), run)]


@pytest.mark.parametrize("path", ["/tmp/alice/a.txt", "/tmp/bob@example.com/b/c.txt", "/tmp/alice/b/../a.txt"])
def test_a_path_in_anybodys_directory_is_right_where_the_user_is_not_known(path: str) -> None:
    assert clauses(path, Run()) == []


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
def test_any_other_path_is_outside(path: str) -> None:
    assert clauses(path, Run()) == [paths.INSIDE.id]


def test_a_known_user_has_one_directory() -> None:
    assert clauses("/tmp/alice/a.txt", Run(user="alice")) == []
    (finding,) = lint_output(output("/tmp/bob/a.txt"), Run(user="alice"))

    assert finding.message == "'/tmp/bob/a.txt' is not inside /tmp/alice/."


def test_a_name_that_was_not_filled_in_is_said_to_be_one() -> None:
    (finding,) = lint_output(output("/tmp/{username}/a.txt"))

    assert finding.suggestion == 'A name in braces was not filled in: write f"/tmp/{username}/…", with the f.'


def test_a_path_without_user_or_home_is_not_looked_up() -> None:
    assert clauses("/tmp/nobody-at-all/a.txt", Run(user="nobody-at-all")) == []


@pytest.fixture
def home() -> Iterator[Path]:
    with TemporaryDirectory(prefix="lint-", dir="/tmp") as home:
        yield Path(home)


def looked_up(home: Path, name: str) -> list[str]:
    return clauses(f"{home}/{name}", Run(user=home.name, home=home))


def test_a_file_that_the_tool_wrote_is_there(home: Path) -> None:
    (home / "out").mkdir()
    (home / "out" / "a.txt").write_text("a")
    (home / "empty").touch()

    assert looked_up(home, "out/a.txt") == []
    assert looked_up(home, "empty") == []


@pytest.mark.clause("v2.1:artifacts:path-exists")
def test_a_file_that_it_did_not_write_is_not(home: Path) -> None:
    assert looked_up(home, "a.txt") == [paths.EXISTS.id]
    assert looked_up(home, "out/a.txt") == [paths.EXISTS.id]


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_what_is_no_regular_file_is_none(home: Path) -> None:
    (home / "folder").mkdir()
    (home / "link").symlink_to("/etc/hostname")
    os.mkfifo(home / "pipe")

    assert [looked_up(home, name) for name in ("folder", "link", "pipe")] == [[paths.REGULAR.id]] * 3


def test_a_path_outside_is_named_once(home: Path) -> None:
    assert looked_up(home, "../a.txt") == [paths.INSIDE.id]
