"""The model's view of a tool output."""

import base64
import hashlib
import json
import random
import time

import pytest

from satchel.contract import ToolOutput, build_model_view, normalize, omission_start, strip_blobs

BLOB = base64.b64encode(random.Random(1).randbytes(3000)).decode()  # noqa: S311  (sample data)


@pytest.mark.clause("v1:files:names-told")
def test_view_contains_only_results_meta_data_file_names_and_problems() -> None:
    raw = {
        "results": {"n": 1},
        "meta_data": {"rows": 42},
        "artifacts": [{"name": "../a.txt", "mime": "text/plain", "b64": "QUJD"}, {"name": "bad"}],
        "deferred_artifacts": [{"name": "d.docx", "path": "/tmp/alice/d.docx", "mime": "a/b"}],
        "display": {"open_canvas": True},
        "colour": "red",
    }
    assert build_model_view(normalize(raw)) == {
        "results": {"n": 1},
        "meta_data": {"colour": "red", "rows": 42},
        "files": ["a.txt", "d.docx"],
        "problems": [{"name": "bad", "reason": "no b64, path or content"}],
    }
    assert build_model_view(normalize({"results": 0})) == {"results": 0}


def test_view_shows_the_stored_file_names() -> None:
    output = normalize({"results": 1, "artifacts": [{"name": "a.txt", "mime": "text/plain", "b64": ""}]})
    assert build_model_view(output, files=["a (2).txt"])["files"] == ["a (2).txt"]


@pytest.mark.clause("v1:files:contents-not-told")
def test_view_shows_v1_files_by_name_only() -> None:
    raw = {"results": "made", "returned_file_names": ["a.csv"], "returned_file_contents": ["QUJD"]}
    assert build_model_view(normalize(raw)) == {"results": "made", "files": ["a.csv"]}


@pytest.mark.clause("v1:prompt:no-base64")
@pytest.mark.parametrize(
    "value",
    [
        BLOB,
        f"before {BLOB} after",
        f'<img src="data:image/png;base64,{BLOB}">',
        base64.encodebytes(base64.b64decode(BLOB)).decode(),
        base64.encodebytes(base64.b64decode(BLOB)).decode().replace("\n", "\r\n  "),
        json.dumps({"b64": base64.encodebytes(base64.b64decode(BLOB)).decode()}),
        base64.urlsafe_b64encode(base64.b64decode(BLOB)).decode(),
        base64.b64encode(bytes(3000)).decode(),
        base64.b64encode(b"\xff" * 3000).decode(),
        {"deep": [{"er": [BLOB]}]},
        {BLOB: 1},
    ],
)
def test_strip_blobs_replaces_long_base64_everywhere(value: object) -> None:
    stripped = json.dumps(strip_blobs(value))
    assert " omitted: " in stripped
    assert len(stripped) < 150


def test_view_strips_blobs_from_a_tools_own_problems() -> None:
    output = normalize({"results": 1, "problems": [{"name": BLOB, "reason": f"no {BLOB}"}]})
    (problem,) = build_model_view(output)["problems"]
    assert problem["reason"] == "no [base64 omitted: about 3000 bytes]"
    assert len(problem["name"]) <= 255


def test_strip_blobs_replaces_data_urls_of_any_size() -> None:
    assert strip_blobs("data:image/gif;base64,R0lGODlh") == "[data URL omitted: image/gif, 30 characters]"
    assert strip_blobs("see data:text/html,%3Cp%3E here") == "see [data URL omitted: text/html, 22 characters] here"


def test_strip_blobs_replaces_file_links_with_their_tokens() -> None:
    links = [
        "https://satchel.example/api/files/download/fabc?token=ey.J.x",
        "/api/files/download/fabc?token=ey.J.x",
        "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=abc&x=1",
    ]
    assert strip_blobs([f"got {link} now" for link in links]) == ["got [file link omitted] now"] * 3
    assert strip_blobs("https://example.com/page?id=1") == "https://example.com/page?id=1"


@pytest.mark.parametrize(
    "value",
    [
        "x" * 5000,
        "-" * 5000,
        "3141592653" * 200,
        "GATTACA" * 200,
        "word " * 2000,
        "metadata: see data, as said",
        "the data:, and metadata:text/plain,x",
        "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(100)),
        "\n".join(f"/usr/lib/python3/dist-packages/module_{n}.py" for n in range(40)),
        {"b64": "QUJD"},
    ],
)
def test_strip_blobs_keeps_texts_that_only_resemble_blobs(value: object) -> None:
    assert strip_blobs(value) == value


def test_long_results_are_truncated_in_the_middle_with_a_note() -> None:
    view = build_model_view(normalize({"results": "a" * 600 + "m" * 5000 + "z" * 400}), budget=900)
    assert view["results"].startswith("a" * 600)
    assert view["results"].endswith("z" * 300)
    assert "5100 characters omitted" in view["results"]
    assert view["truncated"] == {"results": {"characters": 6000, "left_out": 5100}}


def test_long_structured_results_are_truncated_as_text() -> None:
    view = build_model_view(normalize({"results": [{"row": n} for n in range(1000)]}), budget=300)
    assert view["results"].startswith('[{"row": 0}')
    assert view["results"].endswith('{"row": 999}]')
    assert len(view["results"]) < 400


def test_results_within_the_budget_are_unchanged() -> None:
    assert build_model_view(normalize({"results": ["x" * 90]}), budget=94) == {"results": ["x" * 90]}


@pytest.mark.clause("v2:meta-data:size")
def test_meta_data_is_limited_to_4_kb_by_omitting_the_largest_values() -> None:
    view = build_model_view(
        normalize({"results": 1, "meta_data": {"log": "word " * 1000, "is_error": True, "rows": 3}})
    )
    assert view["meta_data"] == {"is_error": True, "rows": 3}
    assert view["truncated"] == {"meta_data": {"left_out": ["log"]}}
    entries = {f"key{n}": "word " * 20 for n in range(100)}
    meta_data = build_model_view(normalize({"results": 1, "meta_data": entries}))["meta_data"]
    assert 3000 < len(json.dumps(meta_data)) < 4096


@pytest.mark.parametrize(
    "piece", ["A" * 1024 + " ", "data:", "A" * 59 + "\n", "https://x/", "aB" * 30 + "\n", "data:a/b;" * 3]
)
def test_strip_blobs_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        strip_blobs(text)
        return time.process_time() - start

    seconds(10_000)
    assert seconds(400_000) < 20 * max(seconds(100_000), 0.002)


def test_start_of_the_omitted_part_is_a_line_and_a_position_in_it() -> None:
    text = "first line\n" + "x" * 100
    view = build_model_view(ToolOutput(results=text), budget=60)

    line, before = omission_start(view["results"]) or (0, 0)

    assert text.splitlines()[line - 1][:before] == view["results"].split("\n[…")[0].splitlines()[-1]
    assert omission_start(text) is omission_start({"a": 1}) is None
