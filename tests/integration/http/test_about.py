from starlette.testclient import TestClient

import satchel
from tests.integration.http.world import MOST_BODY, MOST_INLINE, MOST_MESSAGE, SUMMARISE, World, client_of


def test_health_is_open_and_names_the_version(world: World) -> None:
    answer = client_of(world.local_app, {"X-Satchel-User": "../root"}).get("/api/health")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "version": satchel.__version__}


def test_config_says_who_asks_and_what_is_allowed(world: World, user: str) -> None:
    answer = world.person(user, "writers, admins").get("/api/config")

    assert answer.status_code == 200
    assert answer.json() == {
        "user": user,
        "groups": ["admins", "users", "writers"],
        "model": "offline",
        "isolation_level": "process",
        "flags": {"persist_files_across_sessions": True},
        "limits": {"body_bytes": MOST_BODY, "message_bytes": MOST_MESSAGE, "inline_bytes": MOST_INLINE},
    }


def test_without_headers_it_is_the_developer_who_asks(world: World) -> None:
    answer = client_of(world.local_app).get("/api/config").json()

    assert (answer["user"], answer["groups"]) == ("dev@example.com", ["users"])


class TestTools:
    def test_are_those_of_the_persons_groups_and_say_which_are_not_known_yet(self, http: TestClient) -> None:
        answer = http.get("/api/tools")

        assert answer.status_code == 200
        assert answer.json() == {
            "servers": [
                {
                    "name": "report",
                    "description": "Reports.",
                    "status": "ready",
                    "tools": [SUMMARISE.model_dump()],
                },
                {"name": "waking", "description": "Not asked yet.", "status": "starting", "tools": []},
            ],
        }

    def test_of_other_groups_are_not_even_named(self, world: World, user: str) -> None:
        seen = world.person(user, "admins").get("/api/tools").json()

        assert [server["name"] for server in seen["servers"]] == ["report", "vault", "waking"]
        assert "vault" not in world.person(user).get("/api/tools").text
