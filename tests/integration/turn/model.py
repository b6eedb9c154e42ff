"""A model that does as it is told: a message is the plan of its turn."""

import json
from typing import Any

from satchel.domain.conversation import AssistantMessage, ModelReply, ModelTask, ProposedCall, UserMessage
from satchel.domain.prompt import CONTEXT_START
from satchel.ports.model import Heard

Plan = list[list[tuple[str, dict[str, Any]]]]
"""For each round the tools of ``bench`` to call, with their arguments. Behind the last round comes the answer."""

ANSWER = "Done."


class PlannedModel:
    """Implements ``ports.model.Model``."""

    def reply(self, task: ModelTask, heard: Heard) -> ModelReply:
        begun = max(index for index, message in enumerate(task.messages) if isinstance(message, UserMessage))
        asked = task.messages[begun]
        assert isinstance(asked, UserMessage)
        plan: Plan = json.loads(asked.text.partition(CONTEXT_START)[0])
        spoken = sum(isinstance(message, AssistantMessage) for message in task.messages[begun:])
        if spoken >= len(plan):
            heard(ANSWER)
            return ModelReply(text=ANSWER)
        calls = [
            ProposedCall(tool=f"bench.{tool}", arguments=json.dumps(arguments), ref=f"r{spoken}-{index}")
            for index, (tool, arguments) in enumerate(plan[spoken])
        ]
        return ModelReply(text="", calls=calls)
