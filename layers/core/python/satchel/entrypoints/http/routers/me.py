"""Routes about the signed-in user: storage usage, settings, and the deletion of all data of the user."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse

from satchel.domain.users import UserSettings
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser, SignedInUser
from satchel.entrypoints.http.parameters import InjectedUseCases
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.about import ErasureConfirmation, ErasureOut, Me, NewUserSettings, UserSettingsOut

router = APIRouter(tags=["me"])

CONFIRM_HEADER = "X-Satchel-Confirm"
_CONFIRM = Header(alias=CONFIRM_HEADER, max_length=4000, description="The `confirm_token` of the first response.")
_STARTED = examples.responses(
    202, examples.ERASURE, 403, 422, model=ErasureOut, description="All data of the user is being deleted."
)
_ERASED = examples.responses(200, examples.ERASURE_CONFIRMATION) | _STARTED


@router.get("/api/me", responses=examples.responses(200, examples.ME, 403))
def read_me(user: CurrentUser, use_cases: InjectedUseCases) -> Me:
    """Return the user's name, storage usage, quotas, and the progress of the latest deletion of all data, if any."""
    erasure = use_cases.request_erasure.latest(user)
    usage = use_cases.read_files.usage(user)
    return Me(
        user=user.name,
        groups=sorted(user.groups),
        usage=usage,
        quotas=use_cases.read_quotas(user, usage),
        erasure=ErasureOut.of(erasure) if erasure else None,
    )


@router.get("/api/me/settings", responses=examples.responses(200, examples.USER_SETTINGS, 403))
def read_settings(user: CurrentUser, use_cases: InjectedUseCases) -> UserSettingsOut:
    """Return what the user has set for all chats."""
    return UserSettingsOut(**use_cases.user_settings.read(user).model_dump())


@router.put("/api/me/settings", status_code=204, responses=problem_responses(400, 403, 409, 413, 422))
def change_settings(user: CurrentUser, use_cases: InjectedUseCases, body: NewUserSettings) -> None:
    """Replace what the user has set for all chats. Chats that start later use it."""
    use_cases.user_settings.replace(user, UserSettings(instructions=(body.instructions or "").strip() or None))


@router.delete("/api/me", response_model=ErasureConfirmation, responses=_ERASED)
def erase_me(
    user: SignedInUser, use_cases: InjectedUseCases, confirm: Annotated[str | None, _CONFIRM] = None
) -> ErasureConfirmation | JSONResponse:
    """Delete all data of the user: files with all versions, sessions, events, links. This takes two requests.

    The first request returns a token. To confirm the deletion, send the token in a second request within five minutes.
    The deletion then runs in the background, and `GET /api/me` returns its progress. The request can be repeated. Until
    the data is deleted (usually seconds), requests that would store new data return 409 `E_ERASING`. A personal token
    cannot be used.
    """
    if confirm is None:
        confirmation = use_cases.request_erasure.request(user)
        return ErasureConfirmation(
            confirm_token=confirmation.token,
            expires_at=datetime.fromtimestamp(confirmation.exp, UTC),
            usage=use_cases.read_files.usage(user),
        )
    erasure = ErasureOut.of(use_cases.request_erasure.confirm(user, confirm))
    return JSONResponse(erasure.model_dump(mode="json"), 202)
