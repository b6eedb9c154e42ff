"""Saving the files of an answer in a folder of this machine."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from uuid import uuid4

from local.cli.api import ApiClient
from local.cli.errors import CliError, SavingError
from satchel.contract.names import numbered, safe_name
from satchel.domain.responses import ResponseArtifact, ResponseDeferred

TurnFile = ResponseArtifact | ResponseDeferred


@dataclass(frozen=True)
class Saved:
    """Where a file of the answer lies now, or the ``problem`` that kept it from there."""

    path: Path
    replaced: bool = False
    problem: CliError | None = None


def make_folder(folder: Path) -> None:
    """Make sure of the folder before anything is asked: a turn may cost minutes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SavingError(f"{folder} cannot be a folder: {error.strerror}.") from error


def save_all(client: ApiClient, files: Iterable[TurnFile], folder: Path) -> Iterator[Saved]:
    """Fetch each file under its own name; one that fails does not keep the others.

    A file of an earlier turn is replaced; two files of this one that share a name (or differ in case alone, which is
    the same on many disks) are kept apart.
    """
    taken: set[str] = set()
    for file in files:
        path = _free(folder, safe_name(file.name), taken)
        taken.add(path.name.casefold())
        replaced = path.exists()
        try:
            _fetch(client, file, path)
        except CliError as problem:
            yield Saved(path, problem=problem)
        else:
            yield Saved(path, replaced)


def _free(folder: Path, name: str, taken: set[str]) -> Path:
    names = (numbered(name, number) for number in count(1))
    return next(folder / each for each in names if each.casefold() not in taken and not (folder / each).is_dir())


def _fetch(client: ApiClient, file: TurnFile, path: Path) -> None:
    if not file.download_url:
        raise SavingError(f"{path.name} has no link: it is gone.")
    part = path.with_name(f".{uuid4().hex}.part")  # renamed when whole: no half file under a name that people trust
    try:
        with client.download(file.download_url) as pieces, part.open("xb") as target:
            target.writelines(pieces)
        part.replace(path)
    except OSError as error:
        raise SavingError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
