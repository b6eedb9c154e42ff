"""The person who asks: what is kept of them, and the end of all of it."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.about import ErasureAsked, ErasureOut, Me

router = APIRouter(tags=["me"])

CONFIRM_HEADER = "X-Satchel-Confirm"
_CONFIRM = Header(alias=CONFIRM_HEADER, max_length=4000, description="`confirm_token` of the first time.")
_BEGUN: dict[int | str, dict[str, Any]] = {
    202: {
        "model": ErasureOut,
        "description": "Everything is being deleted.",
        **examples.shown(202, examples.ERASURE)[202],
    },
}
_ERASED = examples.shown(200, examples.ERASURE_ASKED) | _BEGUN | responses(403, 422)


@router.get("/api/me", responses=examples.shown(200, examples.ME) | responses(403))
def read_me(who: Who, use_cases: InjectedUseCases) -> Me:
    """Say who is asking, how much they keep, and how the deletion of everything goes, if it was asked for."""
    erasure = use_cases.request_erasure.latest(who)
    return Me(
        user=who.name,
        groups=sorted(who.groups),
        usage=use_cases.read_files.usage(who),
        erasure=ErasureOut.of(erasure) if erasure else None,
    )


@router.delete("/api/me", response_model=ErasureAsked, responses=_ERASED)
def erase_me(
    who: Who, use_cases: InjectedUseCases, confirm: Annotated[str | None, _CONFIRM] = None
) -> ErasureAsked | JSONResponse:
    """Delete everything of the person: files, versions, sessions, events, links. Say it twice.

    The first answer has the token that confirms it within five minutes. After the second it is done in the background,
    however much it is; `GET /api/me` tells how far it is. Saying it again while it goes on only helps it on.
    """
    if confirm is None:
        asked = use_cases.request_erasure.request(who)
        until = datetime.fromtimestamp(asked.exp, UTC)
        return ErasureAsked(confirm_token=asked.token, expires_at=until, usage=use_cases.read_files.usage(who))
    begun = ErasureOut.of(use_cases.request_erasure.confirm(who, confirm))
    return JSONResponse(begun.model_dump(mode="json"), 202)
