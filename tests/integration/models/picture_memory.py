"""`python -m tests.integration.models.picture_memory MODEL`: print how many MiB a request with pictures needs.

Like Think, it builds the request and sends it to the model: a request without pictures first, then one with ten
attached pictures, which it reads from S3. They are as large as the pictures that a request may show. Larger attached
pictures never reach Think, because the runner has prepared smaller ones. A process of its own keeps the servers of the
test out of the measurement.
"""

import sys
from datetime import UTC, datetime

from satchel.adapters import clients
from satchel.adapters.s3_files import S3Files
from satchel.bootstrap.language_models import close, model_without_retries
from satchel.domain.conversation import Message, UserMessage
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.llm import ModelCatalog, ModelEntry
from satchel.domain.media import MediaRef
from satchel.domain.media_budget import MAX_REQUEST_BYTES
from satchel.domain.sessions import Turn
from satchel.domain.turn_messages import TurnMessages
from satchel.services.tools.tool_lists import OfferedTools
from satchel.services.turns.build_model_request import BuildModelRequest
from tests.fakes.llm import FakeStreamListener
from tests.memory import MemoryGrowth
from tests.pictures import png

PICTURES = 10
BUCKET = "files"
WIDTH, HEIGHT = 1500, 1000
TEXT = UserMessage(text="Look at my pictures")
TURN = Turn(
    turn_id=TurnId(f"t{0:026}"),
    session_id=SessionId(f"s{0:026}"),
    user=UserName("ada@example.com"),
    groups=[],
    message=TEXT.text,
    created_at=datetime.now(UTC),
)


def pictures() -> dict[str, bytes]:
    """Return the contents of the pictures by key."""
    return {f"view-{number}.png": png(WIDTH, HEIGHT, size=MAX_REQUEST_BYTES // PICTURES) for number in range(PICTURES)}


def main(model_name: str) -> None:
    """Send a request without pictures to warm up, then the request with pictures. Print the growth."""
    entry = ModelEntry(name="eyes", model=model_name, vision=True)
    build = BuildModelRequest(
        models=ModelCatalog("eyes", (entry,)),
        store=S3Files(clients.s3(), BUCKET),
        instructions="Look.",
        context_tokens=100_000,
    )
    model = model_without_retries(model_name)
    size = MAX_REQUEST_BYTES // PICTURES
    references = [
        MediaRef(
            name=f"{number}.png", key=f"view-{number}.png", mime="image/png", size=size, width=WIDTH, height=HEIGHT
        )
        for number in range(PICTURES)
    ]
    conversations: list[list[Message]] = [[TEXT], [TEXT.model_copy(update={"media": references})]]
    growth = MemoryGrowth()
    for number, messages in enumerate(conversations):
        if number == 1:
            growth = MemoryGrowth()
        request = build(TURN, None, [TurnMessages(messages)], OfferedTools([]))
        model.reply(request, FakeStreamListener())
        if len(request.media) != number * PICTURES:
            raise ValueError(f"the request has {len(request.media)} pictures")
    sys.stdout.write(f"{growth.mebibytes():.1f}")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    finally:
        close()  # otherwise the threads of the model keep the process alive
