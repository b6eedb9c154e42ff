"""What can be wrong with a request, as people and programs are told it.

SatchelError
├── NotFound              what was asked for is not there, or is somebody else's (the two are never told apart)
│   ├── SessionNotFound
│   ├── TurnNotFound
│   ├── CallNotFound      no such call in this turn, or none that anybody was asked about
│   ├── FileNotFound
│   ├── UploadNotFound    never begun, given up, or its time is over
│   ├── CanvasNotFound
│   ├── SharedLinkNotFound
│   └── LinkNotFound      every refusal of a capability
├── NotAllowed            the identity itself is refused
├── InvalidRequest        understood, but cannot be done as asked
│   ├── TooLarge
│   │   └── UploadOverLimit  larger than any file may be
│   ├── UnknownTools
│   ├── UnknownModel
│   ├── NotConfirmed      what cannot be undone was not said twice
│   └── RangeNotSatisfiable     a range of bytes that begins behind the end
├── Conflict
│   ├── TurnRunning       one turn at a time in a session
│   ├── SessionEnded
│   ├── UploadIncomplete  parts of it have not come
│   ├── ApprovalClosed    a call was decided otherwise, or nobody waits for the decision any more
│   └── IdempotencyKeyReused         an Idempotency-Key came again with another body
└── Unavailable           a part we depend on is not ready; try again

The HTTP status of each is mapped once, in ``entrypoints.http.problems``. Errors of tools are in ``contract.errors``.
"""

from collections.abc import Sequence

from satchel.contract import FileTooLarge, ToolOutput
from satchel.domain.ids import CallId, CanvasId, LinkId, SessionId, TurnId, UploadId

_MAX_MISSING = 100


class SatchelError(Exception):
    """Base of all errors that a caller may be told. ``code`` is stable; the message names what was wrong."""

    code = "E_INTERNAL"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class NotFound(SatchelError):
    """The thing is not there for this person."""

    code = "E_NOT_FOUND"


class SessionNotFound(NotFound):
    """No such session of this person."""

    code = "E_SESSION_NOT_FOUND"

    def __init__(self, session_id: SessionId) -> None:
        super().__init__("There is no such session.", session_id=session_id)


class TurnNotFound(NotFound):
    """No such turn in this session."""

    code = "E_TURN_NOT_FOUND"

    def __init__(self, turn_id: TurnId) -> None:
        super().__init__("There is no such turn in this session.", turn_id=turn_id)


class CallNotFound(NotFound):
    """No call of this id waits, or waited, for the person's word in this turn."""

    code = "E_CALL_NOT_FOUND"

    def __init__(self, call_id: CallId) -> None:
        super().__init__("There is no such call to decide about in this turn.", call_id=call_id)


class FileNotFound(NotFound):
    """No such file of this person."""

    code = "E_FILE_NOT_FOUND"

    def __init__(self, file: str) -> None:
        super().__init__("There is no such file.", file=file)


class UploadNotFound(NotFound):
    """No such upload of this person is on its way."""

    code = "E_UPLOAD_NOT_FOUND"

    def __init__(self, upload_id: UploadId) -> None:
        super().__init__("There is no such upload, or its time is over.", upload_id=upload_id)


class CanvasNotFound(NotFound):
    """No such dashboard of this person."""

    code = "E_CANVAS_NOT_FOUND"

    def __init__(self, canvas_id: CanvasId) -> None:
        super().__init__("There is no such dashboard.", canvas_id=canvas_id)


class SharedLinkNotFound(NotFound):
    """No such link of this person, or none any more."""

    code = "E_LINK_NOT_FOUND"

    def __init__(self, link_id: LinkId) -> None:
        super().__init__("There is no such link.", link_id=link_id)


class LinkNotFound(NotFound):
    """A capability that is forged, expired, revoked or for something gone: one answer for all (no oracle)."""

    code = "E_FILE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such file, or the link has expired.")


class NotAllowed(SatchelError):
    """The identity is missing, malformed or refused."""

    code = "E_FORBIDDEN"


class InvalidRequest(SatchelError):
    """The request is well-formed but cannot be done."""

    code = "E_INVALID_REQUEST"


class TooLarge(InvalidRequest):
    """More bytes than this way in takes; ``limit_bytes`` says how many it does."""

    code = "E_TOO_LARGE"


class UploadOverLimit(TooLarge):
    """A file is larger than any may be: told in the words of spec 3 §12.3, ``results`` and ``meta_data`` included."""

    code = "E_FILE_TOO_LARGE"

    def __init__(self, size: int, limit: int) -> None:
        told = FileTooLarge(
            size, limit, "Uploaded file exceeds processing limits", "Consider uploading a part or a summary of it"
        )
        super().__init__(told.message, **ToolOutput.from_error(told).envelope())


class UnknownTools(InvalidRequest):
    """A turn was asked to be limited to tools that do not exist for this person."""

    code = "E_UNKNOWN_TOOL"


class UnknownModel(InvalidRequest):
    """A model was chosen that does not exist for this person; ``models`` are those that do."""

    code = "E_UNKNOWN_MODEL"

    def __init__(self, name: str | None, models: Sequence[str]) -> None:
        there_are = f"There are: {', '.join(models)}." if models else "There is none for you."
        told = there_are if name is None else f"There is no such model: {name}. {there_are}"
        super().__init__(told, model=name, models=list(models))


class NotConfirmed(InvalidRequest):
    """The confirmation is not this person's, or not good any more."""

    code = "E_NOT_CONFIRMED"

    def __init__(self) -> None:
        super().__init__("This confirmation is not good: ask without one, then confirm with what you are given.")


class RangeNotSatisfiable(InvalidRequest):
    """The range begins behind the end."""

    code = "E_RANGE"


class Conflict(SatchelError):
    """The state of the thing does not allow this now."""

    code = "E_CONFLICT"


class TurnRunning(Conflict):
    """A session runs one turn at a time."""

    code = "E_TURN_RUNNING"

    def __init__(self, turn_id: TurnId) -> None:
        super().__init__("A turn is still running in this session.", turn_id=turn_id)
        self.turn_id = turn_id


class SessionEnded(Conflict):
    """The session has ended; it can be read, not continued."""

    code = "E_SESSION_ENDED"

    def __init__(self, session_id: SessionId) -> None:
        super().__init__("This session has ended.", session_id=session_id)


class UploadIncomplete(Conflict):
    """Parts are missing, or not as long as they were said to be; ``missing`` are the first of their numbers."""

    code = "E_UPLOAD_INCOMPLETE"

    def __init__(self, missing: Sequence[int], part_count: int) -> None:
        told = f"{len(missing)} of {part_count} parts have not come."
        super().__init__(told, missing=list(missing[:_MAX_MISSING]), part_count=part_count)


class ApprovalClosed(Conflict):
    """The decision comes too late."""

    code = "E_APPROVAL_CLOSED"


class IdempotencyKeyReused(Conflict):
    """The same Idempotency-Key came with another message."""

    code = "E_IDEMPOTENCY_KEY_REUSED"


class Unavailable(SatchelError):
    """Try again in a moment."""

    code = "E_UNAVAILABLE"
