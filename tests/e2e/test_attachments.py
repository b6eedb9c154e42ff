"""Attached files: what the model is given with the first request of a turn, in the wire format of each provider."""

import base64
import io

import pytest
from PIL import Image

from tests.documents.pdf import write_pdf
from tests.e2e.conftest import NewUser
from tests.e2e.sent_media import pictures_in
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, run_user
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.pictures import png

SMALL = png(30, 20)
VIEW_SIZE = (1568, 1045)
FACT = "The secret number is 4711."

MEDIA_TOKENS = {"anthropic": 2 + 56 * 38, "bedrock": 2 + 1568, "openai-chat": 2 + 2489}
"""What ``SMALL`` and a view of ``VIEW_SIZE`` cost."""

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the servers stay warm."""
    return UserClient(system.url, run_user("attachments"))


@pytest.fixture(scope="module")
def large() -> bytes:
    """A picture with more pixels than a request may have."""
    output = io.BytesIO()
    Image.new("RGB", (6000, 4000), "navy").save(output, "PNG")
    return output.getvalue()


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A PDF document of two pages, whose second page has the fact."""
    path = tmp_path_factory.mktemp("documents") / "paper.pdf"
    write_pdf(path, ["Introduction", FACT])
    return path.read_bytes()


def sizes_of(pictures: list[bytes]) -> list[tuple[int, int]]:
    return sorted(Image.open(io.BytesIO(picture)).size for picture in pictures)


@pytest.fixture(autouse=True)
def _reset_endpoint(endpoint: FakeEndpoint) -> None:
    endpoint.replies, endpoint.requests = [], []


def ask_with_files(user: UserClient, session_id: str, *files: str) -> Json:
    turn = user.ask(session_id, "What is in the files?", files=list(files))
    assert turn["status"] == "complete", turn
    return turn


@each_provider
def test_model_gets_pictures_and_texts_with_its_first_request(
    provider: str, endpoint: FakeEndpoint, user: UserClient, large: bytes
) -> None:
    session_id = user.create_session(model=provider)
    user.upload(session_id, "small.png", SMALL)
    user.upload(session_id, "large.png", large)
    user.upload(session_id, "notes.txt", FACT.encode())
    response = ask_with_files(user, session_id, "small.png", "large.png", "notes.txt")
    assert [call["tool"] for call in response["tool_calls"]] == ["documents.look", "documents.read"]
    (request,) = endpoint.requests
    assert sizes_of(pictures_in(request.body)) == [(30, 20), VIEW_SIZE]
    assert FACT in str(request.body)
    assert response["usage"]["media_tokens"] == MEDIA_TOKENS[provider]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_pdf_is_given_as_a_document(provider: str, endpoint: FakeEndpoint, user: UserClient, paper: bytes) -> None:
    session_id = user.create_session(model=provider)
    user.upload(session_id, "paper.pdf", paper)
    response = ask_with_files(user, session_id, "paper.pdf")
    assert response["tool_calls"] == []
    assert base64.b64encode(paper).decode() in str(endpoint.requests[0].body)


def test_provider_without_documents_gets_the_pdf_as_text(
    endpoint: FakeEndpoint, user: UserClient, paper: bytes
) -> None:
    session_id = user.create_session(model="openai-chat")
    user.upload(session_id, "paper.pdf", paper)
    response = ask_with_files(user, session_id, "paper.pdf")
    assert [call["tool"] for call in response["tool_calls"]] == ["documents.read"]
    assert FACT in str(endpoint.requests[0].body["messages"][-1])


def test_view_for_the_model_is_no_file_of_the_user(endpoint: FakeEndpoint, new_user: NewUser, large: bytes) -> None:
    user = new_user()
    session_id = user.create_session(model="anthropic")
    user.upload(session_id, "large.png", large)
    ask_with_files(user, session_id, "large.png")
    assert sizes_of(pictures_in(endpoint.requests[0].body)) == [VIEW_SIZE]
    assert [file["name"] for file in user.request("GET", "/api/files").json()["files"]] == ["large.png"]


def test_pictures_stay_the_same_in_the_next_turn(endpoint: FakeEndpoint, user: UserClient, large: bytes) -> None:
    session_id = user.create_session(model="anthropic")
    user.upload(session_id, "large.png", large)
    endpoint.replies = [Answer(["Gray."]), Answer(["Still gray."])]
    ask_with_files(user, session_id, "large.png")
    user.ask(session_id, "And now?")
    assert pictures_in(endpoint.requests[1].body) == pictures_in(endpoint.requests[0].body) != []


def test_offline_model_says_what_it_was_shown(new_user: NewUser) -> None:
    user = new_user()
    session_id = user.create_session()
    user.upload(session_id, "small.png", SMALL)
    response = ask_with_files(user, session_id, "small.png")
    assert "small.png (image/png, 30x20 pixels)" in response["message"]


def test_offline_model_calls_the_tools_of_the_message_after_the_files_are_read(new_user: NewUser) -> None:
    user = new_user()
    session_id = user.create_session()
    user.upload(session_id, "notes.txt", FACT.encode())
    response = user.ask(session_id, '/calculator.evaluate {"expression": "6 * 7"}', files=["notes.txt"])
    assert [call["tool"] for call in response["tool_calls"]] == ["documents.read", "calculator.evaluate"]
    assert "42" in response["message"]


@each_provider
def test_model_sees_a_smaller_version_of_a_large_chart_that_a_tool_has_made(
    provider: str, endpoint: FakeEndpoint, user: UserClient
) -> None:
    session_id = user.create_session(model=provider)
    endpoint.replies = [Answer([], [("artifacts_large_chart", '{"width": 4000, "height": 3000}')]), Answer(["White."])]
    response = user.ask(session_id, "Draw it.", tools=["artifacts", "documents"])
    assert response["message"] == "White."
    assert [call["tool"] for call in response["tool_calls"]] == ["artifacts.large_chart", "documents.look"]
    _, request = endpoint.requests
    assert sizes_of(pictures_in(request.body)) == [(1568, 1176)]
