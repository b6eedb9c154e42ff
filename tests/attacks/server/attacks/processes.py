"""Other processes: those that one starts, and those that are others'."""

import _posixsubprocess
import ctypes
import multiprocessing
import os
import resource
import signal
import struct
import subprocess
import sys
import time
from typing import Any

from .ground import LIBC, Ground, attack, syscall, wanted

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
PIDFD_GETFD, PROCESS_VM_READV, PROCESS_VM_WRITEV, KCMP, EXECVEAT = 438, 310, 311, 312, 322
AT_EMPTY_PATH = 0x1000


@attack
def shell(ground: Ground) -> None:
    subprocess.run(["/bin/sh", "-c", f"echo pwn > {ground.new}"], check=True)


@attack
def system(ground: Ground) -> None:
    wanted(success=os.system(f"echo pwn > {ground.new}") == 0)


@attack
def fork_exec_without_an_event(ground: Ground) -> None:
    reading, writing = os.pipe()
    line = os.fsencode(f"echo pwn > {ground.new}")
    rest: list[Any] = [
        None,
        None,
        -1,
        -1,
        -1,
        -1,
        -1,
        -1,
        reading,
        writing,
        False,
        False,
        -1,
        None,
        None,
        None,
        -1,
        None,
        False,
    ]
    words: list[Any] = [[b"/bin/sh", b"-c", line], (b"/bin/sh",), True, (writing,), *rest]
    child = _posixsubprocess.fork_exec(*words[: -1 if sys.version_info >= (3, 14) else None])
    wanted(success=os.waitpid(child, 0)[1] == 0)


@attack
def program_of_ones_own(ground: Ground) -> None:
    made = ground.mine / "made"
    made.write_text(f"#!/bin/sh\necho pwn > {ground.new}\n")
    made.chmod(0o755)
    subprocess.run([str(made)], check=True)


@attack
def script_of_ones_own(ground: Ground) -> None:
    """Another program reads it, so nothing in the person's directory is executed."""
    made = ground.mine / "script"
    made.write_text(f"echo pwn > {ground.new}\n")
    child = os.posix_spawn("/bin/sh", ["sh", str(made)], {})
    wanted(success=os.waitpid(child, 0)[1] == 0)


@attack
def fresh_interpreter(ground: Ground) -> None:
    subprocess.run([sys.executable, "-c", f"open({str(ground.out / 'x')!r}, 'w').write('pwn')"], check=True)


@attack
def program_in_memory(ground: Ground) -> None:
    fd = os.memfd_create("made", 0)
    os.write(fd, f"#!/bin/sh\necho pwn > {ground.new}\n".encode())
    child = os.fork()
    if child == 0:
        none = ctypes.c_char_p(None)
        LIBC.syscall(EXECVEAT, fd, b"", ctypes.byref(none), ctypes.byref(none), AT_EMPTY_PATH)
        os._exit(1)
    wanted(success=os.waitpid(child, 0)[1] == 0)


def _write(path: str) -> None:
    with open(path, "w") as file:
        file.write("pwn")


@attack
def forked_worker(ground: Ground) -> None:
    worker = multiprocessing.get_context("fork").Process(target=_write, args=(f"{ground.new}",))
    worker.start()
    worker.join()
    wanted(success=worker.exitcode == 0)


@attack
def daemon(ground: Ground) -> None:
    """It is looked for from outside, by the file that it writes when it should be dead."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            time.sleep(2.5)
            (ground.mine / "survived").write_text("still here")
        os._exit(0)
    raise OSError("it is looked for from outside")


@attack
def signal_to_the_runner(ground: Ground) -> None:
    os.kill(ground.runner, signal.SIGCONT)


@attack
def signal_to_its_group(ground: Ground) -> None:
    os.killpg(ground.runner, signal.SIGCONT)


@attack
def signal_to_everybody(_: Ground) -> None:
    os.kill(-1, signal.SIGCONT)


@attack
def signal_by_descriptor(ground: Ground) -> None:
    signal.pidfd_send_signal(os.pidfd_open(ground.runner), signal.SIGCONT)


@attack
def descriptor_of_the_runner(ground: Ground) -> None:
    syscall(PIDFD_GETFD, os.pidfd_open(ground.runner), 0, 0)


@attack
def trace_the_runner(ground: Ground) -> None:
    wanted(success=LIBC.ptrace(PTRACE_SEIZE, ground.runner, 0, 0) == 0)


@attack
def read_its_memory(ground: Ground) -> None:
    there = int(open(f"/proc/{ground.runner}/maps").read().split("-")[0], 16)
    here = ctypes.create_string_buffer(16)
    remote, local = struct.pack("QQ", there, 16), struct.pack("QQ", ctypes.addressof(here), 16)
    syscall(PROCESS_VM_READV, ground.runner, local, 1, remote, 1, 0)


@attack
def read_its_memory_blindly(ground: Ground) -> None:
    here = ctypes.create_string_buffer(16)
    remote, local = struct.pack("QQ", 0x400000, 16), struct.pack("QQ", ctypes.addressof(here), 16)
    syscall(PROCESS_VM_READV, ground.runner, local, 1, remote, 1, 0)


@attack
def compare_with_it(ground: Ground) -> None:
    syscall(KCMP, os.getpid(), ground.runner, 1, 0, 0)


@attack
def slow_it_down(ground: Ground) -> None:
    os.setpriority(os.PRIO_PROCESS, ground.runner, os.getpriority(os.PRIO_PROCESS, ground.runner))


@attack
def slow_everything_down(_: Ground) -> None:
    os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))


@attack
def limit_it(ground: Ground) -> None:
    limit = resource.prlimit(ground.runner, resource.RLIMIT_CORE)
    resource.prlimit(ground.runner, resource.RLIMIT_CORE, limit)


@attack
def bind_it_to_a_processor(ground: Ground) -> None:
    os.sched_setaffinity(ground.runner, os.sched_getaffinity(ground.runner))


@attack
def root_by_a_program(_: Ground) -> None:
    found = subprocess.run(["/bin/sh", "-c", "cat /proc/$$/status"], capture_output=True, text=True, check=True).stdout
    wanted(success="CapEff:\t0000000000000000" not in found)
