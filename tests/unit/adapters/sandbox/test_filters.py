"""The filter decides as its rules say: run here by a few lines that do what the kernel's machine does."""

import errno
import struct
from collections.abc import Sequence

import pytest

from satchel.adapters.sandbox import bpf, seccomp, syscalls

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED = 0x7FFF0000
MACHINES = ["x86_64", "aarch64"]


def decide(code: Sequence[bytes], number: int, *arguments: int, arch: int) -> int:
    """Return what the filter answers to a call."""
    padded = (*arguments, *[0] * 6)[:6]
    data = struct.pack("=iIQ6Q", number, arch, 0, *(value & (1 << 64) - 1 for value in padded))
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack("HBBI", code[at])
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x05:
                at += operand
            case 0x06:
                return int(operand)
            case other:
                raise AssertionError(other)


def answer(machine: str, call: str, *arguments: int, network: bool = True, runner: int | None = None) -> int | None:
    """Return the error that a call is answered with; None where it is made."""
    answers = dict.fromkeys(seccomp.REFUSED, errno.EPERM)
    code = bpf.program(machine, answers, seccomp.rules(network=network, runner=runner))
    said = decide(code, syscalls.numbers(machine)[call], *arguments, arch=ARCH[machine])
    return None if said == ALLOWED else said & 0xFFFF


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", seccomp.REFUSED)
def test_what_is_refused_is_refused_whatever_its_arguments(machine: str, call: str) -> None:
    if call in syscalls.numbers(machine):
        assert answer(machine, call, 1, 2, 3) == errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "error"),
    [
        ("socket", (2, 1), None),
        ("socket", (10, 0x80801), None),
        ("socket", (1, 1), errno.EACCES),
        ("socket", (40, 1), errno.EACCES),
        ("socketpair", (1, 1), None),
        ("socketpair", (1, 0x80002), errno.EACCES),
        ("clone", (0x3D0F00,), None),
        ("clone", (0x10000011,), errno.EPERM),
        ("ioctl", (1, 0x5401), None),
        ("ioctl", (1, 0x5412), errno.EPERM),
        ("kill", (4711, 9), None),
        ("kill", (-1, 9), errno.EPERM),
        ("setpriority", (0, 0, 5), None),
        ("setpriority", (0, 4711, 5), errno.EPERM),
        ("setpriority", (2, 0, 5), errno.EPERM),
        ("prlimit64", (0, 7), None),
        ("prlimit64", (4711, 7), errno.EPERM),
        ("ioprio_set", (1, 0), None),
        ("ioprio_set", (3, 0), errno.EPERM),
    ],
)
def test_arguments_decide(machine: str, call: str, arguments: tuple[int, ...], error: int | None) -> None:
    assert answer(machine, call, *arguments) == error


@pytest.mark.parametrize("family", [2, 10])
def test_without_the_network_no_socket_of_it_is_made(family: int) -> None:
    assert answer("x86_64", "socket", family, 1, network=False) == errno.EACCES


@pytest.mark.parametrize("call", ["kill", "tgkill", "pidfd_open", "rt_sigqueueinfo"])
@pytest.mark.parametrize("target", [4711, -4711])
def test_the_runner_gets_no_signal_where_landlock_does_not_see_to_that(call: str, target: int) -> None:
    assert answer("x86_64", call, target, 9, runner=4711) == errno.EPERM
    assert answer("x86_64", call, 4712, 9, runner=4711) is None


def test_calls_of_another_machine_end_the_process() -> None:
    assert decide(bpf.program("x86_64", {}, []), 1, arch=0x40000003) == 0x80000000


@pytest.mark.parametrize("number", [0x40000101, syscalls.NEWEST + 1])
def test_calls_that_nobody_knows_are_not_there(number: int) -> None:
    assert decide(bpf.program("x86_64", {}, []), number, arch=ARCH["x86_64"]) & 0xFFFF == errno.ENOSYS


def test_for_a_machine_that_nobody_knows_there_is_no_filter() -> None:
    with pytest.raises(OSError, match="no filter for m68k"):
        bpf.program("m68k", {}, [])
