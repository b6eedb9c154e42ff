import pytest
from starlette.testclient import TestClient

import satchel
from satchel.domain.ids import UserName
from satchel.domain.timestamps import format_time
from satchel.domain.tools import BUILTIN_DESCRIPTION, LIST_FILES, fresh_tool_list
from tests.integration.aws.factories import START
from tests.integration.http.backend import (
    MAX_BODY,
    MAX_FILE,
    MAX_INLINE,
    MAX_MESSAGE,
    SERVERS,
    SUMMARISE,
    Backend,
    make_client,
)


def test_health_needs_no_sign_in_and_returns_the_version(backend: Backend) -> None:
    response = make_client(backend.local_app, {"X-Satchel-User": "../root"}).get("/api/health")

    assert response.status_code == 200
    assert response.json() == {"status": "ok", "version": satchel.__version__}


@pytest.mark.clause("v2.1:size-limit:configured")
def test_config_returns_the_user_models_flags_and_limits(backend: Backend, user: UserName) -> None:
    response = backend.client_for(user, "writers, admins").get("/api/config")

    assert response.status_code == 200
    assert response.json() == {
        "user": user,
        "groups": ["admins", "users", "writers"],
        "model": "quick",
        "models": [{"name": "quick", "description": "For most things"}, {"name": "careful", "description": ""}],
        "socket_url": "wss://sockets.example/ws",
        "isolation_level": "process",
        "flags": {
            "persist_files_across_sessions": True,
            "base64_size_limit_mb": 4,
            "canvas_origins": ["https://dash.example"],
        },
        "limits": {
            "body_bytes": MAX_BODY,
            "message_bytes": MAX_MESSAGE,
            "inline_bytes": MAX_INLINE,
            "file_bytes": MAX_FILE,
            "part_bytes": 16 << 20,
        },
    }


def test_local_run_without_headers_uses_the_default_user(backend: Backend) -> None:
    response = make_client(backend.local_app).get("/api/config").json()

    assert (response["user"], response["groups"]) == ("dev@example.com", ["users"])
    assert [model["name"] for model in response["models"]] == ["quick"]


class TestTools:
    @pytest.mark.clause("v4:registry:description")
    def test_tools_of_the_users_groups_are_listed_with_their_status(self, http: TestClient) -> None:
        response = http.get("/api/tools")

        assert response.status_code == 200
        assert response.json() == {
            "servers": [
                {
                    "name": "report",
                    "title": "report",
                    "description": "Reports.",
                    "status": "ready",
                    "reason": None,
                    "since": format_time(START),
                    "tools": [SUMMARISE.model_dump()],
                },
                {
                    "name": "satchel",
                    "title": "Satchel",
                    "description": BUILTIN_DESCRIPTION,
                    "status": "ready",
                    "reason": None,
                    "since": None,
                    "tools": [LIST_FILES.model_dump()],
                },
                {
                    "name": "waking",
                    "title": "waking",
                    "description": "Not listed yet.",
                    "status": "starting",
                    "reason": None,
                    "since": None,
                    "tools": [],
                },
            ],
        }

    def test_servers_of_other_groups_are_not_named(self, backend: Backend, user: UserName) -> None:
        body = backend.client_for(user, "admins").get("/api/tools").json()

        assert [server["name"] for server in body["servers"]] == ["report", "satchel", "vault", "waking"]
        assert "vault" not in backend.client_for(user).get("/api/tools").text

    def test_unavailable_server_is_listed_with_the_reason_and_its_previous_tools(
        self, backend: Backend, http: TestClient
    ) -> None:
        config_hash = SERVERS.servers["waking"].config_hash()
        known = fresh_tool_list([SUMMARISE], backend.clock.now()).with_failure("no such program", backend.clock.now())
        before = backend.tool_lists.get("waking", config_hash)
        backend.tool_lists.save("waking", config_hash, known)
        waking = http.get("/api/tools").json()["servers"][2]
        backend.table.delete("SERVER#waking", f"TOOLS#{config_hash}")

        assert before is None
        assert (waking["status"], waking["reason"]) == ("unavailable", "no such program")
        assert waking["since"] == format_time(backend.clock.now())
        assert [tool["name"] for tool in waking["tools"]] == ["summarise"]
