"""At the default level, logs contain no API keys, messages, answers, instructions, tool results or file contents.

Only the lines of the audit log contain arguments of calls, shortened and with redacted secrets.
"""

import logging
from collections.abc import Callable

import pytest

from satchel.bootstrap.functions import use_cases
from satchel.domain.conversation import CompletionRequest, ModelReply, ProposedCall
from satchel.domain.ids import SessionId
from satchel.domain.llm import ModelRequestRejected
from satchel.domain.sessions import SessionChanges, Turn, TurnStatus
from satchel.ports.llm import StreamListener
from tests.integration.turn.log_recorder import LogRecorder
from tests.integration.turn.turn_driver import TurnDriver

API_KEY, PROMPT, ANSWER = "sk-live-0123456789abcdef", "what-was-asked", "what-was-answered"
INSTRUCTIONS, CONTENT, RESULT = "how-to-behave", "what-the-file-holds", "x" * 60
ARGUMENT = "what-a-tool-is-told"
AUDIT = "satchel.services.calls.audit"


@pytest.fixture(autouse=True)
def _set_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(name, API_KEY)


def lines_with_secrets(recorder: LogRecorder) -> list[str]:
    """Return the log lines with a secret."""
    secrets = (API_KEY, PROMPT, ANSWER, INSTRUCTIONS, CONTENT, RESULT)
    return [line for line in recorder.lines if any(each in line for each in (*secrets, *_arguments(line)))]


def _arguments(line: str) -> tuple[str, ...]:
    return () if AUDIT in line else (ARGUMENT,)


Reply = Callable[[CompletionRequest, StreamListener], ModelReply]


def reply_with_calls(request: CompletionRequest, listener: StreamListener) -> ModelReply:
    """Call a tool correctly, with invalid JSON, an unknown tool and one with a large result; then answer."""
    earlier_replies = [message for message in request.messages if message.role == "assistant"]
    calls = [
        ProposedCall(tool="bench.write", arguments=f'{{"name": "a.txt", "text": "{ARGUMENT}"}}', ref="1"),
        ProposedCall(tool="bench.write", arguments=f'{{"text": "{ARGUMENT}', ref="2"),
        ProposedCall(tool=f"bench.{ARGUMENT}", arguments="{}", ref="3"),
        ProposedCall(tool="bench.say", arguments=f'{{"size": {len(RESULT)}}}', ref="4"),
    ]
    listener(ANSWER)
    return ModelReply(text=ANSWER, calls=[] if earlier_replies else calls)


def fail_with_secrets(request: CompletionRequest, listener: StreamListener) -> ModelReply:
    """Fail with an error of the provider that contains the API key and the message."""
    listener("")
    raise ModelRequestRejected(f"{API_KEY} may not ask {request.messages[-1]}")


def run_turn(turns: TurnDriver, monkeypatch: pytest.MonkeyPatch, reply: Reply) -> Turn:
    monkeypatch.setattr(turns.model, "reply", reply)
    session = turns.new_session()
    use_cases().change_session(session.user, SessionId(session.session_id), SessionChanges(instructions=INSTRUCTIONS))
    use_cases().upload_file(session.user, "a.csv", CONTENT.encode(), None, SessionId(session.session_id))
    return turns.wait_for_end(turns.send(session, PROMPT))


@pytest.mark.parametrize(
    ("reply", "status"),
    [(reply_with_calls, TurnStatus.COMPLETE), (fail_with_secrets, TurnStatus.FAILED)],
    ids=["answer", "error"],
)
def test_log_contains_nothing_of_a_conversation(
    turns: TurnDriver, recorder: LogRecorder, monkeypatch: pytest.MonkeyPatch, reply: Reply, status: TurnStatus
) -> None:
    turn = run_turn(turns, monkeypatch, reply)
    assert turn.status is status
    assert any(turn.turn_id in line for line in recorder.lines), "nothing was logged"
    assert lines_with_secrets(recorder) == []


def test_recorder_finds_logged_secrets(recorder: LogRecorder) -> None:
    logging.getLogger("satchel.services").warning("asked", extra={"message_text": PROMPT})
    logging.getLogger("satchel.services").warning("sent %s", ARGUMENT)
    assert {line.split()[0] for line in lines_with_secrets(recorder)} == {"asked", "sent"}
