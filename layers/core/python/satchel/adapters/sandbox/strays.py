"""What changed outside while a server ran that nothing stands around: seen afterwards, since it was not stopped.

It is a look at a few places where strays land, one level deep. Other programs write there, too: who it was, it cannot
tell.
"""

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from satchel.adapters.user_area import is_corner

PLACES = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  (places to look at, nothing is put there)

_MOST_ENTRIES = 2000
_MOST_TOLD = 20
_OURS = (".satchel-", "satchel-")

_State = tuple[int, int]


class Strays:
    """Looks at ``places`` when a call begins and when it has ended. ``lodging`` is where the server may write."""

    def __init__(self, places: Iterable[str], lodging: Path) -> None:
        self._places = dict.fromkeys(os.path.realpath(place) for place in places)
        self._lodging = f"{lodging.resolve()}/"
        self._before: dict[str, dict[str, _State]] = {}

    def begin(self) -> None:
        """Remember what is there. A place with too many entries is left out: what is new there could not be told."""
        looks = {place: _look(place) for place in self._places}
        self._before = {place: found for place, (found, is_all) in looks.items() if is_all}

    def take(self) -> list[str]:
        """Return what our user has there that was made or changed since then, twenty paths at most."""
        before, self._before = self._before, {}
        changed = (
            os.fsencode(path).decode(errors="replace")
            for place, known in before.items()
            for path, state in _look(place)[0].items()
            if known.get(path) != state and not self._is_ours(path)
        )
        return list(islice(changed, _MOST_TOLD))

    def _is_ours(self, path: str) -> bool:
        """Corners and scratch directories, which other calls may have in use; and what the lodging lies in."""
        entry = Path(path)
        return entry.name.startswith(_OURS) or self._lodging.startswith(f"{path}/") or is_corner(entry)


def _look(place: str) -> tuple[dict[str, _State], bool]:
    """Return the state of each entry that is our user's, and whether the place was seen whole."""
    found: dict[str, _State] = {}
    try:
        with os.scandir(place) as listed:
            entries = list(islice(listed, _MOST_ENTRIES + 1))
    except FileNotFoundError:
        return found, True
    except OSError:
        return found, False
    for entry in entries[:_MOST_ENTRIES]:
        if state := _state(entry):
            found[entry.path] = state
    return found, len(entries) <= _MOST_ENTRIES


def _state(entry: os.DirEntry[str]) -> _State | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:  # gone in the meantime
        return None
    return (found.st_ino, found.st_ctime_ns) if found.st_uid == os.geteuid() else None
