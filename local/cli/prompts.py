"""Prompts of servers as messages: `satchel ask '/server.prompt city=Lima'`."""

import re
import shlex
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from local.cli.errors import InvalidArgumentsError
from satchel.contract.file_names import safe_name
from satchel_client import Client
from satchel_client.models import OfferedFile, Prompt

_COMMAND = re.compile(r"/(\S+)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Message:
    """A message to send, and the files of its prompt. They are temporary."""

    text: str
    files: Sequence[Path] = ()


@contextmanager
def expanded_message(client: Client, text: str) -> Iterator[Message]:
    """Yield the message of the prompt that the text names, or the text itself if it names no prompt of the user.

    Raise InvalidArgumentsError for arguments in another form than ``name=value`` or without a required one.
    """
    command = _COMMAND.fullmatch(text.strip())
    prompt = command and next((each for each in client.prompts() if _full_name(each) == command[1]), None)
    if command is None or prompt is None:
        yield Message(text)
        return
    answer = client.prompt(prompt.server, prompt.name, _arguments(prompt, command[2] or ""))
    with TemporaryDirectory(prefix="satchel-") as folder:
        yield Message(answer.text, list(_save(answer.files, Path(folder))))


def _full_name(prompt: Prompt) -> str:
    """Return the name that a message uses: ``server.prompt``."""
    return f"{prompt.server}.{prompt.name}"


def _arguments(prompt: Prompt, words: str) -> Mapping[str, str]:
    try:
        pairs = [word.partition("=") for word in shlex.split(words)]
    except ValueError as error:
        raise InvalidArgumentsError(
            f"The arguments of /{_full_name(prompt)} are not quoted correctly: {error}."
        ) from error
    known = {each.name for each in prompt.arguments}
    values = {name: value for name, separator, value in pairs if separator and name in known}
    missing = {each.name for each in prompt.arguments if each.required} - values.keys()
    if missing or len(values) < len(pairs):
        usage = " ".join(f"{each.name}=…" if each.required else f"[{each.name}=…]" for each in prompt.arguments)
        raise InvalidArgumentsError(f"Write the prompt as: /{_full_name(prompt)} {usage}".rstrip())
    return values


def _save(files: Sequence[OfferedFile], folder: Path) -> Iterator[Path]:
    for number, file in enumerate(files):
        path = folder / str(number) / safe_name(file.name)
        path.parent.mkdir()
        path.write_bytes(b64decode(file.b64))
        yield path
