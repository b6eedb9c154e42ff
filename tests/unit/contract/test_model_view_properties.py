"""Properties of the model's view for every value that a tool may return."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import build_model_view, normalize
from tests.unit.contract.strategies import any_text, anything, b64, insert_blob, json_values, many

MAX_BASE64 = 1024  # characters of base64 that a model may see
problems = st.lists(st.fixed_dictionaries({"name": any_text, "reason": any_text}), max_size=2)
with_problems = st.fixed_dictionaries({"results": json_values, "problems": problems})
blobs = st.binary(min_size=800, max_size=2000).map(b64)


def assert_not_visible(blob: str, view: str) -> None:
    assert blob[: MAX_BASE64 + 1] not in view
    assert blob[-MAX_BASE64 - 1 :] not in view


@pytest.mark.clause("v1:prompt:no-base64")
@many
@given(st.dictionaries(st.text(), json_values), blobs, st.integers(0, 4))
def test_no_base64_over_a_kilobyte_reaches_the_model(around: dict[str, Any], blob: str, depth: int) -> None:
    value: Any = {**around, "blob": blob, "text": f"see {blob} there", "url": f"data:image/png;base64,{blob}"}
    for _ in range(depth):
        value = [{"inner": value, blob: 1}]
    view = build_model_view(normalize({"results": value, "meta_data": {"deep": [value]}}), budget=10**6)
    assert_not_visible(blob, json.dumps(view))


@many
@given(anything | with_problems, blobs, st.randoms())
def test_no_base64_over_a_kilobyte_reaches_the_model_from_any_field(
    raw: object, blob: str, pick: random.Random
) -> None:
    view = build_model_view(normalize(insert_blob(raw, blob, pick)), budget=10**6)
    assert_not_visible(blob, json.dumps(view))
