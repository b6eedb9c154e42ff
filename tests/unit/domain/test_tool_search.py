"""The search for tools, measured with 300 questions over 1,000 tools, and the choice of the tools of a request."""

import pytest

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, ToolSpec, UserMessage
from satchel.domain.token_budget import tool_tokens
from satchel.domain.tool_search import MANY_TOOLS, MAX_FOUND, ToolIndex, choose_tools, find_tools
from satchel.domain.tools import FIND_TOOLS, LIST_FILES
from tests.tools_search.catalog import read_published_tools, read_questions, read_tools

TOOLS = read_tools()
USUAL = {tool.full_name: 1 for tool in TOOLS[::100]}
MAX_SHARE = 0.05


def tokens(tools: list[ToolSpec]) -> int:
    return sum(map(tool_tokens, tools))


def search(*queries: str) -> list[Message]:
    """Return a conversation that has searched."""
    messages: list[Message] = [UserMessage(text="help")]
    for number, query in enumerate(queries):
        found = [{"tool": tool.full_name} for tool in find_tools(TOOLS, query)]
        call = ProposedCall(tool=FIND_TOOLS.full_name, arguments="{}", ref=f"c{number}")
        result = ToolMessage(ref=call.ref, tool=call.tool, content={"results": {"tools": found}})
        messages += [AssistantMessage(text="", calls=[call]), result]
    return messages


def names(tools: list[ToolSpec]) -> list[str]:
    return [tool.full_name for tool in tools]


@pytest.mark.parametrize(
    ("tools", "name", "count", "min_right"),
    [
        (read_tools(), "questions", 100, 95),
        (read_published_tools(), "questions_2", 100, 95),
        (read_published_tools(), "questions_3", 50, 48),
        (read_published_tools(), "questions_4", 50, 44),  # 43 before the search was improved with these
    ],
    ids=["generated", "published", "further", "last"],
)
def test_questions_find_the_right_tool_among_1000(tools: list[ToolSpec], name: str, count: int, min_right: int) -> None:
    index, questions = ToolIndex(tools), read_questions(name)
    wrong = [each for each in questions if each.tool not in names(index.search(each.text, MAX_FOUND))]

    assert (len(tools), len({tool.full_name for tool in tools}), len(questions)) == (1000, 1000, count)
    assert len(questions) - len(wrong) >= min_right, wrong


@pytest.mark.parametrize("searches", [0, 1, 2, 3, 10])
def test_request_has_at_most_5_percent_of_the_schema_tokens(searches: int) -> None:
    queries = [question.text for question in read_questions()[::7]][:searches]
    offered = choose_tools([*TOOLS, LIST_FILES], search(*queries), USUAL)

    assert tokens(offered) <= MAX_SHARE * tokens(TOOLS)


def test_few_tools_are_all_offered_without_the_search() -> None:
    few = TOOLS[:MANY_TOOLS]

    assert choose_tools(few, search("send an email"), {}) == few


def test_many_tools_are_offered_after_they_were_found_or_called() -> None:
    call = ProposedCall(tool="weather.get_forecast", arguments="{}", ref="c")
    conversation = [*search("send an email"), AssistantMessage(text="", calls=[call])]

    offered = names(choose_tools([*TOOLS, LIST_FILES], conversation, {}))

    assert offered[:2] == [FIND_TOOLS.full_name, LIST_FILES.full_name]
    assert "gmail.create_email" in offered[2:-1]
    assert offered[-1] == "weather.get_forecast"


def test_each_request_only_adds_to_the_tools_of_the_one_before() -> None:
    queries = ["send an email", "open a GitHub issue"]
    requests = [names(choose_tools(TOOLS, search(*queries[:count]), USUAL)) for count in range(3)]

    assert requests[1][: len(requests[0])] == requests[0]
    assert requests[2][: len(requests[1])] == requests[1]


def test_tools_that_the_turn_may_not_call_are_not_offered_though_found_earlier() -> None:
    allowed = [tool for tool in TOOLS if tool.server != "gmail"]

    assert not any(name.startswith("gmail.") for name in names(choose_tools(allowed, search("send an email"), {})))


def test_query_without_a_known_word_finds_nothing() -> None:
    assert find_tools(TOOLS, "xyzzy ?!") == []


def test_first_request_offers_the_ten_tools_that_the_user_calls_most() -> None:
    use = {"jira.create_ticket": 9, "absent.tool": 99} | {tool.full_name: 2 for tool in TOOLS[::70]}

    offered = names(choose_tools([*TOOLS, LIST_FILES], [], use))

    usual = [name for name in use if name != "absent.tool"][:10]
    assert offered == [FIND_TOOLS.full_name, LIST_FILES.full_name, *sorted(usual)]


def test_one_more_call_rarely_changes_the_most_used_tools() -> None:
    use = {tool.full_name: 5 for tool in TOOLS[::70]}
    changed = use | {TOOLS[-1].full_name: 7, TOOLS[70].full_name: 6}

    assert names(choose_tools(TOOLS, [], changed)) == names(choose_tools(TOOLS, [], use))


def test_two_words_of_the_query_match_their_compound() -> None:
    found = find_tools(read_published_tools(), "heat map of visits")

    assert "mcp-echarts.generate_heatmap_chart" in names(found)


def test_word_with_the_same_meaning_finds_the_tool() -> None:
    tools = [tool for tool in TOOLS if tool.server == "stripe"]

    assert set(names(find_tools(tools, "erase", 5))) == {
        tool.full_name for tool in tools if tool.name.startswith("delete_")
    }
