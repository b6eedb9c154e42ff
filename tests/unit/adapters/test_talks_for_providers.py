"""Whatever was kept of a conversation, it goes to a provider with alternating roles and every call answered at once."""

from hypothesis import given
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

from satchel.adapters.llm.messages import history
from satchel.domain.conversation import CompletionRequest, Message
from satchel.domain.history import in_form
from satchel.domain.token_budget import fit
from satchel.domain.tools import names_for
from tests.unit.contract.strategies import many
from tests.unit.domain.talks import talks


@many
@given(talks)
def test_roles_alternate_and_results_follow_their_calls(talk: list[Message]) -> None:
    task = CompletionRequest(instructions="", messages=fit(in_form(talk), 2_000).messages, tools=[])
    told = history(task, names_for(task))
    assert [type(message) for message in told[0::2]] == [ModelRequest] * len(told[0::2])
    assert [type(message) for message in told[1::2]] == [ModelResponse] * len(told[1::2])
    assert isinstance(told[0].parts[0], UserPromptPart)
    seen: list[str] = []
    for said, after in zip(told[1::2], told[2::2], strict=False):
        called = [part.tool_call_id for part in said.parts if isinstance(part, ToolCallPart)]
        assert [part.tool_call_id for part in after.parts if isinstance(part, ToolReturnPart)] == called
        seen += called
    assert len(set(seen)) == len(seen)
