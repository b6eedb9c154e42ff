"""Select the files that the model sees: the file context of a turn, and the tool ``satchel.list_files``.

The file context contains the session's files and, if files persist across sessions, the user's latest files from other
sessions. The model can list all other files with the tool.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from satchel.contract.errors import InvalidArguments
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileFilter, FileRecord, Source, is_expired
from satchel.domain.ids import FileKey, SessionId, UserName
from satchel.domain.prompt import MAX_LISTED_FILES, FileContext, FileList, format_size, sanitize
from satchel.domain.sessions import Turn
from satchel.domain.timestamps import format_time
from satchel.domain.tools import FILES_PER_PAGE
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.system import Clock

MAX_OTHERS = 10
_MAX_COUNTED = 200  # if there are more files, the file context says "at least" instead of the exact number


@dataclass(frozen=True)
class FileContextBuilder:
    """Build the list of files that is added to a turn's user message (clause v2.1:context:automatic)."""

    files: Files
    clock: Clock
    persist_files_across_sessions: bool

    def list_session(self, user: UserName, session_id: SessionId) -> Page[FileRecord]:
        """Return the session's latest files."""
        return self.files.list(user, _MAX_COUNTED, None, FileFilter(session_id=session_id))

    def list_user(self, user: UserName) -> Page[FileRecord]:
        """Return the user's latest files, or none if files do not persist across sessions."""
        if not self.persist_files_across_sessions:
            return Page(items=[], cursor=None)
        return self.files.list(user, _MAX_COUNTED, None)

    def __call__(self, turn: Turn, page: Page[FileRecord], all_files: Page[FileRecord]) -> FileContext:
        """Return the session's files, and files of other sessions. The files that the message names come first.

        ``page`` and ``all_files`` are what ``list_session`` and ``list_user`` returned.
        """
        read = {file.file_key: file for file in page.items}
        keys = [FileKey(key) for key in dict.fromkeys(turn.files)]
        named = self._current([file for key in keys if (file := read.get(key) or self.files.get(turn.user, key))])
        named_keys = {file.file_key for file in named}
        named_others = [file for file in named if file.session_id != turn.session_id]
        own = [file for file in named if file.session_id == turn.session_id]
        own += [file for file in self._current(page.items) if file.file_key not in named_keys]
        others, more_others = self._others(turn, all_files, named_keys)
        listed = own[: max(0, MAX_LISTED_FILES - len(named_others))]
        listed_others = named_others[:MAX_LISTED_FILES]
        listed_others += others[: min(MAX_OTHERS, MAX_LISTED_FILES - len(listed) - len(listed_others))]
        more, more_of_others = len(own) - len(listed), len(named_others) + len(others) - len(listed_others)
        return FileContext(
            session=FileList(listed, more, at_least=more > 0 and page.cursor is not None),
            others=FileList(listed_others, more_of_others, at_least=more_of_others > 0 and more_others),
            # The model also sees the keys of these files, because their names may find a newer file or no file.
            ambiguous={f.file_key for f in listed_others if f in named_others or sanitize(f.name) != f.name},
        )

    def _others(self, turn: Turn, page: Page[FileRecord], named: Collection[str]) -> tuple[list[FileRecord], bool]:
        """Return the user's files of other sessions except ``named``, and True if there are more."""
        others = [f for f in page.items if f.session_id != turn.session_id and f.file_key not in named]
        return self._current(others), page.cursor is not None

    def _current(self, files: Sequence[FileRecord]) -> list[FileRecord]:
        now = self.clock.now()
        return [file for file in files if not is_expired(file, now)]


@dataclass(frozen=True)
class ListFiles:
    """Run the built-in tool ``satchel.list_files``, which describes the user's files to the model without any links."""

    files: Files
    clock: Clock
    persist_files_across_sessions: bool

    def __call__(self, call: Call, arguments: dict[str, Any]) -> RunnerReport:
        """Return a page of files. ``arguments`` are already validated. Raise InvalidArguments for an invalid cursor."""
        only_session = arguments.get("this_session") or not self.persist_files_across_sessions
        file_filter = FileFilter(
            session_id=call.session_id if only_session else None,
            source=Source(arguments["source"]) if "source" in arguments else None,
            name_prefix=arguments.get("name_prefix", ""),
        )
        try:
            page = self.files.list(call.user, FILES_PER_PAGE, arguments.get("cursor"), file_filter)
        except InvalidRequest as error:
            raise InvalidArguments([f"cursor: {error.message}"]) from error
        now = self.clock.now()
        files = [_describe(record) for record in page.items if not is_expired(record, now)]
        return RunnerReport(results={"files": files} | ({"cursor": page.cursor} if page.cursor else {}))


def _describe(record: FileRecord) -> dict[str, Any]:
    fields = {
        "name": record.name,
        "key": record.file_key,
        "source": record.source.value,
        "app": record.app,
        "created": f"{record.created_at:%Y-%m-%d}",
        "size": format_size(record.size),
        "mime": record.mime,
        "category": record.category,
        "description": record.description,
        "info": record.info.model_dump(),
        "status": record.status,
        "next_actions": record.next_actions,
        "expires_at": record.expiry and format_time(record.expiry),
    }
    return {name: value for name, value in fields.items() if value}
