"""Failed calls of tools that wrote files above the size limit."""

import pytest

from satchel.contract import FileTooLarge
from satchel.ports.runners import FileState
from satchel.services.calls.file_sizes import check_file_sizes

MAX = 1000


def state(size: int, changed: int = 1) -> FileState:
    return FileState(size=size, changed=changed, inode=1)


@pytest.mark.parametrize(
    "error",
    [
        "[Errno 27] File too large: '/tmp/alice/x'",
        "EFBIG: file too large, write",
        "The tool's server was ended by SIGXFSZ before it answered",
        "Command '['dd']' died with <Signals.SIGXFSZ: 25>.",
        "/bin/sh: line 1: 123 File size limit exceeded",
    ],
)
def test_error_about_the_process_limit_is_file_too_large(error: str) -> None:
    with pytest.raises(FileTooLarge) as raised:
        check_file_sizes(error, {}, {}, MAX)

    assert (raised.value.details["file_size_bytes"], raised.value.details["current_limit_bytes"]) == (MAX + 1, MAX)


@pytest.mark.parametrize("error", ["no rows", "File too large for this tool", "line 27", "[Errno 2] no such file"])
def test_other_error_without_a_large_file_is_left_alone(error: str) -> None:
    check_file_sizes(error, {}, {"a": state(MAX)}, MAX)


def test_large_new_file_is_the_cause_of_any_failure_and_its_size_is_reported() -> None:
    with pytest.raises(FileTooLarge) as raised:
        check_file_sizes("no rows", {"a": state(5)}, {"a": state(MAX + 7, changed=2), "b": state(3)}, MAX)

    assert raised.value.details["file_size_bytes"] == MAX + 7


def test_large_file_of_an_earlier_call_is_no_cause() -> None:
    files = {"a": state(MAX + 1)}

    check_file_sizes("no rows", files, files, MAX)
