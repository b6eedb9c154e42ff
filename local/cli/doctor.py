"""`satchel doctor`: its options. What it does is in `examine`, which is imported when it runs."""

import typer


def doctor() -> None:
    """Say how well this machine walls tools in, and what is missing.

    Ends with 0 when that is enough for the settings (SATCHEL_MIN_ISOLATION), else with 1.
    """
    from local.cli.examine import examine  # noqa: PLC0415  (pydantic would slow every --help)

    raise typer.Exit(examine())
