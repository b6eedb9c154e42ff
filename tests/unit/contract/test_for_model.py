"""What the model is shown of an output."""

import base64
import hashlib
import json
import random
import time

import pytest

from satchel.contract import normalize, strip_blobs, view_for_model

BLOB = base64.b64encode(random.Random(1).randbytes(3000)).decode()  # noqa: S311  (sample data)


@pytest.mark.clause("v1:files:names-told")
def test_results_facts_and_names_are_shown_and_nothing_else() -> None:
    raw = {
        "results": {"n": 1},
        "meta_data": {"rows": 42},
        "artifacts": [{"name": "../a.txt", "mime": "text/plain", "b64": "QUJD"}, {"name": "bad"}],
        "deferred_artifacts": [{"name": "d.docx", "path": "/tmp/alice/d.docx", "mime": "a/b"}],
        "display": {"open_canvas": True},
        "colour": "red",
    }
    assert view_for_model(normalize(raw)) == {
        "results": {"n": 1},
        "meta_data": {"rows": 42},
        "files": ["a.txt", "d.docx"],
        "problems": [{"name": "bad", "reason": "no mime"}],
    }
    assert view_for_model(normalize({"results": 0})) == {"results": 0}


def test_the_names_under_which_files_were_stored_are_the_ones_to_show() -> None:
    output = normalize({"results": 1, "artifacts": [{"name": "a.txt", "mime": "text/plain", "b64": ""}]})
    assert view_for_model(output, files=["a (2).txt"])["files"] == ["a (2).txt"]


@pytest.mark.clause("v1:files:contents-not-told")
def test_the_arrays_of_the_first_contract_are_shown_by_name_alone() -> None:
    raw = {"results": "made", "returned_file_names": ["a.csv"], "returned_file_contents": ["QUJD"]}
    assert view_for_model(normalize(raw)) == {"results": "made", "files": ["a.csv"]}


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
def test_blobs_give_way_to_a_note_wherever_they_are(value: object) -> None:
    shown = json.dumps(strip_blobs(value))
    assert "left out]" in shown
    assert len(shown) < 150


def test_a_tools_own_list_of_problems_brings_no_blob_to_the_model() -> None:
    output = normalize({"results": 1, "problems": [{"name": BLOB, "reason": f"no {BLOB}"}]})
    (problem,) = view_for_model(output)["problems"]
    assert problem["reason"] == "no [base64 of about 3000 bytes left out]"
    assert len(problem["name"]) <= 255


def test_a_data_url_is_left_out_however_small() -> None:
    assert strip_blobs("data:image/gif;base64,R0lGODlh") == "[data URL of image/gif, 30 characters, left out]"
    assert strip_blobs("see data:text/html,%3Cp%3E here") == "see [data URL of text/html, 22 characters, left out] here"


def test_links_to_files_and_their_tokens_are_left_out() -> None:
    links = [
        "https://satchel.example/api/files/download/fabc?token=ey.J.x",
        "/api/files/download/fabc?token=ey.J.x",
        "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=abc&x=1",
    ]
    assert strip_blobs([f"got {link} now" for link in links]) == ["got [link to a file left out] now"] * 3
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
def test_what_is_no_blob_stays(value: object) -> None:
    assert strip_blobs(value) == value


def test_long_results_are_cut_in_the_middle_and_say_so() -> None:
    view = view_for_model(normalize({"results": "a" * 600 + "m" * 5000 + "z" * 400}), budget=900)
    assert view["results"].startswith("a" * 600)
    assert view["results"].endswith("z" * 300)
    assert "5100 characters left out" in view["results"]
    assert view["truncated"] == {"results": {"characters": 6000, "left_out": 5100}}


def test_long_structures_are_cut_as_text() -> None:
    view = view_for_model(normalize({"results": [{"row": n} for n in range(1000)]}), budget=300)
    assert view["results"].startswith('[{"row": 0}')
    assert view["results"].endswith('{"row": 999}]')
    assert len(view["results"]) < 400


def test_results_within_the_budget_are_untouched() -> None:
    assert view_for_model(normalize({"results": ["x" * 90]}), budget=94) == {"results": ["x" * 90]}


@pytest.mark.clause("v2:meta-data:size")
def test_meta_data_stays_under_four_kilobytes_and_the_largest_goes_first() -> None:
    view = view_for_model(normalize({"results": 1, "meta_data": {"log": "word " * 1000, "is_error": True, "rows": 3}}))
    assert view["meta_data"] == {"is_error": True, "rows": 3}
    assert view["truncated"] == {"meta_data": {"left_out": ["log"]}}
    many = {f"key{n}": "word " * 20 for n in range(100)}
    kept = view_for_model(normalize({"results": 1, "meta_data": many}))["meta_data"]
    assert 3000 < len(json.dumps(kept)) < 4096


@pytest.mark.parametrize(
    "piece", ["A" * 1024 + " ", "data:", "A" * 59 + "\n", "https://x/", "aB" * 30 + "\n", "data:a/b;" * 3]
)
def test_stripping_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        strip_blobs(text)
        return time.process_time() - start

    seconds(10_000)
    assert seconds(400_000) < 20 * max(seconds(100_000), 0.002)
