"""Request and response bodies of the routes for links to conversations."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from satchel.contract import is_app
from satchel.domain.chat_links import DEFAULT_CHAT_LINK_SECONDS, MAX_CHAT_LINK_SECONDS, ChatLink
from satchel.domain.responses import FinalResponse, ResponseArtifact, ToolCallSummary, TurnError
from satchel.domain.sessions import Session, Turn, TurnStatus
from satchel.ports import Page


class NewChatLink(BaseModel):
    """A link to a conversation to create, valid for ``ttl_seconds``. ``with_files``: viewers can download files.

    ``turn_id`` is the last turn of the branch to share; by default, it is the latest turn.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ttl_seconds": 86_400}]})

    ttl_seconds: Annotated[int, Field(ge=60, le=MAX_CHAT_LINK_SECONDS)] = DEFAULT_CHAT_LINK_SECONDS
    with_files: bool = False
    turn_id: Annotated[str | None, Field(max_length=100)] = None


class ChatLinkOut(BaseModel):
    """A link that shows a conversation, as it was at ``created_at``, until ``expires_at`` unless it is revoked."""

    chat_link_id: str
    session_id: str
    with_files: bool
    created_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, link: ChatLink) -> "ChatLinkOut":
        """Convert a link to its JSON response, without its URL, because the URL is not stored."""
        return cls.model_validate(link.model_dump() | {"chat_link_id": link.link_id})


class ChatLinkWithUrl(ChatLinkOut):
    """A new link with its URL, which is returned only once. Anyone with the URL can read the conversation."""

    url: str


class ChatLinkPage(BaseModel):
    """A page of links to conversations, newest first."""

    links: list[ChatLinkOut]
    cursor: str | None = None


class SharedCall(BaseModel):
    """A tool call of a shared turn, without its arguments and results."""

    tool: str
    is_error: bool
    duration_ms: int | None

    @classmethod
    def of(cls, call: ToolCallSummary) -> "SharedCall":
        """Convert a call."""
        return cls.model_validate(call.model_dump(include={"tool", "is_error", "duration_ms"}))


class SharedFile(BaseModel):
    """A file of a shared turn. It has a link if the link to the conversation includes files. Apps have none."""

    name: str
    mime: str
    size: int
    is_app: bool
    download_url: str | None

    @classmethod
    def of(cls, file: ResponseArtifact, *, with_link: bool) -> "SharedFile":
        """Convert a file. An app is a page that acts for its user, so it is never downloaded by others."""
        app = is_app(file.mime)
        url = file.download_url if with_link and not app else None
        return cls(name=file.name, mime=file.mime, size=file.size, is_app=app, download_url=url)


class SharedTurn(BaseModel):
    """A message and its answer in a shared conversation."""

    turn_id: str
    message: str
    answer: str
    status: TurnStatus
    error: TurnError | None
    created_at: datetime
    tool_calls: list[SharedCall]
    files: list[SharedFile]

    @classmethod
    def of(cls, link: ChatLink, turn: Turn, response: FinalResponse) -> "SharedTurn":
        """Convert a turn to what viewers of the link see."""
        fields = turn.model_dump(include={"turn_id", "message", "answer", "status", "error", "created_at"})
        calls = [SharedCall.of(call) for call in response.tool_calls]
        files = [SharedFile.of(file, with_link=link.with_files) for file in response.artifacts]
        return cls(**fields, tool_calls=calls, files=files)


class SharedChat(BaseModel):
    """A page of a shared conversation, oldest first."""

    title: str | None
    shared_at: datetime
    expires_at: datetime
    turns: list[SharedTurn]
    cursor: str | None = None

    @classmethod
    def of_page(cls, link: ChatLink, session: Session, page: Page[tuple[Turn, FinalResponse]]) -> Self:
        """Convert a page of a shared conversation. Its owner is not named."""
        return cls(
            title=session.title,
            shared_at=link.created_at,
            expires_at=link.expires_at,
            turns=[SharedTurn.of(link, turn, response) for turn, response in page.items],
            cursor=page.cursor,
        )
