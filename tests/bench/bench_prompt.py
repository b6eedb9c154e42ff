"""Building a request to the model, with and without pictures, up to the messages of a provider's client."""

import io
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import satchel.adapters.llm.import_stub  # noqa: F401  (must come before pydantic_ai)
from satchel.adapters.llm.messages import to_provider_messages
from satchel.domain.conversation import AssistantMessage, CompletionRequest, Message, ProposedCall, ToolMessage
from satchel.domain.conversation import UserMessage as Question
from satchel.domain.media import MediaRef
from satchel.domain.prompt import system_prompt
from satchel.domain.token_budget import estimate_tokens, fit_to_budget, tool_tokens
from satchel.domain.tools import names_for_request
from satchel.services.tools.tool_lists import OfferedTools
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.pictures import png
from tests.unit.domain.conversations import normalize_history, to_turns
from tests.unit.services.samples import ECHO, MERGE, SUMMARISE
from tests.unit.services.world import World

TURNS, PICTURES, PICTURE_BYTES = 30, 10, 800_000
TOOLS = [ECHO, MERGE, SUMMARISE]
REPEATS = 20
MIB = 1 << 20
MS = 1_000


class Conversation:
    """A session with thirty turns. Each has a call, whose result may refer to a picture."""

    def __init__(self, pictures: int = 0) -> None:
        self.world = World()
        self.session = self.world.session()
        self.turn = self.world.turn(self.session)
        self.messages: list[Message] = []
        for number in range(TURNS):
            call = ProposedCall(tool=ECHO.full_name, arguments='{"text": "a"}', ref=f"r{number}")
            media = [self._picture(number)] if number < pictures else []
            result = ToolMessage(ref=call.ref, tool=call.tool, content={"results": "x" * 2_000}, media=media)
            self.messages += [Question(text=f"Question {number}"), AssistantMessage(text="", calls=[call]), result]
            self.messages.append(AssistantMessage(text="An answer. " * 40))
        self.messages.append(Question(text="And now?"))
        self.build_request = self.world.use_cases.build_model_request

    def _picture(self, number: int) -> MediaRef:
        key, body = f"picture-{number}", png(1500, 1000, size=PICTURE_BYTES)
        self.world.store.put(key, io.BytesIO(body), "image/png")
        return MediaRef(name=f"{key}.png", key=key, mime="image/png", size=len(body), width=1500, height=1000)

    def build(self) -> CompletionRequest:
        """Build the request as Think does."""
        return self.build_request(self.turn, self.session, to_turns(self.messages), OfferedTools(TOOLS, []))

    def send(self) -> float:
        """Build the request and convert it, several times. Return the CPU time in ms."""
        start = time.process_time()
        for _ in range(REPEATS):
            convert(self.build())
        return (time.process_time() - start) * MS

    def send_without_media_steps(self) -> float:
        """Build the request without the steps that choose and read pictures, several times. Return the CPU time."""
        start = time.process_time()
        for _ in range(REPEATS):
            entry = self.build_request.models.get(self.turn.model)
            fixed = estimate_tokens(system_prompt("")) + sum(map(tool_tokens, TOOLS))
            fitted = fit_to_budget(normalize_history(self.messages), 100_000 - fixed)
            convert(
                CompletionRequest(
                    model=entry.model,
                    instructions=system_prompt("", fitted.note),
                    messages=fitted.messages,
                    tools=TOOLS,
                )
            )
        return (time.process_time() - start) * MS

    def mebibytes(self) -> float:
        """Return the size of the request's texts and pictures as base64."""
        request = self.build()
        return (len(request.model_dump_json()) + sum(map(_base64_bytes, request.media.values()))) / MIB


def convert(request: CompletionRequest) -> None:
    """Convert a request for a provider's client."""
    to_provider_messages(request, names_for_request(request))


def _base64_bytes(content: Sequence[int]) -> int:
    return 4 * -(-len(content) // 3)


@contextmanager
def without_pictures() -> Iterator[Comparison]:
    """Compare a conversation without pictures with the same steps, but without those for pictures."""
    conversation = Conversation()
    yield Comparison(conversation.send, conversation.send_without_media_steps)


@contextmanager
def with_pictures(figure: str) -> Iterator[Comparison]:
    """Compare conversations with and without pictures."""
    with_ten, without = Conversation(PICTURES), Conversation()
    if figure == "MiB":
        yield Comparison(with_ten.mebibytes, without.mebibytes)
    else:
        yield Comparison(with_ten.send, without.send)


_TEN = f"{PICTURES} pictures of 0.8 MB in a conversation of {TURNS} turns"
BENCHMARKS = [
    Benchmark(
        name="prompt",
        measured=f"CPU time of {REPEATS} requests to the model with a conversation of {TURNS} turns without pictures",
        baseline="the same without the steps that choose and read pictures",
        unit="ms of CPU",
        setup=without_pictures,
        limit=Limit("ratio", 1.2),
    ),
    Benchmark(
        name="prompt-pictures-time",
        measured=f"CPU time of {REPEATS} requests to the model with {_TEN}",
        baseline="the same without pictures",
        unit="ms of CPU",
        setup=partial(with_pictures, "CPU"),
    ),
    Benchmark(
        name="prompt-pictures-bytes",
        measured=f"the size of a request to the model with {_TEN}",
        baseline="the same without pictures",
        unit="MiB",
        setup=partial(with_pictures, "MiB"),
        runs=1,
        warm_up=0,
    ),
]
