"""What can be told from the words of a tool that failed."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.violations import AccessBounds, ViolationReports

BOUNDS = AccessBounds(Path("/tmp/alice"), ["/usr", "/etc", "/srv/app"], ["/tmp", "/home"])


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Error: EACCES: permission denied, open '/etc/with space'", "/etc/with space"),
        ("open /nix/x: permission denied", "/nix/x"),
        ("[Errno 13] Permission denied: '/var/x'", "/var/x"),
        ("[Errno 30] Read-only file system: '/usr/x'", "/usr/x"),
        ("unable to open database: /var/x.db", "/var/x.db"),
        ("EPERM: operation not permitted, unlink '/var/x'", "/var/x"),
        ("No such file or directory: '/tmp/bob/x'", "/tmp/bob/x"),
        ("Cannot save file into a non-existent directory: '/tmp/bob'", "/tmp/bob"),
        ("PermissionError: '/tmp/alice/../bob/x': Permission denied", "/tmp/bob/x"),
    ],
)
def test_a_refusal_names_its_path(said: str, path: str) -> None:
    assert BOUNDS.told_refusal(said, []) == path


@pytest.mark.parametrize(
    "said",
    [
        "no rows in /etc/hosts",
        "Permission denied",
        "permission denied for https://example.com/a/b",
        "[Errno 13] Permission denied: '/tmp/alice/x'",
        "No such file or directory: '/usr/share/none'",
        "No such file or directory: '/tmp/alice/none'",
    ],
)
def test_other_words_are_no_refusal(said: str) -> None:
    assert BOUNDS.told_refusal(said, []) is None


def test_a_command_that_failed_is_judged_by_what_it_cannot_have_reached() -> None:
    failed = "Command '['cp']' returned non-zero exit status 1."

    assert BOUNDS.told_refusal(failed, ["cp\x1f/etc/hosts\x1f/tmp/bob/x"]) == "/tmp/bob/x"
    assert BOUNDS.told_refusal(failed, ["sh\x1f-c\x1fecho 1 >/var/none/x"]) == "/var/none/x"
    assert BOUNDS.told_refusal(failed, ["cp\x1f/etc/hosts\x1f/tmp/alice/x"]) is None
    assert BOUNDS.told_refusal("no rows", ["cp\x1f/tmp/bob/x"]) is None


def test_who_may_write_nowhere_is_refused_anywhere() -> None:
    assert AccessBounds(None, [], ["/tmp"]).told_refusal("Permission denied: '/tmp/alice/x'", []) == "/tmp/alice/x"


def test_reports_are_taken_once_and_each_path_stands_once() -> None:
    reports = ViolationReports()
    os.write(reports.sender, b"P/a\nRcp\x1f/b\nP/a\nP/\xff\n")

    assert reports.take() == (["/a", "/\ufffd"], ["cp\x1f/b"])
    assert reports.take() == ([], [])
    reports.close()
    reports.close()
    assert reports.take() == ([], [])
