"""A shell in which the blocks of a document run one after the other, with their variables and functions."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_END = "end-of-block"


class Shell:
    """A bash process. It ends at the first command that fails."""

    def __init__(self, process: "subprocess.Popen[str]", output: Path) -> None:
        self._process = process
        self._output = output

    def run(self, commands: str) -> str:
        """Run commands and return what they print. AssertionError contains the output if a command fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.poll() is None, "an earlier block failed"
        self._process.stdin.write(f"{{ {commands}\n}} >{self._output} 2>&1 </dev/null\necho {_END}\n")
        self._process.stdin.flush()
        ended = self._process.stdout.readline().strip()
        printed = self._output.read_text(encoding="utf-8")
        assert ended == _END, printed
        return printed


@contextmanager
def shell(folder: Path, environ: Mapping[str, str], output: Path) -> Iterator[Shell]:
    """Start a shell in a folder. ``output`` is the file for the output of each block."""
    command = ["/bin/bash", "--noprofile", "--norc"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environ, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603  (fixed arguments)
        try:
            started = Shell(process, output)
            started.run("set -e -o pipefail; shopt -s inherit_errexit")
            yield started
        finally:
            process.kill()
