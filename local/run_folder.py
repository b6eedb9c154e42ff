"""A folder for as long as the system runs: what its runners print, and where those may be untidy."""

import tempfile
from pathlib import Path
from typing import Self

from satchel.adapters.clearing import remove_tree


class RunFolder:
    """A context manager. Afterwards only logs are left in which something stands; without any, nothing is.

    ``scratch`` is for temporary files: a runner that is killed cannot remove its own.
    """

    path: Path
    logs: Path
    scratch: Path

    def __enter__(self) -> Self:
        """Make it."""
        self.path = Path(tempfile.mkdtemp(prefix="satchel-run-"))
        self.logs = self.path / "logs"
        self.scratch = self.path / "scratch"
        for part in (self.logs, self.scratch):
            part.mkdir()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Clear away what is of no use to anybody."""
        remove_tree(self.scratch)
        for log in self.logs.iterdir():
            if not log.stat().st_size:
                log.unlink()
        if not any(self.logs.iterdir()):
            self.logs.rmdir()
            self.path.rmdir()

    @property
    def is_kept(self) -> bool:
        """Tell whether it is there."""
        return self.path.exists()
