"""Assembler for seccomp filters: classic BPF programs that allow or deny system calls (Linux, x86_64 and aarch64).

Satchel does not use libseccomp, because Lambda does not have this C library and a filter is only a few dozen
comparisons.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # not imported from typing, because that import takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOAD, _EQUAL, _AT_LEAST, _AND, _SKIP, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x05, 0x06
_NR_OFFSET, _ARCH_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ARCHES = {syscalls.X86: 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # this bit of a call number marks the x32 ABI, a second set of call numbers on x86_64

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2

WORD = 0xFFFFFFFF


class Rule:
    """Filter rule: ``call`` fails with ``error`` if ``argument & mask`` is in ``values``, or not in it (``unless``)."""

    def __init__(
        self,
        call: str,
        argument: int,
        values: tuple[int, ...],
        *,
        error: int = errno.EPERM,
        unless: bool = False,
        mask: int = WORD,
    ) -> None:
        self.call = call
        self.argument = argument
        self.values = values
        self.error = error
        self.unless = unless
        self.mask = mask


def program(machine: str, errors: Mapping[str, int], rules: Iterable[Rule]) -> list[bytes]:
    """Return the instructions of a seccomp filter. Raise OSError if the architecture (``machine``) is unknown.

    ``errors`` maps a system call's name to the error number that the call always returns (0: success without effect).
    """
    if machine not in _ARCHES:
        raise OSError(errno.ENOSYS, f"no filter for {machine}")
    numbers = syscalls.numbers(machine)
    code = [_load(_ARCH_OFFSET), _jump(_EQUAL, _ARCHES[machine], 1, 0), _return(_KILL), _load(_NR_OFFSET)]
    if machine == syscalls.X86:
        code += _deny(_AT_LEAST, _X32, errno.ENOSYS)
    code += _deny(_AT_LEAST, syscalls.NEWEST + 1, errno.ENOSYS)
    for name, error in errors.items():
        if name in numbers:
            code += _deny(_EQUAL, numbers[name], error)
    for rule in rules:
        code += _by_argument(numbers[rule.call], rule)
    return [*code, _return(_ALLOW)]


def load(code: list[bytes]) -> None:
    """Install the instructions as the seccomp filter of this process. Raise OSError if the kernel rejects them."""
    body = ctypes.create_string_buffer(b"".join(code))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(body)))
    syscalls.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    syscalls.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.addressof(head))


def _by_argument(number: int, rule: Rule) -> list[bytes]:
    """Return instructions that apply a rule. They compare only the lower 32 bits; the kernel ignores the upper ones."""
    deny, next_rule = _return(_ERRNO | rule.error), _load(_NR_OFFSET)
    if rule.unless:
        otherwise, match = [deny], [next_rule]
    else:
        otherwise, match = [next_rule, _instruction(_SKIP, 0, 0, 1)], [deny]
    to_match = len(rule.values) + len(otherwise) - 1
    tests = [_jump(_EQUAL, value, to_match - index, 0) for index, value in enumerate(rule.values)]
    block = [
        _load(_ARGUMENTS_OFFSET + 8 * rule.argument),
        _instruction(_AND, 0, 0, rule.mask),
        *tests,
        *otherwise,
        *match,
    ]
    return [_jump(_EQUAL, number, 0, len(block)), *block]


def _deny(comparison: int, number: int, error: int) -> list[bytes]:
    return [_jump(comparison, number, 0, 1), _return(_ERRNO | error)]


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _jump(comparison: int, value: int, if_true: int, if_false: int) -> bytes:
    return _instruction(comparison, if_true, if_false, value)


def _return(action: int) -> bytes:
    return _instruction(_RETURN, 0, 0, action)


def _instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)
