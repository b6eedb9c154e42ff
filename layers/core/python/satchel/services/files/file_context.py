"""Which files the model is told of by itself: the session's, and where files outlive sessions, the latest others.

The tool ``satchel.list_files``: how a model asks for files that its context leaves out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satchel.contract.errors import InvalidArguments
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileFilter, FileRecord, Source, expired
from satchel.domain.ids import FileKey
from satchel.domain.prompt import MAX_FILES, FileContext, human_size
from satchel.domain.sessions import Turn
from satchel.domain.tools import FILES_A_PAGE
from satchel.ports.files import Files
from satchel.ports.system import Clock

MAX_OTHERS = 10
_MAX_COUNTED = 200
"""So many files are looked at for a message, whatever their number; of more it is said that there are more."""


@dataclass(frozen=True)
class FileContextBuilder:
    """Gathers the file context of a turn (spec 3 §4). What has expired is not told of."""

    files: Files
    clock: Clock
    persist_files_across_sessions: bool

    def __call__(self, turn: Turn) -> FileContext:
        """Return the files: those that the message names, the session's, the others; newest first in each."""
        mine = self.files.list(turn.user, _MAX_COUNTED, None, FileFilter(session_id=turn.session_id))
        known = {file.file_key for file in mine.items}
        wanted = [self.files.get(turn.user, FileKey(key)) for key in dict.fromkeys(turn.files) if key not in known]
        named = self._there([file for file in wanted if file])
        told = [*named, *self._there(mine.items)]
        others, more_others = self._others(turn, {file.file_key for file in told})
        shown = told[:MAX_FILES]
        shown += others[: min(MAX_OTHERS, MAX_FILES - len(shown))]
        more = len(told) + len(others) - len(shown)
        return FileContext(shown, more, at_least=more > 0 and (more_others or mine.cursor is not None))

    def _others(self, turn: Turn, told: set[str]) -> tuple[list[FileRecord], bool]:
        if not self.persist_files_across_sessions:
            return [], False
        page = self.files.list(turn.user, _MAX_COUNTED, None)
        others = [f for f in page.items if f.session_id != turn.session_id and f.file_key not in told]
        return self._there(others), page.cursor is not None

    def _there(self, files: Sequence[FileRecord]) -> list[FileRecord]:
        now = self.clock.now()
        return [file for file in files if not expired(file, now)]


@dataclass(frozen=True)
class ListFiles:
    """Answers with a page of the caller's own files: names and facts, no key and no link."""

    files: Files
    clock: Clock

    def __call__(self, call: Call, arguments: dict[str, Any]) -> RunnerReport:
        """Return the page; the arguments fit the tool's schema. Raises InvalidArguments for a cursor of no list."""
        wanted = FileFilter(
            session_id=call.session_id if arguments.get("this_session") else None,
            source=Source(arguments["source"]) if "source" in arguments else None,
            name_prefix=arguments.get("name_prefix", ""),
        )
        try:
            page = self.files.list(call.user, FILES_A_PAGE, arguments.get("cursor"), wanted)
        except InvalidRequest as error:
            raise InvalidArguments([f"cursor: {error.message}"]) from error
        now = self.clock.now()
        files = [_told(record) for record in page.items if not expired(record, now)]
        return RunnerReport(results={"files": files} | ({"cursor": page.cursor} if page.cursor else {}))


def _told(record: FileRecord) -> dict[str, Any]:
    told = {
        "name": record.name,
        "source": record.source.value,
        "created": f"{record.created_at:%Y-%m-%d}",
        "size": human_size(record.size),
        "mime": record.mime,
        "category": record.category,
        "description": record.description,
        "info": record.info.model_dump(),
        "status": record.status,
        "next_actions": record.next_actions,
        "expires_at": record.expires_at,
    }
    return {name: value for name, value in told.items() if value}
