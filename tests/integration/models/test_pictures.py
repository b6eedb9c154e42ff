"""Pictures and documents in the wire format of each provider."""

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ProposedCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.media import MediaRef
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import AWS, KEYS, ModelFactory
from tests.integration.models.picture_memory import BUCKET, pictures
from tests.pictures import png
from tests.refused_calls.aws_stub import aws_stub

MAX_MEMORY_MIB = 64
CHART, PAPER = png(30, 20), b"%PDF-1.4\n1 0 obj"
CHART_REF = MediaRef(name="chart.png", key="k1", mime="image/jpeg", size=len(CHART), width=30, height=20)
PAPER_REF = MediaRef(name="paper.pdf", key="k2", mime="application/pdf", size=len(PAPER), pages=1)

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def parts_with(body: object, key: str) -> list[dict[str, Any]]:
    """Return the content blocks with this key, or of this type, anywhere in a request."""
    return [block for block in _objects(body) if key in block]


def _objects(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)


PICTURE_KEYS = {"anthropic": "source", "bedrock": "image", "openai-chat": "image_url"}
DOCUMENT_KEYS = {"anthropic": "source", "bedrock": "document", "openai-chat": "file"}
PICTURE_BLOCKS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(CHART).decode()},
    },
    "bedrock": {"image": {"format": "png", "source": {"bytes": base64.b64encode(CHART).decode()}}},
    "openai-chat": {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{base64.b64encode(CHART).decode()}"},
    },
}
DOCUMENT_BLOCKS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": base64.b64encode(PAPER).decode()},
    },
    "bedrock": {
        "document": {
            "name": "Document 1",
            "format": "pdf",
            "source": {"bytes": base64.b64encode(PAPER).decode()},
        }
    },
    "openai-chat": {
        "type": "file",
        "file": {
            "file_data": f"data:application/pdf;base64,{base64.b64encode(PAPER).decode()}",
            "filename": "filename.pdf",
        },
    },
}


def sent_body(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory, *messages: Message) -> dict[str, Any]:
    """Return the body of the request with these messages."""
    request = CompletionRequest(
        instructions="Look.",
        messages=list(messages),
        tools=[ToolSpec(server="a", name="draw")],
        media={"k1": CHART, "k2": PAPER},
    )
    get_model(provider).reply(request, FakeStreamListener())
    return endpoint.requests[-1].body


def result(*, failed: bool = False) -> list[Message]:
    calls = [ProposedCall(tool="a.draw", arguments="{}", ref="1")]
    content = {"results": 'a "quoted" word'}
    return [
        UserMessage(text="Draw"),
        AssistantMessage(text="", calls=calls),
        ToolMessage(ref="1", tool="a.draw", content=content, failed=failed, media=[CHART_REF]),
    ]


@each_provider
def test_picture_of_the_user_has_the_type_of_its_bytes(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    body = sent_body(provider, endpoint, get_model, UserMessage(text="What is it?", media=[CHART_REF]))
    assert parts_with(body, PICTURE_KEYS[provider]) == [PICTURE_BLOCKS[provider]]
    assert "What is it?" in str(body)


@each_provider
@pytest.mark.parametrize("failed", [False, True])
def test_picture_of_a_tool_is_sent_with_the_unchanged_text_of_its_result(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory, *, failed: bool
) -> None:
    body = sent_body(provider, endpoint, get_model, *result(failed=failed))
    assert parts_with(body, PICTURE_KEYS[provider]) == [PICTURE_BLOCKS[provider]]
    assert [text for text in _texts(body) if text.startswith('{"results": "a \\"quoted\\" word"}')]


@each_provider
def test_document_of_the_user_is_sent_as_a_document(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    body = sent_body(provider, endpoint, get_model, UserMessage(text="Read it", media=[PAPER_REF]))
    assert parts_with(body, DOCUMENT_KEYS[provider]) == [DOCUMENT_BLOCKS[provider]]


@each_provider
def test_pictures_are_the_same_bytes_in_each_round(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    first = sent_body(provider, endpoint, get_model, *result())
    more: list[Message] = [AssistantMessage(text="A chart."), UserMessage(text="Thanks")]
    second = sent_body(provider, endpoint, get_model, *result(), *more)
    assert _without_cache_marks(second["messages"])[: len(first["messages"])] == _without_cache_marks(first["messages"])


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _without_cache_marks(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    def clean(value: object) -> object:
        if isinstance(value, dict):
            return {key: clean(item) for key, item in value.items() if key != "cache_control"}
        if isinstance(value, list):
            return [clean(item) for item in value if not (isinstance(item, dict) and "cachePoint" in item)]
        return value

    return [{key: clean(item) for key, item in message.items()} for message in messages]


@each_provider
def test_ten_pictures_need_at_most_64_mib_above_the_base(provider: str, endpoint: FakeEndpoint) -> None:
    command = [sys.executable, "-m", "tests.integration.models.picture_memory", endpoint.model_name(provider)]
    with aws_stub() as aws:
        aws.objects |= {f"/{BUCKET}/{key}": content for key, content in pictures().items()}
        environment = os.environ | KEYS | AWS | {"AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_S3": aws.url}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603  (this test's own command)
    assert 8 < float(run.stdout) <= MAX_MEMORY_MIB
