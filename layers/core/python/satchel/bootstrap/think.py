"""What the think function is made of."""

from functools import lru_cache

from satchel.adapters.models.asking import check_name
from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.models import models
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.ports.model import Model
from satchel.services.files.tell_files import TellFiles
from satchel.services.tools.list_tools import ListTools
from satchel.services.turns.count_tokens import CountTokens
from satchel.services.turns.pose_question import PoseQuestion
from satchel.services.turns.think import Think
from satchel.settings import ModelSettings, SessionSettings, ThinkSettings


def model(name: str) -> Model:
    """Return what asks models, this one among them. Raises ValueError for a name that is not known."""
    check_name(name)
    return models()


@lru_cache
def build() -> Think:
    """Return the use case, wired."""
    settings = ThinkSettings()
    models = ModelSettings().choice
    kept = storage()
    files = TellFiles(kept.files, CLOCK, SessionSettings().persist_files_across_sessions)
    tools = ListTools(registry(), kept.tool_lists)
    return Think(
        turns=kept.turns,
        transcript=kept.transcript,
        calls=kept.calls,
        events=kept.events,
        pose=PoseQuestion(kept.sessions, files, tools, models, settings.instructions, settings.context_tokens),
        model=CountTokens(model(models.all[0].model), metrics()),
        tools=tools,
        clock=CLOCK,
        most_rounds=settings.max_rounds,
    )
