"""Any stored conversation is sent to a provider with alternating roles and a result for every call."""

from hypothesis import given
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

from satchel.adapters.llm.messages import to_provider_messages
from satchel.domain.conversation import CompletionRequest, Message
from satchel.domain.token_budget import fit_to_budget
from satchel.domain.tools import names_for_request
from tests.unit.contract.strategies import many
from tests.unit.domain.conversations import conversations, normalize_history


@many
@given(conversations)
def test_roles_alternate_and_results_follow_their_calls(talk: list[Message]) -> None:
    request = CompletionRequest(
        instructions="", messages=fit_to_budget(normalize_history(talk), 2_000).messages, tools=[]
    )
    messages = to_provider_messages(request, names_for_request(request))
    assert [type(message) for message in messages[0::2]] == [ModelRequest] * len(messages[0::2])
    assert [type(message) for message in messages[1::2]] == [ModelResponse] * len(messages[1::2])
    assert isinstance(messages[0].parts[0], UserPromptPart)
    seen: list[str] = []
    for response, next_request in zip(messages[1::2], messages[2::2], strict=False):
        call_ids = [part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart)]
        assert [part.tool_call_id for part in next_request.parts if isinstance(part, ToolReturnPart)] == call_ids
        seen += call_ids
    assert len(set(seen)) == len(seen)
