"""Properties of ``normalize`` for every value that a tool may return."""

import contextlib
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import ContractError, ToolOutput, normalize
from tests.unit.contract.strategies import anything, b64, malformed_artifacts, many, names, valid_artifacts


@pytest.mark.clause("v2.1:output:one-form")
@many
@given(anything)
def test_normalize_returns_storable_json_for_any_json_value(raw: object) -> None:
    output = normalize(raw)
    json.dumps(output.envelope(), allow_nan=False).encode()
    output.model_dump_json()


@pytest.mark.clause("v2.1:output:one-form")
@many
@given(st.from_type(object) | st.recursive(st.builds(object), st.lists))
def test_normalize_raises_only_contract_errors(raw: object) -> None:
    with contextlib.suppress(ContractError):
        assert isinstance(normalize(raw), ToolOutput)


@many
@given(anything)
def test_normalize_is_idempotent(raw: object) -> None:
    output = normalize(raw)
    assert normalize(output.model_dump()) == output
    assert normalize(output.envelope()).envelope() == output.envelope()
    assert normalize(json.loads(output.model_dump_json())) == output


@many
@given(st.lists(valid_artifacts, max_size=4), st.lists(malformed_artifacts, max_size=3), st.randoms())
def test_valid_artifacts_keep_their_bytes_beside_malformed_ones(
    valid: list[dict[str, Any]], malformed: list[Any], shuffle: random.Random
) -> None:
    mixed = valid + malformed
    shuffle.shuffle(mixed)
    output = normalize({"structuredContent": {"results": None, "artifacts": mixed}})
    stored = [(item.name, item.mime, item.b64) for item in output.artifacts]
    for item in valid:
        assert (item["name"], item["mime"], item["b64"]) in stored
    assert len(output.artifacts) + len(output.problems) == len(mixed)


def as_artifacts(files: list[tuple[str, bytes]]) -> Any:  # noqa: ANN401  (any JSON value)
    return {"results": 1, "artifacts": [{"name": name, "mime": "a/b", "b64": b64(body)} for name, body in files]}


def as_v1_arrays(files: list[tuple[str, bytes]]) -> Any:  # noqa: ANN401  (any JSON value)
    names, contents = [name for name, _ in files], [b64(body) for _, body in files]
    return {"results": 1, "returned_file_names": names, "returned_file_contents": contents}


def as_v1_objects(files: list[tuple[str, bytes]]) -> Any:  # noqa: ANN401  (any JSON value)
    return {"results": 1, "returned_file_contents": [{"name": name, "b64": b64(body)} for name, body in files]}


def text_block(payload: object) -> dict[str, Any]:
    return {"type": "text", "text": json.dumps(payload)}


FORMS = [as_artifacts, as_v1_arrays, as_v1_objects]
WRAPPERS: list[Callable[[Any], Any]] = [
    lambda payload: payload,
    json.dumps,
    lambda payload: {"structuredContent": payload, "content": [text_block(payload)]},
    lambda payload: {"content": [{"type": "text", "text": "Look:"}, text_block(payload)]},
    lambda payload: {"content": [text_block({"content": [text_block(payload)], "isError": False})]},
    lambda payload: {"structuredContent": {"result": json.dumps(payload)}, "content": [text_block(payload)]},
    lambda payload: {"structuredContent": {"result": payload}, "_meta": {"fastmcp": {"wrap_result": True}}},
    lambda payload: {"content": [{"type": "text", "text": "Look:"}], "isError": False, **payload},
]


@many
@given(st.lists(st.tuples(names, st.binary(max_size=64)), min_size=1, max_size=3), st.data())
def test_files_keep_their_bytes_in_every_form(files: list[tuple[str, bytes]], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(FORMS))(files)
    output = normalize(data.draw(st.sampled_from(WRAPPERS))(payload))
    assert [(item.name, item.inline_bytes()) for item in output.artifacts] == files
    assert (output.results, output.problems) == (1, [])


@many
@given(st.lists(st.binary(max_size=64), max_size=4))
def test_content_blocks_keep_their_bytes(bodies: list[bytes]) -> None:
    kinds: list[Callable[[str], dict[str, Any]]] = [
        lambda body: {"type": "image", "mimeType": "image/png", "data": body},
        lambda body: {"type": "audio", "mimeType": "audio/wav", "data": body},
        lambda body: {"type": "resource", "resource": {"uri": "db://rows/7", "blob": body}},
        lambda body: {"type": "resource_link", "name": "a", "uri": f"data:a/b;base64,{body}"},
    ]
    blocks = [kind(b64(body)) for kind, body in zip(kinds, bodies, strict=False)]
    assert [item.inline_bytes() for item in normalize({"content": blocks}).artifacts] == bodies
