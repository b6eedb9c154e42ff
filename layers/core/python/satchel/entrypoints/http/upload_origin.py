"""The session and the app to which an uploaded file belongs."""

from satchel.domain.errors import InvalidRequest
from satchel.domain.ids import SessionId
from satchel.domain.users import Identity
from satchel.entrypoints.http.parameters import check_file_key, check_session_id
from satchel.entrypoints.http.schemas.files import FileFields
from satchel.use_cases import UseCases


def find_origin(use_cases: UseCases, user: Identity, fields: FileFields) -> tuple[SessionId | None, str | None]:
    """Return the session of an upload and the tool of the app that makes it, None for each that is not set.

    The file of an app belongs to the session of the app. Raise SessionNotFound, FileNotFound, AppNotFound, or
    InvalidRequest for another session.
    """
    session_id = check_session_id(fields.session_id) if fields.session_id is not None else None
    if fields.app_key is None:
        return session_id, None
    app_session_id, tool = use_cases.read_app.origin(user, check_file_key(fields.app_key))
    if session_id not in {None, app_session_id}:
        raise InvalidRequest("A file of an app belongs to the session of the app.")
    return app_session_id, tool
