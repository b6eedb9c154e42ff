"""Violations found in the error text of a failed tool, and in the reports of the guest."""

import os
from pathlib import Path

import pytest

from satchel.adapters.sandbox.violations import AccessBounds, ViolationReports
from satchel.ports.tool_client import BlockedAccess

BOUNDS = AccessBounds(["/srv/state", "/tmp/alice"], ["/usr", "/etc", "/srv/app"], ["/tmp", "/home"])


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
    violation = BOUNDS.find_violation(error, [])
    assert violation is not None
    assert violation.path == path


@pytest.mark.parametrize(
    ("error", "operation"),
    [
        ("[Errno 13] Permission denied: '{private}'", "read"),
        ("EACCES: permission denied, open '{private}'", "read"),
        ("ENOENT: no such file or directory, open '{private}'", "read"),
        ("cannot read '{private}': Permission denied", "read"),
        ("EACCES: permission denied, unlink '{private}'", "write"),
        ("touch: cannot touch '{private}': Permission denied", "write"),
        ("[Errno 30] Read-only file system: '{private}'", "write"),
        ("[Errno 13] Permission denied: '{private}-new'", "write"),
        ("ENOENT: no such file or directory, open '{private}-new'", None),
    ],
)
def test_error_text_tells_reading_from_writing(tmp_path: Path, error: str, operation: str | None) -> None:
    private = tmp_path / "create unlink" / "data.csv"
    private.parent.mkdir()
    private.touch()
    bounds = AccessBounds(["/srv/state", "/tmp/alice"], ["/etc"], [str(tmp_path)])

    violation = bounds.find_violation(error.format(private=private), [])

    assert violation is not None
    assert (violation.path.removesuffix("-new"), violation.operation) == (str(private), operation)


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

    copied, echoed = ["cp\x1f/etc/hosts\x1f/tmp/bob/x"], ["sh\x1f-c\x1fecho 1 >/var/none/x"]
    assert BOUNDS.find_violation(failed, copied) == BlockedAccess(path="/tmp/bob/x")
    assert BOUNDS.find_violation(failed, echoed) == BlockedAccess(path="/var/none/x")
    assert BOUNDS.find_violation(failed, ["cp\x1f/etc/hosts\x1f/tmp/alice/x"]) is None
    assert BOUNDS.find_violation("no rows", ["cp\x1f/tmp/bob/x"]) is None


def test_any_denied_path_is_a_violation_without_a_workspace() -> None:
    violation = AccessBounds([], [], ["/tmp"]).find_violation("Permission denied: '/tmp/alice/x'", [])
    assert violation == BlockedAccess(path="/tmp/alice/x", operation="write")


def test_blocked_access_to_a_readable_path_is_a_write() -> None:
    violation = BOUNDS.find_violation("[Errno 13] Permission denied: '/etc/hosts'", [])
    assert violation == BlockedAccess(path="/etc/hosts", operation="write")


def test_reports_are_returned_once_without_duplicates() -> None:
    reports = ViolationReports()
    os.write(reports.sender, b"W/a\nCcp\x1f/b\nW/a\nR/\xff\n")

    expected = [BlockedAccess(path="/a", operation="write"), BlockedAccess(path="/\ufffd", operation="read")]
    assert reports.take() == (expected, ["cp\x1f/b"])
    assert reports.take() == ([], [])
    reports.close()
    reports.close()
    assert reports.take() == ([], [])
