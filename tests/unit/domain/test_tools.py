"""Tool names for models: valid, unique, and mapped back to full names."""

import re

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    ProposedCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.tools import ToolNames, names_for_request

ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def test_name_is_the_full_name_with_the_dot_replaced() -> None:
    assert ToolNames(["report.summarise"]).name_for_model("report.summarise") == "report_summarise"


def test_names_that_would_be_equal_get_different_hashes() -> None:
    names = ToolNames(["a_b.c", "a.b_c", "a.b.c", "other.tool"])
    short_names = [names.name_for_model(full) for full in ("a_b.c", "a.b_c", "a.b.c")]
    assert len(set(short_names)) == 3
    assert all(name.startswith("a_b_c_") for name in short_names)
    assert names.name_for_model("other.tool") == "other_tool"


def test_long_name_is_truncated_and_gets_a_hash() -> None:
    long, longer = f"server.{'t' * 70}", f"server.{'t' * 71}"
    names = ToolNames([long, longer])
    assert len({names.name_for_model(long), names.name_for_model(longer)}) == 2
    assert all(ALLOWED.fullmatch(names.name_for_model(full)) for full in (long, longer))


def test_name_that_starts_with_a_digit_gets_an_underscore() -> None:
    assert ToolNames(["3d.render"]).name_for_model("3d.render") == "_3d_render"


def test_other_tools_do_not_change_a_hashed_name() -> None:
    small, large = ToolNames(["a_b.c", "a.b_c"]), ToolNames(["a_b.c", "a.b_c", "a.b.c", "x.y"])
    assert small.name_for_model("a_b.c") == large.name_for_model("a_b.c")


def test_tool_named_like_a_hashed_name_keeps_its_own_name() -> None:
    taken = ToolNames(["a_b.c", "a.b_c"]).name_for_model("a_b.c")
    names = ToolNames(["a_b.c", "a.b_c", taken])
    assert names.full_name(taken) == taken
    assert names.full_name(names.name_for_model("a_b.c")) == "a_b.c"


def test_invented_name_has_no_full_name() -> None:
    assert ToolNames(["a.b"]).full_name("a.b") is None


def test_request_has_names_for_its_tools_and_those_of_its_conversation() -> None:
    call = ProposedCall(tool="made up!", arguments="{}", ref="1")
    messages = [
        UserMessage(text="?"),
        AssistantMessage(text="", calls=[call]),
        ToolMessage(ref="1", tool="gone.by", content={}),
    ]
    request = CompletionRequest(instructions="", messages=messages, tools=[ToolSpec(server="report", name="echo")])
    names = names_for_request(request)
    assert [names.name_for_model(full) for full in ("report.echo", "made up!", "gone.by")] == [
        "report_echo",
        "made_up_",
        "gone_by",
    ]
    assert (names.full_name("report_echo"), names.full_name("echo")) == ("report.echo", None)


@given(st.lists(st.text(alphabet="ab._-é 1", min_size=1, max_size=80)))
def test_every_tool_has_a_valid_name_that_maps_back(full_names: list[str]) -> None:
    names = ToolNames(full_names)
    for full in full_names:
        assert ALLOWED.fullmatch(names.name_for_model(full))
        assert names.full_name(names.name_for_model(full)) == full
