"""Decisions of the seccomp filter, computed by a small interpreter of its BPF program."""

import errno
import struct
from collections.abc import Sequence

import pytest

from satchel.adapters.sandbox import bpf, seccomp, syscalls

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED = 0x7FFF0000
MACHINES = ["x86_64", "aarch64"]


def decide(code: Sequence[bytes], number: int, *arguments: int, arch: int) -> int:
    """Run the filter for a call and return its action."""
    padded = (*arguments, *[0] * 6)[:6]
    data = struct.pack("=iIQ6Q", number, arch, 0, *(value & (1 << 64) - 1 for value in padded))
    accumulator, index = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack("HBBI", code[index])
        index += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x15:
                index += if_true if accumulator == operand else if_false
            case 0x35:
                index += if_true if accumulator >= operand else if_false
            case 0x05:
                index += operand
            case 0x06:
                return int(operand)
            case other:
                raise AssertionError(other)


def error_of(machine: str, call: str, *arguments: int, network: bool = True, runner: int | None = None) -> int | None:
    """Return the error number that the filter returns for a call, or None if the filter allows it."""
    errors = dict.fromkeys(seccomp.DENIED, errno.EPERM)
    code = bpf.program(machine, errors, seccomp.rules(network=network, runner=runner))
    action = decide(code, syscalls.numbers(machine)[call], *arguments, arch=ARCH[machine])
    return None if action == ALLOWED else action & 0xFFFF


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", seccomp.DENIED)
def test_denied_call_fails_with_any_arguments(machine: str, call: str) -> None:
    if call in syscalls.numbers(machine):
        assert error_of(machine, call, 1, 2, 3) == errno.EPERM


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
def test_rule_decides_by_arguments(machine: str, call: str, arguments: tuple[int, ...], error: int | None) -> None:
    assert error_of(machine, call, *arguments) == error


@pytest.mark.parametrize("family", [2, 10])
def test_internet_sockets_are_denied_without_network(family: int) -> None:
    assert error_of("x86_64", "socket", family, 1, network=False) == errno.EACCES


@pytest.mark.parametrize("call", ["kill", "tgkill", "pidfd_open", "rt_sigqueueinfo"])
@pytest.mark.parametrize("target", [4711, -4711])
def test_signals_to_the_runner_are_denied(call: str, target: int) -> None:
    assert error_of("x86_64", call, target, 9, runner=4711) == errno.EPERM
    assert error_of("x86_64", call, 4712, 9, runner=4711) is None


def test_call_of_another_architecture_kills_the_process() -> None:
    assert decide(bpf.program("x86_64", {}, []), 1, arch=0x40000003) == 0x80000000


@pytest.mark.parametrize("number", [0x40000101, syscalls.NEWEST + 1])
def test_unknown_call_number_returns_enosys(number: int) -> None:
    assert decide(bpf.program("x86_64", {}, []), number, arch=ARCH["x86_64"]) & 0xFFFF == errno.ENOSYS


def test_program_raises_os_error_for_unknown_architecture() -> None:
    with pytest.raises(OSError, match="no filter for m68k"):
        bpf.program("m68k", {}, [])
