"""Faulty outputs with all of their findings as ``severity clause where``."""

import base64
from typing import Any, NamedTuple

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(40))).decode()
FILE = {"name": "a.txt", "mime": "text/plain", "b64": "QQ=="}
LONG = ["0123456789"] * 400
DRAFT = {"name": "a.docx", "mime": "application/msword", "path": "/tmp/alice/a.docx"}


class Case(NamedTuple):
    """The object that a tool returned, or the raw result of its call, with the expected findings."""

    output: Any
    findings: list[str]


def artifact(**fields: object) -> dict[str, Any]:
    """Return an output with one valid artifact, changed by these fields; None removes a field."""
    return with_file(FILE | fields, "artifacts")


def deferred(**fields: object) -> dict[str, Any]:
    return with_file(DRAFT | fields, "deferred_artifacts")


def with_file(fields: dict[str, Any], key: str) -> dict[str, Any]:
    return {"results": 1, key: [{name: value for name, value in fields.items() if value is not None}]}


def display(**fields: object) -> dict[str, Any]:
    return {"results": 1, "artifacts": [FILE], "display": fields}


def canvas(**fields: object) -> dict[str, Any]:
    return {"results": 1, "canvas": {"url": "https://example.com/", **fields}}


def arrays(names: object, contents: object) -> dict[str, Any]:
    return {"results": 1, "returned_file_names": names, "returned_file_contents": contents}


def beside_content(**fields: object) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "Found."}], **fields}


PHASED_OUT = "note v2:files:phased-out $.returned_file_names"

SHAPES = {
    "a list at the top level": Case([1, 2], ["error v1:output:no-list $"]),
    "a bare number": Case(5, ["error v1:output:object $"]),
    "an empty object": Case({}, ["error v1:output:not-empty $"]),
    "null": Case(None, ["error v1:output:not-empty $"]),
    "text alone": Case({"content": [{"type": "text", "text": "Done."}]}, ["error v1:output:object $.content[0].text"]),
    "an image alone": Case(
        {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}, ["error v1:output:object $"]
    ),
    "no content at all": Case({"content": []}, ["error v1:output:not-empty $"]),
    "meta_data, but no results": Case({"meta_data": {"rows": 1}}, ["error v2.1:results:required $"]),
    "files, but no results": Case({"artifacts": [FILE]}, ["note v2.1:results:required $"]),
    "a tool's own data": Case({"rows": 1, "display": "DELL"}, ["note v2.1:results:required $"]),
    "data that differs": Case(
        {"structuredContent": {"results": 1}, "data": {"results": 2}, "content": []},
        ["warning v1:output:same-data $.data"],
    ),
    "a JSON-RPC error": Case(
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}, ["error v1:output:given $"]
    ),
    "an answer marked as an error": Case(
        {"content": [{"type": "text", "text": "no such table"}], "isError": True}, ["warning v1:error:is-error $"]
    ),
}

SPELLING = {
    "result": Case({"result": 1}, ["error v1:results:spelling $.result"]),
    "result beside files": Case({"result": 1, "rows": 2, "artifacts": [FILE]}, ["error v1:results:spelling $.result"]),
    "Results": Case({"Results": 1, "meta_data": {}}, ["error v1:results:spelling $.Results"]),
    "Results in own data": Case({"Results": 1, "rows": 2}, ["error v1:results:spelling $.Results"]),
    "resuts": Case({"resuts": 1}, ["error v1:results:spelling $.resuts"]),
    "resluts": Case({"resluts": 1, "n": 2}, ["error v1:results:spelling $.resluts"]),
    "results with a colon": Case({"results:": 1}, ['error v1:results:spelling $["results:"]']),
    "meta-data": Case({"results": 1, "meta-data": {"n": 1}}, ['warning v1:meta-data:spelling $["meta-data"]']),
    "metadata": Case({"results": 1, "metadata": {"n": 1}}, ["error v2.1:fields:spelling $.metadata"]),
    "artifact": Case({"results": 1, "artifact": [FILE]}, ["error v2.1:fields:spelling $.artifact"]),
    "another field": Case({"results": 1, "rows": 2}, ["warning v2.1:fields:known $.rows"]),
}

TYPES = {
    "one artifact without a list": Case({"results": 1, "artifacts": FILE}, ["error v2.1:fields:types $.artifacts"]),
    "retryable as a string": Case({"results": 1, "retryable": "yes"}, ["error v2.1:fields:types $.retryable"]),
    "an artifact that is a name": Case(
        {"results": 1, "artifacts": ["a.txt"]}, ["error v2.1:artifacts:types $.artifacts[0]"]
    ),
    "size as a string": Case(artifact(size="1"), ["error v2.1:artifacts:types $.artifacts[0].size"]),
    "size as true": Case(artifact(size=True), ["error v2.1:artifacts:types $.artifacts[0].size"]),
    "mime as a list": Case(artifact(mime=["text/plain"]), ["error v2.1:artifacts:types $.artifacts[0].mime"]),
    "path as a number": Case(artifact(b64=None, path=5), ["error v2.1:artifacts:types $.artifacts[0].path"]),
    "next actions as a string": Case(
        deferred(next_actions="Sign it"), ["error v2.1:deferred:types $.deferred_artifacts[0].next_actions"]
    ),
    "open_canvas as a string": Case(display(open_canvas="yes"), ["error v2.1:display:types $.display.open_canvas"]),
    "url as a number": Case(canvas(url=5), ["error v2:canvas:types $.canvas.url"]),
}

ARTIFACTS = {
    "no mime": Case(artifact(mime=None), ["error v2.1:artifacts:mime-required $.artifacts[0]"]),
    "an empty mime": Case(artifact(mime=""), ["error v2.1:artifacts:mime-required $.artifacts[0]"]),
    "no name": Case(artifact(name=None), ["error v2.1:artifacts:name-required $.artifacts[0]"]),
    "no bytes": Case(artifact(b64=None), ["error v2.1:artifacts:bytes $.artifacts[0]"]),
    "a malformed mime": Case(artifact(mime="text"), ["error v2.1:artifacts:mime-form $.artifacts[0].mime"]),
    "an unknown viewer": Case(artifact(viewer="word"), ["warning v2.1:artifacts:viewer $.artifacts[0].viewer"]),
    "b64 that is not base64": Case(artifact(b64="<h1>"), ["error v2:artifacts:b64 $.artifacts[0].b64"]),
    "b64 that is a number": Case(artifact(b64=5), ["error v2:artifacts:b64 $.artifacts[0].b64"]),
    "a path outside": Case(
        artifact(b64=None, path="/home/alice/a.txt"), ["error v2.1:artifacts:path-inside $.artifacts[0].path"]
    ),
    "an empty path": Case(artifact(path=""), ["error v2.1:artifacts:path-inside $.artifacts[0].path"]),
    "three errors in one artifact": Case(
        {"results": 1, "artifacts": [FILE, {"path": "a.txt"}]},
        [
            "error v2.1:artifacts:name-required $.artifacts[1]",
            "error v2.1:artifacts:mime-required $.artifacts[1]",
            "error v2.1:artifacts:path-inside $.artifacts[1].path",
        ],
    ),
    "a typed artifact without id and title": Case(
        beside_content(artifacts=[{"type": "text/markdown", "content": "x"}]),
        ["warning v5:artifacts:identity $.artifacts[0]"],
    ),
    "a typed artifact with an invalid type": Case(
        beside_content(artifacts=[{"type": "graph", "id": "1", "title": "G", "content": "x"}]),
        ["warning v5:artifacts:type-form $.artifacts[0].type"],
    ),
    "an image whose content is text": Case(
        beside_content(artifacts=[{"type": "image/png", "id": "1", "title": "P", "content": "A red circle"}]),
        ["error v5:artifacts:content-fits-type $.artifacts[0].content"],
    ),
    "an image whose content is an object": Case(
        beside_content(artifacts=[{"type": "image/png", "id": "1", "title": "P", "content": {"x": 1}}]),
        ["error v5:artifacts:content-fits-type $.artifacts[0].content"],
    ),
    "an image whose content is base64 of other bytes": Case(
        beside_content(artifacts=[{"type": "image/png", "id": "1", "title": "P", "content": "QUJD"}]),
        ["error v5:artifacts:content-fits-type $.artifacts[0].content"],
    ),
    "an image with invalid base64": Case(
        {"structuredContent": {"results": 1}, "content": [{"type": "image", "data": "-", "mimeType": "image/png"}]},
        ["error mcp:content:base64 $.content[0].data"],
    ),
    "an embedded resource with invalid base64": Case(
        {"structuredContent": {"results": 1}, "content": [{"type": "resource", "resource": {"blob": "é"}}]},
        ["error mcp:content:base64 $.content[0].resource.blob"],
    ),
    "an image without data": Case(
        {"structuredContent": {"results": 1}, "content": [{"type": "image", "mimeType": "image/png"}]},
        ["error mcp:content:bytes $.content[0]"],
    ),
    "a citation as a string": Case(
        beside_content(bibliography=[{"pmid": "1"}, "2"]), ["error v5:bibliography:citations $.bibliography[1]"]
    ),
    "a grant without content": Case(
        beside_content(grantMarkdown={"title": "R01"}), ["error v5:grant:content $.grantMarkdown"]
    ),
}

DEFERRED = {
    "deferred without path": Case(deferred(path=None), ["error v2.1:deferred:path-required $.deferred_artifacts[0]"]),
    "deferred without mime": Case(deferred(mime=None), ["error v2.1:deferred:mime-required $.deferred_artifacts[0]"]),
    "deferred without name": Case(deferred(name=None), ["error v2.1:deferred:name-required $.deferred_artifacts[0]"]),
    "deferred with an empty path": Case(
        deferred(path=""), ["error v2.1:artifacts:path-inside $.deferred_artifacts[0].path"]
    ),
    "deferred with a path outside": Case(
        deferred(path="/tmp/a.docx"), ["error v2.1:artifacts:path-inside $.deferred_artifacts[0].path"]
    ),
    **{
        f"expiry {hours!r}": Case(
            deferred(expires_hours=hours), ["error v2.1:deferred:expires-hours $.deferred_artifacts[0].expires_hours"]
        )
        for hours in (0, 8761, -1, 1.5, "72", True)
    },
    "deferred with an unknown category": Case(
        deferred(category="lunch"), ["warning v2.1:artifacts:known-category $.deferred_artifacts[0].category"]
    ),
    "an unknown reason": Case(
        deferred(reason="lunch"), ["warning v2.1:deferred:reason $.deferred_artifacts[0].reason"]
    ),
}

V1 = {
    "more names than contents": Case(
        arrays(["a", "b"], ["QQ=="]), ["error v1:files:same-length $.returned_file_contents", PHASED_OUT]
    ),
    "contents without names": Case(
        arrays(None, ["QQ=="]),
        ["error v1:files:same-length $.returned_file_contents", "note v2:files:phased-out $.returned_file_contents"],
    ),
    "contents with names of their own": Case(
        arrays(None, [{"name": "a", "b64": "QQ=="}]), ["note v2:files:phased-out $.returned_file_contents"]
    ),
    "a numeric name": Case(arrays([5], ["QQ=="]), ["error v1:files:names $.returned_file_names[0]", PHASED_OUT]),
    "contents without base64": Case(
        arrays(["a", "b", "c"], [5, {"name": "b"}, "%"]),
        [
            "error v1:files:b64 $.returned_file_contents[2]",
            "error v1:files:content $.returned_file_contents[0]",
            "error v1:files:content $.returned_file_contents[1]",
            PHASED_OUT,
        ],
    ),
    "names as a string": Case(arrays("a", ["QQ=="]), ["error v2.1:fields:types $.returned_file_names", PHASED_OUT]),
    "arrays beside artifacts": Case(
        arrays(["a"], []) | {"artifacts": [FILE]}, ["warning v2:files:artifacts-win $.returned_file_names"]
    ),
}

DISPLAY = {
    "a dashboard in display": Case(
        {"results": 1, "display": {"type": "iframe", "url": "https://dash.example/1"}},
        ["note v2:display:iframe $.display"],
    ),
    "a primary file that does not exist": Case(
        display(primary_file="b.txt"), ["error v2:display:primary-file $.display.primary_file"]
    ),
    "an unknown mode": Case(display(mode="tile"), ["error v2.1:display:mode $.display.mode"]),
    "an unknown viewer hint": Case(display(viewer_hint="word"), ["error v2:display:viewer-hint $.display.viewer_hint"]),
    "an unknown storage action": Case(
        display(storage_action=["store"]), ["error v2.1:display:storage-action $.display.storage_action"]
    ),
    "an unknown canvas mode": Case(canvas(mode="tile"), ["error v2:canvas:mode $.canvas.mode"]),
    "an unknown persistence": Case(canvas(persistence="ever"), ["error v2:canvas:persistence $.canvas.persistence"]),
}

SIZES = {
    "large results": Case({"results": LONG}, ["warning v1:results:size $.results"]),
    "large own data": Case({"rows": LONG}, ["warning v1:results:size $", "note v2.1:results:required $"]),
    "large meta_data": Case({"results": 1, "meta_data": {"log": LONG}}, ["warning v2:meta-data:size $.meta_data"]),
    "an image in the results": Case({"results": {"image": PNG}}, ["warning v1:results:no-base64 $.results.image"]),
    "long base64 in the results": Case(
        {"results": [base64.b64encode(bytes(range(256)) * 40).decode()]}, ["warning v1:results:no-base64 $.results[0]"]
    ),
    "a data URL in the results": Case(
        {"results": "![plot](data:image/png;base64,QUJD)"}, ["warning v1:results:no-base64 $.results"]
    ),
}

FAULTY_OUTPUTS: dict[str, Case] = SHAPES | SPELLING | TYPES | ARTIFACTS | DEFERRED | V1 | DISPLAY | SIZES
