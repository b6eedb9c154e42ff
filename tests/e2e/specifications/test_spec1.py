"""Specification 1, MCP Tool Output Contract: each printed example and rule, seen by the user and by the model."""

import json
from typing import Any

import pytest

from tests.e2e.specifications.chat import Batch, Chat, Turn
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient
from tests.fake_providers.server import FakeEndpoint
from tests.tokens import runner_logs

EVALUATED = {"operation": "evaluate", "expression": "234*97", "result": 22698}
VECTORS = (b'{"vectors":[0.123,0.345...]}', b'{"vectors":[0.223,0.445...]}')
BASE64_OF_VECTORS = "eyJ2ZWN0b3JzIjpb"
FALSY = {"false": False, "zero": 0, "text": "", "list": [], "object": {}}
WITHOUT_ARGUMENTS = (
    "count_rows",
    "evaluate",
    "evaluate_with_other_text",
    "evaluate_as_json_text",
    "evaluate_as_result_object",
    "evaluate_as_plain_text",
    "evaluate_with_other_data",
    "give_nothing",
    "give_no_content",
    "give_list",
    "spell_meta_data",
)


@pytest.fixture(scope="module")
def batch(user: UserClient, endpoint: FakeEndpoint) -> Batch:
    """The calls that make no files, in one turn."""
    calls: list[tuple[str, Json]] = [(f"spec1.{tool}", {}) for tool in WITHOUT_ARGUMENTS]
    calls += [("spec1.give_falsy", {"kind": kind}) for kind in FALSY]
    calls += [("spec1.calculate", {"expression": "234*97"})]
    return Chat(user, user.create_session(), endpoint).batch(*calls)


def assert_results(turn: Turn, results: Any, meta_data: Json | None = None) -> None:  # noqa: ANN401  (JSON)
    """Check that the response, the event and the model have these results and facts."""
    (event,) = turn.events_of("tool_complete")
    assert (turn.call["is_error"], event["is_error"]) == (False, False)
    assert (turn.call["results"], event["results"], turn.tool_result["results"]) == (results, results, results)
    assert (turn.call["meta_data"], turn.tool_result.get("meta_data")) == (meta_data, meta_data)


@pytest.mark.clause("v1:results:told", "v1:meta-data:told", "v1:extract:unchanged", "v2:migration:results-only")
@pytest.mark.parametrize(
    ("tool", "arguments", "results", "meta_data"),
    [
        ("calculate", {"expression": "234*97"}, {"expression": "234*97", "result": 22698}, None),
        ("count_rows", {}, {"row_count": 42}, {"elapsed_ms": 18, "source": "inventory_db"}),
    ],
    ids=["Minimal Examples 1", "Minimal Examples 2"],
)
def test_results_and_meta_data_reach_the_user_and_the_model(
    tool: str, arguments: Json, results: Json, meta_data: Json | None, batch: Batch
) -> None:
    assert_results(batch.call(f"spec1.{tool}", arguments), results, meta_data)


@pytest.mark.clause(
    "v1:files:become-artifacts",
    "v1:files:names-told",
    "v1:files:contents-not-told",
    "v1:files:fetched-apart",
    "v2:migration:arrays",
)
def test_files_of_minimal_example_3_are_stored_and_only_their_names_reach_the_model(chat: Chat) -> None:
    turn = chat.call("spec1.embed")
    assert_results(turn, "Generated embedding vectors (see files).", {"dimension": 1536, "chunks": 2})
    assert turn.downloads() == [("embeddings_part1.json", VECTORS[0]), ("embeddings_part2.json", VECTORS[1])]
    assert {artifact["mime"] for artifact in turn.artifacts} == {"application/json"}
    assert turn.tool_result["files"] == ["embeddings_part1.json", "embeddings_part2.json"]
    assert BASE64_OF_VECTORS not in str(turn.model_requests) + str(turn.events)
    assert "vectors" not in turn.tool_texts[0].replace("embedding vectors", "")


@pytest.mark.clause("v1:files:none")
def test_call_without_files_mentions_none(batch: Batch) -> None:
    turn = batch.call("spec1.calculate", {"expression": "234*97"})
    assert (turn.artifacts, turn.file_updates()) == ([], [])
    assert set(turn.tool_result) == {"data_from", "results"}


@pytest.mark.clause("v1:files:own-name")
def test_name_of_a_content_object_takes_precedence_over_the_names_array(chat: Chat) -> None:
    turn = chat.call("spec1.embed_as_objects")
    assert turn.downloads() == [("own.json", VECTORS[0]), ("second.json", VECTORS[1])]


@pytest.mark.clause("v1:files:uneven")
def test_content_without_a_name_is_stored_and_name_without_content_is_reported(chat: Chat) -> None:
    unnamed = chat.call("spec1.embed_unevenly", {"names": 1, "contents": 2})
    assert [content for _, content in unnamed.downloads()] == list(VECTORS)
    assert unnamed.artifacts[0]["name"] == "part1.json"
    missing = chat.call("spec1.embed_unevenly", {"names": 2, "contents": 1})
    assert [content for _, content in missing.downloads()] == [VECTORS[0]]
    assert [problem["name"] for problem in missing.call["meta_data"]["artifact_problems"]] == ["part2.json"]


@pytest.mark.clause(
    "v1:extract:structured-first",
    "v1:extract:json-text",
    "v1:extract:result-object",
    "v1:extract:wrap",
    "v2.1:output:one-form",
)
@pytest.mark.parametrize(
    "tool", ["evaluate", "evaluate_with_other_text", "evaluate_as_json_text", "evaluate_as_result_object"]
)
def test_payload_of_the_fastmcp_notes_becomes_the_results(tool: str, batch: Batch) -> None:
    turn = batch.call(f"spec1.{tool}")
    assert (turn.call["results"], turn.tool_result["results"]) == (EVALUATED, EVALUATED)


@pytest.mark.clause("v1:extract:plain-text")
def test_plain_texts_become_the_results(batch: Batch) -> None:
    assert_results(batch.call("spec1.evaluate_as_plain_text"), "234*97 is\n\n22698.")


@pytest.mark.clause("v1:output:same-data")
def test_structured_content_is_used_and_a_warning_logged_if_data_differs(batch: Batch, system: SystemProcess) -> None:
    assert_results(batch.call("spec1.evaluate_with_other_data"), EVALUATED)
    logs = "".join(log.read_text(errors="replace") for log in runner_logs(system.temp_dir))
    assert "The 'data' of a tool result differs from its structured content" in logs


@pytest.mark.clause("v1:error:is-error")
def test_error_result_reaches_the_user_and_the_model_as_an_error(chat: Chat) -> None:
    turn = chat.call("spec1.fail")
    (event,) = turn.events_of("tool_complete")
    error = {"error": "division by zero"}
    assert (turn.call["is_error"], turn.call["results"], turn.call["meta_data"]["is_error"]) == (True, error, True)
    assert (event["is_error"], event["results"]) == (True, error)
    assert "division by zero" in turn.tool_texts[0]
    assert "is_error" in turn.tool_texts[0]


@pytest.mark.clause("v1:output:not-empty")
@pytest.mark.parametrize("tool", ["give_no_content", "give_nothing"])
def test_empty_output_becomes_null(tool: str, batch: Batch) -> None:
    assert_results(batch.call(f"spec1.{tool}"), None)


@pytest.mark.clause("v1:results:falsy")
@pytest.mark.parametrize("kind", FALSY)
def test_falsy_results_stay_unchanged(kind: str, batch: Batch) -> None:
    assert_results(batch.call("spec1.give_falsy", {"kind": kind}), FALSY[kind])


@pytest.mark.clause("v1:output:list-kept")
def test_plain_list_at_the_top_level_becomes_the_results(batch: Batch) -> None:
    assert_results(batch.call("spec1.give_list"), [{"id": 1}, {"id": 2}])


@pytest.mark.clause("v1:meta-data:spelling")
def test_meta_data_with_a_hyphen_is_accepted(batch: Batch) -> None:
    assert_results(batch.call("spec1.spell_meta_data"), {"row_count": 42}, {"elapsed_ms": 18})


@pytest.mark.clause("v1:results:large-to-file")
def test_results_that_are_too_long_for_the_model_are_stored_as_a_file(chat: Chat) -> None:
    turn = chat.call("spec1.give_many_rows", {"rows": 20_000})
    ((name, content),) = turn.downloads()
    rows = json.loads(content)
    assert (len(rows), rows[-1]) == (20_000, {"row": 19_999, "text": "All work and no play."})
    assert turn.tool_result["files"] == [name]
    assert turn.tool_result["meta_data"]["truncated"]["results"]["left_out"] > len(content) / 2
    assert len(turn.tool_texts[0]) < len(content) / 2


@pytest.mark.clause("v1:prompt:no-base64")
def test_base64_in_results_is_replaced_by_a_note_for_the_model(chat: Chat) -> None:
    turn = chat.call("spec1.echo_file")
    assert turn.tool_result["results"] == {"summary": "A chart.", "chart": "[base64 omitted: about 1650 bytes]"}
    assert "iVBORw0KGgo" not in str(turn.model_requests)
