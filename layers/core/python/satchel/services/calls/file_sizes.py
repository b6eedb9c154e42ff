"""Find out whether a tool call failed because the tool wrote a file above the size limit."""

import re
from collections.abc import Mapping

from satchel.contract import FileTooLarge
from satchel.ports.runners import FileState

# Do not match the words "File too large" alone: a tool may use them for its own, lower limit.
_LIMIT_REACHED = re.compile(r"\[Errno 27\]|\bEFBIG\b|\bSIGXFSZ\b|\bFile size limit exceeded\b")


def check_file_sizes(
    error: str, before: Mapping[str, FileState], after: Mapping[str, FileState], max_bytes: int
) -> None:
    """Raise FileTooLarge if the failed call wrote a file above the limit, or if ``error`` says that it tried to.

    The kernel stops a write one byte above the limit, so the size that the tool intended is unknown. FileTooLarge
    contains the size that the file reached.
    """
    largest = max((state.size for path, state in after.items() if state != before.get(path)), default=0)
    if largest > max_bytes or _LIMIT_REACHED.search(error):
        raise FileTooLarge(file_size_bytes=max(largest, max_bytes + 1), current_limit_bytes=max_bytes)
