"""What a server process may know: a few harmless variables, a home of its own, and what its entry says."""

from collections.abc import Mapping
from pathlib import Path

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ")
"""Everything else stays with the runner: its environment holds credentials (``AWS_*``) and secrets (``SATCHEL_*``)."""

_PLACES = {
    "HOME": ".home",
    "TMPDIR": ".tmp",
    "XDG_CACHE_HOME": ".cache",
    "MPLCONFIGDIR": ".matplotlib",
}
"""Dot folders: what libraries leave there is never taken for something that the tool made."""

_PYTHON = {
    "PYTHONUTF8": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",  # beside the code it could not, and in the corner it could be forged
    "PYTHONNOUSERSITE": "1",  # a tool could put modules there for the next start
}


def server_environment(entry_env: Mapping[str, str], environ: Mapping[str, str], corner: Path) -> dict[str, str]:
    """Return the whole environment of a server whose own folders are in ``corner``."""
    passed_on = {name: environ[name] for name in PASSED_ON if name in environ}
    places = {name: str(corner / folder) for name, folder in _PLACES.items()}
    return {**passed_on, **_PYTHON, **places, **entry_env}


def prepare(corner: Path) -> None:
    """Make the folders that the environment names; before each call, since the corner is cleared between sessions."""
    for folder in _PLACES.values():
        place = corner / folder
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
        place.mkdir(mode=0o700, exist_ok=True)
