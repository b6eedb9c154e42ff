"""Find a file by what people and models call it: its key, its name, or the name it came with."""

import re
from collections.abc import Iterator
from datetime import datetime

from satchel.contract import safe_name
from satchel.domain.files import FileRecord, expired
from satchel.domain.my_files import FileFilter
from satchel.domain.prompt import quoted
from satchel.ports.catalog import Files

_CHANGED = {"(", "…"}
_MOST_LOOKED_AT = 100
_FILE_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")


def find_file(files: Files, user: str, session_id: str | None, wanted: str, now: datetime) -> FileRecord | None:
    """Return the file that is meant, or None; an expired one is gone. A name is looked up in the session first.

    A name that the file context shows otherwise than it is (with other brackets, or cut) is known in that form, too.
    """
    found = (record for record in _meant(files, user, session_id, wanted) if not expired(record, now))
    return next(found, None)


def _meant(files: Files, user: str, session_id: str | None, wanted: str) -> Iterator[FileRecord]:
    if _FILE_KEY.fullmatch(wanted) and (record := files.get(user, wanted)):
        yield record
    if wanted and "/" not in wanted and "\\" not in wanted:
        yield from files.named(user, session_id, safe_name(wanted))
        if session_id and _CHANGED & set(wanted):
            page = files.list(user, _MOST_LOOKED_AT, None, FileFilter(session_id=session_id))
            yield from (file for file in page.items if quoted(file.name) == wanted)
