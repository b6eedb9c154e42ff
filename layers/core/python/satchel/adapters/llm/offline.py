"""A built-in substitute for a language model, for tests and for trying out tools.

It calls the tools that the user's message names, and replies with their outputs. Each line of the message such as
``/server.tool {"json": "arguments"}`` is one call. One reply requests all calls of the message.
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
_MAX_OUTPUT_CHARS = 4000
_CALL_HINT = 'Call a tool with a line such as /server.tool {"argument": "value"}.'
_SETTING_HINT = "Set SATCHEL_MODEL (for example bedrock:… or openai-chat:…) to talk to a model."


class OfflineModel:
    """Reply without a language model. Implements ``ports.llm.Model``."""

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Return the tool calls in the last user message, or if they have results, the results as text.

        If the message contains no calls, return a list of the tools as text.
        """
        messages = request.messages
        last_user = max(index for index, message in enumerate(messages) if isinstance(message, UserMessage))
        results = [message for message in messages[last_user + 1 :] if isinstance(message, ToolMessage)]
        calls = _parse_calls(messages[last_user])
        if calls and not results:
            return ModelReply(text="", calls=calls)
        text = _show_results(results) if results else _show_tools(request.tools)
        listener(text)
        return ModelReply(text=text)


def _parse_calls(message: Message) -> list[ProposedCall]:
    assert isinstance(message, UserMessage)  # noqa: S101  (the caller selected a user message)
    user_text, _, _ = message.text.partition(CONTEXT_START)
    return [
        ProposedCall(tool=match["tool"], arguments=match["arguments"].strip(), ref=f"offline-{index}")
        for index, match in enumerate(_CALL.finditer(user_text))
    ]


def _show_results(results: list[ToolMessage]) -> str:
    return "\n\n".join(
        ["No model is set; these are the outputs of the tools that you called.", *map(_show_result, results)],
    )


def _show_result(message: ToolMessage) -> str:
    results = message.content.get("results")
    text = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False, indent=2)
    if len(text) > _MAX_OUTPUT_CHARS:
        text = f"{text[:_MAX_OUTPUT_CHARS]}\n… ({len(text) - _MAX_OUTPUT_CHARS} characters more)"
    files = message.content.get("files")
    file_line = f"\nFiles: {', '.join(files)}" if files else ""
    return f"{message.tool}{' failed' if message.failed else ''}:\n{text}{file_line}"


def _show_tools(tools: list[ToolSpec]) -> str:
    lines = [f"- /{tool.full_name} — {tool.description.strip().partition(chr(10))[0]}" for tool in tools]
    tool_list = lines or ["(no tools are known yet)"]
    return "\n".join(["No model is set. " + _CALL_HINT, "", "Tools:", *tool_list, "", _SETTING_HINT])
