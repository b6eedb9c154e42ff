"""Routes about the signed-in user: storage usage, settings, and the deletion of all data of the user."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse

from satchel.domain.users import UserSettings
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.http_semantics import check_unchanged, etag_of, is_unchanged
from satchel.entrypoints.http.identity import CurrentUser, SignedInUser
from satchel.entrypoints.http.parameters import ETAG_HEADER, IfMatch, IfNoneMatch, InjectedUseCases
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.about import ErasureConfirmation, ErasureOut, Me, NewUserSettings, UserSettingsOut

router = APIRouter(tags=["me"])

CONFIRM_HEADER = "X-Satchel-Confirm"
_CONFIRM = Header(alias=CONFIRM_HEADER, max_length=4000, description="The `confirm_token` of the first response.")
_STARTED = examples.responses(
    202, examples.ERASURE, 403, 422, model=ErasureOut, description="All data of the user is being deleted."
)
_UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client has the current settings already.", "headers": ETAG_HEADER}
}
_SETTINGS = examples.responses(200, examples.USER_SETTINGS, 403, 422, headers=ETAG_HEADER) | _UNCHANGED
_REPLACED = {204: {"description": "The settings are stored.", "headers": ETAG_HEADER}} | problem_responses(
    400, 403, 409, 412, 413, 422, 503
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


def _etag(settings: UserSettings) -> str:
    return etag_of(settings.instructions)


@router.get("/api/me/settings", responses=_SETTINGS, response_model=UserSettingsOut)
def read_settings(
    user: CurrentUser, use_cases: InjectedUseCases, response: Response, if_none_match: IfNoneMatch = None
) -> UserSettingsOut | Response:
    """Return what the user has set for all chats."""
    settings = use_cases.user_settings.read(user)
    etag = _etag(settings)
    if is_unchanged(if_none_match, etag):
        return Response(status_code=304, headers={"ETag": etag})
    response.headers["ETag"] = etag
    return UserSettingsOut(**settings.model_dump())


@router.put("/api/me/settings", status_code=204, responses=_REPLACED)
def change_settings(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    body: NewUserSettings,
    response: Response,
    if_match: IfMatch = None,
) -> None:
    """Replace what the user has set for all chats. Chats that start later use it.

    With `If-Match`, nothing changes if another request has changed the settings since the client read their `ETag`.
    """
    settings = UserSettings(instructions=(body.instructions or "").strip() or None)

    def check(stored: UserSettings) -> None:
        check_unchanged(if_match, _etag(stored))

    use_cases.user_settings.replace(user, settings, check)
    response.headers["ETag"] = _etag(settings)


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
