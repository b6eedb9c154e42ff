"""Assembler for seccomp filters: classic BPF programs that allow or deny system calls (Linux, x86_64 and aarch64).

This module replaces the C library libseccomp, which Lambda does not provide. It can be small, because a filter has only
a few dozen comparisons.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from satchel.adapters.sandbox import syscalls

TYPE_CHECKING = False  # TYPE_CHECKING is set here because importing typing takes longer than importing this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOAD, _EQUAL, _AT_LEAST, _AND, _SKIP, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x05, 0x06
_NR_OFFSET, _ARCH_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ARCHES = {syscalls.X86: 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # a system call number with this bit belongs to the x32 ABI, a second system call table on x86_64

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2

WORD = 0xFFFFFFFF


class Rule:
    """Rule of a seccomp filter: deny a system call if one of its arguments has certain values.

    The rule combines the argument at the index ``argument`` with ``mask`` (bitwise AND). It denies the call if the
    result is in ``values`` or, if ``unless`` is True, if the result is not in ``values``. A denied call fails with
    ``error``.
    """

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

    ``errors`` maps names of system calls to error numbers: each of these calls fails with its error, whatever its
    arguments are. If the number is 0, the call does nothing and returns success. ``rules`` deny calls with certain
    arguments.
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
    """Return the instructions for a rule.

    They check only the lower 32 bits of an argument, because the kernel ignores the upper bits.
    """
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
