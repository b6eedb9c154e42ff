"""Find a file by what people and models call it: its key, its name, or the name it came with."""

import re
from datetime import datetime

from satchel.contract import safe_name
from satchel.domain.files import FileRecord, expired
from satchel.ports.catalog import Files

_FILE_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")


def find_file(files: Files, user: str, session_id: str | None, wanted: str, now: datetime) -> FileRecord | None:
    """Return the file that is meant, or None; an expired one is gone. A name is looked up in the session first."""
    record = files.get(user, wanted) if _FILE_KEY.fullmatch(wanted) else None
    if record is None and wanted and "/" not in wanted and "\\" not in wanted:
        record = files.by_name(user, session_id, safe_name(wanted))
    return None if record is None or expired(record, now) else record
