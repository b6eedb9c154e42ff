"""When servers are asked for their tools, so that nobody waits for a cold one."""

from constructs import Construct

from infra.constructs.deployed import Deployed
from infra.constructs.function import PythonFunction
from infra.constructs.lost_events import LostEvents
from infra.constructs.sweep import Sweep
from infra.limits import REFRESH_MINUTES


class ToolRefresh(Construct):
    """At the end of each deployment of the stack, which may have brought other programs, and again and again."""

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, lost: LostEvents) -> None:
        super().__init__(scope, id_)
        Sweep(self, "Due", function=function, minutes=REFRESH_MINUTES, lost=lost)
        Deployed(self, "Deployed", function=function, lost=lost)
