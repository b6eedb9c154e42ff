"""Normalizing files (artifacts, deferred artifacts, v1 arrays, content blocks), display hints and canvases."""

from typing import Any

import pytest

from satchel.contract import ArtifactProblem, Canvas, ErrorCode, ToolOutput, normalize


def normalize_artifacts(*items: object) -> ToolOutput:
    return normalize({"structuredContent": {"results": None, "artifacts": list(items)}})


def problem_reason(item: object) -> str:
    (problem,) = normalize_artifacts(item).problems
    assert problem.code is ErrorCode.E_INVALID_ARTIFACT
    return problem.reason


@pytest.mark.clause("v2.1:artifacts:fields", "v2.1:artifacts:path")
def test_artifact_keeps_every_field() -> None:
    item = {
        "name": "quarterly_report.html",
        "path": "/tmp/alice/quarterly_report.html",
        "mime": "text/html",
        "size": 12,
        "description": "Q3 financial analysis report",
        "viewer": "html",
        "category": "report",
        "auto_open": True,
    }
    assert normalize_artifacts(item).envelope()["artifacts"] == [item]


@pytest.mark.clause("v2:artifacts:b64")
def test_invalid_artifacts_are_reported_and_valid_ones_kept() -> None:
    valid = [{"name": f"{n}.txt", "b64": "QUJD", "mime": "text/plain"} for n in range(9)]
    invalid = [
        {"name": "b64.txt", "b64": "not base64!", "mime": "text/plain"},
        {"name": "mime.txt", "b64": "", "mime": ["a/b"]},
        "text.txt",
    ]
    output = normalize_artifacts(*valid, *invalid)
    assert [item.name for item in output.artifacts] == [item["name"] for item in valid]
    assert output.problems == [
        ArtifactProblem(name="b64.txt", reason="b64: not base64: invalid character, padding or length"),
        ArtifactProblem(name="mime.txt", reason="mime: Input should be a valid string"),
        ArtifactProblem(name="artifact 12", reason="not an object"),
    ]
    assert not output.is_error


@pytest.mark.clause("v2.1:artifacts:name-required", "v2.1:artifacts:bytes")
def test_artifact_without_name_or_bytes_is_rejected() -> None:
    assert problem_reason({"mime": "text/plain", "b64": ""}) == "no name"
    assert problem_reason({"name": "a", "mime": "text/plain"}) == "no b64, path or content"
    assert problem_reason({"name": "", "mime": "text/plain", "b64": ""}) == "name: empty"


@pytest.mark.clause("v2.1:artifacts:size")
def test_size_is_counted_for_inline_bytes_and_trusted_for_paths() -> None:
    output = normalize_artifacts(
        {"name": "a", "mime": "a/b", "b64": "QUJD", "size": 99},
        {"name": "b", "mime": "a/b", "content": "é"},
        {"name": "c", "mime": "a/b", "path": "/tmp/alice/c", "size": 5},
        {"name": "d", "mime": "a/b", "b64": ""},
    )
    assert [item.size for item in output.artifacts] == [3, 2, 5, 0]


def test_line_ends_and_data_prefix_of_base64_are_removed() -> None:
    output = normalize_artifacts({"name": "a", "mime": "text/plain", "b64": "data:text/plain;base64,QU\r\nJD"})
    assert [(item.b64, item.inline_bytes()) for item in output.artifacts] == [("QUJD", b"ABC")]


@pytest.mark.clause("v2.1:artifacts:mime-form")
def test_malformed_mime_type_becomes_octet_stream() -> None:
    malformed = ["png", "", "text/html\r\nSet-Cookie: a", "text/html, x", "é/x"]
    assert {normalize_artifacts({"name": "a", "b64": "", "mime": mime}).artifacts[0].mime for mime in malformed} == {
        "application/octet-stream"
    }


@pytest.mark.clause("v2.1:artifacts:types")
def test_optional_fields_of_a_wrong_type_are_dropped() -> None:
    item = {"name": "a", "mime": "a/b", "path": "/x", "size": "big", "auto_open": [], "metadata": 1, "viewer": None}
    assert normalize_artifacts(item).envelope()["artifacts"] == [{"name": "a", "mime": "a/b", "path": "/x"}]


def test_source_prefers_base64_then_the_path() -> None:
    output = normalize_artifacts(
        {"name": "a", "mime": "a/b", "b64": "QQ==", "path": "/x", "content": "c"},
        {"name": "a", "mime": "a/b", "path": "/x", "content": "c"},
    )
    assert [(item.source, item.inline_bytes()) for item in output.artifacts] == [("b64", b"A"), ("path", None)]


def test_two_artifacts_with_the_same_name_are_kept() -> None:
    item = {"name": "a.txt", "mime": "text/plain", "b64": "QQ=="}
    assert len(normalize_artifacts(item, item).artifacts) == 2


def test_single_artifact_object_counts_as_a_list_of_one() -> None:
    raw = {"results": 1, "artifacts": {"name": "a", "mime": "a/b", "b64": ""}}
    assert [item.name for item in normalize(raw).artifacts] == ["a"]


@pytest.mark.clause("v1:files:become-artifacts", "v1:files:own-name", "v2:migration:arrays")
def test_v1_arrays_become_artifacts_with_the_mime_type_of_their_name() -> None:
    raw = {
        "results": "Generated",
        "returned_file_names": ["a.csv", "b.json", "odd"],
        "returned_file_contents": ["QUJD", {"name": "own.json", "b64": "e30="}, "QQ=="],
        "meta_data": {"chunks": 2},
    }
    output = normalize({"structuredContent": raw})
    assert [(item.name, item.mime, item.inline_bytes()) for item in output.artifacts] == [
        ("a.csv", "text/csv", b"ABC"),
        ("own.json", "application/json", b"{}"),
        ("odd", "text/plain", b"A"),
    ]
    assert output.unknown == {}


@pytest.mark.clause("v2:files:artifacts-win")
def test_v1_arrays_are_ignored_if_artifacts_are_present() -> None:
    both = {"returned_file_names": ["old.txt"], "returned_file_contents": ["QQ=="]}
    output = normalize({"results": 1, "artifacts": [{"name": "new", "mime": "a/b", "b64": ""}], **both})
    assert [item.name for item in output.artifacts] == ["new"]
    assert normalize({"results": 1, "artifacts": [], **both}).artifacts == []


@pytest.mark.clause("v1:files:uneven")
def test_v1_arrays_of_different_length_keep_or_report_every_item() -> None:
    longer = normalize({"results": 1, "returned_file_names": ["a"], "returned_file_contents": ["QQ==", "Qg=="]})
    assert [item.name for item in longer.artifacts] == ["a", "file-2"]
    shorter = normalize({"results": 1, "returned_file_names": ["a", "b"], "returned_file_contents": ["QQ=="]})
    assert [item.name for item in shorter.problems] == ["b"]


def test_v1_arrays_without_results_become_artifacts() -> None:
    raw = {"returned_file_names": ["a.txt"], "returned_file_contents": ["QQ=="], "count": 1}
    output = normalize(raw)
    assert (output.results, [item.name for item in output.artifacts]) == ({"count": 1}, ["a.txt"])


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:deferred:expires-default")
def test_deferred_artifact_keeps_every_field_and_expires_after_72_hours() -> None:
    item = {
        "name": "draft.docx",
        "path": "/tmp/alice/draft.docx",
        "mime": "application/msword",
        "description": "A draft",
        "reason": "needs_editing",
        "next_actions": ["edit it"],
        "category": "draft",
    }
    output = normalize({"results": 1, "deferred_artifacts": [item]})
    assert output.envelope()["deferred_artifacts"] == [item]
    assert output.deferred_artifacts[0].expires_hours == 72


@pytest.mark.clause("v2.1:deferred:expires-hours")
@pytest.mark.parametrize(
    ("value", "expected"), [(1, 1), (0, 1), (-5, 1), (8760, 8760), (10**9, 8760), ("48", 48), ("x", 72)]
)
def test_expires_hours_is_clamped_between_an_hour_and_a_year(value: object, expected: int) -> None:
    item = {"name": "a", "path": "/tmp/alice/a", "mime": "a/b", "expires_hours": value}
    assert normalize({"results": 1, "deferred_artifacts": [item]}).deferred_artifacts[0].expires_hours == expected


@pytest.mark.clause("v2.1:deferred:path-required")
def test_deferred_artifact_without_path_is_rejected() -> None:
    output = normalize({"results": 1, "deferred_artifacts": [{"name": "a", "mime": "a/b"}, 5]})
    assert [(item.name, item.reason) for item in output.problems] == [
        ("a", "no path"),
        ("deferred artifact 2", "not an object"),
    ]


@pytest.mark.clause("v2.1:deferred:name-required", "v2.1:deferred:mime-required")
def test_deferred_artifact_needs_a_name_and_gets_a_missing_mime_type_from_it() -> None:
    path = "/tmp/alice/draft.csv"
    items = [{"path": path, "mime": "a/b"}, {"name": "draft.csv", "path": path}]
    output = normalize({"results": 1, "deferred_artifacts": items})
    assert [(item.name, item.reason) for item in output.problems] == [(path, "no name")]
    assert [(item.name, item.mime) for item in output.deferred_artifacts] == [("draft.csv", "text/csv")]


@pytest.mark.clause("v2.1:artifacts:mime-required")
@pytest.mark.parametrize(
    ("item", "mime"),
    [
        ({"name": "a.csv", "path": "/tmp/alice/a.csv"}, "text/csv"),
        ({"name": "report.html", "b64": "QUJD"}, "text/html"),
        ({"name": "chart", "b64": "iVBORw0KGgo="}, "image/png"),
        ({"name": "blob", "b64": "AAEC"}, "application/octet-stream"),
        ({"name": "notes", "content": "Hi"}, "text/plain"),
    ],
)
def test_missing_mime_type_is_guessed_from_the_name_or_the_bytes(item: dict[str, Any], mime: str) -> None:
    (artifact,) = normalize_artifacts(item).artifacts
    assert (artifact.mime, "mime" in artifact.model_fields_set) == (mime, False)


@pytest.mark.clause("mcp:content:media", "mcp:content:base64")
def test_image_and_audio_blocks_become_artifacts() -> None:
    content = [
        {"type": "text", "text": "Look:"},
        {"type": "image", "data": "QUJD", "mimeType": "image/png"},
        {"type": "audio", "data": "QUJE", "mimeType": "audio/wav"},
        {"type": "image", "data": "?", "mimeType": "image/png"},
    ]
    output = normalize({"content": content})
    assert [(item.name, item.mime, item.b64) for item in output.artifacts] == [
        ("image-2.png", "image/png", "QUJD"),
        ("audio-3.wav", "audio/wav", "QUJE"),
    ]
    assert output.results == "Look:"
    assert [item.name for item in output.problems] == ["image-4.png"]


@pytest.mark.clause("mcp:content:resources")
def test_embedded_resource_blocks_become_artifacts() -> None:
    content = [
        {"type": "resource", "resource": {"uri": "file:///data/notes.md", "text": "# N"}},
        {"type": "resource", "resource": {"uri": "db://rows/7", "mimeType": "application/pdf", "blob": "QUJD"}},
    ]
    output = normalize({"content": content})
    assert [(item.name, item.mime, item.inline_bytes()) for item in output.artifacts] == [
        ("notes.md", "text/markdown", b"# N"),
        ("rows-7.pdf", "application/pdf", b"ABC"),
    ]


@pytest.mark.clause("mcp:content:links")
def test_resource_links_to_local_or_inline_files_become_artifacts() -> None:
    content = [
        {"type": "resource_link", "uri": "file:///tmp/alice/c%20d.csv", "title": "C", "size": 9},
        {"type": "resource_link", "uri": "data:text/plain;base64,QUJD", "name": "d.txt"},
    ]
    local, inline = normalize({"content": content}).artifacts
    assert (local.name, local.path, local.mime) == ("c d.csv", "/tmp/alice/c d.csv", "text/csv")
    assert (local.title, local.size) == ("C", 9)
    assert (inline.name, inline.mime, inline.inline_bytes()) == ("d.txt", "text/plain", b"ABC")


@pytest.mark.clause("mcp:content:links")
def test_external_resource_link_becomes_a_file_that_contains_the_url() -> None:
    uri = "https://x.example/a%20b.pdf?v=1"
    link = {
        "type": "resource_link",
        "uri": uri,
        "name": "paper",
        "title": "P",
        "mimeType": "application/pdf",
        "size": 9,
    }
    (paper,) = normalize({"content": [link]}).artifacts
    assert (paper.name, paper.mime, paper.title) == ("paper.pdf.link.txt", "text/uri-list", "P")
    assert (paper.inline_bytes(), paper.uri) == (uri.encode(), uri)
    assert paper.metadata == {"mimeType": "application/pdf", "size": 9}
    (row,) = normalize({"content": [{"type": "resource_link", "uri": "db://rows/7"}]}).artifacts
    assert (row.name, row.title, row.content, row.metadata) == ("rows-7.link.txt", "rows-7", "db://rows/7", None)


def test_resource_link_without_uri_is_reported_as_a_problem() -> None:
    output = normalize({"content": [{"type": "resource_link", "uri": None, "name": "lost.pdf"}]})
    assert [(item.name, item.reason) for item in output.problems] == [("lost.pdf", "no b64, path or content")]


@pytest.mark.clause("mcp:content:unknown")
def test_content_blocks_of_unknown_types_are_stored_as_unknown() -> None:
    content = [{"type": "hologram", "beam": 1}, {"type": "text", "text": "hi"}]
    output = normalize({"content": content})
    assert (output.results, output.unknown) == ("hi", {"content": [{"type": "hologram", "beam": 1}]})


@pytest.mark.clause("v2.1:display:fields", "v2.1:display:mode", "v2.1:display:storage-action", "v2.1:display:types")
def test_display_keeps_valid_fields_and_drops_invalid_ones() -> None:
    display = {
        "open_canvas": True,
        "primary_file": "a",
        "mode": "split",
        "viewer_hint": "html",
        "storage_action": "temporary",
        "category_hint": "report",
        "notification": "Stored",
    }
    assert normalize({"results": 1, "display": display}).envelope()["display"] == display
    output = normalize(
        {"results": 1, "display": {"mode": "sideways", "storage_action": 3, "open_canvas": "maybe"}}
    ).display
    assert output is not None
    assert (output.mode, output.storage_action, output.open_canvas, output.model_fields_set) == (
        None,
        "store",
        False,
        set(),
    )


@pytest.mark.clause("v2:canvas:envelope")
def test_canvas_keeps_every_field_and_hides_its_token_in_repr() -> None:
    canvas = {
        "open": True,
        "id": "monitor-42",
        "persistence": "pinned",
        "type": "iframe",
        "url": "https://mcp.example.com/dash",
        "token": "secret",
        "title": "Live Monitor",
        "mode": "replace",
    }
    output = normalize({"results": {"status": "opened"}, "canvas": canvas})
    assert output.envelope()["canvas"] == canvas
    assert "secret" not in repr(output)


@pytest.mark.clause("v2:canvas:optional")
def test_canvas_and_its_fields_are_optional() -> None:
    assert normalize({"results": 1}).canvas is None
    assert normalize({"results": 1, "canvas": {"url": "https://a.example", "mode": "tile"}}).canvas == Canvas(
        open=True, persistence="session", type="iframe", url="https://a.example"
    )


def test_embedded_resources_of_different_folders_have_different_names() -> None:
    blocks = [
        {
            "type": "resource",
            "resource": {"uri": "demo://resource/dynamic/text/1", "text": "a", "mimeType": "text/plain"},
        },
        {"type": "resource", "resource": {"uri": "demo://resource/dynamic/blob/1", "blob": "QUJD"}},
        {"type": "resource", "resource": {"uri": "demo://reports/2026/sales.csv", "text": "a,b"}},
    ]

    assert [file.name for file in normalize({"content": blocks}).artifacts] == ["text-1.txt", "blob-1", "sales.csv"]
