"""The stand-in without a model: it runs the tools that a message names, and says that it is no model.

A line ``/server.tool {"json": "arguments"}`` calls that tool; several lines are several calls in one round. It is for
trying tools and for tests.
"""

import json
import re

from satchel.domain.conversation import (
    CompletionRequest,
    Message,
    ModelReply,
    ProposedCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.prompt import CONTEXT_START
from satchel.ports.llm import StreamListener

_CALL = re.compile(r"^/(?P<tool>[^\s{]+\.[^\s{]+)[ \t]*(?P<arguments>.*)$", re.MULTILINE)
_MAX_SHOWN = 4000
_HOW_TO_SET = "Set SATCHEL_MODEL (for example bedrock:… or openai-chat:…) to talk to a model."


class OfflineModel:
    """Implements ``ports.model.Model``."""

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        """Propose the calls of the last message, then show what they came to."""
        begun = max(index for index, message in enumerate(task.messages) if isinstance(message, UserMessage))
        answered = [message for message in task.messages[begun + 1 :] if isinstance(message, ToolMessage)]
        calls = _calls(task.messages[begun])
        if calls and not answered:
            return ModelReply(text="", calls=calls)
        text = _outputs(answered) if answered else _greeting(task.tools)
        heard(text)
        return ModelReply(text=text)


def _calls(message: Message) -> list[ProposedCall]:
    assert isinstance(message, UserMessage)  # noqa: S101  (the caller chose it by that)
    written, _, _ = message.text.partition(CONTEXT_START)
    return [
        ProposedCall(tool=found["tool"], arguments=found["arguments"].strip(), ref=f"offline-{index}")
        for index, found in enumerate(_CALL.finditer(written))
    ]


def _outputs(answered: list[ToolMessage]) -> str:
    return "\n\n".join(
        ["No model is set; these are the outputs of the tools that you called.", *map(_output, answered)],
    )


def _output(message: ToolMessage) -> str:
    results = message.content.get("results")
    shown = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False, indent=2)
    if len(shown) > _MAX_SHOWN:
        shown = f"{shown[:_MAX_SHOWN]}\n… ({len(shown) - _MAX_SHOWN} characters more)"
    files = message.content.get("files")
    made = f"\nFiles: {', '.join(files)}" if files else ""
    return f"{message.tool}{' failed' if message.failed else ''}:\n{shown}{made}"


def _greeting(tools: list[ToolSpec]) -> str:
    lines = [f"- /{tool.full_name} — {tool.description.strip().partition(chr(10))[0]}" for tool in tools]
    listed = lines or ["(no tools are known yet)"]
    how = 'Call a tool with a line such as /server.tool {"argument": "value"}.'
    return "\n".join(["No model is set, so nobody reads this message. " + how, "", "Tools:", *listed, "", _HOW_TO_SET])
