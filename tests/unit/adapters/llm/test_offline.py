import json

import pytest

from satchel.adapters.llm.offline import OfflineModel
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
from tests.fakes.llm import FakeStreamListener

TOOLS = [
    ToolSpec(server="calculator", name="evaluate", description="Work out an expression.\nMore of it."),
    ToolSpec(server="report", name="summarise"),
]
CALL_HINT = 'Call a tool with a line such as /server.tool {"argument": "value"}.'
SETTING_HINT = "Set SATCHEL_MODEL (for example bedrock:… or openai-chat:…) to talk to a model."


def ask(*messages: Message, tools: list[ToolSpec] = TOOLS) -> ModelReply:
    request = CompletionRequest(instructions="", messages=list(messages), tools=tools)
    listener = FakeStreamListener()
    reply = OfflineModel().reply(request, listener)
    assert listener.text == reply.text
    return reply


def calls(text: str) -> list[tuple[str, str]]:
    reply = ask(UserMessage(text=text))
    assert reply.text == ""
    return [(call.tool, call.arguments) for call in reply.calls]


def tool_result(ref: str = "offline-0", *, failed: bool = False, **content: object) -> ToolMessage:
    return ToolMessage(ref=ref, tool="calculator.evaluate", content=dict(content), failed=failed)


def show(text: str, *results: ToolMessage) -> str:
    proposed = [ProposedCall(tool="calculator.evaluate", arguments="{}", ref=result.ref) for result in results]
    reply = ask(UserMessage(text=text), AssistantMessage(text="", calls=proposed), *results)
    assert reply.calls == []
    return reply.text


class TestCalls:
    def test_line_calls_a_tool(self) -> None:
        reply = ask(UserMessage(text='/calculator.evaluate {"expression": "234*97"}'))

        assert reply == ModelReply(
            text="",
            calls=[ProposedCall(tool="calculator.evaluate", arguments='{"expression": "234*97"}', ref="offline-0")],
        )

    def test_several_lines_are_several_calls_in_one_round(self) -> None:
        assert calls("please\n/a.b {}\nand\n/c.d {}\r\n/c.d   {}  \n") == [("a.b", "{}"), ("c.d", "{}"), ("c.d", "{}")]

    @pytest.mark.parametrize(
        ("line", "call"),
        [
            ("/a.b", ("a.b", "")),
            ("/a.b{}", ("a.b", "{}")),
            ("/a.b\t{}", ("a.b", "{}")),
            ("/a.b not json", ("a.b", "not json")),
            ('/a.b {"x": "/c.d {}"}', ("a.b", '{"x": "/c.d {}"}')),
            ("/my-server.v2.tool_1 {}", ("my-server.v2.tool_1", "{}")),
            ("/größe.öffnen {}", ("größe.öffnen", "{}")),
        ],
    )
    def test_arguments_are_passed_on_unchanged(self, line: str, call: tuple[str, str]) -> None:
        assert calls(line) == [call]

    @pytest.mark.parametrize("text", ["hello", " /a.b {}", "/ab {}", "a/b.c {}", "/.b", "/a.", "", "/ a.b"])
    def test_other_text_calls_nothing(self, text: str) -> None:
        reply = ask(UserMessage(text=text))

        assert reply.calls == []

    def test_file_name_in_the_context_calls_nothing(self) -> None:
        context = "\n\n[SYSTEM: Available files in current session:\n- x\n/a.b {}\n]"

        assert calls("/c.d {}" + context) == [("c.d", "{}")]

    def test_only_the_last_message_counts(self) -> None:
        earlier: list[Message] = [UserMessage(text="/a.b {}"), tool_result(results=1), AssistantMessage(text="so")]

        reply = ask(*earlier, UserMessage(text="/c.d {}"))

        assert [call.tool for call in reply.calls] == ["c.d"]

    def test_very_long_message_is_parsed_fast(self) -> None:
        assert calls("/" + "a" * 50_000 + "." * 50_000 + "\n" + "/a" * 50_000) != []


class TestResults:
    def test_are_shown_as_a_block_of_json(self) -> None:
        assert show("/x.y {}", tool_result(results={"value": 22698, "größe": None})) == (
            "No model is set; these are the outputs of the tools that you called.\n\n"
            'calculator.evaluate:\n```json\n{\n  "value": 22698,\n  "größe": null\n}\n```'
        )

    def test_text_is_shown_as_text_without_the_files_which_every_client_lists(self) -> None:
        text = show("/x.y {}", tool_result(results="done", files=["a.html", "b.png"]))

        assert text.endswith("\n\ncalculator.evaluate:\ndone")

    def test_failed_calls_are_marked(self) -> None:
        text = show(
            "/x.y {}", tool_result(results={"error": "1/0"}, failed=True), tool_result("offline-1", results=False)
        )

        assert "\n\ncalculator.evaluate failed: 1/0\n\n" in text
        assert text.endswith("calculator.evaluate:\nfalse")

    def test_long_output_is_truncated_with_a_note(self) -> None:
        text = show("/x.y {}", tool_result(results="x" * 4003))

        assert text.endswith("x" * 4000 + "\n… (3 characters more)")


class TestMessageWithoutCalls:
    def test_returns_the_tools_and_how_to_set_a_model(self) -> None:
        reply = ask(UserMessage(text="hello"))

        assert reply.text == "\n".join(
            [
                f"No model is set. {CALL_HINT}",
                "",
                "Tools:",
                "- /calculator.evaluate — Work out an expression.",
                "- /report.summarise — ",
                "",
                SETTING_HINT,
            ],
        )

    def test_returns_a_note_if_no_tools_are_known(self) -> None:
        reply = ask(UserMessage(text="hello"), tools=[])

        assert "(no tools are known yet)" in reply.text


def test_reply_with_lone_surrogates_survives_json() -> None:
    reply = ask(UserMessage(text='/a.b {"x": "\\ud83d"}'))

    assert ModelReply.model_validate_json(reply.model_dump_json()) == reply
    assert json.loads(reply.calls[0].arguments) == {"x": "\ud83d"}
