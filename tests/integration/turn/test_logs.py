"""At the default level no log holds a key, what somebody wrote, what a model answered, or what stands in a file.

The audit's lines hold the arguments of calls, without secrets and cut, as it is specified; nobody else's do.
"""

import logging
from collections.abc import Callable, Iterator

import pytest

from satchel.bootstrap.functions import use_cases
from satchel.domain.conversation import CompletionRequest, ModelReply, ProposedCall
from satchel.domain.ids import SessionId
from satchel.domain.llm import ModelRequestRejected
from satchel.domain.sessions import SessionChanges, Turn, TurnStatus
from satchel.ports.llm import StreamListener
from tests.integration.turn.turns import Turns

KEY, PROMPT, ANSWER = "sk-live-0123456789abcdef", "what-was-asked", "what-was-answered"
BEHAVIOUR, CONTENT, RESULT = "how-to-behave", "what-the-file-holds", "x" * 60
ARGUMENT = "what-a-tool-is-told"
AUDIT = "satchel.services.calls.audit"


class LogWatch(logging.Handler):
    """Keeps every line with all that is logged beside it, as the formatters of functions do."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{self.format(record)} {record.__dict__}")

    def with_secrets(self) -> list[str]:
        """Return the lines that hold what they must not."""
        never = (KEY, PROMPT, ANSWER, BEHAVIOUR, CONTENT, RESULT)
        return [line for line in self.lines if any(each in line for each in (*never, *self._arguments(line)))]

    @staticmethod
    def _arguments(line: str) -> tuple[str, ...]:
        return () if AUDIT in line else (ARGUMENT,)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[LogWatch]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.setenv(name, KEY)
    watch, root, ours = LogWatch(), logging.getLogger(), logging.getLogger("satchel")
    level = root.level
    root.setLevel(logging.INFO)
    for logger in (root, ours):
        logger.addHandler(watch)
    yield watch
    for logger in (root, ours):
        logger.removeHandler(watch)
    root.setLevel(level)


Speaker = Callable[[CompletionRequest, StreamListener], ModelReply]


def says(task: CompletionRequest, heard: StreamListener) -> ModelReply:
    """Write a file, then ask for what there is not, then answer."""
    spoken = [message for message in task.messages if message.role == "assistant"]
    wishes = [
        ProposedCall(tool="bench.write", arguments=f'{{"name": "a.txt", "text": "{ARGUMENT}"}}', ref="1"),
        ProposedCall(tool="bench.write", arguments=f'{{"text": "{ARGUMENT}', ref="2"),
        ProposedCall(tool=f"bench.{ARGUMENT}", arguments="{}", ref="3"),
        ProposedCall(tool="bench.say", arguments=f'{{"size": {len(RESULT)}}}', ref="4"),
    ]
    heard(ANSWER)
    return ModelReply(text=ANSWER, calls=[] if spoken else wishes)


def is_refused(task: CompletionRequest, heard: StreamListener) -> ModelReply:
    """Its provider says what it did not like, and who asked."""
    heard("")
    raise ModelRequestRejected(f"{KEY} may not ask {task.messages[-1]}")


def run(turns: Turns, monkeypatch: pytest.MonkeyPatch, speaker: Speaker) -> Turn:
    monkeypatch.setattr(turns.model, "reply", speaker)
    asker = turns.asker()
    use_cases().change_session(asker.who, SessionId(asker.session_id), SessionChanges(instructions=BEHAVIOUR))
    use_cases().upload_file(asker.who, "a.csv", CONTENT.encode(), None, SessionId(asker.session_id))
    return turns.end(turns.say(asker, PROMPT))


@pytest.mark.parametrize(
    ("speaker", "status"), [(says, TurnStatus.COMPLETE), (is_refused, TurnStatus.FAILED)], ids=["answer", "refusal"]
)
def test_nothing_of_a_conversation_is_logged(
    turns: Turns, watch: LogWatch, monkeypatch: pytest.MonkeyPatch, speaker: Speaker, status: TurnStatus
) -> None:
    turn = run(turns, monkeypatch, speaker)
    assert turn.status is status
    assert any(turn.turn_id in line for line in watch.lines), "nothing was logged at all"
    assert watch.with_secrets() == []


def test_the_watch_would_see_it(watch: LogWatch) -> None:
    logging.getLogger("satchel.services").warning("asked", extra={"message_text": PROMPT})
    logging.getLogger("satchel.services").warning("sent %s", ARGUMENT)
    assert {line.split()[0] for line in watch.with_secrets()} == {"asked", "sent"}
