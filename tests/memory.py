"""How much a process's memory grew at its highest: the kernel's own mark, so that nothing between looks is missed."""

from contextlib import suppress
from pathlib import Path

_RESET = "5"  # proc_pid_clear_refs(5)
_MEBIBYTE_KB = 1024


class MemoryGrowth:
    """Begins when it is made; pages that a process has ever touched since then count, its shared ones included."""

    def __init__(self, pid: int | str = "self") -> None:
        self._folder = Path("/proc", str(pid))
        with suppress(
            PermissionError
        ):  # a process that hides from its user keeps its mark: what was before counts, too
            (self._folder / "clear_refs").write_text(_RESET, encoding="ascii")
        self._before = self._figure("VmRSS")

    def mebibytes(self) -> float:
        """Return the highest so far above where it began. Raises FileNotFoundError when the process has ended."""
        return self._figure("VmHWM") - self._before

    def _figure(self, what: str) -> float:
        lines = (self._folder / "status").read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) / _MEBIBYTE_KB
