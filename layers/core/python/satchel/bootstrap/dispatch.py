"""What the dispatch function is made of."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.json_schema import JsonSchemaChecker
from satchel.adapters.stepfunctions import WaitingTasks
from satchel.adapters.sts_credentials import StsCredentials
from satchel.bootstrap.links import links
from satchel.bootstrap.runners import refresh_tools, runners
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.calls.dispatch_tool import DispatchTool
from satchel.services.calls.resolve_inputs import ResolveInputs
from satchel.services.files.list_files import ListFiles
from satchel.settings import DispatchSettings, LimitSettings, StorageSettings, TimingSettings


@lru_cache
def build() -> DispatchTool:
    """Return the use case, wired."""
    kept = storage()
    settings = DispatchSettings()
    where = StorageSettings()
    return DispatchTool(
        registry=registry(),
        turns=kept.turns,
        calls=kept.calls,
        approvals=kept.approvals,
        events=kept.events,
        tools=refresh_tools(),
        checker=JsonSchemaChecker(),
        inputs=ResolveInputs(kept.files, kept.store, links(), CLOCK, LimitSettings().max_input_bytes),
        credentials=StsCredentials(clients.sts(), settings.call_role, where.bucket, where.table),
        runners=runners(),
        list_files=ListFiles(kept.files, CLOCK),
        store=kept.store,
        callback=WaitingTasks(clients.stepfunctions()),
        limits=TimingSettings().limits,
    )
