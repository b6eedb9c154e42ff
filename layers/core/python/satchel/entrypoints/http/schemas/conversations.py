"""Responses about whole conversations."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from satchel.domain.calls import Approval, Decision
from satchel.domain.inputs import OpenInput
from satchel.domain.responses import ResponseArtifact, ResponseCanvas, ResponseDeferred, ToolCallSummary
from satchel.domain.sessions import Session
from satchel.entrypoints.http.schemas.sessions import SessionOut, TurnOut
from satchel.ports import Page
from satchel.services.sessions.read_conversation import TurnRecord
from satchel.services.sessions.search_chats import ChatMatch


class CallApproval(BaseModel):
    """The approval of a tool call, and what the user decided."""

    call_id: str
    expires_at: datetime
    decision: Decision | None

    @classmethod
    def of(cls, approval: Approval) -> "CallApproval":
        """Convert an approval to its JSON response, without the token that resumes the turn."""
        return cls(call_id=approval.call_id, expires_at=approval.expires_at, decision=approval.decision)


class ConversationTurn(TurnOut):
    """A turn with its tool calls, files, approvals and questions.

    ``questions`` are those that each call asked last; their answers may be secret and are not returned. Read the turn
    for the contents of small files and the tokens of dashboards.
    """

    tool_calls: list[ToolCallSummary]
    artifacts: list[ResponseArtifact]
    deferred_artifacts: list[ResponseDeferred]
    canvases: list[ResponseCanvas]
    approvals: list[CallApproval]
    questions: list[OpenInput]

    @classmethod
    def of_record(cls, record: TurnRecord) -> "ConversationTurn":
        """Convert a turn with its parts to its JSON response."""
        response = record.response
        return cls(
            **TurnOut.of(record.turn).model_dump(),
            tool_calls=response.tool_calls,
            artifacts=response.artifacts,
            deferred_artifacts=response.deferred_artifacts,
            canvases=response.canvases,
            approvals=[CallApproval.of(approval) for approval in record.approvals],
            questions=record.questions,
        )


class Conversation(SessionOut):
    """A session and a page of its turns with everything that belongs to them, oldest first."""

    instructions: str | None
    turns: list[ConversationTurn]
    cursor: str | None = None

    @classmethod
    def of_page(cls, session: Session, page: Page[TurnRecord]) -> Self:
        """Convert a session and a page of its turns to their JSON response."""
        return cls(
            **SessionOut.of(session).model_dump(),
            instructions=session.instructions,
            turns=[ConversationTurn.of_record(record) for record in page.items],
            cursor=page.cursor,
        )


class ConversationMatch(BaseModel):
    """A conversation that has all words of a search.

    ``turn_id`` is the newest turn with most of the words, and ``snippet`` a part of it; both are null if only the title
    has them.
    """

    session: SessionOut
    turn_id: str | None
    snippet: str | None

    @classmethod
    def of(cls, match: ChatMatch) -> "ConversationMatch":
        """Convert a match to its JSON response."""
        return cls(session=SessionOut.of(match.session), turn_id=match.turn_id, snippet=match.snippet)


class ConversationMatches(BaseModel):
    """The matches among the searched conversations, newest first."""

    matches: list[ConversationMatch]
    cursor: str | None = None
