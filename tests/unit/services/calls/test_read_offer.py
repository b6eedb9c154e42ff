"""Requests for prompts and resources in the runner: time limit, size limit and lost servers."""

import pytest

from satchel.contract.errors import ToolCrashed
from satchel.domain.resources import OfferAnswer, OfferRequest
from satchel.ports.tool_client import CallFailure, ProgressUpdate, ToolResult
from satchel.services.calls.read_offer import MAX_SECONDS, ReadOffer
from tests.fakes.system import FakeClock
from tests.fakes.tool_client import FakeToolClient, Script

PROMPT = OfferRequest(method="prompts/get", name="compare", arguments={"year": "2026"})
TEXT = ToolResult(raw={"content": [{"type": "text", "text": "Compare 2026"}]})


def read(script: Script, *, max_chars: int = 1000) -> tuple[OfferAnswer, FakeToolClient]:
    clock = FakeClock()
    client = FakeToolClient(clock, script)
    return ReadOffer(client, clock, max_chars)(PROMPT), client


def test_prompt_is_requested_without_a_workspace() -> None:
    answer, client = read([(1, ProgressUpdate(progress=1)), (2, TEXT)])

    assert answer == OfferAnswer(text="Compare 2026")
    assert [each[:4] for each in client.started] == [("compare", {"year": "2026"}, None, False)]


def test_silent_server_is_killed_when_the_caller_gives_up() -> None:
    clock = FakeClock()
    client = FakeToolClient(clock, [(20, ProgressUpdate(progress=1)), (MAX_SECONDS + 1, TEXT)])

    with pytest.raises(ToolCrashed, match="did not answer"):
        ReadOffer(client, clock)(PROMPT)
    assert client.running[0].killed_at is not None


def test_lost_server_raises() -> None:
    with pytest.raises(ToolCrashed, match="exit code 1"):
        read([(1, CallFailure(crashed=True, message="ended with exit code 1"))])


def test_text_over_the_limit_is_a_problem() -> None:
    answer, _ = read([(1, TEXT)], max_chars=5)

    assert (answer.text, "too large" in str(answer.problem)) == ("", True)


def test_file_without_content_is_a_problem() -> None:
    path = {"type": "resource_link", "uri": "file:///etc/passwd", "name": "passwd"}
    answer, _ = read([(1, ToolResult(raw={"content": [path]}))])

    assert (answer.files, "passwd" in str(answer.problem)) == ([], True)
