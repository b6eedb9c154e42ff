"""No call hides the file of another one: each has its own file, link and content, and failed calls have none."""

import json

import pytest

from tests.e2e.specifications.chat import Chat, Turn
from tests.e2e.user_client import Json

NOT_STORED = "not stored, because the call failed"
EMPTY = "it is empty, so no file was stored"


def contents(turn: Turn) -> dict[str, bytes]:
    """Return the contents of a turn's files by name. Check that they have unique names, ids, keys and links."""
    artifacts = turn.artifacts
    for key in ("name", "id", "file_key", "download_url"):
        assert len({artifact[key] for artifact in artifacts}) == len(artifacts), key
    return dict(turn.downloads())


def graph(gene: str) -> bytes:
    return json.dumps({"nodes": [{"id": gene}], "edges": []}).encode()


def citations(term: str) -> bytes:
    return json.dumps([{"pmid": "1", "title": term}], separators=(",", ":")).encode()


def versions(chat: Chat, file_key: str) -> list[Json]:
    page = chat.user.request("GET", f"/api/files/{file_key}/versions").json()
    listed: list[Json] = page["versions"]
    return listed


@pytest.mark.clause("v2.1:artifacts:same-turn", "v5:artifacts:unique-ids")
def test_twenty_calls_of_a_turn_that_make_one_name_give_twenty_files(chat: Chat) -> None:
    turn = chat.call_all(*(("same_names.make_report", {"number": number}) for number in range(20)))
    reports = {f"<h1>Report {number}</h1>".encode() for number in range(20)}
    names = {"report.html", *(f"report ({number}).html" for number in range(2, 21))}
    assert (set(contents(turn)), set(contents(turn).values())) == (names, reports)
    assert {file["name"] for file in chat.files()} == names
    for_model = [json.loads(text)["files"] for text in turn.tool_texts]
    in_events = [[file["name"] for file in event["files"]] for event in turn.file_updates()]
    primary = [[event["display"]["primary_file"]] for event in turn.file_updates()]
    assert sorted(for_model) == sorted(in_events) == sorted(primary) == sorted([name] for name in names)
    by_number = {json.loads(text)["results"]["number"]: json.loads(text)["files"][0] for text in turn.tool_texts}
    for number, name in by_number.items():
        assert contents(turn)[name] == f"<h1>Report {number}</h1>".encode()


@pytest.mark.clause("v2.1:artifacts:same-turn")
def test_analysis_of_two_datasets_in_a_turn_gives_two_reports(chat: Chat) -> None:
    chat.upload("north.csv", b"category,sales\na,1\na,2\n")
    chat.upload("south.csv", b"category,sales\nb,5\n")
    calls = [("same_names.analyze_dataset", {"filename": name}) for name in ("north.csv", "south.csv")]
    turn = chat.call_all(*calls)
    assert set(contents(turn)) == {"analysis_results.html", "analysis_results (2).html"}
    results = [json.loads(text) for text in turn.tool_texts]
    assert [contents(turn)[result["files"][0]] for result in results] == [b"<li>a: 3", b"<li>b: 5"]


@pytest.mark.clause("v5:artifacts:own-id", "v5:artifacts:unique-ids")
def test_three_knowledge_graphs_with_ids_are_three_files_in_one_turn_and_in_three(chat: Chat) -> None:
    genes = ["ONE", "TWO", "THREE"]
    turn = chat.call_all(*(("same_names.find_relations", {"gene": gene}) for gene in genes))
    assert {artifact["id"] for artifact in turn.artifacts} == {f"id-{gene}" for gene in genes}
    assert sorted(contents(turn).values()) == sorted(map(graph, genes))
    later = chat.call("same_names.find_relations", {"gene": "FOUR"})
    assert contents(later) == {"Knowledge Graph (4).json": graph("FOUR")}
    again = chat.call("same_names.find_relations", {"gene": "FOUR"})
    assert [(file["id"], file["version"]) for file in later.artifacts + again.artifacts] == [
        ("id-FOUR", 1),
        ("id-FOUR", 2),
    ]


@pytest.mark.clause("v5:flow:final-response", "v5:artifacts:unique-ids")
def test_two_searches_and_two_grants_of_a_turn_keep_their_own_content(chat: Chat) -> None:
    searches = [("same_names.search_articles", {"term": term}) for term in ("A", "B")]
    grants = [("same_names.fetch_grant", {"number": number}) for number in ("R01", "R02")]
    turn = chat.call_all(*searches, *grants)
    assert sorted(contents(turn).values()) == sorted([citations("A"), citations("B"), b"# R01", b"# R02"])
    assert all(artifact["content"].encode() == contents(turn)[artifact["name"]] for artifact in turn.artifacts)


@pytest.mark.clause("v2.1:artifacts:name", "v2.1:artifacts:versions")
def test_every_version_of_a_file_is_listed_read_and_downloaded(chat: Chat) -> None:
    turns = [chat.call("same_names.search_articles", {"term": term}) for term in ("A", "B", "C")]
    (key,) = {artifact["file_key"] for turn in turns for artifact in turn.artifacts}
    assert len({artifact["id"] for turn in turns for artifact in turn.artifacts}) == len(turns)
    listed = versions(chat, key)
    assert [file["version"] for file in listed] == [3, 2, 1]
    assert [turns[0].download(file) for file in listed] == [citations("C"), citations("B"), citations("A")]
    for number, term in enumerate(["A", "B", "C"], start=1):
        read = chat.read_file(f"{key}?version={number}")
        assert (read["version"], turns[0].download(read)) == (number, citations(term))
    assert chat.user.request("GET", f"/api/files/{key}?version=4").json()["error_code"] == "E_FILE_NOT_FOUND"


@pytest.mark.clause("v2.1:artifacts:failed-call", "v5:artifacts:empty")
def test_failed_search_leaves_the_list_of_an_earlier_turn_as_it_was(chat: Chat) -> None:
    key = chat.call("same_names.search_articles", {"term": "A"}).artifacts[0]["file_key"]
    failed = chat.call("same_names.fail_to_search")
    assert (failed.call["is_error"], failed.artifacts, failed.response["display"]["open_canvas"]) == (True, [], False)
    assert [file["name"] for file in chat.files()] == ["Article References.json"]
    assert [file["version"] for file in versions(chat, key)] == [1]


@pytest.mark.clause("v2.1:artifacts:failed-call")
def test_failed_call_stores_no_file_and_opens_nothing(chat: Chat) -> None:
    turn = chat.call("same_names.fail_to_write")
    response = turn.response
    assert (turn.call["is_error"], turn.call["results"]) == (True, {"error": "disk full"})
    assert (turn.artifacts, response["canvases"], response["display"]["open_canvas"]) == ([], [], False)
    assert (chat.files(), turn.file_updates()) == ([], [])
    problems = turn.call["meta_data"]["artifact_problems"]
    assert [(problem["name"], problem["reason"]) for problem in problems] == [
        ("report.html", NOT_STORED),
        ("big.bin", NOT_STORED),
    ]
    assert turn.call["meta_data"]["canvas_refused"] == "The dashboard was not opened, because the call failed."
    assert NOT_STORED in turn.tool_texts[0]


@pytest.mark.clause("v5:artifacts:empty", "v5:grant:content")
def test_empty_results_store_no_file_and_are_reported(chat: Chat) -> None:
    turn = chat.call("same_names.find_nothing")
    assert (turn.call["is_error"], turn.artifacts, turn.response["display"]["open_canvas"]) == (False, [], False)
    assert chat.files() == []
    problems = turn.call["meta_data"]["artifact_problems"]
    assert [(problem["name"], problem["reason"]) for problem in problems] == [
        ("Knowledge Graph", EMPTY),
        ("Article References", EMPTY),
        ("NIH Grant Details", EMPTY),
    ]


@pytest.mark.clause("v2:canvas:several")
def test_all_dashboards_of_a_turn_are_in_the_response(chat: Chat) -> None:
    turn = chat.call_all(*(("same_names.open_dashboard", {"number": number}) for number in (1, 2)))
    canvases = turn.response["canvases"]
    assert [canvas["id"] for canvas in canvases] == ["monitor-1", "monitor-2"]
    assert len({canvas["token"] for canvas in canvases}) == len(canvases)
    assert turn.response["canvas"] == canvases[-1]
