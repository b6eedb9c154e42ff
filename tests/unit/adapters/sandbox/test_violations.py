"""Violations found in the error text of a failed tool, and in the reports of the guest."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.violations import AccessBounds, ViolationReports

BOUNDS = AccessBounds(Path("/tmp/alice"), ["/usr", "/etc", "/srv/app"], ["/tmp", "/home"])


@pytest.mark.parametrize(
    ("error", "path"),
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
def test_error_text_names_the_blocked_path(error: str, path: str) -> None:
    assert BOUNDS.find_violation(error, []) == path


@pytest.mark.parametrize(
    "error",
    [
        "no rows in /etc/hosts",
        "Permission denied",
        "permission denied for https://example.com/a/b",
        "[Errno 13] Permission denied: '/tmp/alice/x'",
        "No such file or directory: '/usr/share/none'",
        "No such file or directory: '/tmp/alice/none'",
    ],
)
def test_other_errors_are_no_violation(error: str) -> None:
    assert BOUNDS.find_violation(error, []) is None


def test_failed_command_violates_by_an_unreadable_argument() -> None:
    failed = "Command '['cp']' returned non-zero exit status 1."

    assert BOUNDS.find_violation(failed, ["cp\x1f/etc/hosts\x1f/tmp/bob/x"]) == "/tmp/bob/x"
    assert BOUNDS.find_violation(failed, ["sh\x1f-c\x1fecho 1 >/var/none/x"]) == "/var/none/x"
    assert BOUNDS.find_violation(failed, ["cp\x1f/etc/hosts\x1f/tmp/alice/x"]) is None
    assert BOUNDS.find_violation("no rows", ["cp\x1f/tmp/bob/x"]) is None


def test_any_denied_path_is_a_violation_without_a_workspace() -> None:
    assert AccessBounds(None, [], ["/tmp"]).find_violation("Permission denied: '/tmp/alice/x'", []) == "/tmp/alice/x"


def test_reports_are_returned_once_without_duplicates() -> None:
    reports = ViolationReports()
    os.write(reports.sender, b"P/a\nRcp\x1f/b\nP/a\nP/\xff\n")

    assert reports.take() == (["/a", "/\ufffd"], ["cp\x1f/b"])
    assert reports.take() == ([], [])
    reports.close()
    reports.close()
    assert reports.take() == ([], [])
