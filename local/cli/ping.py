"""What `satchel models` does: which models the settings name, and whether they answer."""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from pydantic import ValidationError

from local.cli.text import one_line
from satchel.adapters.models.asking import known_providers
from satchel.bootstrap import models as wired
from satchel.domain.conversation import ModelReply, ModelTask, ToolSpec, UserMessage
from satchel.domain.model_errors import ModelError
from satchel.domain.models import ModelEntry
from satchel.ports.model import Model
from satchel.settings import ModelSettings

MakeModel = Callable[[str], Model]

_TOOL = ToolSpec(
    server="satchel",
    name="ready",
    description="Say that you are ready.",
    input_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_QUESTION = 'Call the tool with the word "ready".'


def show(names: Sequence[str], *, ping: bool, make: MakeModel = wired.model_once) -> int:
    """Print a line for each model and return the exit code."""
    try:
        found = list(_wanted(names))
    except (ValidationError, ValueError) as error:
        print(f"satchel: {one_line(str(error))}", file=sys.stderr)  # noqa: T201  (what it says)
        return 1
    logging.disable(logging.WARNING)  # it is all in the lines
    try:
        fine = [_line(entry, ping=ping, make=make) for entry in found]
    finally:
        logging.disable(logging.NOTSET)
        wired.close()
    print(f"\nproviders: {', '.join(known_providers())} (docs/models.md)")  # noqa: T201  (the same)
    return 0 if all(fine) else 1


def _wanted(names: Sequence[str]) -> Iterator[ModelEntry]:
    """Give the models of the settings, or those of these names; a name may be a model itself."""
    known = {entry.name: entry for entry in ModelSettings().choice.all}
    for name in names or known:
        yield known.get(name) or ModelEntry(name=name, model=name)


def _line(entry: ModelEntry, *, ping: bool, make: MakeModel) -> bool:
    """Print what is known of a model; tell whether nothing is wrong with it."""
    for_whom = f"  for {', '.join(entry.groups)}" if entry.groups else ""
    model = f"  {entry.model}" if entry.model != entry.name else ""
    print(f"{entry.name}{model}{for_whom}", flush=True)  # noqa: T201  (the same)
    if not ping:
        return True
    try:
        print(f"  {_asked(make(entry.model), entry.model)}")  # noqa: T201  (the same)
    except ModelError as error:
        said = f" [{error.said}]" if error.said else ""
        print(f"  {error.code}: {error}{said}")  # noqa: T201  (the same)
        return False
    except ValueError as error:
        print(f"  {error}")  # noqa: T201  (the same)
        return False
    return True


def _asked(model: Model, name: str) -> str:
    """Ask for a call of a tool, without which a model is of little use here."""
    task = ModelTask(
        model=name,
        instructions="You are tried out.",
        messages=[UserMessage(text=_QUESTION)],
        tools=[_TOOL],
    )
    begun = time.monotonic()
    reply = model.reply(task, _Unheard())
    took = time.monotonic() - begun
    counted = f"{reply.usage.input_tokens} tokens in, {reply.usage.output_tokens} out"
    return f"answers in {took:.1f} s ({counted}) and {_calling(reply)}"


def _calling(reply: ModelReply) -> str:
    called = any(call.tool == _TOOL.full_name for call in reply.calls)
    return "calls tools" if called else "did not call the tool that it was asked to call"


class _Unheard:
    """What it says is not shown."""

    def __call__(self, text: str) -> None:
        """Let it pass."""

    def anew(self) -> None:
        """Let that pass, too."""
