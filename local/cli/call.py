"""`satchel call`: call one tool without a model and print its results."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import typer

from local.cli.ask import Question, converse, turn_exit_code
from local.cli.connection import Connection, run_with_client
from local.cli.download import SavedFile
from local.cli.errors import ExitCode, InvalidArgumentsError, ModelConfiguredError, print_error
from local.cli.render import file_lines
from local.cli.text import sanitize
from satchel.domain.llm import OFFLINE
from satchel_client import Client
from satchel_client.models import FinalResponse, ToolCallSummary


@dataclass(frozen=True)
class ToolCall:
    """A tool's full name (``server.tool``), and the call's arguments as JSON text."""

    tool: str
    arguments: str

    def as_message(self) -> str:
        """Return the one-line message that calls the tool. Raise InvalidArgumentsError if the arguments are invalid."""
        try:
            arguments = json.loads(self.arguments)
        except ValueError as error:
            raise InvalidArgumentsError(f"The arguments are not JSON: {error}.") from error
        if not isinstance(arguments, dict):
            raise InvalidArgumentsError('The arguments must be a JSON object, such as {"name": "value"}.')
        return f"/{self.tool} {json.dumps(arguments, ensure_ascii=False)}"


def call_tool(connection: Connection, call: ToolCall, question: Question) -> ExitCode:
    """Call the tool, wait until the call ends, print its results and save its files. Return FAILURE if the tool failed.

    ``question`` contains the session, the files to upload and the output folder. Its message is ignored.
    """

    def run(client: Client) -> ExitCode:
        message = call.as_message()
        if (model := client.config().model) != OFFLINE:
            raise ModelConfiguredError(
                f"{connection.url} has a model ({model}); a tool can be called directly only without a model."
            )
        return _print_results(*converse(client, replace(question, message=message)))

    return run_with_client(connection, run)


def _print_results(response: FinalResponse, saved: Sequence[SavedFile]) -> ExitCode:
    for call in response.tool_calls:
        typer.echo(sanitize(_results_json(call)))
    for line in file_lines(response, list(map(str, saved))):
        typer.echo(line)
    failed = next((call for call in response.tool_calls if call.is_error), None)
    if failed is not None:
        print_error(f"{failed.tool} failed ({failed.error_code or 'no code'})")
    code = turn_exit_code(response, saved)
    return ExitCode.FAILURE if code == ExitCode.SUCCESS and (failed or not response.tool_calls) else code


def _results_json(call: ToolCallSummary) -> str:
    """Return the call's results as JSON text, together with their ``meta_data`` if there is any."""
    output = {"results": call.results} | ({"meta_data": call.meta_data} if call.meta_data else {})
    return json.dumps(output, ensure_ascii=False, indent=2)
