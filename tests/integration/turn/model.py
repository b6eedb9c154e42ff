"""A model that does as it is told: a message is the plan of its turn."""

import json
from collections import deque
from typing import Any

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    ModelReply,
    ProposedCall,
    TokenUsage,
    UserMessage,
)
from satchel.domain.prompt import CONTEXT_START
from satchel.ports.llm import StreamListener

Plan = list[list[tuple[str, dict[str, Any] | str]]]
"""For each round the tools of ``bench`` to call, with their arguments, or what stands in their place.

A tool with a dot is of another server. Behind the last round comes the answer.
"""

ANSWER = "Done."
TOOK = TokenUsage(input_tokens=100, output_tokens=10)
"""What every answer takes."""


class PlannedModel:
    """Implements ``ports.model.Model``; ``tasks`` are its latest questions. It heeds nothing but its plan."""

    def __init__(self) -> None:
        self.tasks: deque[CompletionRequest] = deque(maxlen=100)

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        self.tasks.append(task)
        begun = max(index for index, message in enumerate(task.messages) if isinstance(message, UserMessage))
        asked = task.messages[begun]
        assert isinstance(asked, UserMessage)
        plan: Plan = json.loads(asked.text.partition(CONTEXT_START)[0])
        spoken = sum(isinstance(message, AssistantMessage) for message in task.messages[begun:])
        if spoken >= len(plan):
            heard(ANSWER)
            return ModelReply(text=ANSWER, usage=TOOK)
        calls = [
            ProposedCall(
                tool=tool if "." in tool else f"bench.{tool}",
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
                ref=f"r{spoken}-{index}",
            )
            for index, (tool, arguments) in enumerate(plan[spoken])
        ]
        return ModelReply(text="", calls=calls, usage=TOOK)
