"""One tool called without a model: what `satchel call` does."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import httpx2
import typer

from local.cli.answer import file_lines
from local.cli.api import ApiClient
from local.cli.errors import HasModelError, NotJsonError
from local.cli.follow import Sleep
from local.cli.save import Saved
from local.cli.talk import COMPLETE, NOT_COMPLETE, Question, converse, guarded, verdict
from local.cli.text import plain
from satchel.domain.responses import FinalResponse, ToolCallSummary

OFFLINE = "offline"


@dataclass(frozen=True)
class DirectCall:
    """A tool by its full name, and its arguments as somebody wrote them."""

    tool: str
    arguments: str

    def as_message(self) -> str:
        """Write it as the one line that stands for a call. Raises NotJsonError."""
        try:
            arguments = json.loads(self.arguments)
        except ValueError as error:
            raise NotJsonError(f"The arguments are not JSON: {error}.") from error
        if not isinstance(arguments, dict):
            raise NotJsonError('The arguments must be a JSON object, such as {"name": "value"}.')
        return f"/{self.tool} {json.dumps(arguments, ensure_ascii=False)}"


def call_tool(
    call: DirectCall, asked: Question, *, transport: httpx2.BaseTransport | None = None, sleep: Sleep = time.sleep
) -> int:
    """Call, wait, print the results and save the files. Returns the exit code; 1 says that the tool failed."""

    def run(client: ApiClient) -> int:
        question = replace(asked, message=call.as_message())
        if (model := client.about().model) != OFFLINE:
            raise HasModelError(f"{asked.url} has a model ({model}), which would answer instead of the tool.")
        return _tell(*converse(client, question, sleep))

    return guarded(asked, run, transport)


def _tell(response: FinalResponse, saved: Sequence[Saved]) -> int:
    for call in response.tool_calls:
        typer.echo(plain(_results(call)))
    for line in file_lines(response, saved):
        typer.echo(line)
    failed = next((call for call in response.tool_calls if call.is_error), None)
    if failed is not None:
        typer.echo(f"satchel: {failed.tool} failed ({failed.error_code or 'no code'})", err=True)
    code = verdict(response, saved)
    return NOT_COMPLETE if code == COMPLETE and (failed or not response.tool_calls) else code


def _results(call: ToolCallSummary) -> str:
    """Write the results, and what the tool or Satchel has to say about them."""
    told = {"results": call.results} | ({"meta_data": call.meta_data} if call.meta_data else {})
    return json.dumps(told, ensure_ascii=False, indent=2)
