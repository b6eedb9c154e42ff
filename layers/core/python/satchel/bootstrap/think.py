"""What the think function is made of."""

from functools import lru_cache

from satchel.adapters.models.offline import OfflineModel
from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.ports.model import Model
from satchel.services.files.tell_files import TellFiles
from satchel.services.tools.list_tools import ListTools
from satchel.services.turns.count_tokens import CountTokens
from satchel.services.turns.think import Think
from satchel.settings import ModelSettings, SessionSettings


def model(name: str) -> Model:
    """Return the model of this name. Raises ValueError for one that is not known."""
    if name == "offline":
        return OfflineModel()
    raise ValueError(f"SATCHEL_MODEL={name!r} is not known; 'offline' is")


@lru_cache
def build() -> Think:
    """Return the use case, wired."""
    settings = ModelSettings()
    kept = storage()
    return Think(
        turns=kept.turns,
        transcript=kept.transcript,
        calls=kept.calls,
        tell_files=TellFiles(kept.files, CLOCK, SessionSettings().persist_files_across_sessions),
        events=kept.events,
        model=CountTokens(model(settings.model), metrics()),
        tools=ListTools(registry(), kept.tool_lists),
        clock=CLOCK,
        most_rounds=settings.max_rounds,
    )
