"""Hypothesis strategies for values that tools may return.

``SATCHEL_TEST_EXAMPLES`` is the number of examples per test. The default of 150 finds common mistakes within seconds;
CI runs 5,000 (minutes) with a fixed seed.
"""

import base64
import os
import random
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("SATCHEL_TEST_EXAMPLES", "150"))
_TIMEOUT_SECONDS = 900  # for one test with all of CI's examples on a busy machine

_settings = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
Test = TypeVar("Test", bound=Callable[..., None])


def many(test: Test) -> Test:
    """Run a property test with ``SATCHEL_TEST_EXAMPLES`` examples."""
    slow: Test = pytest.mark.timeout(_TIMEOUT_SECONDS)(_settings(test))
    return slow


any_text = st.text(st.characters(codec=None)) | st.text(st.sampled_from('\ud800\udfffa0:,"{}[]'), max_size=6)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | any_text
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4), max_leaves=12
)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
mimes = st.sampled_from(["text/plain", "image/png", "application/pdf", "application/octet-stream"])
valid_artifacts = st.fixed_dictionaries(
    {"name": names, "mime": mimes, "b64": st.binary(max_size=64).map(b64)},
    optional={"description": names, "viewer": names, "size": st.integers(0, 10**6), "auto_open": st.booleans()},
)
malformed_artifacts = json_values | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("name", "mime", "b64", "path", "content", "type", "title", "size"), json_values)
)
payloads = st.fixed_dictionaries(
    {},
    optional={
        "results": json_values,
        "meta_data": json_values,
        "meta-data": json_values,
        "artifacts": st.lists(valid_artifacts | malformed_artifacts, max_size=4) | json_values,
        "deferred_artifacts": st.lists(malformed_artifacts, max_size=3) | json_values,
        "returned_file_names": st.lists(names, max_size=3) | json_values,
        "returned_file_contents": st.lists(st.binary(max_size=9).map(b64), max_size=3) | json_values,
        "display": json_values,
        "canvas": json_values,
        "retryable": json_values,
        "bibliography": json_values,
        "grantMarkdown": json_values | st.fixed_dictionaries({"content": any_text}),
        "problems": json_values,
        "unknown": json_values,
        "content": json_values,
        "other": json_values,
    },
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "odd"])},
    optional={
        "text": any_text | json_values.map(repr),
        "data": st.binary(max_size=9).map(b64) | json_values,
        "mimeType": mimes | json_values,
        "uri": any_text | json_values,
        "name": json_values,
        "resource": json_values | st.fixed_dictionaries({"uri": any_text, "text": any_text}),
        "forModel": st.booleans(),
        "metadata": json_values,
    },
)
mcp_results: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"content": st.lists(blocks, max_size=4)},
    optional={
        "structuredContent": payloads | st.fixed_dictionaries({"result": json_values}),
        "data": json_values,
        "isError": st.booleans(),
        "_meta": st.just({"fastmcp": {"wrap_result": True}}) | json_values,
        "bibliography": json_values,
        "artifacts": st.lists(malformed_artifacts, max_size=3),
        "results": json_values,
    },
)
anything = json_values | payloads | mcp_results | st.binary(max_size=30) | st.lists(blocks, max_size=3)


def insert_blob(value: Any, blob: str, pick: random.Random) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a copy of a value in which some texts and keys are replaced by ``blob`` or contain it."""
    if isinstance(value, dict):
        return {(blob if pick.random() < 0.1 else key): insert_blob(item, blob, pick) for key, item in value.items()}
    if isinstance(value, list):
        return [insert_blob(item, blob, pick) for item in value]
    return pick.choice([value, value, blob, f"see {blob} there", f"data:image/png;base64,{blob}"])
