"""Where environments come from: forks of one process that has imported beforehand what they all need."""

import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypedDict

from local.runners.functions import world

DESCRIPTORS = 3  # standard input, output and error
MOST_BYTES = 1 << 17
_log = logging.getLogger(__name__)
_PATIENCE = 30.0  # seconds for the imports, should the first environment be asked for before they are done


class Birth(TypedDict):
    """What the fork server is asked for, beside the three descriptors: the program's arguments and its world."""

    target: str
    function: str
    environ: dict[str, str]


class Nursery:
    """A fork server, started at once and again when it has died.

    ``preload`` are the modules that it imports. What it forks are children of this process, which must be a
    subreaper (``trees.adopt_orphans``).
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._preload = preload
        self._lock = threading.Lock()
        self._start()

    def bear(self, target: str, function: str, environ: Mapping[str, str], descriptors: Sequence[int]) -> int:
        """Start an environment with its standard descriptors; return its pid.

        Raises OSError where even a new fork server gives no answer.
        """
        birth = json.dumps(Birth(target=target, function=function, environ=dict(environ))).encode()
        with self._lock:
            try:
                return self._ask(birth, descriptors)
            except OSError:
                _log.warning("the fork server gives no answer and is started again", exc_info=True)
                self._end()
                self._start()
                return self._ask(birth, descriptors)

    def close(self) -> None:
        """End the fork server; what it forked lives on."""
        with self._lock:
            self._end()

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_PATIENCE)
        number = str(theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
                [sys.executable, "-P", "-m", "local.runners.forkserver", number, *self._preload],
                stdin=subprocess.DEVNULL,
                env=world({}),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def _ask(self, birth: bytes, descriptors: Sequence[int]) -> int:
        socket.send_fds(self._socket, [birth], list(descriptors))
        answer = self._socket.recv(MOST_BYTES)
        if not answer:
            raise ConnectionResetError("the fork server has ended")
        return int(answer)

    def _end(self) -> None:
        self._socket.close()
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, 9)
        self._process.wait()
