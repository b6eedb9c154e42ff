"""Run and print the commands of `satchel data`."""

import sqlite3
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import typer
from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from local.cli.errors import ExitCode, print_error
from local.cli.text import one_line
from local.emulator.data import inspection
from local.emulator.data.archive import Archive, ArchiveError, Summary, write_archive
from local.emulator.data.folder import DataFolder, DataFolderError, open_existing
from local.emulator.data.importing import import_into_folder
from local.emulator.data.inspection import Finding
from local.emulator.data.stack import StackImport, verify
from local.emulator.settings import data_folder

_PROGRESS_SECONDS = 1.0
_EXPECTED = (DataFolderError, ArchiveError, OSError, sqlite3.Error, ClientError, BotoCoreError, Boto3Error)
_Parameters = ParamSpec("_Parameters")


def _with_errors(command: Callable[_Parameters, ExitCode]) -> Callable[_Parameters, ExitCode]:
    """Print an expected error as one line and return ERROR."""

    @wraps(command)
    def run(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> ExitCode:
        try:
            return command(*args, **kwargs)
        except ValidationError as error:
            print_error(f"SATCHEL_DATA: {error.errors()[0]['msg']}")
        except _EXPECTED as error:
            print_error(str(error))
        return ExitCode.ERROR

    return run


@_with_errors
def print_info() -> ExitCode:
    """Print what the data folder contains."""
    path = _folder()
    found = inspection.describe(path)
    for name, value in {
        "folder": f"{path} (version {found.version})",
        "in use": f"by process {found.owner}" if found.owner else "no",
        "items": f"{found.items:,}",
        "objects": f"{found.objects:,} with {found.object_bytes:,} bytes",
        "unfinished uploads": f"{found.uploads:,} with {found.upload_bytes:,} bytes",
    }.items():
        typer.echo(f"{name:18}  {value}")
    return ExitCode.SUCCESS


@_with_errors
def check_folder(*, mend: bool) -> ExitCode:
    """Print the problems of the data folder, and mend them. Return FAILURE if a problem remains."""
    with open_existing(_folder()) as folder:
        findings = list(inspection.check(folder, _Progress()))
        if mend:
            inspection.mend(folder, findings)
    for finding in findings:
        typer.echo(_line(finding, mended=mend and finding.is_mendable))
    remaining = [each for each in findings if not (mend and each.is_mendable)]
    typer.echo(f"{len(findings)} problems" + (f", {len(findings) - len(remaining)} mended" if mend else ""))
    return ExitCode.FAILURE if remaining else ExitCode.SUCCESS


@_with_errors
def export_archive(file: Path) -> ExitCode:
    """Write the archive and print its counts."""
    with open_existing(_folder()) as folder:
        summary = write_archive(folder, file, _Progress())
    typer.echo(f"exported {_counts(summary)} to {file}")
    return ExitCode.SUCCESS


@_with_errors
def import_archive(file: Path) -> ExitCode:
    """Import the archive into the data folder and print its counts."""
    path = _folder()
    with Archive(file) as archive, DataFolder(path) as folder:
        import_into_folder(folder, archive, _Progress())
    typer.echo(f"imported {_counts(archive.summary)} into {path}")
    return ExitCode.SUCCESS


@_with_errors
def import_into_stack(file: Path, table: str, bucket: str) -> ExitCode:
    """Import the archive into the table and bucket. Return FAILURE if different data were there already."""
    stack = StackImport(table, bucket)
    verify(file, _Progress())
    with Archive(file) as archive:
        stack.run(archive, _Progress())
    typer.echo(f"imported {_counts(archive.summary)}: {stack.added:,} were new, {stack.present:,} were there already")
    for name in stack.different:
        typer.echo(one_line(f"different, not changed: {name}"))
    return ExitCode.FAILURE if stack.different else ExitCode.SUCCESS


@_with_errors
def vacuum_folder() -> ExitCode:
    """Remove unused files, compact the database and print how much smaller the folder is."""
    with open_existing(_folder()) as folder:
        freed = inspection.vacuum(folder)
    typer.echo(f"freed {freed:,} bytes")
    return ExitCode.SUCCESS


def _folder() -> Path:
    path = data_folder()
    if path is None:
        raise DataFolderError("SATCHEL_DATA=memory: there is no data folder")
    return path


def _counts(summary: Summary) -> str:
    return f"{summary.items:,} items and {summary.objects:,} objects with {summary.bytes:,} bytes"


def _line(finding: Finding, *, mended: bool) -> str:
    owner, _, _ = finding.name.partition("/")
    whose = "" if finding.problem == "unused file" else f" (a file of {owner})"
    return one_line(f"{finding.problem}: {finding.name}{whose}{', removed' if mended else ''}")


class _Progress:
    """Prints the progress to stderr, at most once a second, and always the end of a step that took longer."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _PROGRESS_SECONDS
        self._step = ""

    def __call__(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next and not (done == total and self._step == step):
            return
        self._next, self._step = now + _PROGRESS_SECONDS, step
        typer.echo(f"{step}: {done:,} of {total:,}", err=True)
