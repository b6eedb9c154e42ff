"""Files in a result: those of spec 1 to 3, and of content blocks."""

import pytest

from satchel.contract import ArtifactProblem, Canvas, ErrorCode, ToolOutput, normalize


def files(*items: object) -> ToolOutput:
    return normalize({"structuredContent": {"results": None, "artifacts": list(items)}})


def problem(item: object) -> str:
    (found,) = files(item).problems
    assert found.code is ErrorCode.E_INVALID_ARTIFACT
    return found.reason


@pytest.mark.clause("v2.1:artifacts:fields", "v2.1:artifacts:path")
def test_every_field_of_an_artifact_is_kept() -> None:
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
    assert files(item).envelope()["artifacts"] == [item]


@pytest.mark.clause("v2:artifacts:b64", "v2.1:artifacts:mime-required")
def test_bad_artifacts_are_reported_beside_the_good_ones() -> None:
    good = [{"name": f"{n}.txt", "b64": "QUJD", "mime": "text/plain"} for n in range(9)]
    bad = [{"name": "b64.txt", "b64": "not base64!", "mime": "text/plain"}, {"name": "mime.txt", "b64": ""}, "text.txt"]
    output = files(*good, *bad)
    assert [item.name for item in output.artifacts] == [item["name"] for item in good]
    assert output.problems == [
        ArtifactProblem(name="b64.txt", reason="b64: not base64: a wrong character, padding or length"),
        ArtifactProblem(name="mime.txt", reason="no mime"),
        ArtifactProblem(name="artifact 12", reason="not an object"),
    ]
    assert not output.is_error


@pytest.mark.clause("v2.1:artifacts:name-required", "v2.1:artifacts:bytes")
def test_an_artifact_needs_a_name_and_bytes() -> None:
    assert problem({"mime": "text/plain", "b64": ""}) == "no name"
    assert problem({"name": "a", "mime": "text/plain"}) == "neither b64 nor path nor content"
    assert problem({"name": "", "mime": "text/plain", "b64": ""}) == "name: empty"


@pytest.mark.clause("v2.1:artifacts:size")
def test_size_is_counted_where_the_bytes_are_there_and_believed_where_they_are_not() -> None:
    output = files(
        {"name": "a", "mime": "a/b", "b64": "QUJD", "size": 99},
        {"name": "b", "mime": "a/b", "content": "é"},
        {"name": "c", "mime": "a/b", "path": "/tmp/alice/c", "size": 5},
        {"name": "d", "mime": "a/b", "b64": ""},
    )
    assert [item.size for item in output.artifacts] == [3, 2, 5, 0]


def test_base64_may_have_line_ends_and_a_data_prefix_and_loses_them() -> None:
    output = files({"name": "a", "mime": "text/plain", "b64": "data:text/plain;base64,QU\r\nJD"})
    assert [(item.b64, item.inline_bytes()) for item in output.artifacts] == [("QUJD", b"ABC")]


@pytest.mark.clause("v2.1:artifacts:mime-form")
def test_a_mime_type_of_wrong_form_is_unknown() -> None:
    wrong = ["png", "", "text/html\r\nSet-Cookie: a", "text/html, x", "é/x"]
    assert {files({"name": "a", "b64": "", "mime": mime}).artifacts[0].mime for mime in wrong} == {
        "application/octet-stream"
    }


@pytest.mark.clause("v2.1:artifacts:types")
def test_optional_fields_of_a_wrong_type_count_as_not_given() -> None:
    item = {"name": "a", "mime": "a/b", "path": "/x", "size": "big", "auto_open": [], "metadata": 1, "viewer": None}
    assert files(item).envelope()["artifacts"] == [{"name": "a", "mime": "a/b", "path": "/x"}]


def test_of_several_places_base64_counts_first_then_the_path() -> None:
    output = files(
        {"name": "a", "mime": "a/b", "b64": "QQ==", "path": "/x", "content": "c"},
        {"name": "a", "mime": "a/b", "path": "/x", "content": "c"},
    )
    assert [(item.source, item.inline_bytes()) for item in output.artifacts] == [("b64", b"A"), ("path", None)]


def test_the_same_name_twice_stays_two_artifacts() -> None:
    item = {"name": "a.txt", "mime": "text/plain", "b64": "QQ=="}
    assert len(files(item, item).artifacts) == 2


def test_a_lone_artifact_counts_as_a_list_of_one() -> None:
    raw = {"results": 1, "artifacts": {"name": "a", "mime": "a/b", "b64": ""}}
    assert [item.name for item in normalize(raw).artifacts] == ["a"]


@pytest.mark.clause("v1:files:become-artifacts", "v1:files:own-name", "v2:migration:arrays")
def test_v1_arrays_become_artifacts_with_mime_by_name() -> None:
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
        ("odd", "application/octet-stream", b"A"),
    ]
    assert output.unknown == {}


@pytest.mark.clause("v2:files:artifacts-win")
def test_v1_arrays_are_ignored_where_artifacts_are_there_too() -> None:
    both = {"returned_file_names": ["old.txt"], "returned_file_contents": ["QQ=="]}
    output = normalize({"results": 1, "artifacts": [{"name": "new", "mime": "a/b", "b64": ""}], **both})
    assert [item.name for item in output.artifacts] == ["new"]
    assert normalize({"results": 1, "artifacts": [], **both}).artifacts == []


@pytest.mark.clause("v1:files:uneven")
def test_v1_arrays_of_different_length_lose_nothing_in_silence() -> None:
    longer = normalize({"results": 1, "returned_file_names": ["a"], "returned_file_contents": ["QQ==", "Qg=="]})
    assert [item.name for item in longer.artifacts] == ["a", "file-2"]
    shorter = normalize({"results": 1, "returned_file_names": ["a", "b"], "returned_file_contents": ["QQ=="]})
    assert [item.name for item in shorter.problems] == ["b"]


def test_v1_arrays_without_results_are_still_files() -> None:
    raw = {"returned_file_names": ["a.txt"], "returned_file_contents": ["QQ=="], "count": 1}
    output = normalize(raw)
    assert (output.results, [item.name for item in output.artifacts]) == ({"count": 1}, ["a.txt"])


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:deferred:expires-default")
def test_deferred_artifacts_keep_every_field_and_wait_72_hours_by_default() -> None:
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
    ("given", "kept"), [(1, 1), (0, 1), (-5, 1), (8760, 8760), (10**9, 8760), ("48", 48), ("x", 72)]
)
def test_expires_hours_stays_between_an_hour_and_a_year(given: object, kept: int) -> None:
    item = {"name": "a", "path": "/tmp/alice/a", "mime": "a/b", "expires_hours": given}
    assert normalize({"results": 1, "deferred_artifacts": [item]}).deferred_artifacts[0].expires_hours == kept


@pytest.mark.clause("v2.1:deferred:path-required")
def test_a_deferred_artifact_needs_a_path() -> None:
    output = normalize({"results": 1, "deferred_artifacts": [{"name": "a", "mime": "a/b"}, 5]})
    assert [(item.name, item.reason) for item in output.problems] == [
        ("a", "no path"),
        ("deferred artifact 2", "not an object"),
    ]


@pytest.mark.clause("v2.1:deferred:name-required", "v2.1:deferred:mime-required")
def test_a_deferred_artifact_needs_a_name_and_a_mime_type() -> None:
    path = "/tmp/alice/draft.docx"
    items = [{"path": path, "mime": "a/b"}, {"name": "draft.docx", "path": path}]
    output = normalize({"results": 1, "deferred_artifacts": items})
    assert [(item.name, item.reason) for item in output.problems] == [(path, "no name"), ("draft.docx", "no mime")]
    assert output.deferred_artifacts == []


@pytest.mark.clause("mcp:content:media", "mcp:content:base64")
def test_images_and_audio_become_artifacts() -> None:
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
def test_embedded_resources_become_artifacts() -> None:
    content = [
        {"type": "resource", "resource": {"uri": "file:///data/notes.md", "text": "# N"}},
        {"type": "resource", "resource": {"uri": "db://rows/7", "mimeType": "application/pdf", "blob": "QUJD"}},
    ]
    output = normalize({"content": content})
    assert [(item.name, item.mime, item.inline_bytes()) for item in output.artifacts] == [
        ("notes.md", "text/markdown", b"# N"),
        ("7.pdf", "application/pdf", b"ABC"),
    ]


@pytest.mark.clause("mcp:content:links")
def test_resource_links_become_artifacts_where_the_file_is_at_hand() -> None:
    content = [
        {"type": "resource_link", "uri": "file:///tmp/alice/c%20d.csv", "title": "C", "size": 9},
        {"type": "resource_link", "uri": "data:text/plain;base64,QUJD", "name": "d.txt"},
    ]
    local, inline = normalize({"content": content}).artifacts
    assert (local.name, local.path, local.mime) == ("c d.csv", "/tmp/alice/c d.csv", "text/csv")
    assert (local.title, local.size) == ("C", 9)
    assert (inline.name, inline.mime, inline.inline_bytes()) == ("d.txt", "text/plain", b"ABC")


@pytest.mark.clause("mcp:content:links")
def test_a_resource_link_to_elsewhere_becomes_a_file_that_holds_the_address() -> None:
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
    assert (row.name, row.title, row.content, row.metadata) == ("7.link.txt", "7", "db://rows/7", None)


def test_a_resource_link_without_an_address_is_reported() -> None:
    output = normalize({"content": [{"type": "resource_link", "uri": None, "name": "lost.pdf"}]})
    assert [(item.name, item.reason) for item in output.problems] == [("lost.pdf", "neither b64 nor path nor content")]


@pytest.mark.clause("mcp:content:unknown")
def test_content_blocks_of_unknown_types_are_set_aside() -> None:
    content = [{"type": "hologram", "beam": 1}, {"type": "text", "text": "hi"}]
    output = normalize({"content": content})
    assert (output.results, output.unknown) == ("hi", {"content": [{"type": "hologram", "beam": 1}]})


@pytest.mark.clause("v2.1:display:fields", "v2.1:display:mode", "v2.1:display:storage-action", "v2.1:display:types")
def test_display_keeps_what_is_valid_and_drops_the_rest() -> None:
    given = {
        "open_canvas": True,
        "primary_file": "a",
        "mode": "split",
        "viewer_hint": "html",
        "storage_action": "temporary",
        "category_hint": "report",
        "notification": "Stored",
    }
    assert normalize({"results": 1, "display": given}).envelope()["display"] == given
    odd = normalize(
        {"results": 1, "display": {"mode": "sideways", "storage_action": 3, "open_canvas": "maybe"}}
    ).display
    assert odd is not None
    assert (odd.mode, odd.storage_action, odd.open_canvas, odd.model_fields_set) == (None, "store", False, set())


@pytest.mark.clause("v2:canvas:envelope")
def test_the_canvas_envelope_is_kept_and_its_token_out_of_the_logs() -> None:
    given = {
        "open": True,
        "id": "monitor-42",
        "persistence": "pinned",
        "type": "iframe",
        "url": "https://mcp.example.com/dash",
        "token": "secret",
        "title": "Live Monitor",
        "mode": "replace",
    }
    output = normalize({"results": {"status": "opened"}, "canvas": given})
    assert output.envelope()["canvas"] == given
    assert "secret" not in repr(output)


@pytest.mark.clause("v2:canvas:optional")
def test_a_canvas_is_optional_and_so_are_its_fields() -> None:
    assert normalize({"results": 1}).canvas is None
    assert normalize({"results": 1, "canvas": {"url": "https://a.example", "mode": "tile"}}).canvas == Canvas(
        open=True, persistence="session", type="iframe", url="https://a.example"
    )
