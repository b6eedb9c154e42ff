"""`satchel models`: list the configured models and, with --ping, test whether they answer."""

import logging
import time
from collections.abc import Iterator, Sequence

import typer
from pydantic import ValidationError

from local.cli.errors import ExitCode, print_error
from satchel.adapters.llm.model_router import known_providers
from satchel.bootstrap import language_models
from satchel.domain.conversation import CompletionRequest, ModelReply, ToolSpec, UserMessage
from satchel.domain.llm import ModelEntry, ModelError
from satchel.ports.llm import Model
from satchel.settings import ModelSettings

_TOOL = ToolSpec(
    server="satchel",
    name="ready",
    description="Say that you are ready.",
    input_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_QUESTION = 'Call the tool with the word "ready".'


def list_models(names: Sequence[str], *, ping: bool) -> ExitCode:
    """Print a line for each model. If ``ping`` is set, test whether the model answers.

    Return FAILURE if the settings are invalid or a test failed.
    """
    try:
        entries = list(_entries(names))
    except (ValidationError, ValueError) as error:
        print_error(str(error))
        return ExitCode.FAILURE
    logging.disable(logging.WARNING)  # hide log warnings: the printed lines report the same failures
    try:
        passed = [_list_model(entry, ping=ping) for entry in entries]
    finally:
        logging.disable(logging.NOTSET)
        language_models.close()
    typer.echo(f"\nproviders: {', '.join(known_providers())} (docs/models.md)")
    return ExitCode.SUCCESS if all(passed) else ExitCode.FAILURE


def _entries(names: Sequence[str]) -> Iterator[ModelEntry]:
    """Yield the named models, or all configured models if there are no names. Treat an unknown name as a model id."""
    configured = {entry.name: entry for entry in ModelSettings().catalog.all}
    for name in names or configured:
        yield configured.get(name) or ModelEntry(name=name, model=name)


def _list_model(entry: ModelEntry, *, ping: bool) -> bool:
    """Print the model and, if ``ping`` is set, the result of its test. Return False if the test failed."""
    groups = f"  for {', '.join(entry.groups)}" if entry.groups else ""
    model = f"  {entry.model}" if entry.model != entry.name else ""
    typer.echo(f"{entry.name}{model}{groups}")
    if not ping:
        return True
    try:
        typer.echo(f"  {_ping(language_models.model_without_retries(entry.model), entry.model)}")
    except ModelError as error:
        detail = f" [{error.provider_status}]" if error.provider_status else ""
        typer.echo(f"  {error.code}: {error}{detail}")
        return False
    except ValueError as error:
        typer.echo(f"  {error}")
        return False
    return True


def _ping(model: Model, name: str) -> str:
    """Ask the model to call a tool, because turns depend on tool calls. Return a summary of the reply."""
    request = CompletionRequest(
        model=name,
        instructions="This is a connection test.",
        messages=[UserMessage(text=_QUESTION)],
        tools=[_TOOL],
    )
    started = time.monotonic()
    reply = model.reply(request, _IgnoredStream())
    seconds = time.monotonic() - started
    tokens = f"{reply.usage.input_tokens} tokens in, {reply.usage.output_tokens} out"
    return f"answers in {seconds:.1f} s ({tokens}) {_tool_support(reply)}"


def _tool_support(reply: ModelReply) -> str:
    called = any(call.tool == _TOOL.full_name for call in reply.calls)
    return "and calls tools" if called else "but did not call the requested tool"


class _IgnoredStream:
    """A stream listener that ignores the text, because the test only needs the final reply."""

    def __call__(self, text: str) -> None:
        """Ignore a piece of the model's reply."""

    def think(self, text: str) -> None:
        """Ignore a piece of the model's reasoning."""

    def restart(self) -> None:
        """Ignore the signal that the model starts its reply from the beginning again."""
