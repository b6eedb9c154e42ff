"""A built-in substitute for a language model, for tests and for trying out tools.

It calls the tools that the user's message names, and replies with their outputs. Each line of the message such as
``/server.tool {"json": "arguments"}`` is one call. One reply requests all calls of the message.
"""

import json
import re
from collections.abc import Sequence

from satchel.domain.attachments import DOCUMENTS_SERVER
from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ModelReply,
    ProposedCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.history import latest_turn
from satchel.domain.media import MediaRef
from satchel.domain.media_budget import media_in
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
        turn = latest_turn(request.messages)
        results = [message for message in turn if isinstance(message, ToolMessage)]
        calls = _parse_calls(turn[0])
        replies = [message for message in turn if isinstance(message, AssistantMessage)]
        if calls and all(_is_prepared(reply, calls) for reply in replies):
            return ModelReply(text="", calls=calls)
        text = _show_results(results) if results else _show_tools(request.tools)
        text = "\n\n".join([text, *_show_media([turn[0], *results])])
        listener(text)
        return ModelReply(text=text)


def _parse_calls(message: Message) -> list[ProposedCall]:
    assert isinstance(message, UserMessage)  # noqa: S101  (the caller selected a user message)
    user_text, _, _ = message.text.partition(CONTEXT_START)
    return [
        ProposedCall(tool=match["tool"], arguments=match["arguments"].strip(), ref=f"offline-{index}")
        for index, match in enumerate(_CALL.finditer(user_text))
    ]


def _is_prepared(reply: AssistantMessage, calls: list[ProposedCall]) -> bool:
    """Return True if Satchel made the reply's calls, which read attached files, and not this model."""
    tools = [call.tool for call in reply.calls]
    return tools != [call.tool for call in calls] and all(tool.startswith(f"{DOCUMENTS_SERVER}.") for tool in tools)


def _show_results(results: list[ToolMessage]) -> str:
    return "\n\n".join(
        ["No model is set; these are the outputs of the tools that you called.", *map(_show_result, results)],
    )


def _show_result(message: ToolMessage) -> str:
    results = message.content.get("results")
    if message.failed and isinstance(results, dict) and isinstance(results.get("error"), str):
        return f"{message.tool} failed: {results['error']}"
    text = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False, indent=2)
    if len(text) > _MAX_OUTPUT_CHARS:
        text = f"{text[:_MAX_OUTPUT_CHARS]}\n… ({len(text) - _MAX_OUTPUT_CHARS} characters more)"
    if isinstance(results, dict | list):
        text = f"```json\n{text}\n```"
    return f"{message.tool}{' failed' if message.failed else ''}:\n{text}"


def _show_media(messages: Sequence[Message]) -> list[str]:
    """Return a line that names the pictures and documents of the messages, or nothing if there are none."""
    shown = [_describe(item) for message in messages for item in media_in(message)]
    return [f"A model would also see: {', '.join(shown)}."] if shown else []


def _describe(media: MediaRef) -> str:
    size = f"{media.pages} pages" if media.kind == "document" else f"{media.width}x{media.height} pixels"
    return f"{media.name} ({media.mime}, {size})"


def _show_tools(tools: list[ToolSpec]) -> str:
    lines = [f"- /{tool.full_name} — {tool.description.strip().partition(chr(10))[0]}" for tool in tools]
    tool_list = lines or ["(no tools are known yet)"]
    return "\n".join(["No model is set. " + _CALL_HINT, "", "Tools:", *tool_list, "", _SETTING_HINT])
