"""Apps of MCP servers over HTTP."""

from satchel.domain.ids import TurnId, UserName, call_id
from tests.integration.http.api_client import ApiClient
from tests.integration.http.backend import Backend


def test_app_has_the_state_that_its_call_has_left(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)
    backend.request_approval(user, session_id, turn_id)
    app_key = backend.open_app(user, session_id, turn_id)

    app = api.get_json(f"/api/apps/{app_key}")

    assert (app["call_id"], app["tool_name"]) == (call_id(TurnId(turn_id), 0, 0), "report.summarise")
    assert app["state"]["uri"] == "ui://report/page"
    assert app["state"]["policy"]["connect_domains"] == []


def test_other_file_is_no_app(api: ApiClient) -> None:
    response = api.http.get(f"/api/apps/{api.upload('a.csv')['file_key']}")

    assert (response.status_code, response.json()["error_code"]) == (404, "E_APP_NOT_FOUND")
