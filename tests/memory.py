"""Peak memory growth of a process, from the kernel's high-water mark, so that no short peak is missed."""

from contextlib import suppress
from pathlib import Path

_RESET_PEAK = "5"  # proc_pid_clear_refs(5)
_KB_PER_MIB = 1024


class MemoryGrowth:
    """Measures the growth of the resident set (shared pages included) from its creation on."""

    def __init__(self, pid: int | str = "self") -> None:
        self._folder = Path("/proc", str(pid))
        # A process that hides from its user does not allow the reset: its earlier peaks count as well.
        with suppress(PermissionError):
            (self._folder / "clear_refs").write_text(_RESET_PEAK, encoding="ascii")
        self._before = self._read_mebibytes("VmRSS")

    def mebibytes(self) -> float:
        """Return the peak so far minus the size at the start. Raises FileNotFoundError if the process has ended."""
        return self._read_mebibytes("VmHWM") - self._before

    def _read_mebibytes(self, field: str) -> float:
        lines = (self._folder / "status").read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / _KB_PER_MIB
