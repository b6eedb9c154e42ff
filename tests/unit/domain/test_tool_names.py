"""Names of tools for models: allowed, different, and found again."""

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


def test_a_name_is_the_full_one_with_its_dot_replaced() -> None:
    assert ToolNames(["report.summarise"]).name_for_model("report.summarise") == "report_summarise"


def test_servers_whose_names_hold_dots_and_underscores_never_meet() -> None:
    names = ToolNames(["a_b.c", "a.b_c", "a.b.c", "other.tool"])
    given_ = [names.name_for_model(full) for full in ("a_b.c", "a.b_c", "a.b.c")]
    assert len(set(given_)) == 3
    assert all(name.startswith("a_b_c_") for name in given_)
    assert names.name_for_model("other.tool") == "other_tool"


def test_a_name_that_is_too_long_is_cut_and_marked() -> None:
    long, longer = f"server.{'t' * 70}", f"server.{'t' * 71}"
    names = ToolNames([long, longer])
    assert len({names.name_for_model(long), names.name_for_model(longer)}) == 2
    assert all(ALLOWED.fullmatch(names.name_for_model(full)) for full in (long, longer))


def test_a_name_that_starts_with_a_digit_is_given_a_letters_start() -> None:
    assert ToolNames(["3d.render"]).name_for_model("3d.render") == "_3d_render"


def test_a_tool_keeps_its_name_whichever_others_come_and_go() -> None:
    few, many = ToolNames(["a_b.c", "a.b_c"]), ToolNames(["a_b.c", "a.b_c", "a.b.c", "x.y"])
    assert few.name_for_model("a_b.c") == many.name_for_model("a_b.c")


def test_no_tool_takes_the_name_that_another_is_given() -> None:
    taken = ToolNames(["a_b.c", "a.b_c"]).name_for_model("a_b.c")
    names = ToolNames(["a_b.c", "a.b_c", taken])
    assert names.full_name(taken) == taken
    assert names.full_name(names.name_for_model("a_b.c")) == "a_b.c"


def test_a_name_that_a_model_made_up_is_nobodys() -> None:
    assert ToolNames(["a.b"]).full_name("a.b") is None


def test_a_question_has_names_for_its_tools_and_for_those_that_its_conversation_tells_of() -> None:
    call = ProposedCall(tool="made up!", arguments="{}", ref="1")
    told = [
        UserMessage(text="?"),
        AssistantMessage(text="", calls=[call]),
        ToolMessage(ref="1", tool="gone.by", content={}),
    ]
    task = CompletionRequest(instructions="", messages=told, tools=[ToolSpec(server="report", name="echo")])
    names = names_for_request(task)
    assert [names.name_for_model(full) for full in ("report.echo", "made up!", "gone.by")] == [
        "report_echo",
        "made_up_",
        "gone_by",
    ]
    assert (names.full_name("report_echo"), names.full_name("echo")) == ("report.echo", None)


@given(st.lists(st.text(alphabet="ab._-é 1", min_size=1, max_size=80)))
def test_every_tool_has_one_allowed_name_and_is_found_by_it(full_names: list[str]) -> None:
    names = ToolNames(full_names)
    for full in full_names:
        assert ALLOWED.fullmatch(names.name_for_model(full))
        assert names.full_name(names.name_for_model(full)) == full
