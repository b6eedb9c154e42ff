"""Routes for whole conversations: read one with everything in it, import one, delete one for good."""

from contextlib import suppress
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from satchel.domain.errors import SessionNotFound
from satchel.domain.ids import IdBody, SessionId
from satchel.domain.sessions import Session
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import Cursor, IdempotencyKey, InjectedUseCases, SessionPath
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.conversations import Conversation, ConversationMatch, ConversationMatches
from satchel.entrypoints.http.schemas.sessions import SessionOut
from satchel.services.sessions.import_conversation import ImportRequest

router = APIRouter(tags=["conversations"])

_IMPORTED = examples.responses(201, examples.SESSION, 400, 403, 409, 413, 422, 503)
_READ = examples.responses(200, examples.CONVERSATION, 403, 404, 422)
_FOUND = examples.responses(200, examples.CONVERSATION_MATCHES, 403, 422)
_Query = Annotated[str, Query(min_length=1, max_length=200, description="Words, or their beginnings.")]
_Limit = Annotated[int, Query(ge=1, le=50, description="Maximum number of turns in a page. Large turns make it less.")]


@router.post("/api/conversations", status_code=201, responses=_IMPORTED)
def import_conversation(
    user: CurrentUser, use_cases: InjectedUseCases, body: ImportRequest, idempotency_key: IdempotencyKey = None
) -> SessionOut:
    """Start a session with the turns of a conversation, for example one that was read whole.

    The turns are marked as imported. They have no audit entries, and the model gets their messages and answers only.
    """

    def create(id_body: IdBody | None) -> tuple[str, Session]:
        session = use_cases.import_conversation(user, body, id_body)
        return session.session_id, session

    request = ("import_conversation", body.model_dump_json())
    read = partial(use_cases.read_sessions, user)
    return SessionOut.of(
        use_cases.run_once(user, idempotency_key, request, create, lambda found: read(SessionId(found)))
    )


@router.get("/api/conversations", responses=_FOUND)
def search_conversations(
    user: CurrentUser, use_cases: InjectedUseCases, query: _Query, cursor: Cursor = None
) -> ConversationMatches:
    """Search titles, messages and answers for the beginnings of words, in the newest conversations first.

    One request searches 100 conversations, so a page may be empty although a `cursor` follows.
    """
    page = use_cases.search_chats(user, query, cursor)
    return ConversationMatches(matches=[ConversationMatch.of(match) for match in page.items], cursor=page.cursor)


@router.get("/api/conversations/{session_id}", responses=_READ)
def read_conversation(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, limit: _Limit = 20, cursor: Cursor = None
) -> Conversation:
    """Read a session with its turns, their tool calls, files, approvals and questions, oldest first, in pages."""
    session, page = use_cases.read_conversation(user, session_id, limit, cursor)
    return Conversation.of_page(session, page)


@router.delete("/api/conversations/{session_id}", status_code=204, responses=problem_responses(403, 404, 422, 503))
def delete_conversation(user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath) -> None:
    """End a session and delete its conversation for good. Its permanent files stay. Safe to repeat."""
    with suppress(SessionNotFound):
        use_cases.delete_conversation(user, session_id)
