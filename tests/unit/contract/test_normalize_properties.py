"""What holds for every value that a tool may return."""

import contextlib
import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import ContractError, ToolOutput, normalize, view_for_model
from tests.unit.contract.strategies import anything, b64, good_artifacts, json_values, many, odd_artifacts


@many
@given(anything)
def test_normalize_makes_storable_json_of_anything_json_has(raw: object) -> None:
    output = normalize(raw)
    json.dumps(output.envelope(), allow_nan=False).encode()
    output.model_dump_json()


@many
@given(st.from_type(object) | st.recursive(st.builds(object), st.lists))
def test_normalize_raises_nothing_but_a_contract_error(raw: object) -> None:
    with contextlib.suppress(ContractError):
        assert isinstance(normalize(raw), ToolOutput)


@many
@given(anything)
def test_normalize_leaves_its_own_output_as_it_is(raw: object) -> None:
    output = normalize(raw)
    assert normalize(output.model_dump()) == output
    assert normalize(output.envelope()).envelope() == output.envelope()
    assert normalize(json.loads(output.model_dump_json())) == output


@many
@given(st.lists(good_artifacts, max_size=4), st.lists(odd_artifacts, max_size=3), st.randoms())
def test_every_well_formed_artifact_keeps_its_bytes_whatever_lies_beside_it(
    good: list[dict[str, Any]], odd: list[Any], shuffle: random.Random
) -> None:
    mixed = good + odd
    shuffle.shuffle(mixed)
    output = normalize({"structuredContent": {"results": None, "artifacts": mixed}})
    kept = [(item.name, item.mime, item.b64) for item in output.artifacts]
    for item in good:
        assert (item["name"], item["mime"], item["b64"]) in kept
    assert len(output.artifacts) + len(output.problems) == len(mixed)


@many
@given(st.dictionaries(st.text(), json_values), st.binary(min_size=800, max_size=2000), st.integers(0, 4))
def test_no_base64_over_a_kilobyte_reaches_the_model(around: dict[str, Any], data: bytes, depth: int) -> None:
    blob = b64(data)
    value: Any = {**around, "blob": blob, "said": f"see {blob} there", "url": f"data:image/png;base64,{blob}"}
    for _ in range(depth):
        value = [{"inner": value, blob: 1}]
    view = view_for_model(normalize({"results": value, "meta_data": {"deep": [value]}}), budget=10**6)
    assert blob[:1024] not in json.dumps(view)
