import pytest
from starlette.testclient import TestClient

import satchel
from satchel.domain.tools import DESCRIPTION, LIST_FILES, answered
from tests.integration.http.world import (
    MAX_BODY,
    MAX_FILE,
    MAX_INLINE,
    MAX_MESSAGE,
    SERVERS,
    SUMMARISE,
    World,
    client_of,
)


def test_health_is_open_and_names_the_version(world: World) -> None:
    answer = client_of(world.local_app, {"X-Satchel-User": "../root"}).get("/api/health")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "version": satchel.__version__}


@pytest.mark.clause("v2.1:size-limit:configured")
def test_config_says_who_asks_and_what_is_allowed(world: World, user: str) -> None:
    answer = world.person(user, "writers, admins").get("/api/config")

    assert answer.status_code == 200
    assert answer.json() == {
        "user": user,
        "groups": ["admins", "users", "writers"],
        "model": "quick",
        "models": [{"name": "quick", "description": "For most things"}, {"name": "careful", "description": ""}],
        "socket_url": "wss://sockets.example/ws",
        "isolation_level": "process",
        "flags": {
            "persist_files_across_sessions": True,
            "base64_size_limit_mb": 300,
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


def test_without_headers_it_is_the_developer_who_asks(world: World) -> None:
    answer = client_of(world.local_app).get("/api/config").json()

    assert (answer["user"], answer["groups"]) == ("dev@example.com", ["users"])
    assert [model["name"] for model in answer["models"]] == ["quick"]


class TestTools:
    @pytest.mark.clause("v4:registry:description")
    def test_are_those_of_the_persons_groups_and_say_which_are_not_known_yet(self, http: TestClient) -> None:
        answer = http.get("/api/tools")

        assert answer.status_code == 200
        assert answer.json() == {
            "servers": [
                {
                    "name": "report",
                    "description": "Reports.",
                    "status": "ready",
                    "reason": None,
                    "tools": [SUMMARISE.model_dump()],
                },
                {
                    "name": "satchel",
                    "description": DESCRIPTION,
                    "status": "ready",
                    "reason": None,
                    "tools": [LIST_FILES.model_dump()],
                },
                {"name": "waking", "description": "Not asked yet.", "status": "starting", "reason": None, "tools": []},
            ],
        }

    def test_of_other_groups_are_not_even_named(self, world: World, user: str) -> None:
        seen = world.person(user, "admins").get("/api/tools").json()

        assert [server["name"] for server in seen["servers"]] == ["report", "satchel", "vault", "waking"]
        assert "vault" not in world.person(user).get("/api/tools").text

    def test_of_a_server_that_does_not_start_tell_the_reason_with_what_it_had_before(
        self, world: World, http: TestClient
    ) -> None:
        config_hash = SERVERS.servers["waking"].config_hash()
        known = answered([SUMMARISE], world.clock.now()).failed("no such program", world.clock.now())
        before = world.tool_lists.get("waking", config_hash)
        world.tool_lists.put("waking", config_hash, known)
        waking = http.get("/api/tools").json()["servers"][2]
        world.tool_lists.table.delete("SERVER#waking", f"TOOLS#{config_hash}")

        assert before is None
        assert (waking["status"], waking["reason"]) == ("unavailable", "no such program")
        assert [tool["name"] for tool in waking["tools"]] == ["summarise"]
