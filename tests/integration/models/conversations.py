"""Conversations whose list of files changes: model requests of the use cases, and their tokens in a prompt cache."""

from functools import cache

from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import CompletionRequest, ModelReply, ProposedCall, ToolSpec
from satchel.domain.sessions import Session, Turn
from satchel.domain.tools import ToolListing, fresh_tool_list
from tests.fake_providers.prompt_cache import CachedTokens, PromptCache
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import ModelFactory
from tests.unit.services.samples import REGISTRY, schema
from tests.unit.services.world import World, turn_step

RESULT = "2024-08-27,north,bolt,12.50\n" * 75  # 2,100 characters
ANSWER = "The sales of the north rose in August. " * 10
TOOLS_PER_SERVER = 6


def make_world(context_tokens: int = 100_000) -> World:
    """Return use cases with tools of the usual number and size."""
    world = World()
    world.context_tokens = context_tokens
    world.max_rounds = 20
    text = "Read rows of a table, filter them by the values of a column, and write the result to a new file. " * 2
    columns = {f"{name}_column": "string" for name in ("date", "region", "product", "price", "amount")}
    for server in ("report", "exact"):
        tools = [
            ToolSpec(server=server, name=f"read_{number}", description=text, input_schema=schema([], **columns))
            for number in range(TOOLS_PER_SERVER)
        ]
        tool_list = fresh_tool_list(ToolListing(tools=tools), world.clock.now())
        world.tool_lists.save(server, REGISTRY.servers[server].config_hash(), tool_list)
    return world


def run_turn(world: World, session: Session, rounds: int) -> list[CompletionRequest]:
    """Run a turn with one tool call per round, which creates a file. Return its model requests."""
    turn = world.turn(session, "How were the sales of the north in August, compared with July?")
    first = len(world.model.requests)
    for number in range(rounds):
        world.clock.advance(5)
        _run_round(world, turn, number)
    world.model.replies = [ModelReply(text=ANSWER)]
    assert world.use_cases.think(turn_step(turn, rounds)).ended
    world.clock.advance(60)
    return world.model.requests[first:]


def _run_round(world: World, turn: Turn, number: int) -> None:
    call = ProposedCall(tool="report.read_1", arguments='{"date_column": "date"}', ref=f"c{number}")
    world.model.replies = [ModelReply(text="I look at the next part.", calls=[call])]
    world.use_cases.think(turn_step(turn, number))
    stored = next(call for call in world.calls.list(turn.turn_id) if call.round == number)
    file = world.stored_file(stored, f"{turn.turn_id[-6:]}-{number}.csv", mime="text/csv")
    world.finish_call(stored, RunnerReport(results=RESULT, files=[file]))


@cache
def turn_of_ten_rounds() -> list[CompletionRequest]:
    """Return the requests of a turn in which the model calls tools in ten rounds."""
    world = make_world()
    return run_turn(world, world.session(), 10)


@cache
def conversation_of_thirty_turns(context_tokens: int = 100_000) -> list[CompletionRequest]:
    """Return the requests of a conversation: each turn has one tool call, and creates a file."""
    world = make_world(context_tokens)
    session = world.session()
    return [request for _ in range(30) for request in run_turn(world, session, 1)]


def send(
    requests: list[CompletionRequest], provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> list[CachedTokens]:
    """Send the requests to a provider. Return what its cache makes of each."""
    assert provider in PROVIDERS
    prompt_cache = PromptCache(explicit=provider != "openai-chat")
    for request in requests:
        get_model(provider).reply(request, FakeStreamListener())
    return [prompt_cache.send(sent.body) for sent in endpoint.requests[-len(requests) :]]
