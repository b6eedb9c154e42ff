"""What is kept about sessions, turns, calls, files and tools: one small Protocol each, one table behind them.

Writes that may come twice are conditional; every method says what a second one does. Lists are pages: ``limit`` items
from an opaque ``cursor``.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from satchel.domain.calls import Call, CallSettled
from satchel.domain.conversation import AssistantMessage, Message, TokenUsage, ToolMessage
from satchel.domain.files import FileRecord, NewFile
from satchel.domain.my_files import FileFilter, Usage
from satchel.domain.sessions import Session, SessionChanges, Turn
from satchel.domain.tool_lists import KeptTools

T = TypeVar("T")
ALL_FILES = FileFilter()


class Page(BaseModel, Generic[T]):
    """One page of a list; ``cursor`` is None on the last."""

    items: list[T]
    cursor: str | None = None


class Sessions(Protocol):
    """Sessions of a person."""

    def create(self, session: Session) -> None:
        """Write a new session."""
        ...

    def get(self, user: str, session_id: str) -> Session | None:
        """Return a session of this person; None also for somebody else's."""
        ...

    def some(self, user: str, session_ids: Collection[str]) -> dict[str, Session]:
        """Return those of these sessions that are this person's, by id, all read at once."""
        ...

    def list(self, user: str, limit: int, cursor: str | None) -> Page[Session]:
        """Return sessions, newest first."""
        ...

    def change(self, user: str, session_id: str, changes: SessionChanges) -> Session:
        """Change what is said of an open session and return it. Raises SessionNotFound, SessionEnded, Unavailable."""
        ...

    def end(self, user: str, session_id: str, now: datetime, *, idle_since: datetime | None = None) -> None:
        """Mark a session ended and raise its epoch; a second time nothing changes. From now on it is to be cleared.

        With ``idle_since``, only while no turn runs and none has begun since then.
        """
        ...

    def idle(self, since: datetime, limit: int) -> Sequence[Session]:
        """Return open sessions of anybody that were not used since then, the longest idle first."""
        ...

    def to_clear(self, now: datetime, limit: int) -> Sequence[Session]:
        """Return ended sessions of anybody that are to be cleared by now, the oldest first."""
        ...

    def clear_again(self, session: Session, at: datetime) -> None:
        """Note that a session is to be cleared once more."""
        ...

    def cleared(self, session: Session) -> None:
        """Note that nothing is left to clear of a session."""
        ...


class Turns(Protocol):
    """Turns of a session."""

    def begin(self, turn: Turn, idempotency_key: str | None) -> Turn:
        """Write a turn, its message and the session's lock in one transaction, and return it.

        The same idempotency key again returns the turn of the first time. Raises TurnRunning, SessionEnded,
        SessionNotFound, KeyReused.
        """
        ...

    def get(self, session_id: str, turn_id: str) -> Turn | None:
        """Return a turn."""
        ...

    def list(self, session_id: str, limit: int, cursor: str | None) -> Page[Turn]:
        """Return turns, oldest first."""
        ...

    def spent(self, turn: Turn, usage: TokenUsage) -> None:
        """Add to what models took for a turn, and for its session: once for every question, whatever became of it."""
        ...

    def end(self, turn: Turn) -> bool:
        """Write how a turn ended and free its session, in one transaction; False when it had ended before."""
        ...


class Transcript(Protocol):
    """What was said in a session, in a model's terms."""

    def messages(self, session_id: str) -> Sequence[Message]:
        """Return all messages of a session in order."""
        ...

    def reply_of(self, session_id: str, turn_id: str, round_number: int) -> AssistantMessage | None:
        """Return what the model said in a round, if it did."""
        ...

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        """Keep what the model said in a round; the first one stands and is returned."""
        ...

    def add_result(self, call: Call, message: ToolMessage) -> None:
        """Keep what a call came to; writing it again changes nothing that a model was shown."""
        ...


class CallClaims(Protocol):
    """The one thing about calls that a runner may write."""

    def claim(self, turn_id: str, call_id: str, runner: str) -> bool:
        """Take a call for one runner; False for everyone but the first."""
        ...


class Calls(Protocol):
    """Tool calls of a turn."""

    def add(self, calls: Sequence[Call]) -> None:
        """Write proposed calls; those that are there stay as they are."""
        ...

    def get(self, turn_id: str, call_id: str) -> Call | None:
        """Return a call."""
        ...

    def list(self, turn_id: str) -> Sequence[Call]:
        """Return the calls of a turn in order."""
        ...

    def dispatched(self, call: Call) -> None:
        """Note what the tool is given."""
        ...

    def settle(self, turn_id: str, call_id: str, settled: CallSettled) -> CallSettled:
        """Write what the call came to; the first one stands and is returned."""
        ...


class Files(Protocol):
    """Files of a person, by key, by session, by name."""

    def keep(self, new: NewFile) -> FileRecord:
        """Make stored bytes a file, or a new version of one (``domain.files.judge``). Again: the same record."""
        ...

    def keep_upload(self, new: NewFile) -> FileRecord:
        """Make the bytes of an upload a file, and end the upload, in one transaction. Again: the same record.

        Raises UploadNotFound where it was given up.
        """
        ...

    def kept(self, user: str, object_id: str) -> FileRecord | None:
        """Return the version that an object was made, if it was."""
        ...

    def get(self, user: str, file_key: str) -> FileRecord | None:
        """Return the newest version of a file of this person."""
        ...

    def version(self, user: str, file_key: str, version: int) -> FileRecord | None:
        """Return one version of a file."""
        ...

    def list(self, user: str, limit: int, cursor: str | None, wanted: FileFilter = ALL_FILES) -> Page[FileRecord]:
        """Return those files of a person that are meant, newest first; by name where a beginning of names is given.

        A page may hold fewer than ``limit``, or none, while more pages follow.
        """
        ...

    def usage(self, user: str) -> Usage:
        """Return how much a person keeps."""
        ...

    def of_session(self, user: str, session_id: str) -> Sequence[FileRecord]:
        """Return the files of a session, newest first."""
        ...

    def named(self, user: str, session_id: str | None, name: str) -> Iterator[FileRecord]:
        """Give the files of this name: the session's, then the person's other ones, newest first."""
        ...

    def remove(self, record: FileRecord) -> Sequence[str]:
        """Remove a file with all versions and free its name; return the S3 keys that must go."""
        ...


class ToolLists(Protocol):
    """Which tools a server has, by server and configuration hash."""

    def get(self, server: str, config_hash: str) -> KeptTools | None:
        """Return what is known; None where the server was never asked with this configuration."""
        ...

    def put(self, server: str, config_hash: str, kept: KeptTools) -> None:
        """Keep what is known."""
        ...
