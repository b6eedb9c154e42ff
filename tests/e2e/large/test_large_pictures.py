"""Ten pictures of 20 MB attached to one message: each provider gets small views of all, within its limits."""

import io
import os

import pytest
from PIL import Image

from satchel.domain.media import MAX_PICTURE_BYTES
from satchel.domain.media_budget import MAX_REQUEST_BYTES
from tests.e2e.sent_media import pictures_in
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import UserClient, run_user
from tests.fake_providers.server import PROVIDERS, FakeEndpoint

PICTURES = 10
WIDTH, HEIGHT = 3000, 2300
MIN_BYTES = 20_000_000
VIEW_SIZE = (1568, 1202)
MEDIA_TOKENS = {"anthropic": 56 * 43, "bedrock": 1568, "openai-chat": 2489}
"""What a view costs."""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    return UserClient(system.url, run_user("pictures"))


@pytest.fixture(scope="module")
def file_keys(user: UserClient) -> list[str]:
    """The keys of the uploaded pictures. Noise makes their views as large as views can be."""
    noise = os.urandom(3 * WIDTH * HEIGHT + PICTURES)
    keys = []
    for number in range(PICTURES):
        output = io.BytesIO()
        Image.frombytes("RGB", (WIDTH, HEIGHT), noise[number : number + 3 * WIDTH * HEIGHT]).save(
            output, "PNG", compress_level=0
        )
        assert len(output.getvalue()) >= MIN_BYTES
        keys.append(user.upload(None, f"{number}.png", output.getvalue())["file_key"])
    return keys


@pytest.mark.parametrize("provider", PROVIDERS)
def test_ten_attached_pictures_of_20_mb_are_shown_within_the_limits(
    provider: str, endpoint: FakeEndpoint, user: UserClient, file_keys: list[str]
) -> None:
    endpoint.replies, endpoint.requests = [], []

    response = user.ask(user.create_session(model=provider), "What do they show?", files=file_keys)

    assert (response["status"], response["message"]) == ("complete", "Hello.")
    assert [(call["tool"], call["is_error"]) for call in response["tool_calls"]] == [
        ("documents.look", False)
    ] * PICTURES
    (request,) = endpoint.requests
    sent = pictures_in(request.body)
    assert [Image.open(io.BytesIO(picture)).size for picture in sent] == [VIEW_SIZE] * PICTURES
    assert max(map(len, sent)) <= MAX_PICTURE_BYTES
    assert sum(map(len, sent)) <= MAX_REQUEST_BYTES
    assert len(set(sent)) == PICTURES
    assert response["usage"]["media_tokens"] == PICTURES * MEDIA_TOKENS[provider]
