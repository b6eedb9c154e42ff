"""Child processes, and processes outside the sandbox."""

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

from .framework import LIBC, Target, attack, require, syscall

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
PIDFD_GETFD, PROCESS_VM_READV, PROCESS_VM_WRITEV, KCMP, EXECVEAT = 438, 310, 311, 312, 322
AT_EMPTY_PATH = 0x1000


@attack
def shell_command(target: Target) -> None:
    subprocess.run(["/bin/sh", "-c", f"echo pwn > {target.new}"], check=True)


@attack
def os_system(target: Target) -> None:
    require(success=os.system(f"echo pwn > {target.new}") == 0)


@attack
def fork_exec_without_audit_event(target: Target) -> None:
    reader, writer = os.pipe()
    line = os.fsencode(f"echo pwn > {target.new}")
    rest: list[Any] = [
        None,
        None,
        -1,
        -1,
        -1,
        -1,
        -1,
        -1,
        reader,
        writer,
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
    arguments: list[Any] = [[b"/bin/sh", b"-c", line], (b"/bin/sh",), True, (writer,), *rest]
    child = _posixsubprocess.fork_exec(*arguments[: -1 if sys.version_info >= (3, 14) else None])
    require(success=os.waitpid(child, 0)[1] == 0)


@attack
def own_executable(target: Target) -> None:
    program = target.mine / "program"
    program.write_text(f"#!/bin/sh\necho pwn > {target.new}\n")
    program.chmod(0o755)
    subprocess.run([str(program)], check=True)


@attack
def own_script(target: Target) -> None:
    """Let the shell read a script, so that no file of the workspace is executed."""
    script = target.mine / "script"
    script.write_text(f"echo pwn > {target.new}\n")
    child = os.posix_spawn("/bin/sh", ["sh", str(script)], {})
    require(success=os.waitpid(child, 0)[1] == 0)


@attack
def new_interpreter(target: Target) -> None:
    subprocess.run([sys.executable, "-c", f"open({str(target.out / 'x')!r}, 'w').write('pwn')"], check=True)


@attack
def executable_in_memory(target: Target) -> None:
    fd = os.memfd_create("program", 0)
    os.write(fd, f"#!/bin/sh\necho pwn > {target.new}\n".encode())
    child = os.fork()
    if child == 0:
        none = ctypes.c_char_p(None)
        LIBC.syscall(EXECVEAT, fd, b"", ctypes.byref(none), ctypes.byref(none), AT_EMPTY_PATH)
        os._exit(1)
    require(success=os.waitpid(child, 0)[1] == 0)


def _write(path: str) -> None:
    with open(path, "w") as file:
        file.write("pwn")


@attack
def forked_worker(target: Target) -> None:
    worker = multiprocessing.get_context("fork").Process(target=_write, args=(f"{target.new}",))
    worker.start()
    worker.join()
    require(success=worker.exitcode == 0)


@attack
def daemon(target: Target) -> None:
    """Start a daemon that writes a file later. The test checks from outside that the daemon was killed before."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            time.sleep(10)
            (target.mine / "survived").write_text("still here")
        os._exit(0)
    raise OSError("the test checks the effect from outside")


@attack
def signal_runner(target: Target) -> None:
    os.kill(target.runner, signal.SIGCONT)


@attack
def signal_runner_group(target: Target) -> None:
    os.killpg(target.runner, signal.SIGCONT)


@attack
def signal_all_processes(_: Target) -> None:
    os.kill(-1, 0)  # only the check of the permission: other tests run at the same time


@attack
def signal_runner_by_pidfd(target: Target) -> None:
    signal.pidfd_send_signal(os.pidfd_open(target.runner), signal.SIGCONT)


@attack
def copy_runner_descriptor(target: Target) -> None:
    syscall(PIDFD_GETFD, os.pidfd_open(target.runner), 0, 0)


@attack
def trace_runner(target: Target) -> None:
    require(success=LIBC.ptrace(PTRACE_SEIZE, target.runner, 0, 0) == 0)


@attack
def read_runner_memory(target: Target) -> None:
    there = int(open(f"/proc/{target.runner}/maps").read().split("-")[0], 16)
    here = ctypes.create_string_buffer(16)
    remote, local = struct.pack("QQ", there, 16), struct.pack("QQ", ctypes.addressof(here), 16)
    syscall(PROCESS_VM_READV, target.runner, local, 1, remote, 1, 0)


@attack
def read_runner_memory_at_fixed_address(target: Target) -> None:
    here = ctypes.create_string_buffer(16)
    remote, local = struct.pack("QQ", 0x400000, 16), struct.pack("QQ", ctypes.addressof(here), 16)
    syscall(PROCESS_VM_READV, target.runner, local, 1, remote, 1, 0)


@attack
def compare_with_runner(target: Target) -> None:
    syscall(KCMP, os.getpid(), target.runner, 1, 0, 0)


@attack
def lower_runner_priority(target: Target) -> None:
    os.setpriority(os.PRIO_PROCESS, target.runner, os.getpriority(os.PRIO_PROCESS, target.runner))


@attack
def lower_user_priority(_: Target) -> None:
    os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))


@attack
def limit_runner_resources(target: Target) -> None:
    limit = resource.prlimit(target.runner, resource.RLIMIT_CORE)
    resource.prlimit(target.runner, resource.RLIMIT_CORE, limit)


@attack
def bind_runner_to_cpu(target: Target) -> None:
    os.sched_setaffinity(target.runner, os.sched_getaffinity(target.runner))


@attack
def child_with_privileges(_: Target) -> None:
    status = subprocess.run(["/bin/sh", "-c", "cat /proc/$$/status"], capture_output=True, text=True, check=True).stdout
    require(success="CapEff:\t0000000000000000" not in status)
