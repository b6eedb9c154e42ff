from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

import satchel
from satchel.domain.ids import UserName
from satchel.domain.resources import (
    OfferAnswer,
    OfferedFile,
    OfferRequest,
    Offers,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
)
from satchel.domain.timestamps import format_time
from satchel.domain.tools import BUILTIN_DESCRIPTION, LIST_FILES, ToolListing, fresh_tool_list
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
                    "isolation_level": "process",
                    "tools": [SUMMARISE.model_dump()],
                },
                {
                    "name": "satchel",
                    "title": "Satchel",
                    "description": BUILTIN_DESCRIPTION,
                    "status": "ready",
                    "reason": None,
                    "since": None,
                    "isolation_level": None,
                    "tools": [LIST_FILES.model_dump()],
                },
                {
                    "name": "waking",
                    "title": "waking",
                    "description": "Not listed yet.",
                    "status": "starting",
                    "reason": None,
                    "since": None,
                    "isolation_level": None,
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
        known = fresh_tool_list(ToolListing(tools=[SUMMARISE]), backend.clock.now()).with_failure(
            "no such program", backend.clock.now()
        )
        before = backend.tool_lists.get("waking", config_hash)
        backend.tool_lists.save("waking", config_hash, known)
        waking = http.get("/api/tools").json()["servers"][2]
        backend.table.delete("SERVER#waking", f"TOOLS#{config_hash}")

        assert before is None
        assert (waking["status"], waking["reason"]) == ("unavailable", "no such program")
        assert waking["since"] == format_time(backend.clock.now())
        assert [tool["name"] for tool in waking["tools"]] == ["summarise"]


class TestResourcesAndPrompts:
    @pytest.fixture(autouse=True)
    def offers(self, backend: Backend) -> Iterator[Offers]:
        """The servers ``report`` (for users) and ``vault`` (for admins) offer resources, templates and prompts."""
        for name in ("report", "vault"):
            offers = Offers(
                resources=[
                    Resource(server=name, uri=f"{name}://{number:03}", name=str(number)) for number in range(150)
                ],
                templates=[ResourceTemplate(server=name, uri_template=f"{name}://{{year}}", name="year")],
                prompts=[Prompt(server=name, name="compare", arguments=[PromptArgument(name="year", required=True)])],
            )
            listing = ToolListing(tools=[SUMMARISE], offers=offers, isolation_level="process")
            config_hash = SERVERS.servers[name].config_hash()
            backend.tool_lists.save(name, config_hash, fresh_tool_list(listing, START))
        yield offers
        listing = ToolListing(tools=[SUMMARISE], isolation_level="process")
        backend.tool_lists.save("report", SERVERS.servers["report"].config_hash(), fresh_tool_list(listing, START))
        backend.table.delete("SERVER#vault", f"TOOLS#{SERVERS.servers['vault'].config_hash()}")

    def test_resources_of_the_users_servers_are_listed_in_pages(self, http: TestClient) -> None:
        first = http.get("/api/resources").json()
        second = http.get("/api/resources", params={"cursor": first["cursor"]}).json()

        addresses = [each["uri"] for each in [*first["resources"], *second["resources"]]]
        assert addresses == [f"report://{number:03}" for number in range(150)]
        assert (len(first["resources"]), second["cursor"], second["templates"]) == (100, None, [])
        assert [each["uri_template"] for each in first["templates"]] == ["report://{year}"]

    def test_resources_of_one_server_can_be_listed(self, backend: Backend, user: UserName) -> None:
        admin = backend.client_for(user, "admins")

        assert {each["server"] for each in admin.get("/api/resources").json()["resources"]} == {"report"}
        vault = admin.get("/api/resources", params={"server": "vault"}).json()
        assert {each["server"] for each in [*vault["resources"], *vault["templates"]]} == {"vault"}

    def test_resources_and_prompts_of_other_groups_are_not_listed(self, http: TestClient) -> None:
        assert http.get("/api/resources", params={"server": "vault"}).json()["resources"] == []
        assert "vault" not in http.get("/api/prompts").text

    def test_prompts_are_listed_with_their_arguments(self, http: TestClient) -> None:
        assert http.get("/api/prompts").json() == {
            "prompts": [
                {
                    "server": "report",
                    "name": "compare",
                    "title": None,
                    "description": "",
                    "arguments": [{"name": "year", "description": "", "required": True}],
                }
            ]
        }

    def test_message_of_a_prompt_is_requested_for_the_user(
        self, backend: Backend, http: TestClient, user: UserName
    ) -> None:
        file = OfferedFile(name="a.txt", mime="text/plain", b64="YQ==")
        backend.runners.answer = OfferAnswer(text="Compare 2026", files=[file])
        body = {"server": "report", "name": "compare", "arguments": {"year": "2026"}}

        response = http.post("/api/prompts", json=body)

        assert response.json() == {"text": "Compare 2026", "files": [file.model_dump()]}
        request = OfferRequest(method="prompts/get", name="compare", arguments={"year": "2026"})
        assert backend.runners.offer_requests[-1] == ("report", user, request)

    def test_prompt_without_a_required_argument_is_rejected_with_its_name(self, http: TestClient) -> None:
        response = http.post("/api/prompts", json={"server": "report", "name": "compare"})

        assert (response.status_code, response.json()["detail"]) == (422, "The prompt needs a value for: year.")

    def test_problem_of_the_server_with_a_prompt_is_reported(self, backend: Backend, http: TestClient) -> None:
        backend.runners.answer = OfferAnswer(problem="no such year")
        body = {"server": "report", "name": "compare", "arguments": {"year": "x"}}

        response = http.post("/api/prompts", json=body)

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
        assert response.json()["detail"] == "The server 'report' refused the request: no such year"

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("prompts", {"server": "vault", "name": "compare", "arguments": {"year": "1"}}),
            ("prompts", {"server": "report", "name": "absent"}),
            ("prompts/completion", {"server": "vault", "name": "compare", "argument": "year"}),
            ("prompts/completion", {"server": "report", "name": "compare", "argument": "absent"}),
            ("resources", {"server": "vault", "uri": "vault://001"}),
            ("resources", {"server": "report", "uri": "report://absent"}),
        ],
    )
    def test_offer_that_is_absent_or_of_other_groups_is_not_requested(
        self, backend: Backend, http: TestClient, path: str, body: dict[str, object]
    ) -> None:
        requests = len(backend.runners.offer_requests)

        response = http.post(f"/api/{path}", json=body)

        assert (response.status_code, response.json()["error_code"]) == (404, "E_NOT_FOUND")
        assert len(backend.runners.offer_requests) == requests

    def test_argument_of_a_prompt_is_completed(self, backend: Backend, http: TestClient, user: UserName) -> None:
        backend.runners.answer = OfferAnswer(values=["2025", "2026"])
        body = {"server": "report", "name": "compare", "argument": "year", "arguments": {"year": "20"}}

        assert http.post("/api/prompts/completion", json=body).json() == {"values": ["2025", "2026"]}
        request = OfferRequest(method="completion/complete", name="compare", arguments={"year": "20"}, argument="year")
        assert backend.runners.offer_requests[-1] == ("report", user, request)

    def test_server_without_completion_offers_no_values(self, backend: Backend, http: TestClient) -> None:
        backend.runners.answer = OfferAnswer(problem="Method not found")
        body = {"server": "report", "name": "compare", "argument": "year"}

        assert http.post("/api/prompts/completion", json=body).json() == {"values": []}

    def test_resource_is_read_into_files(self, backend: Backend, http: TestClient) -> None:
        backend.runners.answer = OfferAnswer(files=[OfferedFile(name="1.txt", mime="text/plain", b64="YQ==")])

        response = http.post("/api/resources", json={"server": "report", "uri": "report://001"})

        assert response.json() == {"files": [{"name": "1.txt", "mime": "text/plain", "b64": "YQ=="}]}
        assert backend.runners.offer_requests[-1][2] == OfferRequest(method="resources/read", name="report://001")
