"""Whole conversations: read with everything in them, imported, and deleted for good."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from starlette.testclient import TestClient

from satchel.domain.conversation import AssistantMessage, UserMessage
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.turn_messages import messages_of
from satchel.services.sessions.clean_up_session import GRACE
from satchel.services.sessions.import_conversation import MAX_TURNS
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, Json, session_not_found
from tests.integration.http.backend import MAX_MESSAGE, Backend

SALES = {"tool": "report.summarise", "arguments": {"file": "sales.csv"}, "results": {"rows": 7}, "duration_ms": 12}


def items_of(backend: Backend, *texts: str) -> Iterator[str]:
    """Yield the keys of the items in the table that contain one of these texts."""
    for page in backend.table.client.get_paginator("scan").paginate(TableName=backend.table.name):
        yield from (
            f"{item['pk']['S']} {item['sk']['S']}" for item in page["Items"] if any(text in str(item) for text in texts)
        )


class TestRead:
    def test_conversation_has_the_calls_files_approvals_and_questions_of_its_turns(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session(title="Sales", instructions="Be brief.")
        turn_id = api.start_turn(session_id, "Summarise my sales")
        backend.request_approval(user, session_id, turn_id)
        backend.request_input(turn_id)
        backend.complete_turn(user, session_id, turn_id)

        read = api.get_json(f"/api/conversations/{session_id}")

        session = api.get_json(f"/api/sessions/{session_id}")
        final = api.get_json(f"/api/sessions/{session_id}/turns/{turn_id}")
        [turn] = read.pop("turns")
        assert read == {name: value for name, value in session.items() if name != "turns"}
        assert {name: turn[name] for name in session["turns"][0]} == session["turns"][0]
        assert turn["tool_calls"] == final["tool_calls"] != []
        assert [approval["call_id"] for approval in turn["approvals"]] == [final["tool_calls"][0]["call_id"]]
        assert [(question["input_id"], question["tool"]) for question in turn["questions"]] == [
            ("1-0", turn["tool_calls"][0]["tool"])
        ]

    def test_pages_have_all_turns_in_order(self, backend: Backend, api: ApiClient, user: UserName) -> None:
        session_id = api.create_session()
        turn_ids = []
        for _ in range(3):
            turn_ids.append(api.start_turn(session_id))
            backend.complete_turn(user, session_id, turn_ids[-1])
            backend.clock.advance(1)

        first = api.get_json(f"/api/conversations/{session_id}?limit=2")
        second = api.get_json(f"/api/conversations/{session_id}?limit=2&cursor={first['cursor']}")

        assert [turn["turn_id"] for turn in first["turns"] + second["turns"]] == turn_ids
        assert second["cursor"] is None

    def test_page_of_large_turns_is_shorter_and_none_is_lost(
        self, api: ApiClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        turns = [{"message": f"{number}", "answer": "x" * 900} for number in range(5)]
        session_id = imported(api, turns)
        monkeypatch.setattr("satchel.services.sessions.read_conversation.MAX_PAGE_BYTES", 4_000)

        pages = list(read_pages(api, session_id))

        assert len(pages[0]) < 5
        assert [turn["message"] for page in pages for turn in page] == ["0", "1", "2", "3", "4"]

    def test_results_of_a_turn_that_exceeds_a_page_are_shortened(
        self, api: ApiClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        call = {"tool": "report.summarise", "arguments": None, "results": "x" * 50_000}
        session_id = imported(api, [{"message": "long", "tool_calls": [call]}])
        monkeypatch.setattr("satchel.services.sessions.read_conversation.MAX_PAGE_BYTES", 10_000)

        [turn] = api.get_json(f"/api/conversations/{session_id}")["turns"]

        assert turn["tool_calls"][0]["results"] == "x" * 1999 + "…"
        assert turn["tool_calls"][0]["arguments"] is None


def read_pages(api: ApiClient, session_id: str) -> Iterator[list[Json]]:
    cursor = ""
    while cursor is not None:
        page = api.get_json(f"/api/conversations/{session_id}" + (f"?cursor={cursor}" if cursor else ""))
        yield page["turns"]
        cursor = page["cursor"]


def imported(api: ApiClient, turns: list[Json], **fields: object) -> str:
    response = api.http.post("/api/conversations", json={"turns": turns, **fields})
    assert response.status_code == 201, response.text
    return str(response.json()["session_id"])


class TestBranches:
    def test_branches_are_read_and_imported(self, backend: Backend, api: ApiClient, user: UserName) -> None:
        session_id = api.create_session()
        turn_ids: list[str] = []
        for message, after in (("one", None), ("two", None), ("two, edited", 0), ("three", None), ("anew", "start")):
            named = turn_ids[after] if isinstance(after, int) else after
            turn_ids.append(api.start_turn(session_id, message, after=named))
            backend.complete_turn(user, session_id, turn_ids[-1])
            backend.clock.advance(1)

        whole = api.get_json(f"/api/conversations/{session_id}")

        assert [turn["after"] for turn in whole["turns"]] == [None, None, turn_ids[0], None, "start"]
        copied = api.http.post("/api/conversations", json=whole).json()["session_id"]
        copy = api.get_json(f"/api/conversations/{copied}")["turns"]
        assert [turn["after"] for turn in copy] == [None, None, copy[0]["turn_id"], None, "start"]
        for session, turns in ((session_id, whole["turns"]), (copied, copy)):
            messages = messages_of(backend.transcript.list_turns(SessionId(session), TurnId(turns[3]["turn_id"])))
            texts = [message.text for message in messages if isinstance(message, UserMessage)]
            assert texts == ["one", "two, edited", "three"]

    def test_turn_of_another_session_cannot_be_followed(self, api: ApiClient) -> None:
        turn_id = api.start_turn(api.create_session())
        url = f"/api/sessions/{api.create_session()}/turns"

        response = api.http.post(url, json={"message": "Hello", "after": turn_id})

        assert (response.status_code, response.json()["error_code"]) == (404, "E_TURN_NOT_FOUND")

    def test_unknown_turn_of_an_import_is_ignored(self, api: ApiClient) -> None:
        session_id = imported(api, [{"message": "one"}, {"message": "two", "after": "unknown"}])
        assert [turn["after"] for turn in api.get_json(f"/api/sessions/{session_id}")["turns"]] == [None, None]


class TestImport:
    def test_conversation_that_was_read_whole_can_be_imported(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session(title="Sales", instructions="Be brief.")
        for message in ("one", "two"):
            turn_id = api.start_turn(session_id, message)
            backend.request_approval(user, session_id, turn_id)
            backend.complete_turn(user, session_id, turn_id)
            backend.clock.advance(1)
        whole = api.get_json(f"/api/conversations/{session_id}")

        response = api.http.post("/api/conversations", json=whole)

        copy = api.get_json(f"/api/conversations/{response.json()['session_id']}")
        fields = ("message", "answer", "status", "created_at", "ended_at", "model")
        assert response.status_code == 201
        assert (copy["title"], copy["instructions"]) == ("Sales", "Be brief.")
        assert copy["session_id"] != session_id
        assert [[turn[name] for name in fields] for turn in copy["turns"]] == [
            [turn[name] for name in fields] for turn in whole["turns"]
        ]
        assert [turn["imported"] for turn in whole["turns"] + copy["turns"]] == [False, False, True, True]
        assert [call["tool"] for turn in copy["turns"] for call in turn["tool_calls"]] == [
            call["tool"] for turn in whole["turns"] for call in turn["tool_calls"]
        ]
        assert [turn["approvals"] for turn in copy["turns"]] == [[], []]

    def test_model_reads_imported_messages_and_answers_but_no_tool_results(
        self, backend: Backend, api: ApiClient
    ) -> None:
        session_id = imported(
            api,
            [{"message": "How many?", "answer": "Seven.", "tool_calls": [SALES]}, {"message": "Sure?", "answer": ""}],
        )
        assert messages_of(backend.transcript.list_turns(SessionId(session_id))) == [
            UserMessage(text="How many?"),
            AssistantMessage(text="Seven."),
            UserMessage(text="Sure?"),
        ]

    def test_imported_calls_are_no_facts_of_the_audit_trail_and_cannot_be_approved(
        self, backend: Backend, api: ApiClient
    ) -> None:
        session_id = imported(api, [{"message": "How many?", "answer": "Seven.", "tool_calls": [SALES]}])

        [turn] = api.get_json(f"/api/conversations/{session_id}")["turns"]
        [call] = turn["tool_calls"]
        path = f"/api/sessions/{session_id}/turns/{turn['turn_id']}"

        assert (call["results"], call["server"]) == ({"rows": 7}, "report")
        assert api.get_json(f"/api/sessions/{session_id}/audit")["entries"] == []
        assert backend.calls.list(TurnId(turn["turn_id"])) == []
        assert api.http.get(f"{path}/calls/{call['call_id']}/approval").status_code == 404
        read = api.get_json(path)
        assert (read["imported"], read["tool_calls"], read["answer"]) == (True, turn["tool_calls"], "Seven.")

    def test_imported_files_have_links_only_if_they_are_files_of_the_user(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        own = api.upload("own.csv")
        foreign = ApiClient(backend.client_for(f"other-{user}")).upload("foreign.csv")
        files = [{"file_key": file["file_key"], "name": file["name"]} for file in (own, foreign)]

        session_id = imported(api, [{"message": "hello", "artifacts": files}])

        [turn] = api.get_json(f"/api/conversations/{session_id}")["turns"]
        links = [artifact["download_url"] for artifact in turn["artifacts"]]
        assert api.http.get(links[0]).status_code == 200
        assert links[1] is None

    def test_turn_after_the_import_follows_the_imported_ones(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = imported(api, [{"message": f"{number}", "answer": "ok"} for number in range(300)])
        backend.clock.advance(1)
        turn_id = api.start_turn(session_id, "next")
        backend.complete_turn(user, session_id, turn_id)

        messages = [turn["message"] for page in read_pages(api, session_id) for turn in page]

        assert messages == [*map(str, range(300)), "next"]

    def test_events_of_an_imported_turn_are_its_end(self, api: ApiClient) -> None:
        failure = {"error_code": "E_BROKEN", "message": "Broken."}
        session_id = imported(
            api, [{"message": "one"}, {"message": "two", "status": "failed", "error": failure, "answer": "half"}]
        )
        first, second = api.get_json(f"/api/conversations/{session_id}")["turns"]
        path = f"/api/sessions/{session_id}/turns"

        assert [event["type"] for event in api.get_json(f"{path}/{first['turn_id']}/events")["events"]] == [
            "response_complete"
        ]
        read = api.get_json(f"{path}/{second['turn_id']}/events?after=0")
        assert [(event["type"], event["error"]) for event in read["events"]] == [("turn_failed", failure)]
        assert read["done"] is True

    def test_times_in_the_future_become_the_time_of_the_import(self, backend: Backend, api: ApiClient) -> None:
        session_id = imported(api, [{"message": "one", "created_at": "2999-01-01T00:00:00Z"}])

        [turn] = api.get_json(f"/api/conversations/{session_id}")["turns"]

        assert turn["created_at"] == backend.clock.now().isoformat().replace("+00:00", "Z")

    def test_large_results_of_imported_calls_are_shortened(self, api: ApiClient) -> None:
        call = {"tool": "report.summarise", "results": "x" * 150_000}

        session_id = imported(api, [{"message": "one", "tool_calls": [call]}])

        [turn] = api.get_json(f"/api/conversations/{session_id}")["turns"]
        assert turn["tool_calls"][0]["results"] == "x" * 199 + "…"

    @pytest.mark.parametrize(
        ("turns", "status"),
        [
            ([], 422),
            ([{"message": "x"}] * (MAX_TURNS + 1), 422),
            ([{"answer": "x"}], 422),
            ([{"message": "x" * MAX_MESSAGE}], 413),
            ([{"message": "x", "answer": "x" * MAX_MESSAGE}], 413),
            ([{"message": "x", "tool_calls": [{"tool": "a.b"}] * 181}], 422),
            ([{"message": "x", "created_at": "2026-01-01T00:00:00"}], 422),
        ],
        ids=["none", "too many", "no message", "long message", "long answer", "many calls", "time without zone"],
    )
    def test_conversation_over_a_limit_starts_no_session(
        self, api: ApiClient, http: TestClient, turns: list[Json], status: int
    ) -> None:
        assert http.post("/api/conversations", json={"turns": turns}).status_code == status
        assert api.get_json("/api/sessions")["sessions"] == []

    def test_model_that_the_user_may_not_choose_is_ignored(self, api: ApiClient) -> None:
        session_id = imported(api, [{"message": "one", "model": "careful"}], model="careful")

        read = api.get_json(f"/api/conversations/{session_id}")

        assert (read["model"], read["turns"][0]["model"]) == (None, "careful")


class TestDelete:
    def test_deleted_conversation_is_gone_for_every_reader_at_once(
        self, backend: Backend, api: ApiClient, http: TestClient
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)

        for _ in range(2):
            assert http.delete(f"/api/conversations/{session_id}").status_code == 204

        for path in ("", "/audit", f"/turns/{turn_id}", f"/turns/{turn_id}/events"):
            response = http.get(f"/api/sessions/{session_id}{path}")
            assert (response.status_code, response.json()) == (404, session_not_found(session_id))
        assert http.get(f"/api/conversations/{session_id}").status_code == 404
        assert http.post(f"/api/sessions/{session_id}/turns", json={"message": "more"}).status_code == 404
        assert api.get_json("/api/sessions")["sessions"] == []
        assert api.get_json("/api/me")["quotas"]["open_sessions"]["used"] == 0
        assert (turn_id, "cancelled by the user") in backend.workflow.stopped

    def test_nothing_of_a_deleted_conversation_is_left_after_the_grace_period(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session(title="secret plans")
        turn_id = api.start_turn(session_id)
        backend.request_approval(user, session_id, turn_id)
        backend.request_input(turn_id)
        backend.open_dashboard(user, session_id, random_id("canvas-"))
        backend.complete_turn(user, session_id, turn_id)
        backend.store.put(f"{user}/turns/{turn_id}/texts/a.json", BytesIO(b"{}"), "application/json")
        other = api.create_session(title="other")
        assert list(items_of(backend, session_id, turn_id))
        api.http.delete(f"/api/conversations/{session_id}")
        assert not list(items_of(backend, "secret plans"))

        backend.clock.advance(GRACE.total_seconds())
        backend.use_cases.sweep(lambda: True)

        assert list(items_of(backend, session_id, turn_id)) == []
        assert backend.store.read(f"{user}/turns/{turn_id}/texts/a.json", 10) is None
        assert api.get_json(f"/api/sessions/{other}")["title"] == "other"

    def test_permanent_files_stay_and_get_new_links(self, backend: Backend, api: ApiClient, http: TestClient) -> None:
        session_id = api.create_session()
        file = api.upload("a.csv", session_id=session_id)

        http.delete(f"/api/conversations/{session_id}")
        backend.clock.advance(GRACE.total_seconds())
        backend.use_cases.sweep(lambda: True)

        assert http.get(file["download_url"]).status_code == 404
        again = api.get_json(f"/api/files/{file['file_key']}")
        assert http.get(again["download_url"]).status_code == 200
        assert http.delete(f"/api/files/{file['file_key']}").status_code == 204
        assert [item for item in items_of(backend, file["file_key"]) if "AUDIT" not in item] == []

    def test_ended_session_can_be_deleted(self, api: ApiClient, http: TestClient) -> None:
        session_id = api.create_session()
        http.delete(f"/api/sessions/{session_id}")

        assert http.delete(f"/api/conversations/{session_id}").status_code == 204
        assert http.get(f"/api/sessions/{session_id}").status_code == 404
