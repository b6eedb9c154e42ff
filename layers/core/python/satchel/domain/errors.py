"""Errors that the API returns to its caller.

SatchelError
├── NotFound                  does not exist, or belongs to another user (the response is the same)
│   ├── SessionNotFound
│   ├── TurnNotFound
│   ├── CallNotFound          the turn has no call with this id that needs approval or asks a question
│   ├── InputNotFound         the call has not asked this question, or has asked another one since
│   ├── FileNotFound
│   ├── UploadNotFound        never started, aborted or expired
│   ├── CanvasNotFound
│   ├── AppNotFound           the file is not an app of an MCP server, or no such call has started
│   ├── SharedLinkNotFound
│   ├── ChatLinkNotFound      every rejected link to a conversation
│   ├── TokenNotFound
│   └── LinkNotFound          every rejected download link
├── NotAllowed                the caller's identity is missing or rejected
├── InvalidRequest            the request is well-formed, but cannot be fulfilled
│   ├── TooLarge
│   │   └── UploadOverLimit   larger than the maximum file size
│   ├── UnknownTools
│   ├── UnknownModel
│   ├── InvalidInput          an answer that does not fit the form of the tool
│   ├── NotConfirmed          an irreversible action without a valid confirmation
│   └── RangeNotSatisfiable   a byte range that starts after the end
├── Conflict                  not possible in the current state
│   ├── ErasureRunning        all data of the user is being deleted
│   ├── TurnRunning           a session runs one turn at a time
│   ├── SessionEnded
│   ├── UploadIncomplete      parts are missing
│   ├── ApprovalClosed        the user decided differently, or the call no longer waits for a decision
│   ├── InputClosed           the user answered differently, or the tool no longer waits for an answer
│   ├── ApprovalMismatch      the digest of an approval is missing or not that of the call
│   ├── IdempotencyKeyReused  the same Idempotency-Key with another body
│   └── TokenUsed             a repeated request cannot renew a personal token that a program uses
├── Changed                   the resource is not in the state that the request expects (If-Match)
├── QuotaExceeded             the user has used up a quota
│   ├── TooManySessions
│   ├── TooManyTurns          in one minute
│   ├── TooManyUploads
│   ├── TooManyTokens
│   ├── TooManyRequests       in one second
│   └── StorageFull
└── Unavailable               a dependency is not ready; try again
    └── RequestRunning        an earlier request with the same Idempotency-Key has not ended

``entrypoints.http.problems`` maps each error to an HTTP status. ``contract.errors`` has the errors of tool calls.
"""

from collections.abc import Sequence

from satchel.contract import FileTooLarge, ToolOutput
from satchel.domain.ids import CallId, CanvasId, LinkId, SessionId, TokenId, TurnId, UploadId

_MAX_MISSING = 100
_MAX_SHOWN_FIELDS = 5


class SatchelError(Exception):
    """Base class of all API errors. A class has one fixed ``code``; ``message`` and ``details`` describe the cause."""

    code = "E_INTERNAL"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class NotFound(SatchelError):
    """The resource does not exist, or belongs to another user."""

    code = "E_NOT_FOUND"


class SessionNotFound(NotFound):
    """The user has no session with this id."""

    code = "E_SESSION_NOT_FOUND"

    def __init__(self, session_id: SessionId) -> None:
        super().__init__("There is no such session.", session_id=session_id)


class TurnNotFound(NotFound):
    """The session has no turn with this id."""

    code = "E_TURN_NOT_FOUND"

    def __init__(self, turn_id: TurnId) -> None:
        super().__init__("There is no such turn in this session.", turn_id=turn_id)


class CallNotFound(NotFound):
    """The turn has no tool call with this id that needs or needed the user's approval or answer."""

    code = "E_CALL_NOT_FOUND"

    def __init__(self, call_id: CallId) -> None:
        super().__init__("There is no call with this id in this turn that waits or waited for you.", call_id=call_id)


class InputNotFound(NotFound):
    """The call's latest questions have none with this id."""

    code = "E_INPUT_NOT_FOUND"

    def __init__(self, call_id: CallId, input_id: str) -> None:
        super().__init__("The tool asks no such question.", call_id=call_id, input_id=input_id)


class FileNotFound(NotFound):
    """The user has no file with this key or name."""

    code = "E_FILE_NOT_FOUND"

    def __init__(self, file: str) -> None:
        super().__init__("There is no such file.", file=file)


class UploadNotFound(NotFound):
    """The user has no unfinished upload with this id."""

    code = "E_UPLOAD_NOT_FOUND"

    def __init__(self, upload_id: UploadId) -> None:
        super().__init__("There is no such upload, or it has expired.", upload_id=upload_id)


class CanvasNotFound(NotFound):
    """The user has no dashboard with this id."""

    code = "E_CANVAS_NOT_FOUND"

    def __init__(self, canvas_id: CanvasId) -> None:
        super().__init__("There is no such dashboard.", canvas_id=canvas_id)


class AppNotFound(NotFound):
    """The file is not an app of an MCP server, the state of the app is missing, or no such call has started."""

    code = "E_APP_NOT_FOUND"

    def __init__(self, file_or_call: str) -> None:
        super().__init__("There is no such app.", app=file_or_call)


class SharedLinkNotFound(NotFound):
    """The user has no shared link with this id, or the link was revoked."""

    code = "E_LINK_NOT_FOUND"

    def __init__(self, link_id: LinkId) -> None:
        super().__init__("There is no such link.", link_id=link_id)


class TokenNotFound(NotFound):
    """The user has no personal token with this id."""

    code = "E_TOKEN_NOT_FOUND"

    def __init__(self, token_id: TokenId) -> None:
        super().__init__("There is no such token.", token_id=token_id)


class LinkNotFound(NotFound):
    """The download link is forged, expired or revoked, or its file is deleted. The error does not reveal the cause."""

    code = "E_FILE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such file, or the link has expired.")


class ChatLinkNotFound(NotFound):
    """The link to a conversation is forged, expired or revoked, or its session has ended."""

    code = "E_LINK_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such chat, or the link has expired or was revoked.")


class NotAllowed(SatchelError):
    """The caller's identity is missing, malformed or rejected."""

    code = "E_FORBIDDEN"


class InvalidRequest(SatchelError):
    """The request is well-formed, but cannot be fulfilled."""

    code = "E_INVALID_REQUEST"


class TooLarge(InvalidRequest):
    """The request body is larger than the endpoint accepts. ``details`` contains the limit as ``limit_bytes``."""

    code = "E_TOO_LARGE"


class UploadOverLimit(TooLarge):
    """The file exceeds the upload limit. ``details`` is a tool error (clause v2.1:errors:file-too-large)."""

    code = "E_FILE_TOO_LARGE"

    def __init__(self, size: int, limit: int) -> None:
        error = FileTooLarge(
            size, limit, "Uploaded file exceeds processing limits", "Consider uploading a part or a summary of it"
        )
        super().__init__(error.message, **ToolOutput.from_error(error).envelope())


class UnknownTools(InvalidRequest):
    """The request to start a turn names tools that do not exist for this user."""

    code = "E_UNKNOWN_TOOL"


class UnknownModel(InvalidRequest):
    """The requested model does not exist for this user. ``models`` lists the models that the user may choose."""

    code = "E_UNKNOWN_MODEL"

    def __init__(self, name: str | None, models: Sequence[str]) -> None:
        available = f"Available models: {', '.join(models)}." if models else "No model is available to you."
        message = available if name is None else f"There is no such model: {name}. {available}"
        super().__init__(message, model=name, models=list(models))


class InvalidInput(InvalidRequest):
    """An answer does not fit the tool's form. ``errors`` has the ``field`` and ``message`` of each problem."""

    def __init__(self, errors: Sequence[dict[str, str]]) -> None:
        shown = "; ".join(f"{each['field']}: {each['message']}" for each in errors[:_MAX_SHOWN_FIELDS])
        super().__init__(shown, errors=list(errors))


class NotConfirmed(InvalidRequest):
    """The confirmation token for an irreversible action is invalid, has expired, or belongs to another user."""

    code = "E_NOT_CONFIRMED"

    def __init__(self) -> None:
        super().__init__("This confirmation is invalid or has expired. Repeat the request without it to get a new one.")


class RangeNotSatisfiable(InvalidRequest):
    """The requested byte range starts after the end of the file."""

    code = "E_RANGE"


class Conflict(SatchelError):
    """The current state of the resource does not allow the request."""

    code = "E_CONFLICT"


class ErasureRunning(Conflict):
    """All data of the user is being deleted. Until then, nothing new is stored, because it would be deleted too."""

    code = "E_ERASING"

    def __init__(self) -> None:
        super().__init__("All of your data is being deleted. Try again in a moment.")


class TurnRunning(Conflict):
    """The session is still running another turn. A session runs only one turn at a time."""

    code = "E_TURN_RUNNING"

    def __init__(self, turn_id: TurnId) -> None:
        super().__init__("A turn is still running in this session.", turn_id=turn_id)
        self.turn_id = turn_id


class SessionEnded(Conflict):
    """The session has ended. Clients can still read it, but not continue it."""

    code = "E_SESSION_ENDED"

    def __init__(self, session_id: SessionId) -> None:
        super().__init__("This session has ended.", session_id=session_id)


class UploadIncomplete(Conflict):
    """Parts of the upload are missing or have the wrong size. ``missing`` lists up to 100 part numbers."""

    code = "E_UPLOAD_INCOMPLETE"

    def __init__(self, missing: Sequence[int], part_count: int) -> None:
        message = f"{len(missing)} of {part_count} parts are missing."
        super().__init__(message, missing=list(missing[:_MAX_MISSING]), part_count=part_count)


class ApprovalClosed(Conflict):
    """The user already decided differently about the tool call, or the call no longer waits for a decision."""

    code = "E_APPROVAL_CLOSED"


class InputClosed(Conflict):
    """The user already answered the question differently, or the tool no longer waits for an answer."""

    code = "E_INPUT_CLOSED"


class ApprovalMismatch(Conflict):
    """The approval does not name the digest of the call that would run, so the user may have seen something else."""

    code = "E_APPROVAL_MISMATCH"

    def __init__(self, call_id: CallId) -> None:
        super().__init__(
            "The approval needs the digest of the call that it approves. Read the call again, and decide about that.",
            call_id=call_id,
        )


class IdempotencyKeyReused(Conflict):
    """The Idempotency-Key was already used for a different request."""

    code = "E_IDEMPOTENCY_KEY_REUSED"


class TokenUsed(Conflict):
    """A repeated request would replace the secret of a personal token with which a program has signed in."""

    code = "E_TOKEN_USED"

    def __init__(self, token_id: TokenId) -> None:
        super().__init__(
            "An earlier request with this Idempotency-Key made a token, which was used since. Its text is not stored: "
            "revoke that token, or make another one with another key.",
            token_id=token_id,
        )


class Changed(SatchelError):
    """The resource has changed since the client read it, and the request names the state that it read."""

    code = "E_CHANGED"

    def __init__(self) -> None:
        super().__init__("It was changed meanwhile. Read it again, then decide whether to change it.")


class QuotaExceeded(SatchelError):
    """The user has used up a quota. ``retry_after`` is a number of seconds, or None if waiting does not help.

    ``details`` contains the quota's name as ``quota``, its ``limit``, and how much of it is ``used``.
    """

    code = "E_QUOTA_EXCEEDED"

    def __init__(
        self, message: str, *, quota: str, limit: int, used: int | None = None, retry_after: int | None = None
    ) -> None:
        details = {"quota": quota, "limit": limit, "used": used, "retry_after": retry_after}
        super().__init__(message, **{name: value for name, value in details.items() if value is not None})
        self.retry_after = retry_after


class TooManySessions(QuotaExceeded):
    """The user has as many open sessions as the deployment allows."""

    def __init__(self, limit: int) -> None:
        message = (
            f"You have {limit} open chats, the maximum. End one, then try again (DELETE /api/sessions/{{session_id}})."
        )
        super().__init__(message, quota="open_sessions", limit=limit, used=limit)


class TooManyTurns(QuotaExceeded):
    """The user has started as many turns in this minute as the deployment allows."""

    def __init__(self, limit: int, retry_after: int) -> None:
        message = f"You sent {limit} messages in this minute, the maximum. Try again in {_seconds(retry_after)}."
        super().__init__(message, quota="turns_per_minute", limit=limit, used=limit, retry_after=retry_after)


class TooManyUploads(QuotaExceeded):
    """The user has as many uploads in progress as the deployment allows."""

    def __init__(self, limit: int, used: int) -> None:
        message = (
            f"You have {used} uploads in progress; the maximum is {limit}. Complete or abort one, then try again "
            "(GET /api/files/uploads lists them)."
        )
        super().__init__(message, quota="uploads", limit=limit, used=used)


class TooManyTokens(QuotaExceeded):
    """The user has as many valid personal tokens as one user may have."""

    def __init__(self, limit: int) -> None:
        message = f"You have {limit} personal tokens, the maximum. Revoke one, then try again."
        super().__init__(message, quota="personal_tokens", limit=limit, used=limit)


class TooManyRequests(QuotaExceeded):
    """The user sends more requests per second than the deployment allows."""

    def __init__(self, limit: int, retry_after: int) -> None:
        message = f"You sent more than {limit} requests per second. Try again in {_seconds(retry_after)}."
        super().__init__(message, quota="requests_per_second", limit=limit, retry_after=retry_after)


class StorageFull(QuotaExceeded):
    """The user's files, including those being uploaded, leave too little room for a file of ``size`` bytes."""

    def __init__(self, limit: int, used: int, size: int) -> None:
        message = (
            f"The file has {size} bytes, but your files and uploads in progress already take {used} of {limit} bytes. "
            "Delete files, then try again."
        )
        super().__init__(message, quota="stored_bytes", limit=limit, used=used)


def _seconds(count: int) -> str:
    return "1 second" if count == 1 else f"{count} seconds"


class Unavailable(SatchelError):
    """A service that Satchel needs is not ready. The client should try again in a moment."""

    code = "E_UNAVAILABLE"


class RequestRunning(Unavailable):
    """An earlier request with the same Idempotency-Key has not ended. The client repeats it in a moment."""

    code = "E_REQUEST_RUNNING"

    def __init__(self) -> None:
        super().__init__("An earlier request with this Idempotency-Key is still running. Try again in a moment.")
