"""Binary file types, and content that is base64."""

import base64

import pytest

from satchel.contract import normalize
from satchel.contract.binary_types import guess_mime, is_binary

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(1000)).decode()


@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        ("image/png", True),
        ("image/svg+xml", False),
        ("application/pdf; version=1.7", True),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", True),
        ("application/octet-stream", True),
        ("text/csv", False),
        ("application/json", False),
        ("application/vnd.knowledge-graph", False),
        ("application/vnd.bibliography", False),
    ],
)
def test_binary_types_are_recognized(mime: str, *, expected: bool) -> None:
    assert is_binary(mime) is expected


@pytest.mark.clause("v5:artifacts:binary-content")
@pytest.mark.parametrize("content", [PNG, f"data:image/png;base64,{PNG}", "\n".join([PNG[:76], PNG[76:]])])
def test_base64_content_of_an_image_becomes_its_bytes(content: str) -> None:
    output = normalize({"results": 1, "artifacts": [{"type": "image/png", "title": "Plot", "content": content}]})
    (artifact,) = output.artifacts
    assert (artifact.source, artifact.b64, artifact.content, artifact.size) == ("b64", PNG, None, 1008)
    assert normalize(output.envelope()) == output


@pytest.mark.clause("v5:artifacts:binary-content")
@pytest.mark.parametrize(
    ("mime", "content"),
    [
        ("text/markdown", PNG),
        ("image/svg+xml", "<svg/>"),
        ("application/octet-stream", "not base64, but bytes anyway"),
        ("text/plain", "data:text/plain;base64,QUJD"),
    ],
)
def test_text_content_stays_text(mime: str, content: str) -> None:
    (artifact,) = normalize({"results": 1, "artifacts": [{"name": "a", "mime": mime, "content": content}]}).artifacts
    assert (artifact.source, artifact.content) == ("content", content)


@pytest.mark.clause("v5:artifacts:content-fits-type")
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("A red circle", "the content of a file of type image/png must be base64, but it is not base64"),
        ({"x": 1}, "the content of a file of type image/png must be base64"),
        ("plot", "the content is not a file of type image/png"),
        ("", "the content is not a file of type image/png"),
    ],
)
def test_content_that_does_not_fit_its_type_is_a_problem(content: object, reason: str) -> None:
    output = normalize({"results": 1, "artifacts": [{"type": "image/png", "title": "Plot", "content": content}]})
    assert [(problem.name, problem.reason[: len(reason)]) for problem in output.problems] == [("Plot.png", reason)]
    assert output.artifacts == []


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"GIF89a", "image/gif"),
        ("Grüße".encode()[:-1], "text/plain"),
        (b"a\0b", "application/octet-stream"),
        (b"\xff\xfe\x00", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_mime_type_is_guessed_from_the_first_bytes(head: bytes, mime: str) -> None:
    assert guess_mime(head) == mime
