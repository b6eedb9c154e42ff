"""Which files the model is told of by itself: the session's, and where files outlive sessions, the latest others."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.files import FileRecord, expired
from satchel.domain.my_files import FileFilter
from satchel.domain.prompt import MOST_FILES, FileContext
from satchel.domain.sessions import Turn
from satchel.ports.catalog import Files
from satchel.ports.clock import Clock

MOST_OTHERS = 10
_MOST_COUNTED = 200
"""So many files are looked at for a message, whatever their number; of more it is said that there are more."""


@dataclass(frozen=True)
class TellFiles:
    """Gathers the file context of a turn (spec 3 §4). What has expired is not told of."""

    files: Files
    clock: Clock
    persist_files_across_sessions: bool

    def __call__(self, turn: Turn) -> FileContext:
        """Return the files: those that the message names, the session's, the others; newest first in each."""
        mine = self.files.list(turn.user, _MOST_COUNTED, None, FileFilter(session_id=turn.session_id))
        known = {file.file_key for file in mine.items}
        wanted = [self.files.get(turn.user, key) for key in dict.fromkeys(turn.files) if key not in known]
        named = self._there([file for file in wanted if file])
        told = [*named, *self._there(mine.items)]
        others, more_others = self._others(turn, {file.file_key for file in told})
        shown = told[:MOST_FILES]
        shown += others[: min(MOST_OTHERS, MOST_FILES - len(shown))]
        more = len(told) + len(others) - len(shown)
        return FileContext(shown, more, at_least=more > 0 and (more_others or mine.cursor is not None))

    def _others(self, turn: Turn, told: set[str]) -> tuple[list[FileRecord], bool]:
        if not self.persist_files_across_sessions:
            return [], False
        page = self.files.list(turn.user, _MOST_COUNTED, None)
        others = [f for f in page.items if f.session_id != turn.session_id and f.file_key not in told]
        return self._there(others), page.cursor is not None

    def _there(self, files: Sequence[FileRecord]) -> list[FileRecord]:
        now = self.clock.now()
        return [file for file in files if not expired(file, now)]
