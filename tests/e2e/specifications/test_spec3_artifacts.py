"""Specification 3, sections 1, 6, 10 and 11.2: the output of a tool, its artifacts, and the printed tools."""

import json
from base64 import b64encode
from collections.abc import Mapping

import pytest

from tests.e2e.specifications.chat import Chat, Turn
from tests.e2e.user_client import Json, UserClient
from tests.fake_providers.server import FakeEndpoint

SALES = b"category,sales\nnorth,3\nsouth,4\nnorth,5\n"
REPORT_SIZE = 245_760
TEXT = "one\ntwo\n"
HOME = "/tmp/{username}"


def artifact(name: str, **fields: object) -> Json:
    """Return a valid artifact, changed by ``fields``. The artifact has no field whose value is None."""
    fields = {"name": name, "b64": b64encode(TEXT.encode()).decode(), "mime": "text/plain", **fields}
    return {key: value for key, value in fields.items() if value is not None}


def by_path(name: str, **fields: object) -> Json:
    return artifact(name, **{"path": f"{HOME}/{name}", "b64": None, **fields})


def give(chat: Chat, files: Mapping[str, str], **output: object) -> Turn:
    """Run a turn with a tool that writes the files and returns the output."""
    return chat.call("spec3.give", {"files": files, "output": {"results": {"summary": "done"}, **output}})


@pytest.mark.clause("v2.1:artifacts:path", "v2.1:output:one-form", "v2.1:processing:no-path")
@pytest.mark.parametrize(
    ("tool", "name"),
    [("process_data", "processed_data.parquet"), ("process_data_by_required_patterns", "results.parquet")],
    ids=["section 5.2", "section 10.1"],
)
def test_printed_tool_returns_the_processed_file(tool: str, name: str, chat: Chat) -> None:
    chat.upload("data.csv", SALES)
    turn = chat.call(f"spec3_printed.{tool}", {"filename": "data.csv", "username": "mallory"})
    (file,) = turn.artifacts
    assert (file["name"], file["mime"], file["size"]) == (name, "application/octet-stream", len(SALES) + 4)
    assert turn.download(file) == b"PAR1" + SALES
    assert turn.tool_result["files"] == [name]
    assert "/tmp/" not in str(turn.response["artifacts"]) + str(turn.events) + str(turn.model_requests)
    assert turn.call["results"] in (None, {})


@pytest.mark.clause("v2.1:artifacts:path", "v2.1:large:streamed")
def test_printed_analysis_of_section_10_2_returns_its_result_and_report(chat: Chat) -> None:
    chat.upload("sales.csv", SALES)
    turn = chat.call("spec3_printed.analyze_dataset", {"filename": "sales.csv", "username": "mallory"})
    (file,) = turn.artifacts
    assert turn.call["results"] == turn.tool_result["results"] == {"rows_processed": 3}
    assert (file["name"], file["mime"], file["description"], file["viewer"]) == (
        "analysis_results.html",
        "text/html",
        "Analysis results report",
        "html",
    )
    assert turn.download(file) == b"<p>north: 8</p><p>south: 4</p>"
    assert "Analyze dataset - works with any size file" in str(turn.offered_tools)


@pytest.mark.clause("v2.1:progress:shown", "v2.1:timeout:normal")
def test_printed_progress_reports_of_section_11_2_reach_the_user(chat: Chat) -> None:
    chat.upload("data.csv", SALES)
    turn = chat.call("spec3_printed.process_large_dataset", {"filename": "data.csv"})
    assert turn.call["results"] == {"status": "completed"}
    assert [event["message"] for event in turn.events_of("tool_log")] == [
        "Starting data processing...",
        "Processed 0/20 chunks (0.0%)",
        "Processed 10/20 chunks (50.0%)",
    ]
    last = turn.events_of("tool_progress")[-1]
    assert (last["progress"], last["total"]) == (10, 20)
    assert turn.events_of("tool_notice") == []


@pytest.mark.clause(
    "v2.1:artifacts:fields",
    "v2.1:artifacts:path",
    "v2.1:artifacts:auto-open",
    "v2.1:processing:b64",
    "v2.1:processing:no-path",
    "v2.1:storage:prefix",
)
def test_report_of_section_6_2_is_processed_to_the_printed_fields(chat: Chat) -> None:
    turn = chat.call("spec3.give_report", {"size": REPORT_SIZE})
    fields: Json = {
        "name": "quarterly_report.html",
        "mime": "text/html",
        "size": REPORT_SIZE,
        "description": "Q3 financial analysis report",
        "category": "report",
        "auto_open": True,
    }
    (file,), ((listed,)) = turn.artifacts, turn.file_updates()[0]["files"]
    record = chat.read_file(file["file_key"])
    for shown in (file, listed, record):
        assert {name: shown[name] for name in fields} == fields
    assert record["b64"] == b64encode(b"x" * REPORT_SIZE).decode()
    assert record["s3_ref"] is None
    assert turn.tool_result["results"] == {"summary": "Analysis completed successfully"}
    assert turn.tool_result["files"] == ["quarterly_report.html"]
    assert "/tmp/" not in str(turn.response) + str(turn.events) + str(turn.model_requests) + str(record)


CATEGORIES = {f"{category}.txt": category for category in ("report", "dataset", "visualization", "draft")}
VIEWERS = {
    "shown as data.csv": ("text/csv", "data"),
    "shown as code.py": ("text/x-python", "code"),
    "shown as html.html": ("text/html", "html"),
    "shown as image.png": ("image/png", "image"),
    "shown as pdf.pdf": ("application/pdf", "pdf"),
}
REFUSED = {
    "no bytes.txt": artifact("no bytes.txt", b64=None),
    "missing.txt": by_path("missing.txt"),
    "outside.txt": by_path("outside.txt", path="/etc/passwd"),
    "above.txt": by_path("above.txt", path=f"{HOME}/../above.txt"),
    "garbled.txt": artifact("garbled.txt", b64="not base64!"),
}


@pytest.fixture(scope="module")
def rules(user: UserClient, endpoint: FakeEndpoint) -> Turn:
    """A turn whose tool returned an artifact for each rule of section 6.1, valid and invalid ones mixed."""
    chat = Chat(user, user.create_session(), endpoint)
    artifacts = [
        *REFUSED.values(),
        {"b64": "QQ==", "mime": "text/plain"},
        *(artifact(name, category=category) for name, category in CATEGORIES.items()),
        *(artifact(name, mime=mime, viewer=viewer) for name, (mime, viewer) in VIEWERS.items()),
        *(artifact(f"not {name}", mime=mime) for name, (mime, _) in VIEWERS.items()),
        artifact("no known type.py", mime="application/octet-stream"),
        artifact("unknown viewer.html", mime="text/html", viewer="hologram"),
        artifact("odd type.txt", mime="not a type"),
        artifact("wrong types.txt", description={}, category=["a"], auto_open="perhaps", viewer={}, size="big"),
        artifact("wrong size.txt", size=5_000_000),
        by_path("path size.txt", size=1),
        artifact("described.txt", description="Two lines"),
        artifact("opens.txt", auto_open=True),
    ]
    return give(chat, {"path size.txt": TEXT}, artifacts=artifacts)


@pytest.fixture(scope="module")
def files(rules: Turn) -> Mapping[str, Json]:
    """The stored files of that turn by name."""
    return {file["name"]: file for file in rules.artifacts}


def problems(turn: Turn) -> dict[str, str]:
    """Return the error codes of the artifacts that were refused, by name, as the user and the model see them."""
    for_user, for_model = (result["meta_data"]["artifact_problems"] for result in (turn.call, turn.tool_result))
    assert [problem["name"] for problem in for_user] == [problem["name"] for problem in for_model]
    assert all(problem["reason"] for problem in (*for_user, *for_model))
    return {problem["name"]: problem["code"] for problem in for_user}


@pytest.mark.clause(
    "v2.1:artifacts:name-required",
    "v2.1:artifacts:bytes",
    "v2.1:artifacts:path-exists",
    "v2.1:artifacts:path-inside",
    "v2:artifacts:b64",
)
def test_invalid_artifacts_are_refused_with_a_reason_and_the_others_are_stored(
    rules: Turn, files: Mapping[str, Json]
) -> None:
    refused = problems(rules)
    assert {refused.pop(name): name for name in ("outside.txt", "above.txt")}.keys() == {"E_INVALID_PATH"}
    assert set(refused.values()) == {"E_INVALID_ARTIFACT"}
    assert set(REFUSED) - {"outside.txt", "above.txt"} < set(refused)
    assert len(refused) == len(REFUSED) - 1  # and the one without a name
    assert not set(REFUSED) & set(files)
    assert (rules.call["is_error"], rules.call["results"]) == (False, {"summary": "done"})
    assert all(rules.download(file) == TEXT.encode() for file in (files["described.txt"], files["path size.txt"]))


@pytest.mark.clause("v2.1:artifacts:category")
@pytest.mark.parametrize("name", CATEGORIES)
def test_category_is_stored_with_the_file(name: str, files: Mapping[str, Json], user: UserClient) -> None:
    record = user.request("GET", f"/api/files/{files[name]['file_key']}").json()
    assert (files[name]["category"], record["category"]) == (CATEGORIES[name], CATEGORIES[name])


@pytest.mark.clause("v2.1:artifacts:viewer")
@pytest.mark.parametrize("name", VIEWERS)
def test_viewer_is_the_one_of_the_tool_or_of_the_type(name: str, files: Mapping[str, Json]) -> None:
    _, viewer = VIEWERS[name]
    assert (files[name]["viewer"], files[f"not {name}"]["viewer"]) == (viewer, viewer)


@pytest.mark.clause("v2.1:artifacts:viewer", "v2:showable:extension")
def test_viewer_follows_the_type_if_unknown_and_the_extension_if_the_type_is_unknown(files: Mapping[str, Json]) -> None:
    assert (files["unknown viewer.html"]["viewer"], files["no known type.py"]["viewer"]) == ("html", "code")


@pytest.mark.clause("v2.1:artifacts:mime-form")
def test_invalid_mime_type_becomes_octet_stream(files: Mapping[str, Json]) -> None:
    assert files["odd type.txt"]["mime"] == "application/octet-stream"


@pytest.mark.clause("v2.1:artifacts:types", "v2.1:artifacts:size", "v2.1:artifacts:auto-open")
@pytest.mark.parametrize("name", ["wrong types.txt", "wrong size.txt", "path size.txt", "described.txt", "opens.txt"])
def test_optional_fields_are_stored_if_valid_and_size_is_that_of_the_bytes(
    name: str, files: Mapping[str, Json], user: UserClient
) -> None:
    record = user.request("GET", f"/api/files/{files[name]['file_key']}").json()
    description = "Two lines" if name == "described.txt" else None
    expected: Json = {"size": len(TEXT), "category": None, "description": description}
    expected["auto_open"] = name == "opens.txt"
    assert files[name]["viewer"] == "code"
    for shown in (files[name], record):
        assert {field: shown[field] for field in expected} == expected


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_links_directories_and_pipes_are_refused_as_artifacts(chat: Chat) -> None:
    kinds = ["symbolic link", "symbolic link above the file", "hard link", "directory", "pipe"]
    turn = chat.call_all(*(("spec3.give_special_path", {"kind": kind}) for kind in kinds))
    for call, kind in zip(turn.calls, kinds, strict=True):
        refused = {problem["name"]: problem["code"] for problem in call["meta_data"]["artifact_problems"]}
        assert refused[f"{kind}.txt"] in {"E_INVALID_PATH", "E_INVALID_ARTIFACT"}
    assert [file["name"] for file in turn.artifacts if file["name"].startswith(tuple(kinds))] == []


@pytest.mark.clause("v2.1:artifacts:name")
def test_artifact_of_the_same_name_from_a_later_turn_is_a_new_version(chat: Chat) -> None:
    old, new = (give(chat, {"report.txt": text}, artifacts=[by_path("report.txt")]) for text in ("old", "new"))
    assert [file["version"] for turn in (old, new) for file in turn.artifacts] == [1, 2]
    assert [old.downloads(), new.downloads()] == [[("report.txt", b"old")], [("report.txt", b"new")]]
    assert [file["name"] for file in chat.files()] == ["report.txt"]
    read = chat.call("spec3.read_file", {"filename": "report.txt"})
    assert read.call["results"] == ["new"]


@pytest.mark.clause("v2.1:retryable:kept", "v2.1:fields:types", "v2.1:fields:known", "v2.1:output:one-form")
def test_retryable_is_kept_and_fields_of_a_wrong_type_have_no_effect(chat: Chat) -> None:
    wrong = {"display": 7, "artifacts": "none", "deferred_artifacts": 3}
    outputs: list[Json] = [{"retryable": True}, {"retryable": False}, {}, wrong]
    calls = [("spec3.give", {"files": {}, "output": {"results": {"n": 1}, **fields}}) for fields in outputs]
    turn = chat.call_all(*calls)
    assert [(call["is_error"], call["results"]) for call in turn.calls] == [(False, {"n": 1})] * len(outputs)
    expected = [{"retryable": True}, {"retryable": False}, None, wrong]
    assert [call["meta_data"] for call in turn.calls] == expected
    assert [json.loads(text).get("meta_data") for text in turn.tool_texts] == expected
    assert (turn.artifacts, turn.response["deferred_artifacts"], turn.file_updates()) == ([], [], [])
