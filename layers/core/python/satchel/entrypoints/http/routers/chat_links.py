"""Routes for links to conversations: create, list, revoke, and read a conversation by its link without sign-in."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from satchel.domain.chat_links import ChatLink
from satchel.domain.ids import IdBody, LinkId, SessionId, TurnId
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import (
    ChatLinkPath,
    Cursor,
    IdempotencyKey,
    InjectedUseCases,
    Limit,
    SessionPath,
)
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.chat_links import (
    ChatLinkOut,
    ChatLinkPage,
    ChatLinkWithUrl,
    NewChatLink,
    SharedChat,
)

router = APIRouter(tags=["links"])

_CREATED = examples.responses(201, examples.CHAT_LINK_WITH_URL, 400, 403, 404, 409, 413, 422)
_SHARED = examples.responses(200, examples.SHARED_CHAT, 404, 422)
_NOT_KEPT = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
_Limit = Annotated[int, Query(ge=1, le=50, description="Maximum number of turns in a page.")]
_Token = Annotated[str, Query(max_length=100, description="The part of the link's URL behind `#share=`.")]


@router.post("/api/sessions/{session_id}/links", status_code=201, responses=_CREATED)
def share_chat(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    body: NewChatLink | None = None,
    idempotency_key: IdempotencyKey = None,
) -> ChatLinkWithUrl:
    """Create a link that shows the conversation as it is now to anyone, read-only, until the session ends.

    A repeated request with the same `Idempotency-Key` returns the same link with a new URL, and the earlier URL stops
    working.
    """
    settings = body or NewChatLink()
    last = TurnId(settings.turn_id) if settings.turn_id is not None else None

    def create(id_body: IdBody | None) -> tuple[str, tuple[ChatLink, str]]:
        link, url = use_cases.share_chat(
            user, session_id, settings.ttl_seconds, with_files=settings.with_files, last=last, id_body=id_body
        )
        return link.link_id, (link, url)

    def read(link_id: str) -> tuple[ChatLink, str]:
        return use_cases.share_chat.again(user, LinkId(link_id))

    request = ("share_chat", f"{session_id} {settings.model_dump_json()}")
    link, url = use_cases.run_once(user, idempotency_key, request, create, read)
    return ChatLinkWithUrl(**ChatLinkOut.of(link).model_dump(), url=url)


@router.get("/api/chat-links", responses=examples.responses(200, examples.CHAT_LINKS, 403, 422))
def list_chat_links(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: Annotated[str | None, Query(max_length=100, description="Only links to this session.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ChatLinkPage:
    """List the user's valid links to conversations, newest first. A page may have fewer than `limit` items."""
    page = use_cases.read_chat_links(user, SessionId(session_id) if session_id is not None else None, limit, cursor)
    return ChatLinkPage(links=[ChatLinkOut.of(link) for link in page.items], cursor=page.cursor)


@router.delete("/api/chat-links/{chat_link_id}", status_code=204, responses=problem_responses(403, 404, 422))
def revoke_chat_link(user: CurrentUser, use_cases: InjectedUseCases, chat_link_id: ChatLinkPath) -> None:
    """Revoke a link to a conversation. It stops working immediately. Safe to repeat."""
    use_cases.ports.chat_links.remove(user.name, chat_link_id)


@router.get("/api/shared-chat", responses=_SHARED)
def read_shared_chat(
    use_cases: InjectedUseCases, response: Response, token: _Token, limit: _Limit = 20, cursor: Cursor = None
) -> SharedChat:
    """Read a conversation by its link: the turns that it had when it was shared, oldest first. Needs no sign-in."""
    response.headers.update(_NOT_KEPT)
    return SharedChat.of_page(*use_cases.open_shared_chat(token, limit, cursor))
