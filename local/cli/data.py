"""Options and help texts of the `satchel data` commands. Each command imports its logic when it runs, as `commands`."""

# ruff: noqa: PLC0415  (functions contain imports, so that ``--help`` stays fast)

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Inspect, export and import the data of the local run.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def info() -> None:
    """Print what the data folder contains, also while a server uses it.

    The folder is SATCHEL_DATA (default: ~/.local/share/satchel). Exits with 0, or with 2 if it cannot be read.
    """
    from local.emulator.data.command import print_info

    raise typer.Exit(print_info())


@app.command()
def check(
    *,
    mend: Annotated[
        bool, typer.Option("--mend", help="Delete unused files and the entries of missing contents.")
    ] = False,
) -> None:
    """Compare the data folder's database with its files.

    Reads all contents. No server may use the folder. Exits with 0 if there are no problems or all are mended, 1 if
    there are, 2 if the folder cannot be checked.
    """
    from local.emulator.data.command import check_folder

    raise typer.Exit(check_folder(mend=mend))


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="The new archive, a tar file.", dir_okay=False)],
) -> None:
    """Write all items and the newest objects to an archive.

    The archive has no keys, connections or unfinished uploads. No server may use the folder. Exits with 0, or with 2 if
    the archive cannot be written.
    """
    from local.emulator.data.command import export_archive

    raise typer.Exit(export_archive(file))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="The archive.", exists=True, dir_okay=False, readable=True)],
    *,
    table: Annotated[str | None, typer.Option(help="Import into this table of a deployed stack.")] = None,
    bucket: Annotated[str | None, typer.Option(help="Import into this bucket of a deployed stack.")] = None,
) -> None:
    """Import an archive into the data folder, or into a deployed stack.

    The data folder must have no data, and gets all or nothing. With --table and --bucket, the command uses your AWS
    credentials, and overwrites nothing in the stack. To resume an interrupted import, run the same command again. Exits
    with 0, with 1 if the stack already has different data, or with 2 if the archive cannot be imported.
    """
    if (table is None) != (bucket is None):
        raise typer.BadParameter("--table and --bucket require each other")
    from local.emulator.data.command import import_archive, import_into_stack

    raise typer.Exit(import_into_stack(file, table, bucket) if table and bucket else import_archive(file))


@app.command()
def vacuum() -> None:
    """Delete unused files and compact the database.

    No server may use the folder. Exits with 0, or with 2 if the folder cannot be used.
    """
    from local.emulator.data.command import vacuum_folder

    raise typer.Exit(vacuum_folder())
